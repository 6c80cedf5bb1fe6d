//! Replays a recorded run on any engine and computes a fingerprint of every node.
//!
//! An engine stops only where an input was set or a word was delivered, so a fast engine remains
//! fast. The C++ programs check every clock cycle. A word that the recorded driver did not find
//! changes the fingerprint there.

use super::fingerprint::{mix, FNV_BASIS};
use super::{EngineError, InputRecording, NodeEngine, NodePortId, SharedPortId};
use serde::{Deserialize, Serialize};

/// Inputs for an engine, and the selection of outputs for the fingerprint of each node. Every
/// correct engine gives the same fingerprints.
///
/// The fingerprint covers the node's [`WordStream`](super::WordStream) and all outputs at the end, or all
/// outputs in every clock cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    pub recording: InputRecording,
    pub every_clock_cycle: bool,
    /// Hierarchical names of inner signals of the node that count as outputs.
    pub signals: Vec<String>,
}

impl Replay {
    /// Prepares the replay for this engine, whose machine has just been started. `outputs` are the
    /// names of a node's outputs, in order.
    ///
    /// # Panics
    /// If the machine has other nodes or ports than the recorded one, or the engine does not show
    /// one of the signals.
    pub fn prepare(&self, engine: &mut dyn NodeEngine, outputs: &[String]) -> Player<'_> {
        let recording = &self.recording;
        assert_eq!(recording.nodes.len(), engine.nodes(), "nodes");
        let mut sets = vec![];
        let inputs = recording.shared_inputs.iter();
        let inputs: Vec<SharedPortId> = inputs.map(|name| engine.shared_port(name)).collect();
        for change in &recording.shared {
            let port = ReplayInput::Shared(inputs[change.input]);
            sets.push((change.clock, port, change.value));
        }
        let inputs = recording.inputs.iter();
        let inputs: Vec<NodePortId> = inputs.map(|name| engine.port(name)).collect();
        for (node, changes) in recording.nodes.iter().enumerate() {
            for change in changes {
                let port = ReplayInput::Node(inputs[change.input], node);
                sets.push((change.clock, port, change.value));
            }
        }
        sets.sort_by_key(|(clock, ..)| *clock);
        let mut ports: Vec<NodePortId> = outputs.iter().map(|name| engine.port(name)).collect();
        for path in &self.signals {
            let signal = engine.signal(path);
            ports.push(signal.unwrap_or_else(|| panic!("the engine does not show `{path}`")));
        }
        let stream = &recording.stream;
        Player {
            replay: self,
            sets,
            ports,
            valid: engine.port(&stream.valid),
            data: engine.port(&stream.data),
            last: stream.last.as_ref().map(|last| engine.port(last)),
            hashes: vec![FNV_BASIS; engine.nodes()],
            before: vec![0; engine.nodes()],
            values: vec![],
        }
    }

    /// Replays on a machine that has just been started. Returns the fingerprint of each node.
    ///
    /// # Errors
    /// If the circuit does not settle.
    ///
    /// # Panics
    /// As [`prepare`](Self::prepare).
    pub fn run(
        &self,
        engine: &mut dyn NodeEngine,
        outputs: &[String],
    ) -> Result<Vec<u64>, EngineError> {
        self.prepare(engine, outputs).run(engine)
    }
}

/// Replay with the ports of an engine.
pub struct Player<'a> {
    replay: &'a Replay,
    /// Clock cycle, input and value, in order of time.
    sets: Vec<(u64, ReplayInput, u64)>,
    /// Outputs that are read at the end, or in every clock cycle.
    ports: Vec<NodePortId>,
    valid: NodePortId,
    data: NodePortId,
    last: Option<NodePortId>,
    hashes: Vec<u64>,
    /// Previous `valid` of a stream that toggles, by node. Otherwise zero.
    before: Vec<u64>,
    /// Buffer for one port of all nodes.
    values: Vec<u64>,
}

#[derive(Clone, Copy)]
enum ReplayInput {
    Node(NodePortId, usize),
    Shared(SharedPortId),
}

impl Player<'_> {
    /// Replays on the engine for which the player was prepared. Returns the fingerprint of each
    /// node.
    ///
    /// # Errors
    /// If the circuit does not settle.
    pub fn run(mut self, engine: &mut dyn NodeEngine) -> Result<Vec<u64>, EngineError> {
        let Replay {
            recording,
            every_clock_cycle: every,
            ..
        } = self.replay;
        let end = recording.clock_cycles;
        let sets = std::mem::take(&mut self.sets);
        let mut sets = sets.into_iter().peekable();
        let mut words = recording.words.iter().copied().peekable();
        let mut clock = 0;
        while clock < end {
            while let Some((_, input, value)) = sets.next_if(|(at, ..)| *at == clock) {
                match input {
                    ReplayInput::Node(port, node) => engine.set(port, node, value),
                    ReplayInput::Shared(port) => engine.set_shared(port, value),
                }
            }
            let word = words.next_if_eq(&clock).is_some();
            if *every {
                engine.settle()?;
                self.hash_outputs(engine);
            } else if word {
                engine.settle()?;
                self.hash_words(engine, clock);
            }
            let next = match every {
                true => clock + 1,
                false => {
                    let set = sets.peek().map_or(end, |(at, ..)| *at);
                    let word = words.peek().map_or(end, |at| *at);
                    set.min(word).min(end)
                }
            };
            engine.clocks(next - clock)?;
            clock = next;
        }
        if !every {
            engine.settle()?;
            self.hash_outputs(engine);
        }
        Ok(self.hashes)
    }

    /// Adds all outputs to the fingerprints.
    fn hash_outputs(&mut self, engine: &mut dyn NodeEngine) {
        for port in &self.ports {
            engine.get_all(*port, &mut self.values);
            for (hash, value) in self.hashes.iter_mut().zip(&self.values) {
                *hash = mix(*hash, *value);
            }
        }
    }

    /// Adds the words that nodes deliver in this clock cycle.
    fn hash_words(&mut self, engine: &mut dyn NodeEngine, clock: u64) {
        engine.get_all(self.valid, &mut self.values);
        let valid = self.values.iter().zip(&self.before).enumerate();
        for (node, _) in valid.filter(|(_, (valid, before))| valid != before) {
            let hash = &mut self.hashes[node];
            *hash = mix(*hash, engine.get(self.data, node));
            if self.last.is_none_or(|last| engine.get(last, node) != 0) {
                *hash = mix(*hash, clock);
            }
        }
        if self.replay.recording.stream.toggles {
            std::mem::swap(&mut self.before, &mut self.values);
        }
    }
}
