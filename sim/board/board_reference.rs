//! Expected outputs of a board: its circuit and the logic around it, simulated in the project's own
//! engine.

use lockstep::design::Design;
use lockstep::lanes::{LaneOptions, LaneWiring};
use lockstep::netlist::flatten;
use phasecube::board::virtual_board::{BoardOutputs, FIRST_EDGE};
use phasecube::engine::{LockstepEngine, NodeEngine, NodePortId};

/// A design whose clock starts in clock cycle [`FIRST_EDGE`] and whose `rx` passes through two
/// flip-flops.
pub struct BoardReference {
    engine: LockstepEngine,
    rx: NodePortId,
    tx: NodePortId,
    led: NodePortId,
    flip_flops: [bool; 2],
    cycle: usize,
}

/// The engine needs at least two nodes.
const LANES: usize = 2;

impl BoardReference {
    pub fn new(design: &Design) -> Self {
        let netlist = flatten(design).unwrap();
        let (wiring, options) = (LaneWiring::default(), LaneOptions::default());
        let mut engine = LockstepEngine::new(netlist, LANES, &wiring, &options).unwrap();
        let [rx, tx, led] = ["rx", "tx", "led"].map(|name| engine.port(name));
        BoardReference {
            engine,
            rx,
            tx,
            led,
            flip_flops: [true; 2],
            cycle: 0,
        }
    }

    /// Runs one clock cycle for each level of the line from the host.
    pub fn run(&mut self, rx: &[bool]) -> Vec<BoardOutputs> {
        rx.iter().map(|level| self.step(*level)).collect()
    }

    pub fn step(&mut self, level: bool) -> BoardOutputs {
        let engine = &mut self.engine;
        for lane in 0..LANES {
            engine.set(self.rx, lane, u64::from(self.flip_flops[1]));
        }
        engine.settle().unwrap();
        let seen = BoardOutputs {
            tx: engine.get(self.tx, 0) == 1,
            led: engine.get(self.led, 0) as u8,
        };
        if self.cycle >= FIRST_EDGE {
            engine.clock().unwrap();
            self.flip_flops = [level, self.flip_flops[0]];
        }
        self.cycle += 1;
        seen
    }
}
