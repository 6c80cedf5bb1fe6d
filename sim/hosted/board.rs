//! A board in the lockstep engine, with a terminal at its line.

use hdl::lower::lower;
use lockstep::design::Design;
use lockstep::lanes::{Options, Wiring};
use lockstep::netlist::flatten;
use phasecube::engine::{EngineError, LockstepEngine, NodeEngine, NodePort, SharedPort};
use phasecube::networks::tdma::hosted::{HostedCircuit, Terminal};
use phasecube::program::BoardMemory;
use phasecube::rtl::hosted::HostedShape;
use phasecube::rtl::hosted::HOST_CLOCKS;
use phasecube::toolchain::Toolchain;
use std::path::Path;
use std::sync::LazyLock;

/// Hundreds of clock cycles after which a board that is not ready never will be.
const PATIENCE: u32 = 100_000;

/// The circuit whose nodes, those of a cube, run `route`.
pub fn circuit(dims: u32) -> HostedCircuit {
    let builds: &Path = env!("CARGO_TARGET_TMPDIR").as_ref();
    let tools = Toolchain::open().unwrap();
    let shape = HostedShape::cube(dims).unwrap();
    let memory = BoardMemory::routing(shape.into(), &tools, builds).unwrap();
    HostedCircuit::new(shape, memory)
}

/// The circuit whose nodes run what a PC loads into them.
pub static PROGRAMS: LazyLock<HostedCircuit> = LazyLock::new(|| {
    let builds: &Path = env!("CARGO_TARGET_TMPDIR").as_ref();
    let memory = BoardMemory::programs(&Toolchain::open().unwrap(), builds).unwrap();
    HostedCircuit::new(HostedShape::Programs, memory)
});

/// The circuit whose nodes also send through a CM-1 with so many rows.
pub fn comparison(rows: usize) -> HostedCircuit {
    let builds: &Path = env!("CARGO_TARGET_TMPDIR").as_ref();
    let tools = Toolchain::open().unwrap();
    HostedCircuit::new(
        HostedShape::Cube3,
        BoardMemory::comparing(&tools, builds).unwrap(),
    )
    .beside_cm1(rows)
}

/// Boards side by side. The first is a machine of nodes, if the circuit shows them: what they
/// show is that of a [`cube_array`](phasecube::networks::tdma::cube::cube_array); what would be set
/// does not exist, since the host on the board has the messages.
///
/// The nodes have their clock cycles in turn. A clock cycle of this engine is one of each of
/// them.
pub struct Boards {
    engine: LockstepEngine,
    /// At the line of each.
    pub terminals: Vec<Terminal>,
    levels: Vec<bool>,
    /// Nodes of a board that are seen, else 1.
    turns: usize,
    /// The clock cycle has passed in all of them.
    passed: bool,
    rx: NodePort,
    tx: NodePort,
    led: NodePort,
    /// The ports that were asked for, if there are such, and what they showed in each turn.
    ports: Vec<Option<NodePort>>,
    shown: Vec<Vec<u64>>,
    names: Vec<String>,
}

impl Boards {
    /// At least two of them, of which more is seen than of real ones.
    pub fn new(circuit: &HostedCircuit, boards: usize) -> Self {
        Boards::of(&lower(&*circuit.observed()).unwrap(), boards)
    }

    /// The same of any circuit with a board's ports.
    pub fn of(design: &Design, boards: usize) -> Self {
        let turn = design.top().port("turn");
        let turns = turn.map_or(1, |(_, port)| 1 << port.width());
        let names = design.top().ports().map(|(_, port)| port.name.clone());
        let names = names.collect();
        let netlist = flatten(design).unwrap();
        let (wiring, options) = (Wiring::default(), Options::default());
        let mut engine = LockstepEngine::new(netlist, boards, &wiring, &options).unwrap();
        let [rx, tx, led] = ["rx", "tx", "led"].map(|name| engine.port(name));
        (0..boards).for_each(|board| engine.set(rx, board, 1));
        Boards {
            engine,
            terminals: vec![Terminal::new(HOST_CLOCKS); boards],
            levels: vec![true; boards],
            turns,
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

    /// The lights of a board.
    pub fn lights(&mut self, board: usize) -> u64 {
        self.engine.get(self.led, board)
    }

    /// One clock cycle of the circuit.
    fn step(&mut self) -> Result<(), EngineError> {
        for (board, terminal) in self.terminals.iter_mut().enumerate() {
            terminal.hear(self.engine.get(self.tx, board) == 1);
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

    /// Goes on until every board is ready for a command; what each has said.
    pub fn until_ready(&mut self) -> Vec<Vec<String>> {
        let mut said = vec![vec![]; self.terminals.len()];
        for _ in 0..PATIENCE {
            for _ in 0..100 {
                self.clock().unwrap();
            }
            for (lines, terminal) in said.iter_mut().zip(&mut self.terminals) {
                lines.extend(terminal.lines());
            }
            let ready = |lines: &Vec<String>| lines.last().is_some_and(|line| line == "ready");
            if said.iter().all(ready) {
                return said;
            }
        }
        panic!("they are not ready: {said:#?}");
    }

    /// Goes on until the schedule of the first stands still.
    pub fn until_still(&mut self, circuit: &HostedCircuit) {
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
        self.turns
    }

    fn port(&mut self, name: &str) -> NodePort {
        let port = self.has(name).then(|| self.engine.port(name));
        self.ports.push(port);
        self.shown.push(vec![0; self.turns]);
        NodePort(self.ports.len() - 1)
    }

    fn shared_port(&mut self, name: &str) -> SharedPort {
        SharedPort(self.port(name).0)
    }

    fn signal(&mut self, _: &str) -> Option<NodePort> {
        None
    }

    fn shared_signal(&mut self, _: &str) -> Option<SharedPort> {
        None
    }

    fn set(&mut self, _: NodePort, _: usize, _: u64) {}

    fn set_shared(&mut self, _: SharedPort, _: u64) {}

    fn settle(&mut self) -> Result<(), EngineError> {
        if self.passed {
            return Ok(());
        }
        for turn in 0..self.turns {
            self.engine.settle()?;
            for (port, shown) in self.ports.iter().zip(&mut self.shown) {
                shown[turn] = port.map_or(0, |port| self.engine.get(port, 0));
            }
            self.step()?;
        }
        self.passed = true;
        Ok(())
    }

    fn get(&mut self, port: NodePort, node: usize) -> u64 {
        self.shown[port.0][node]
    }

    fn get_shared(&mut self, port: SharedPort) -> u64 {
        self.shown[port.0][0]
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.settle()?;
        self.passed = false;
        Ok(())
    }
}
