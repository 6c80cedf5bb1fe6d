//! The 3-cube, MC(1,1) and the byte networks as they run on a board. Nodes and host share a core,
//! and the PC's end of the line is driven like a terminal. They behave like machines without
//! programs, for the same messages.

mod bytes;
mod comparison;
mod events;
mod groups;
mod large;
mod large_programs;
mod programs;
mod reports;
mod text;

use crate::support::whole_runs;
use hdl::lower::lower;
use lockstep::design::Design;
use lockstep::lanes::{LaneMachine, LaneOptions, LaneWiring};
use lockstep::netlist::flatten;
use phasecube::engine::{
    CircuitEngine, EngineError, LockstepEngine, NodeEngine, NodePortId, SharedPortId,
};
use phasecube::networks::tdma::hosted::{HostedCircuit, Terminal};
use phasecube::program::BoardMemory;
use phasecube::report::OutputProbe;
use phasecube::rtl::hosted::{HostedShape, HOST_CLOCKS};
use phasecube::toolchain::Toolchain;
use std::path::Path;
use std::sync::LazyLock;

/// Hundreds of clock cycles within which a board must become ready.
const PATIENCE: u32 = 100_000;

/// Returns the circuit of a cube whose nodes run `route`.
pub fn circuit(dims: u32) -> HostedCircuit {
    circuit_of(HostedShape::cube(dims).unwrap())
}

/// Returns the circuit of a machine of this shape whose nodes run `route`.
pub fn circuit_of(shape: HostedShape) -> HostedCircuit {
    HostedCircuit::new(shape, memory_of(shape))
}

/// Returns the programs of a machine of this shape whose nodes run `route`.
fn memory_of(shape: HostedShape) -> BoardMemory {
    let builds: &Path = env!("CARGO_TARGET_TMPDIR").as_ref();
    let tools = Toolchain::open().unwrap();
    BoardMemory::of_shape(shape, &tools, builds).unwrap()
}

/// The circuit whose nodes run programs that a PC loads.
pub static PROGRAMS: LazyLock<HostedCircuit> = LazyLock::new(|| circuit_of(HostedShape::Programs3));

/// Returns the circuit whose nodes also send through a CM-1 with `rows` rows.
pub fn comparison(rows: usize) -> HostedCircuit {
    let builds: &Path = env!("CARGO_TARGET_TMPDIR").as_ref();
    let tools = Toolchain::open().unwrap();
    HostedCircuit::new(HostedShape::Cube3, BoardMemory::comparison(&tools, builds).unwrap())
        .beside_cm1(rows)
}

/// Boards simulated side by side. If the circuit exposes its nodes, the first board is a machine of
/// nodes with the outputs of a [`cube_array`](phasecube::networks::tdma::cube::cube_array). Its
/// inputs do not exist, because the host on the board holds the messages.
///
/// The nodes are time-multiplexed. One clock cycle of this engine is one clock cycle of each node. In
/// a circuit of groups each port of a node is a list, with an element for each group.
pub struct Boards {
    engine: LockstepEngine,
    /// Terminal on the line of each board.
    pub terminals: Vec<Terminal>,
    levels: Vec<bool>,
    /// Number of exposed nodes of a group, or 1, and number of groups.
    turns: usize,
    groups: usize,
    /// The clock cycle has ended in all nodes.
    passed: bool,
    rx: NodePortId,
    tx: NodePortId,
    led: NodePortId,
    /// The requested ports, where they exist, one for each group or one for all, and their values for
    /// each node.
    ports: Vec<Vec<NodePortId>>,
    shown: Vec<Vec<u64>>,
    names: Vec<String>,
}

impl Boards {
    /// Creates at least two boards. They expose more signals than real boards.
    pub fn new(circuit: &HostedCircuit, boards: usize) -> Self {
        Boards::of(&lower(&*circuit.observed()).unwrap(), boards)
    }

    /// Creates boards of any circuit with a board's ports.
    pub fn of(design: &Design, boards: usize) -> Self {
        let turn = design.top().port("turn");
        let turns = turn.map_or(1, |(_, port)| 1 << port.width());
        let names = design.top().ports().map(|(_, port)| port.name.clone());
        let names: Vec<String> = names.collect();
        let groups = names.iter().filter(|name| name.starts_with("muted[")).count().max(1);
        let netlist = flatten(design).unwrap();
        let (wiring, options) = (LaneWiring::default(), LaneOptions::default());
        let lanes = LaneMachine::new(netlist, boards, &wiring, &options).unwrap();
        let mut engine = LockstepEngine::new(lanes);
        let [rx, tx, led] = ["rx", "tx", "led"].map(|name| engine.port(name));
        (0..boards).for_each(|board| engine.set(rx, board, 1));
        Boards {
            engine,
            terminals: vec![Terminal::new(HOST_CLOCKS); boards],
            levels: vec![true; boards],
            turns,
            groups,
            passed: false,
            rx,
            tx,
            led,
            ports: vec![],
            shown: vec![],
            names,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|n| n == name)
    }

