//! Records which inputs a machine's driver sets, and when. Every engine can then be given the same
//! inputs, independent of the network.

use super::node_engines::forward_to_engine;
use super::{EngineError, NodeEngine, NodePortId, SharedPortId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Change of an input to this value in this clock cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputChange {
    /// Clock cycle, counted from the start.
    pub clock: u64,
    /// Position in the list of inputs.
    pub input: usize,
    pub value: u64,
}

/// Stream of words that a node delivers. Contains the names of its outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordStream {
    /// Output that marks a word. The driver checks it whenever there is one.
    pub valid: String,
    /// If true, a word is present only in a clock cycle in which `valid` has changed. Otherwise it
    /// is present while `valid` is not zero. `valid` is zero before the start.
    pub toggles: bool,
    /// Output with the word.
    pub data: String,
    /// Output that is not zero for the last word of a message, whose clock cycle is recorded. If
    /// `None`, the clock cycle of every word is recorded.
    pub last: Option<String>,
}

/// Changes of some inputs in order of time, and the clock cycles of delivered words. Inputs are
/// zero before their first change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRecording {
    /// Number of recorded clock cycles.
    pub clock_cycles: u64,
    /// Inputs of the nodes that were set.
    pub inputs: Vec<String>,
    /// Changes of every node.
    pub nodes: Vec<Vec<InputChange>>,
    /// Inputs of the shared circuit that were set.
    pub shared_inputs: Vec<String>,
    pub shared: Vec<InputChange>,
    pub stream: WordStream,
    /// Clock cycles in which the driver found a word in the stream of some node.
    pub words: Vec<u64>,
}

impl InputRecording {
    /// Keeps only the first `clock_cycles` clock cycles.
    #[must_use]
    pub fn until(mut self, clock_cycles: u64) -> Self {
        let before = |change: &InputChange| change.clock < clock_cycles;
        self.nodes.iter_mut().for_each(|changes| changes.retain(before));
        self.shared.retain(before);
        self.words.retain(|clock| *clock < clock_cycles);
        self.clock_cycles = clock_cycles;
        self
    }
}

/// Engine that records the inputs.
///
/// The recorder is inserted between the engine and the machine's driver, and is transparent for
/// both. If an input is set several times in a clock cycle, the last value counts, because the
/// clock edge samples that value.
pub struct InputRecorder<'a> {
    engine: &'a mut dyn NodeEngine,
    recording: InputRecording,
    /// Position of each engine port among the inputs, if it was set.
    positions: HashMap<NodePortId, usize>,
    shared_positions: HashMap<SharedPortId, usize>,
    /// Previous `valid` of a stream that toggles, by node.
    before: Vec<u64>,
    /// Names of the ports that were requested.
    names: HashMap<NodePortId, String>,
    shared_names: HashMap<SharedPortId, String>,
}

impl<'a> InputRecorder<'a> {
    /// Starts with an engine in clock cycle 0, before any input is set.
    pub fn new(engine: &'a mut dyn NodeEngine, stream: WordStream) -> Self {
        InputRecorder {
            recording: InputRecording {
                clock_cycles: 0,
                inputs: vec![],
                nodes: vec![vec![]; engine.nodes()],
                shared_inputs: vec![],
                shared: vec![],
                stream,
                words: vec![],
            },
            before: vec![0; engine.nodes()],
            engine,
            positions: HashMap::new(),
            shared_positions: HashMap::new(),
            names: HashMap::new(),
            shared_names: HashMap::new(),
        }
    }

    /// Returns the recording.
    pub fn finish(self) -> InputRecording {
        self.recording
    }

    /// True if this port marks the words of the stream.
    fn is_valid(&self, port: NodePortId) -> bool {
        self.names.get(&port) == Some(&self.recording.stream.valid)
    }

    /// Records values that the driver has read from a port, from this node on.
    fn record_words(&mut self, port: NodePortId, node: usize, values: &[u64]) {
        if !self.is_valid(port) {
            return;
        }
        let InputRecording { clock_cycles: clock, stream, words, .. } = &mut self.recording;
        let before = &mut self.before[node..node + values.len()];
        let is_word = values != before;
        if stream.toggles {
            before.copy_from_slice(values);
        }
        if is_word && words.last() != Some(clock) {
            words.push(*clock);
        }
    }
}

/// Position of an input. An input that was not set before is appended.
fn input_position(inputs: &mut Vec<String>, name: &str) -> usize {
    let known = inputs.iter().position(|input| input == name);
    known.unwrap_or_else(|| {
        inputs.push(name.into());
        inputs.len() - 1
    })
}

/// Records that the input has this value from `clock` on.
fn push_change(changes: &mut Vec<InputChange>, clock: u64, input: usize, value: u64) {
    let change = InputChange { clock, input, value };
    match changes.iter_mut().rev().find(|c| c.input == input) {
        Some(last) if last.clock == clock => *last = change,
        Some(last) if last.value == value => {}
        None if value == 0 => {}
        _ => changes.push(change),
    }
}

