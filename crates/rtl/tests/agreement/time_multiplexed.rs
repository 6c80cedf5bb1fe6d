//! A time-multiplexed block equals several separate blocks. Each context shows, in its own clock
//! cycles, the outputs of a single block on the same stimulus.

use crate::agreement::engines::{self, verilator_of};
use crate::agreement::tdma::{held, on_node_peripheral};
use engine::agree::{check_all_outputs_change, compare, Stepper};
use engine::{CircuitEngine, EvaluatorEngine, ReferenceEngine, Stimulus};
use hdl::cells::time_multiplexed;
use hdl::lower::{lower, Circuit};
use interconnect::topology::{Hypercube, Metacube};
use lockstep::design::{CellKind, Design};
use machine::networks::tdma::hosted::PAYLOAD;
use machine::networks::tdma::PhaseTiming;
use rtl::hosted::HostedShape;
use rtl::tdma::{DmaCopy, NodePeripheral};
use rtl::CLOCKS_PER_BIT;

/// Clock cycles of each context.
const CYCLES: usize = 4_000;

/// Compares the time-multiplexed block, in every engine, with single blocks in `rust-hdl`'s own
/// simulator. The outputs named here may stay constant.
pub fn compare_time_multiplexed<C: Circuit + 'static>(
    turns: usize,
    make: impl Fn() -> C,
    stimulus: impl Fn(Stimulus) -> Stimulus,
    quiet: &[&str],
) {
    let name = C::description().name;
    let mut turned = engines::all(|| time_multiplexed(turns, &make));
    let engine_names = turned.each_ref().map(|engine| engine.name());
    let mut turned = turned.each_mut().map(|engine| Stepper::new(&mut **engine));
    let mut alone: Vec<_> = (0..turns).map(|_| engines::reference(make())).collect();
    let ports = alone[0].ports();
    let outputs = ports.iter().filter(|p| !p.input).map(|p| p.name.clone());
    let outputs: Vec<String> = outputs.collect();
    let of_turn = |turn| stimulus(Stimulus::new(ports, 0x2A3 + turn as u64));
    let mut stimuli: Vec<Stimulus> = (0..turns).map(of_turn).collect();
    let alone = alone.iter_mut().map(|engine| Stepper::new(&mut **engine));
    let mut alone: Vec<Stepper> = alone.collect();
    let mut expected = vec![];
    let mut found = vec![vec![]; turned.len()];
    for cycle in 0..CYCLES * turns {
        let turn = cycle % turns;
        let words = stimuli[turn].next_cycle().to_vec();
        expected.push(alone[turn].step(&words).unwrap());
        for (engine, found) in turned.iter_mut().zip(&mut found) {
            found.push(engine.step(&words).unwrap());
        }
    }
    for (engine, found) in engine_names.into_iter().zip(&found) {
        let both = (("alone", &expected), (engine, found));
        compare(&outputs, both.0, both.1).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    let loud: Vec<usize> =
        (0..outputs.len()).filter(|i| !quiet.contains(&&outputs[*i][..])).collect();
    let names: Vec<String> = loud.iter().map(|i| outputs[*i].clone()).collect();
    let shown = expected.iter();
    let shown = shown.map(|cycle| loud.iter().map(|i| cycle[*i].clone()).collect());
    check_all_outputs_change(&names, &shown.collect()).unwrap_or_else(|e| panic!("{name}: {e}"));
}

#[test]
fn time_multiplexed_dma_copies_agree() {
    let stimulus = |stimulus: Stimulus| stimulus.script(&["open"], held(60));
    compare_time_multiplexed(2, DmaCopy::<4>::default, stimulus, &[]);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn time_multiplexed_node_peripherals_agree() {
    let plan = PhaseTiming::forwarder(8, 4, Hypercube::of(3), true).plan();
    compare_time_multiplexed(
        8,
        || NodePeripheral::<3, 3, 3, 8, 4, 8>::new(plan),
        on_node_peripheral,
        &["down", "all_down", "full", "held", "crowded", "pending"],
    );
}

/// Memories in place of the delay lines, as in images for an ECP5, do not change a single output of
/// 64 time-multiplexed nodes.
#[test]
fn delay_memories_of_a_node_peripheral_agree() {
    compare_delay_memories(400, |design| Box::new(EvaluatorEngine::new(design).unwrap()));
}

#[test]
#[ignore = "thorough: compiles with Verilator"]
fn verilog_of_delay_memories_agrees() {
    compare_delay_memories(2_000, verilator_of);
}

/// Compares registers in the evaluator with memories in another engine, for this number of clock
/// cycles of each node.
fn compare_delay_memories(
    clock_cycles: usize,
    with_memories: impl Fn(&Design) -> Box<dyn CircuitEngine>,
) {
    let plan = PhaseTiming::forwarder(8, 4, Hypercube::of(3), true).plan();
    let block = time_multiplexed(64, || NodePeripheral::<3, 3, 3, 8, 4, 8>::new(plan));
    let plain = lower(&block).unwrap();
    let other = plain.with_delay_memories(48);
    let bits = |design: &Design| -> u32 {
        let cells = design.modules.iter().flat_map(|module| {
            let registers = module.cells.iter().map(|cell| match cell.kind {
                CellKind::Register { q, .. } => module.signal(q).width(),
                _ => 0,
            });
            registers.collect::<Vec<_>>()
        });
        cells.sum()
    };
    assert!(bits(&other) < bits(&plain) / 8, "most registers are gone");
    let mut traces = vec![];
    let mut outputs = vec![];
    let registers: Box<dyn CircuitEngine> = Box::new(EvaluatorEngine::new(&plain).unwrap());
    for mut engine in [registers, with_memories(&other)] {
        let ports = engine.ports().to_vec();
        let names = ports.iter().filter(|port| !port.input);
        outputs = names.map(|port| port.name.clone()).collect();
        let of_turn = |turn: u64| on_node_peripheral(Stimulus::new(&ports, 0x2A3 + turn));
        let mut stimuli: Vec<Stimulus> = (0..64).map(of_turn).collect();
        let mut engine = Stepper::new(&mut *engine);
        let steps =
            (0..64 * clock_cycles).map(|cycle| engine.step(stimuli[cycle % 64].next_cycle()));
        traces.push(steps.collect::<Result<Vec<_>, _>>().unwrap());
    }
    let changes = |i: &usize| traces[0].iter().any(|cycle| cycle[*i] != traces[0][0][*i]);
    let changing = (0..outputs.len()).filter(changes).count();
    assert!(changing > outputs.len() / 2, "{changing} of {outputs:?}");
    compare(&outputs, ("registers", &traces[0]), ("memories", &traces[1])).unwrap();
}

/// The largest circuits of time-multiplexed nodes are created, lowered and simulated on a thread with
/// half of the stack that Rust gives a thread. A user's program needs no `RUST_MIN_STACK`.
#[test]
fn hosted_circuits_fit_into_a_small_stack() {
    for shape in [HostedShape::Cube6, HostedShape::Programs3, HostedShape::Programs6] {
        let build = move || {
            let timing = PhaseTiming::hosted(CLOCKS_PER_BIT as u32, PAYLOAD + 2, shape);
            let divider = timing.divider_for(Metacube::from(shape).nodes());
            let circuit = || shape.observed(timing.plan(), divider, &[]);
            lower(&*circuit()).unwrap();
            let mut reference = ReferenceEngine::boxed(circuit()).unwrap();
            reference.clock().unwrap();
        };
        let thread = std::thread::Builder::new().stack_size(1 << 20);
        thread.spawn(build).unwrap().join().unwrap();
    }
}
