//! Machine as a node circuit plus a topology (docs/machine.md, "A machine"). The machine consists
//! of one circuit for all nodes, one shared circuit, and their wiring.
//!
//! An [`Array`] describes it once, and each engine converts it to its own form. Evaluator,
//! Verilator and reference use the [`whole`](Array::whole) machine. In the reference the `rust-hdl`
//! blocks are in the place of their netlists. The lockstep engine uses the machine node by node.

use engine::{
    ports, ByNode, CircuitEngine, EngineError, EvaluatorEngine, Fleet, FleetRun, InputChange,
    LockstepEngine, ReferenceMachine, Replay, VerilatorEngine,
};
pub use engine::{BlockCircuit, Feed, InputWiring, OutputBit};
use lockstep::design::{Builder, Design, Library, SignalId, SignalKind};
use lockstep::lanes::{InputSource, LaneMachine, LaneOptions, LaneWiring};
use lockstep::netlist::flatten;
use std::collections::HashMap;
use std::path::Path;
use toolchain::{CompileEffort, Toolchain};

/// Machine as a circuit.
#[derive(Clone, Debug)]
pub struct Array {
    /// Module name of the whole machine (`cube`).
    pub name: String,
    /// Description in a sentence.
    pub doc: String,
    pub node: BlockCircuit,
    pub nodes: usize,
    /// Circuit that exists once in the machine. Its inputs come from outside, and all its outputs
    /// are visible.
    pub shared: BlockCircuit,
    /// Inputs of a node that do not come from outside.
    pub wiring: Vec<InputWiring>,
}

impl Array {
    /// Names of a node's outputs, in order.
    pub fn outputs(&self) -> Vec<String> {
        let ports = self.node.design.top().ports();
        let outputs = ports.filter(|(_, port)| port.kind == SignalKind::Output);
        outputs.map(|(_, port)| port.name.clone()).collect()
    }

    /// Number of lines from the shared circuit to every node.
    pub fn broadcast_lines(&self) -> u32 {
        let shared = self.wiring.iter().filter(|wire| matches!(wire.feed, Feed::Shared(_)));
        let ports = shared.filter_map(|wire| self.node.design.top().port(&wire.input));
        ports.map(|(_, port)| port.width()).sum()
    }

    /// Source of this input of a node, or `None` if it comes from outside.
    pub fn feed(&self, input: &str) -> Option<&Feed> {
        let wire = self.wiring.iter().find(|wire| wire.input == input)?;
        Some(&wire.feed)
    }
}

// Builds one module from a node circuit and its wiring, for engines without lanes.

impl Array {
    /// Builds the machine as one module: the shared circuit, and one instance `nodes[i]` of the
    /// node's module per node.
    ///
    /// Its ports are the ports of the shared circuit. A port `p` of a node that the wiring does not
    /// drive becomes one port `p[i]` per node.
    ///
    /// # Panics
    /// If the wiring names a port that does not exist, or one of another width.
    pub fn whole(&self) -> Design {
        self.wire(&self.node.design, &self.shared.design)
    }

    /// Wires these circuits, which have the ports of the node and of the shared circuit.
    fn wire(&self, node: &Design, shared_circuit: &Design) -> Design {
        let mut library = Library::default();
        let mut top = Builder::new(&self.name, &self.doc);
        top.param("NODES", self.nodes);
        let shared = top.instantiate_design(&mut library, "shared", shared_circuit);
        for (_, port) in shared_circuit.top().ports() {
            top.export_port(shared[&port.name], port, &port.name);
        }
        let node_id = library.add(node);
        let node = library.module(node_id);
        let nodes: Vec<Vec<SignalId>> =
            (0..self.nodes).map(|i| top.instance(&format!("nodes[{i}]"), node_id, node)).collect();
        let positions: HashMap<&str, usize> = node
            .ports()
            .enumerate()
            .map(|(position, (_, port))| (port.name.as_str(), position))
            .collect();
        for (position, (_, port)) in node.ports().enumerate() {
            let feed = self.feed(&port.name);
            for (i, pins) in nodes.iter().enumerate() {
                let (pin, name) = (pins[position], format!("{}[{i}]", port.name));
                match (&port.kind, feed) {
                    (SignalKind::Input, Some(Feed::Shared(output))) => {
                        top.connect(pin, shared[output.as_str()]);
                    }
                    (SignalKind::Input, Some(Feed::Number)) => {
                        let number = top.constant(i as u64, port.width());
                        top.assign(pin, number);
                    }
                    (SignalKind::Input, Some(Feed::Nodes(lines))) => {
                        assert_eq!(lines.len(), port.width() as usize, "`{}`", port.name);
                        for (bit, line) in (0..).zip(lines) {
                            let from = nodes[line.node.from(i)][positions[line.output.as_str()]];
                            let from = top.read(from);
                            let value = top.bit(from, line.bit);
                            top.assign_bit(pin, bit, value);
                        }
                    }
                    _ => {
                        top.export_port(pin, port, &name);
                    }
                }
            }
        }
        let top = library.add_module(top.finish());
        library.finish(top)
    }
}

