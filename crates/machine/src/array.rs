//! Machine as a node circuit plus a topology (docs/machine.md, "A machine"). The machine consists
//! of one circuit for all nodes, one shared circuit, and their wiring.
//!
//! An [`Array`] describes it once, and each engine converts it to its own form. Evaluator,
//! Verilator and reference use the [`whole`](Array::whole) machine. In the reference the `rust-hdl`
//! blocks are in the place of their netlists. The lockstep engine uses the machine node by node.

pub use engine::BlockCircuit;
use engine::{
    ports, ByNode, CircuitEngine, EngineError, EvaluatorEngine, Fleet, FleetFeed, FleetInput,
    FleetLine, FleetRun, InputChange, LockstepEngine, ReferenceMachine, Replay, VerilatorEngine,
};
use interconnect::topology::{PortEnd, Topology};
use lockstep::design::{Builder, Design, Library, SignalId, SignalKind};
use lockstep::lanes::{InputSource, LaneMachine, LaneMap, LaneOptions, LaneWiring};
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
        let shared = self
            .wiring
            .iter()
            .filter(|wire| matches!(wire.feed, Feed::Shared(_)));
        let ports = shared.filter_map(|wire| self.node.design.top().port(&wire.input));
        ports.map(|(_, port)| port.width()).sum()
    }

    /// Source of this input of a node, or `None` if it comes from outside.
    pub fn feed(&self, input: &str) -> Option<&Feed> {
        let wire = self.wiring.iter().find(|wire| wire.input == input)?;
        Some(&wire.feed)
    }
}

/// Source of an input of every node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputWiring {
    /// Input of the node.
    pub input: String,
    pub feed: Feed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Feed {
    /// Output of the shared circuit, the same for all nodes.
    Shared(String),
    /// Number of the node, with the width of the input.
    Number,
    /// Outputs of other nodes, one line per bit of the input, the lowest first.
    Nodes(Vec<OutputBit>),
}

/// One bit of an output of another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputBit {
    pub output: String,
    pub bit: u32,
    /// Source node: node `i` reads the line of `node.from(i)`.
    pub node: LaneMap,
}

impl InputWiring {
    /// Connects the input to this output of the shared circuit.
    pub fn shared(input: &str, output: &str) -> Self {
        InputWiring::new(input, Feed::Shared(output.into()))
    }

    /// Connects the input to the number of the node.
    pub fn number(input: &str) -> Self {
        InputWiring::new(input, Feed::Number)
    }

    /// Connects an input with one bit per port to an output with one bit per port. Bit p of a
    /// node's input is what arrives at its port p. The source is the output bit of the node and
    /// port at the other end.
    ///
    /// # Panics
    /// If messages that arrive at a port come from different ports of the nodes. The topology
    /// numbers its ports to avoid this.
    pub fn links(input: &str, output: &str, topology: &dyn Topology) -> Self {
        let line = |port| {
            let (bit, node) = peer_of_port(topology, port);
            OutputBit {
                output: output.into(),
                bit,
                node,
            }
        };
        let lines = (0..topology.ports()).map(line).collect();
        InputWiring::new(input, Feed::Nodes(lines))
    }

    /// Connects an input of `bits` bits to this output of the node whose messages arrive at this
    /// port.
    ///
    /// # Panics
    /// As [`links`](Self::links).
    pub fn word(input: &str, output: &str, bits: u32, topology: &dyn Topology, port: u32) -> Self {
        let (_, node) = peer_of_port(topology, port);
        InputWiring::of_node(input, output, bits, &node)
    }

    /// Connects an input of `bits` bits to this output of the node that receives messages from this
    /// port. Used for signals against the direction of a channel.
    pub fn reverse_word(
        input: &str,
        output: &str,
        bits: u32,
        topology: &dyn Topology,
        port: u32,
    ) -> Self {
        let ends = (0..topology.nodes()).map(|node| topology.peer(PortEnd { node, port }).node);
        InputWiring::of_node(input, output, bits, &lane_map(&ends.collect::<Vec<_>>()))
    }

    fn of_node(input: &str, output: &str, bits: u32, node: &LaneMap) -> Self {
        let line = |bit| OutputBit {
            output: output.into(),
            bit,
            node: node.clone(),
        };
        InputWiring::new(input, Feed::Nodes((0..bits).map(line).collect()))
    }

    fn new(input: &str, feed: Feed) -> Self {
        let input = input.into();
        InputWiring { input, feed }
    }
}

/// Port and node from which the messages at this port come.
fn peer_of_port(topology: &dyn Topology, port: u32) -> (u32, LaneMap) {
    let sources: Vec<PortEnd> = (0..topology.nodes())
        .map(|node| topology.source(PortEnd { node, port }))
        .collect();
    let first = sources[0];
    assert!(
        sources.iter().all(|source| source.port == first.port),
        "{}: what arrives at port {port} leaves by different ports",
        topology.name()
    );
    let nodes: Vec<u32> = sources.iter().map(|source| source.node).collect();
    (first.port, lane_map(&nodes))
}

/// Map from each node to its source, an XOR mask if possible.
fn lane_map(nodes: &[u32]) -> LaneMap {
    let mask = nodes[0];
    match (0..).zip(nodes).all(|(node, from)| *from == node ^ mask) {
        true => LaneMap::Xor(mask),
        false => LaneMap::Table(nodes.into()),
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
        let nodes: Vec<Vec<SignalId>> = (0..self.nodes)
            .map(|i| top.instance(&format!("nodes[{i}]"), node_id, node))
            .collect();
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
        let fleet = Fleet::new(&self.node.design, &inputs, stream, signals, tools, work_dir)?;
        let ports = ports(&self.node.design);
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
        let mut engine = EvaluatorEngine::new(&self.shared.design)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::topology::Hypercube;

    /// Ring in which port 0 leads to port 1 of the next higher node, and port 1 back.
    #[derive(Debug)]
    struct WiringRing(u32);

    impl Topology for WiringRing {
        fn name(&self) -> String {
            format!("ring of {}", self.0)
        }

        fn nodes(&self) -> u32 {
            self.0
        }

        fn ports(&self) -> u32 {
            2
        }

        fn peer(&self, end: PortEnd) -> PortEnd {
            let step = [1, self.0 - 1][end.port as usize];
            PortEnd {
                node: (end.node + step) % self.0,
                port: 1 - end.port,
            }
        }
    }

    #[test]
    fn cube_links_become_xor_masks() {
        let wire = InputWiring::links("in", "out", &Hypercube::new(3).unwrap());
        let line = |bit, mask| OutputBit {
            output: "out".into(),
            bit,
            node: LaneMap::Xor(mask),
        };
        let lines = vec![line(0, 1), line(1, 2), line(2, 4)];
        assert_eq!(wire.feed, Feed::Nodes(lines));
    }

    /// Port 0 of node 0 receives what node 1 sends from its port 1.
    #[test]
    fn ring_links_become_tables() {
        let Feed::Nodes(lines) = InputWiring::links("in", "out", &WiringRing(5)).feed else {
            panic!("links come from nodes");
        };
        let table = |table: [u32; 5]| LaneMap::Table(table.into());
        assert_eq!(lines[0].bit, 1);
        assert_eq!(lines[0].node, table([1, 2, 3, 4, 0]));
        assert_eq!(lines[1].bit, 0);
        assert_eq!(lines[1].node, table([4, 0, 1, 2, 3]));
    }
}
