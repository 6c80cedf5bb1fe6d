//! What a board should show: its circuit, and the little that is around it, in the
//! project's own evaluator.

use lockstep::rtl::Design;
use phasecube::board::virtual_board::{Seen, FIRST_EDGE};
use phasecube::engine::{Engine, EvaluatorEngine, PortId};

/// A design whose clock begins with clock cycle [`FIRST_EDGE`] and whose `rx` comes
/// through two flip-flops.
pub struct Twin {
    engine: EvaluatorEngine,
    rx: PortId,
    tx: PortId,
    led: PortId,
    flip_flops: [bool; 2],
    cycle: usize,
}

impl Twin {
    pub fn new(design: &Design) -> Self {
        let engine = EvaluatorEngine::new(design).unwrap();
        let port = |name: &str| engine.port(name);
        let (rx, tx, led) = (port("rx"), port("tx"), port("led"));
        Twin {
            engine,
            rx,
            tx,
            led,
            flip_flops: [true; 2],
            cycle: 0,
        }
    }

    /// One clock cycle for each level of the line from the host.
    pub fn run(&mut self, rx: &[bool]) -> Vec<Seen> {
        rx.iter().map(|level| self.step(*level)).collect()
    }

    fn step(&mut self, level: bool) -> Seen {
        let engine = &mut self.engine;
        engine.set_u64(self.rx, u64::from(self.flip_flops[1]));
        engine.settle().unwrap();
        let seen = Seen {
            tx: engine.get_u64(self.tx) == 1,
            led: engine.get_u64(self.led) as u8,
        };
        if self.cycle >= FIRST_EDGE {
            engine.clock().unwrap();
            self.flip_flops = [level, self.flip_flops[0]];
        }
        self.cycle += 1;
        seen
    }
}