    /// Returns the LEDs of a board.
    pub fn lights(&mut self, board: usize) -> u64 {
        self.engine.get(self.led, board)
    }

    /// Runs one clock cycle of the circuit.
    fn step(&mut self) -> Result<(), EngineError> {
        for (board, terminal) in self.terminals.iter_mut().enumerate() {
            terminal.sample(self.engine.get(self.tx, board) == 1);
        }
        self.engine.clock()?;
        for (board, terminal) in self.terminals.iter_mut().enumerate() {
            let level = terminal.level();
            if level != self.levels[board] {
                self.levels[board] = level;
                self.engine.set(self.rx, board, level.into());
            }
        }
        Ok(())
    }

    /// Runs until every board is ready for a command. Returns the lines that each has sent.
    pub fn until_ready(&mut self) -> Vec<Vec<String>> {
        let mut printed = vec![vec![]; self.terminals.len()];
        for _ in 0..PATIENCE {
            for _ in 0..100 {
                self.clock().unwrap();
            }
            for (lines, terminal) in printed.iter_mut().zip(&mut self.terminals) {
                lines.extend(terminal.lines());
            }
            let ready = |lines: &Vec<String>| lines.last().is_some_and(|line| line == "ready");
            if printed.iter().all(ready) {
                return printed;
            }
        }
        panic!("they are not ready: {printed:#?}");
    }

    /// Runs until the schedule of the first board has stopped.
    pub fn until_idle(&mut self, circuit: &HostedCircuit) {
        let phase_clock = self.shared_port("phase_clock");
        let mut still = 0;
        while still <= circuit.timing().clock_cycles() {
            self.clock().unwrap();
            still = match self.get_shared(phase_clock) {
                0 => still + 1,
                _ => 0,
            };
        }
    }
}

impl NodeEngine for Boards {
    fn name(&self) -> &'static str {
        "board"
    }

    fn nodes(&self) -> usize {
        self.turns * self.groups
    }

    fn port(&mut self, name: &str) -> NodePortId {
        let of_groups = (0..self.groups).map(|group| format!("{name}[{group}]"));
        let names = std::iter::once(name.to_owned()).chain(of_groups);
        let names: Vec<String> = names.filter(|name| self.has(name)).collect();
        let ports = names.iter().map(|name| self.engine.port(name)).collect();
        self.ports.push(ports);
        self.shown.push(vec![0; self.turns * self.groups]);
        NodePortId(self.ports.len() - 1)
    }

    fn shared_port(&mut self, name: &str) -> SharedPortId {
        SharedPortId(self.port(name).0)
    }

    fn signal(&mut self, _: &str) -> Option<NodePortId> {
        None
    }

    fn shared_signal(&mut self, _: &str) -> Option<SharedPortId> {
        None
    }

    fn set(&mut self, _: NodePortId, _: usize, _: u64) {}

    fn set_shared(&mut self, _: SharedPortId, _: u64) {}

    fn settle(&mut self) -> Result<(), EngineError> {
        if self.passed {
            return Ok(());
        }
        for turn in 0..self.turns {
            self.engine.settle()?;
            for (ports, shown) in self.ports.iter().zip(&mut self.shown) {
                for (group, port) in ports.iter().enumerate() {
                    shown[group * self.turns + turn] = self.engine.get(*port, 0);
                }
            }
            self.step()?;
        }
        self.passed = true;
        Ok(())
    }

    fn get(&mut self, port: NodePortId, node: usize) -> u64 {
        self.shown[port.0][node]
    }

    fn get_shared(&mut self, port: SharedPortId) -> u64 {
        self.shown[port.0][0]
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.settle()?;
        self.passed = false;
        Ok(())
    }
}

const CLOCK_CYCLES: u32 = 4_000;

fn run(engine: &mut dyn CircuitEngine) -> whole_runs::OutputTrace {
    let mut probe = OutputProbe::new(engine);
    let mut terminal = Terminal::new(HOST_CLOCKS);
    terminal.send("complement 7\n");
    let rx = probe.port("rx");
    for _ in 0..CLOCK_CYCLES {
        probe.set_u64(rx, terminal.level().into());
        probe.settle().unwrap();
        probe.clock().unwrap();
    }
    probe.into_trace()
}

#[test]
#[ignore = "thorough: long runs"]
fn at_the_start() {
    let outputs = whole_runs::agree(circuit(3).observed(), run);
    // The board sends, and the core reads and writes.
    let (names, trace) = &outputs;
    for wanted in ["tx", "device_offset", "device_write", "device_write_data"] {
        let place = names.iter().position(|name| name == wanted).unwrap();
        assert!(trace.iter().any(|cycle| cycle[place] != trace[0][place]), "{wanted}");
    }
}
