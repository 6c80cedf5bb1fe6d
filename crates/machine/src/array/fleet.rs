//! Builds a fleet under Verilator from a node circuit and its wiring.

use super::{Array, Feed, OutputBit};
use engine::{
    ports, CircuitEngine, EngineError, EvaluatorEngine, Fleet, FleetFeed, FleetInput, FleetLine,
    FleetRun, InputChange, Replay,
};
use std::collections::HashMap;
use std::path::Path;
use toolchain::Toolchain;

fn line(line: &OutputBit) -> FleetLine {
    FleetLine {
        output: line.output.clone(),
        bit: line.bit,
        node: line.node.clone(),
    }
}

impl Array {
    /// Builds the machine as a fleet with one object per node, and the fleet's inputs.
    ///
    /// # Errors
    /// As [`Fleet::new`].
    ///
    /// # Panics
    /// As [`Fleet::new`], or if the machine has other nodes or ports than the recorded one.
    pub fn fleet(
        &self,
        replay: &Replay,
        threads: usize,
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<(Fleet, FleetRun), EngineError> {
        let mut words: Vec<&str> = vec![];
        let mut inputs = vec![];
        for wire in &self.wiring {
            let feed = match &wire.feed {
                Feed::Number => FleetFeed::Number,
                Feed::Shared(output) => {
                    words.push(output);
                    FleetFeed::Shared(words.len() - 1)
                }
                Feed::Nodes(lines) => FleetFeed::Nodes(lines.iter().map(line).collect()),
            };
            let name = wire.input.clone();
            inputs.push(FleetInput { name, feed });
        }
        let (stream, signals) = (&replay.recording.stream, &replay.signals);
        let fleet = Fleet::new(&self.node, &inputs, stream, signals, tools, work_dir)?;
        let ports = ports(&self.node);
        let place = |name: &String| {
            let found = ports.iter().position(|port| port.name == *name);
            found.unwrap_or_else(|| panic!("the node has no port `{name}`"))
        };
        let recording = &replay.recording;
        assert_eq!(recording.nodes.len(), self.nodes, "nodes");
        let places: Vec<usize> = recording.inputs.iter().map(place).collect();
        let set = |change: &InputChange| InputChange {
            input: places[change.input],
            ..*change
        };
        let sets = |changes: &Vec<InputChange>| changes.iter().map(set).collect();
        let run = FleetRun {
            nodes: self.nodes,
            threads,
            clock_cycles: recording.clock_cycles,
            shared: self.words(replay, &words)?,
            sets: recording.nodes.iter().map(sets).collect(),
            every_clock_cycle: replay.every_clock_cycle,
        };
        Ok((fleet, run))
    }

    /// Builds the machine as one object, and its inputs.
    ///
    /// # Errors
    /// As [`Fleet::new`].
    ///
    /// # Panics
    /// As [`fleet`](Self::fleet).
    pub fn single_object_fleet(
        &self,
        replay: &Replay,
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<(Fleet, FleetRun), EngineError> {
        let (whole, outputs) = (self.whole(), self.outputs());
        let (nodes, stream) = (self.nodes, &replay.recording.stream);
        let fleet = Fleet::single_object(&whole, nodes, stream, &outputs, tools, work_dir)?;
        let ports = ports(&whole);
        let places: HashMap<&str, usize> = (0..).zip(&ports).map(|(i, p)| (&*p.name, i)).collect();
        let place = |name: &str| {
            let place = places.get(name).copied();
            place.unwrap_or_else(|| panic!("the machine has no port `{name}`"))
        };
        let recording = &replay.recording;
        assert_eq!(recording.nodes.len(), self.nodes, "nodes");
        let mut sets = vec![];
        for change in &recording.shared {
            let input = place(&recording.shared_inputs[change.input]);
            sets.push(InputChange { input, ..*change });
        }
        for (node, changes) in recording.nodes.iter().enumerate() {
            for change in changes {
                let input = place(&format!("{}[{node}]", recording.inputs[change.input]));
                sets.push(InputChange { input, ..*change });
            }
        }
        sets.sort_by_key(|set| set.clock);
        let run = FleetRun {
            nodes,
            threads: 1,
            clock_cycles: recording.clock_cycles,
            shared: vec![],
            sets: vec![sets],
            every_clock_cycle: replay.every_clock_cycle,
        };
        Ok((fleet, run))
    }

    /// Changes of these outputs of the shared circuit in a replay, up to the clock cycle after the
    /// last one. `input` is the position in the list.
    fn words(&self, replay: &Replay, outputs: &[&str]) -> Result<Vec<InputChange>, EngineError> {
        let recording = &replay.recording;
        let mut engine = EvaluatorEngine::new(&self.shared)?;
        let port = |name: &String| engine.port(name);
        let inputs: Vec<_> = recording.shared_inputs.iter().map(port).collect();
        let outputs: Vec<_> = outputs.iter().map(|name| engine.port(name)).collect();
        let mut words = vec![0; outputs.len()];
        let mut sets = recording.shared.iter().peekable();
        let mut changes = vec![];
        for clock in 0..=recording.clock_cycles {
            while let Some(set) = sets.next_if(|set| set.clock == clock) {
                engine.set_u64(inputs[set.input], set.value);
            }
            engine.settle()?;
            for (input, (word, port)) in words.iter_mut().zip(&outputs).enumerate() {
                let value = engine.get_u64(*port);
                if value != *word {
                    *word = value;
                    changes.push(InputChange {
                        clock,
                        input,
                        value,
                    });
                }
            }
            engine.clock()?;
        }
        Ok(changes)
    }
}