impl NodeEngine for InputRecorder<'_> {
    forward_to_engine! {
        fn signal(&mut self, path: &str) -> Option<NodePortId>;
        fn shared_signal(&mut self, path: &str) -> Option<SharedPortId>;
        fn settle(&mut self) -> Result<(), EngineError>;
        fn get_shared(&mut self, port: SharedPortId) -> u64;
        fn any(&mut self, ports: &[NodePortId]) -> bool;
    }

    fn port(&mut self, name: &str) -> NodePortId {
        let port = self.engine.port(name);
        self.names.insert(port, name.into());
        port
    }

    fn shared_port(&mut self, name: &str) -> SharedPortId {
        let port = self.engine.shared_port(name);
        self.shared_names.insert(port, name.into());
        port
    }

    fn set(&mut self, port: NodePortId, node: usize, value: u64) {
        let recording = &mut self.recording;
        let input = *self
            .positions
            .entry(port)
            .or_insert_with(|| input_position(&mut recording.inputs, &self.names[&port]));
        let changes = &mut recording.nodes[node];
        push_change(changes, recording.clock_cycles, input, value);
        self.engine.set(port, node, value);
    }

    fn set_shared(&mut self, port: SharedPortId, value: u64) {
        let recording = &mut self.recording;
        let input = *self.shared_positions.entry(port).or_insert_with(|| {
            input_position(&mut recording.shared_inputs, &self.shared_names[&port])
        });
        push_change(&mut recording.shared, recording.clock_cycles, input, value);
        self.engine.set_shared(port, value);
    }

    fn get(&mut self, port: NodePortId, node: usize) -> u64 {
        let value = self.engine.get(port, node);
        self.record_words(port, node, &[value]);
        value
    }

    fn get_all(&mut self, port: NodePortId, values: &mut Vec<u64>) {
        self.engine.get_all(port, values);
        self.record_words(port, 0, values);
    }

    fn nonzero(&mut self, port: NodePortId, nodes: &mut Vec<usize>) {
        self.engine.nonzero(port, nodes);
        if self.recording.stream.toggles && self.is_valid(port) {
            self.get_all(port, &mut vec![]);
        } else if let [first, ..] = nodes[..] {
            self.record_words(port, first, &[1]);
        }
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.recording.clock_cycles += 1;
        self.engine.clock()
    }

    fn clocks_until(&mut self, at_most: u64, ports: &[NodePortId]) -> Result<u64, EngineError> {
        let done = self.engine.clocks_until(at_most, ports)?;
        self.recording.clock_cycles += done;
        Ok(done)
    }

    fn clocks(&mut self, clock_cycles: u64) -> Result<(), EngineError> {
        self.recording.clock_cycles += clock_cycles;
        self.engine.clocks(clock_cycles)
    }
}

// Replays a recorded run on any engine and computes a fingerprint of every node.
//
// An engine stops only where an input was set or a word was delivered, so a fast engine remains
// fast. The C++ programs check every clock cycle. A word that the recorded driver did not find
// changes the fingerprint there.

/// Inputs for an engine, and the selection of outputs for the fingerprint of each node. Every
/// correct engine gives the same fingerprints.
///
/// The fingerprint covers the node's [`WordStream`] and all outputs at the end, or all
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
            nodes: vec![],
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
    /// Previous `valid` of a stream that toggles, by node.
    before: Vec<u64>,
    /// Buffer for one port of all nodes.
    values: Vec<u64>,
    /// Buffer for the nodes that deliver a word.
    nodes: Vec<usize>,
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
        let Replay { recording, every_clock_cycle: every, .. } = self.replay;
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
        let mut nodes = std::mem::take(&mut self.nodes);
        if self.replay.recording.stream.toggles {
            engine.get_all(self.valid, &mut self.values);
            let valid = self.values.iter().zip(&self.before).enumerate();
            let toggled = valid.filter(|(_, (valid, before))| valid != before);
            nodes.clear();
            nodes.extend(toggled.map(|(node, _)| node));
            std::mem::swap(&mut self.before, &mut self.values);
        } else {
            engine.nonzero(self.valid, &mut nodes);
        }
        for &node in &nodes {
            let hash = &mut self.hashes[node];
            *hash = mix(*hash, engine.get(self.data, node));
            if self.last.is_none_or(|last| engine.get(last, node) != 0) {
                *hash = mix(*hash, clock);
            }
        }
        self.nodes = nodes;
    }
}

// Fingerprint for comparing engines whose outputs are too many to store: the FNV hash with 64 bits
// (FNV-1a, word by word).

/// Multiplier of FNV-1a.
pub const FNV_PRIME: u64 = 0x0000_0100_0000_01B3;

/// Initial value of the hash.
pub const FNV_BASIS: u64 = 0xCBF2_9CE4_8422_2325;

/// Adds a word to the hash.
pub fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(FNV_PRIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(clock: u64, input: usize, value: u64) -> InputChange {
        InputChange { clock, input, value }
    }

    #[test]
    fn only_the_last_value_of_a_clock_cycle_is_recorded() {
        let mut changes = vec![];
        // Inputs start as zero.
        push_change(&mut changes, 0, 0, 0);
        push_change(&mut changes, 0, 1, 7);
        push_change(&mut changes, 3, 1, 7);
        push_change(&mut changes, 4, 0, 2);
        push_change(&mut changes, 4, 1, 8);
        push_change(&mut changes, 4, 0, 3);
        push_change(&mut changes, 9, 1, 7);
        let wanted = [change(0, 1, 7), change(4, 0, 3), change(4, 1, 8), change(9, 1, 7)];
        assert_eq!(changes, wanted);
    }
}