// Starts an engine with the machine in it.

impl Array {
    /// Makes the machine in `rust-hdl`'s own simulator.
    ///
    /// # Errors
    /// If a block is not known, or the machine does not settle.
    pub fn reference(&self) -> Result<ByNode<Box<ReferenceMachine>>, EngineError> {
        let wire = |node: &Design, shared: &Design| self.wire(node, shared);
        let machine = ReferenceMachine::new(&self.node, self.nodes, &self.shared, wire)?;
        Ok(ByNode::new(Box::new(machine), self.nodes))
    }

    /// Makes the machine in the evaluator.
    ///
    /// # Errors
    /// If the circuits have combinational loops.
    pub fn evaluator(&self) -> Result<ByNode<Box<EvaluatorEngine>>, EngineError> {
        let engine = EvaluatorEngine::new(&self.whole())?;
        Ok(ByNode::new(Box::new(engine), self.nodes))
    }

    /// Makes the machine in Verilator. The compiled model goes to `work_dir`.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    pub fn verilator(&self, work_dir: &Path) -> Result<ByNode<Box<VerilatorEngine>>, EngineError> {
        let (tools, models) = (Toolchain::open()?, work_dir.join("models"));
        let effort = CompileEffort::Quick;
        let engine = VerilatorEngine::new(&self.whole(), &tools, &models, effort)?;
        Ok(ByNode::new(Box::new(engine), self.nodes))
    }

    /// Makes the machine in the lockstep engine, with one lane per node.
    ///
    /// # Errors
    /// If the circuits have combinational loops, or the engine can't be made.
    pub fn lockstep(&self, options: &LaneOptions) -> Result<LockstepEngine, EngineError> {
        let node = flatten(&self.node.design)?;
        let mut wiring = LaneWiring::new();
        wiring.helper(flatten(&self.shared.design)?);
        for wire in &self.wiring {
            match &wire.feed {
                Feed::Shared(output) => {
                    wiring.port(&wire.input, InputSource::helper(output));
                }
                Feed::Number => {
                    wiring.port(&wire.input, InputSource::LaneNumber);
                }
                Feed::Nodes(lines) => {
                    for (bit, line) in (0..).zip(lines) {
                        let source = InputSource::linked(&line.output, line.bit, line.node.clone());
                        wiring.bit(&wire.input, bit, source);
                    }
                }
            }
        }
        let machine = LaneMachine::new(node, self.nodes, &wiring, options)?;
        Ok(LockstepEngine::new(machine))
    }
}

// Builds a fleet under Verilator from a node circuit and its wiring.

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
        let (stream, signals) = (&replay.recording.stream, &replay.signals);
        let fleet = Fleet::new(&self.node.design, &self.wiring, stream, signals, tools, work_dir)?;
        let ports = ports(&self.node.design);
        let place = |name: &String| {
            let found = ports.iter().position(|port| port.name == *name);
            found.unwrap_or_else(|| panic!("the node has no port `{name}`"))
        };
        let recording = &replay.recording;
        assert_eq!(recording.nodes.len(), self.nodes, "nodes");
        let places: Vec<usize> = recording.inputs.iter().map(place).collect();
        let set = |change: &InputChange| InputChange { input: places[change.input], ..*change };
        let sets = |changes: &Vec<InputChange>| changes.iter().map(set).collect();
        let run = FleetRun {
            nodes: self.nodes,
            threads,
            clock_cycles: recording.clock_cycles,
            shared: self.words(replay)?,
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

    /// Changes of the outputs of the shared circuit that feed nodes in a replay, up to the clock
    /// cycle after the last one. `input` is the position among them in the wiring.
    fn words(&self, replay: &Replay) -> Result<Vec<InputChange>, EngineError> {
        let recording = &replay.recording;
        let mut engine = EvaluatorEngine::new(&self.shared.design)?;
        let port = |name: &String| engine.port(name);
        let inputs: Vec<_> = recording.shared_inputs.iter().map(port).collect();
        let outputs = self.wiring.iter().filter_map(|wire| match &wire.feed {
            Feed::Shared(output) => Some(engine.port(output)),
            _ => None,
        });
        let outputs: Vec<_> = outputs.collect();
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
                    changes.push(InputChange { clock, input, value });
                }
            }
            engine.clock()?;
        }
        Ok(changes)
    }
}
