//! The pin mux pulls the selected wires only, and has no glitches while the selection changes.

use crate::agreement::engines;
use engine::{CircuitEngine, PortId};
use interconnect::traffic::SplitMix64;
use rtl::tdma::{OpenDrainWire, PinMux};

/// The inputs in one clock cycle.
#[derive(Clone, Copy, Debug)]
struct PinMuxInputs {
    dim: u64,
    drive: u64,
    tx: u64,
    level: u64,
}

impl PinMuxInputs {
    /// Returns the `n`th combination of inputs.
    fn nth(n: u64) -> PinMuxInputs {
        PinMuxInputs { dim: n & 15, drive: n >> 4 & 1, tx: n >> 5 & 1, level: n >> 6 }
    }

    /// Returns the pulls and `rx` of the next clock cycle according to the documentation.
    fn truth(self, dims: u64) -> (u64, u64) {
        let active = self.dim < dims;
        let pulls = active && self.drive == 1 && self.tx == 0;
        let listens_low = active && self.drive == 0 && self.level >> self.dim & 1 == 0;
        (u64::from(pulls) << self.dim, u64::from(!listens_low))
    }
}

struct PinMuxBench {
    engine: Box<dyn CircuitEngine>,
    dims: u64,
    inputs: [PortId; 4],
    outputs: [PortId; 2],
}

impl PinMuxBench {
    fn new(engine: Box<dyn CircuitEngine>, dims: u64) -> PinMuxBench {
        PinMuxBench {
            inputs: ["dim", "drive", "tx", "level"].map(|name| engine.port(name)),
            outputs: ["pull", "rx"].map(|name| engine.port(name)),
            engine,
            dims,
        }
    }

    fn set(&mut self, inputs: PinMuxInputs) {
        let values = [inputs.dim, inputs.drive, inputs.tx, inputs.level];
        for (port, value) in self.inputs.into_iter().zip(values) {
            self.engine.set_u64(port, value);
        }
    }

    fn outputs(&mut self) -> (u64, u64) {
        let [pull, rx] = self.outputs.map(|port| self.engine.get_u64(port));
        (pull, rx)
    }

    /// Changes from one combination of inputs to another. Outputs must not follow the inputs
    /// between clock edges, not even briefly.
    fn check(&mut self, before: PinMuxInputs, after: PinMuxInputs) {
        self.set(before);
        self.engine.clock().unwrap();
        let truth = before.truth(self.dims);
        assert_eq!(self.outputs(), truth, "{before:?} on {} wires", self.dims);
        self.set(after);
        self.engine.settle().unwrap();
        assert_eq!(self.outputs(), truth, "from {before:?} to {after:?}");
    }
}

#[test]
fn an_idle_pin_mux_pulls_no_wire_and_receives_high() {
    for engine in engines::both(PinMux::<4>::default) {
        assert_eq!(PinMuxBench::new(engine, 4).outputs(), (0, 1));
    }
}

#[test]
fn every_input_change_is_correct_on_one_and_two_wires() {
    fn check<const DIMS: usize>() {
        let engine = engines::evaluator(&PinMux::<DIMS>::default());
        let mut mux = PinMuxBench::new(engine, DIMS as u64);
        let combinations = 1 << (6 + DIMS);
        for before in (0..combinations).map(PinMuxInputs::nth) {
            for after in (0..combinations).map(PinMuxInputs::nth) {
                mux.check(before, after);
            }
        }
    }
    check::<1>();
    check::<2>();
}

/// Tries all changes of selection, direction and `tx`, on all wire levels.
#[test]
pub fn every_selection_change_is_correct_on_many_wires() {
    fn check<const DIMS: usize>(engine: Box<dyn CircuitEngine>) {
        let mut mux = PinMuxBench::new(engine, DIMS as u64);
        let mut random = SplitMix64::new(DIMS as u64);
        for pair in 0..1 << 12 {
            let mut level = || random.below(1 << DIMS) << 6;
            let (before, after) = (pair & 63 | level(), pair >> 6 | level());
            mux.check(PinMuxInputs::nth(before), PinMuxInputs::nth(after));
        }
    }
    for engine in engines::both(PinMux::<4>::default) {
        check::<4>(engine);
    }
    check::<12>(engines::evaluator(&PinMux::<12>::default()));
    check::<16>(engines::evaluator(&PinMux::<16>::default()));
}

// The open-drain wire: its truth table.

#[test]
pub fn a_wire_is_high_unless_someone_pulls() {
    for mut engine in engines::both(OpenDrainWire::default) {
        let [a, b, level] = ["pull_a", "pull_b", "level"].map(|name| engine.port(name));
        for (pull_a, pull_b, expected) in [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 0), (0, 0, 1)] {
            engine.set_u64(a, pull_a);
            engine.set_u64(b, pull_b);
            engine.settle().unwrap();
            assert_eq!(engine.get_u64(level), expected, "{}", engine.name());
        }
    }
}
