//! Reference, evaluator, Verilator and lockstep agree on every output in every clock cycle of
//! whole runs.

use crate::compiled::CompiledSetup;
use crate::support::array_runs;
use crate::support::whole_runs::{alive_but, OutputTrace};
use phasecube::engine::ByNode;
use phasecube::machine::array::{Array, BlockCircuit};
use phasecube::networks::tdma::cube::{programmed_array, CubeFaults, Slip};
use phasecube::networks::tdma::PhaseTiming;
use phasecube::report::OutputProbe;
use phasecube::routing::compiled::SweepDirection;
use phasecube::rtl::tdma::{order_bits, CompiledNode};
use phasecube::topology::{Hypercube, Metacube};
use phasecube::traffic::Message;

/// A small, fast node: 4 clock cycles per bit and 4 slots of 16 bytes.
type SmallCompiledNode<const LINKS: usize, const BITS: usize, const PAIR_BITS: usize> =
    CompiledNode<LINKS, BITS, 4, 4, 4, 6, PAIR_BITS>;

const CUBE_PAIR_BITS: usize = 10;

fn timing() -> PhaseTiming {
    PhaseTiming::compiled(4, 4)
}

/// Returns the array for the 3-cube.
fn on_cube() -> Array {
    type Node = SmallCompiledNode<3, 3, CUBE_PAIR_BITS>;
    let (shape, plan) = (Hypercube::of(3).into(), timing().plan());
    let node = BlockCircuit::of(move || Box::new(Node::new(plan))).unwrap();
    programmed_array(shape, node).unwrap()
}

/// Returns the array for MC(1,1).
fn on_metacube() -> Array {
    type Node = SmallCompiledNode<2, 3, { order_bits(3) }>;
    let (shape, plan) = (Metacube::of(1, 1), timing().plan());
    let node = BlockCircuit::of(move || Box::new(Node::new(plan))).unwrap();
    programmed_array(shape, node).unwrap()
}

fn agree(array: &Array, compiled: &CompiledSetup, disturbance: &CubeFaults) -> OutputTrace {
    array_runs::agree(array, |engine| {
        let mut probe = OutputProbe::new(engine);
        let mut nodes = ByNode::new(&mut probe, 8);
        let run = compiled.run_at(timing(), &mut nodes, disturbance);
        assert_eq!(run.undetected + run.duplicated, 0);
        probe.into_trace()
    })
}

/// Compiles messages to the farthest node, and on the cube to further nodes.
fn compiled(shape: Metacube, sweep: SweepDirection) -> CompiledSetup {
    let message = |(source, destination): (u32, u32)| Message {
        source,
        destination,
        payload: vec![source as u8 ^ 0xA5, destination as u8],
    };
    let more = if shape.class_bits() == 0 { 3 } else { 1 };
    let pairs = (0..8).flat_map(|s| {
        [(s, !s & 7), (s, ((5 * s) & 7) ^ 2), (s, (s + 3) & 7)].into_iter().take(more)
    });
    CompiledSetup::of_list(shape, pairs.map(message).collect(), sweep)
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn on_the_3_cube() {
    let compiled = compiled(Hypercube::of(3).into(), SweepDirection::UpDown);
    let outputs = agree(&on_cube(), &compiled, &CubeFaults::default());
    let quiet = ["missed_deadline", "slips", "clash", "out_reason", "out_slot", "rounds"];
    alive_but(&outputs, &quiet);
}

#[test]
fn with_noise_and_a_slip() {
    let disturbance = CubeFaults {
        noise: 1e-3,
        seed: 2,
        slips: vec![Slip { node: 6, t: 7 }],
        ..CubeFaults::default()
    };
    let compiled = compiled(Hypercube::of(3).into(), SweepDirection::UpDown);
    agree(&on_cube(), &compiled, &disturbance);
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn on_a_metacube() {
    let compiled = compiled(Metacube::of(1, 1), SweepDirection::Up);
    agree(&on_metacube(), &compiled, &CubeFaults::default());
}
