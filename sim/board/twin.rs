//! Expected outputs of a board: its circuit and the logic around it, simulated in the project's own
//! engine.

use lockstep::design::Design;
use lockstep::lanes::{Options, Wiring};
use lockstep::netlist::flatten;
use phasecube::board::virtual_board::{Seen, FIRST_EDGE};
use phasecube::engine::{LockstepEngine, NodeEngine, NodePort};

/// A design whose clock starts in clock cycle [`FIRST_EDGE`] and whose `rx` passes through two
/// flip-flops.
pub struct Twin {
    engine: LockstepEngine,
    rx: NodePort,
    tx: NodePort,
    led: NodePort,
    flip_flops: [bool; 2],
    cycle: usize,
}

/// The engine needs at least two nodes.
const LANES: usize = 2;

impl Twin {
    pub fn new(design: &Design) -> Self {
        let netlist = flatten(design).unwrap();
        let (wiring, options) = (Wiring::default(), Options::default());
        let mut engine = LockstepEngine::new(netlist, LANES, &wiring, &options).unwrap();
        let [rx, tx, led] = ["rx", "tx", "led"].map(|name| engine.port(name));
        Twin {
            engine,
            rx,
            tx,
            led,
            flip_flops: [true; 2],
            cycle: 0,
        }
    }

    /// Runs one clock cycle for each level of the line from the host.
    pub fn run(&mut self, rx: &[bool]) -> Vec<Seen> {
        rx.iter().map(|level| self.step(*level)).collect()
    }

    pub fn step(&mut self, level: bool) -> Seen {
        let engine = &mut self.engine;
        for lane in 0..LANES {
            engine.set(self.rx, lane, u64::from(self.flip_flops[1]));
        }
        engine.settle().unwrap();
        let seen = Seen {
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
