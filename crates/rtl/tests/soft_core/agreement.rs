//! Reference, evaluator and Verilator agree on every output of the core in every clock cycle, on
//! programs and on noise.

use crate::soft_core::bench::SoftCoreBench;
use crate::soft_core::program;
use engine::agree::{check_all_outputs_change, compare, trace_with};
use engine::{CircuitEngine, EvaluatorEngine, ReferenceEngine, Stimulus, VerilatorEngine};
use hdl::lower::{lower, Circuit};
use interconnect::traffic::SplitMix64;
use rtl::core::{MultiplyingCore, SingleContextCore, SoftCore};
use toolchain::{CompileEffort, Toolchain};

type TwoContextCore = SoftCore<2, 7>;

/// Clock cycles of noise.
const CYCLES: usize = 5000;
/// The instruction `wfi`.
const WFI: u32 = 0x1050_0073;
/// Turns of four programs in rotation.
const TURNS: usize = 800;

fn reference<C: Circuit + Default + 'static>() -> ReferenceEngine {
    ReferenceEngine::new(C::default()).unwrap()
}

fn evaluator<C: Circuit + Default>() -> EvaluatorEngine {
    EvaluatorEngine::new(&lower(&C::default()).unwrap()).unwrap()
}

fn verilator<C: Circuit + Default>() -> VerilatorEngine {
    let design = lower(&C::default()).unwrap();
    let tools = Toolchain::open().unwrap();
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let engine = VerilatorEngine::new(&design, &tools, models.as_ref(), CompileEffort::Quick);
    engine.unwrap_or_else(|e| panic!("{e}"))
}

/// Runs programs. Returns the outputs of every clock cycle, and the final memories.
fn run(engine: impl CircuitEngine, seed: u64) -> (Vec<Vec<u64>>, Vec<Vec<u32>>) {
    let mut random = SplitMix64::new(seed);
    let programs = (0..4).map(|_| program::random(&mut random)).collect();
    let mut bench = SoftCoreBench::new(engine, programs);
    bench.trace = Some(vec![]);
    let mut waits = SplitMix64::new(seed);
    bench.latency = Box::new(move || waits.below(3));
    for turn in 0..TURNS {
        bench.wake[turn % 4] = random.below(2) == 0;
        bench.turn((turn + 1) % 4);
    }
    (bench.trace.unwrap(), bench.memories)
}

#[test]
fn three_engines_run_the_same_programs_alike() {
    let (expected, memories) = run(reference::<TwoContextCore>(), 7);
    assert!(expected.len() > 4000, "{}", expected.len());
    for (name, (trace, found)) in [
        ("evaluator", run(evaluator::<TwoContextCore>(), 7)),
        ("verilator", run(verilator::<TwoContextCore>(), 7)),
    ] {
        assert_eq!(trace.len(), expected.len(), "{name}");
        for (cycle, (found, expected)) in trace.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "{name}, clock cycle {cycle}");
        }
        assert!(found == memories, "{name}: the memories differ");
    }
}

#[test]
#[ignore = "thorough: Verilator on the core"]
fn three_engines_agree_on_noise() {
    agree_on_noise::<TwoContextCore>(program::instruction);
    agree_on_noise::<SingleContextCore>(program::instruction);
    agree_on_noise::<MultiplyingCore<1, 6>>(|random| match random.below(16) {
        // An instruction of the M extension, with any registers.
        0 => random.next_u64() as u32 & 0x01FF_FFFF & !0x7F | 0x0200_0033,
        // A multiplication takes long, so few other instructions are drawn.
        1 => WFI,
        _ => program::instruction(random),
    });
}

/// Drives any instruction at any time, and occasionally an invalid one.
fn agree_on_noise<C: Circuit + Default + 'static>(instruction: fn(&mut SplitMix64) -> u32) {
    let mut traces = vec![];
    let engines: [Box<dyn CircuitEngine>; 3] =
        [Box::new(reference::<C>()), Box::new(evaluator::<C>()), Box::new(verilator::<C>())];
    for mut engine in engines {
        let stimulus = Stimulus::new(engine.ports(), 0x2A3);
        let stimulus = stimulus.script(&["read_data"], move |random| {
            vec![match random.below(64) {
                0 => random.next_u64() & 0xFFFF_FFFF,
                _ => instruction(random).into(),
            }]
        });
        let trace = trace_with(&mut *engine, stimulus, CYCLES).unwrap();
        let outputs = engine.ports().iter().filter(|p| !p.input);
        let outputs: Vec<String> = outputs.map(|p| p.name.clone()).collect();
        traces.push((engine.name(), outputs, trace));
    }
    let (first, outputs, expected) = &traces[0];
    check_all_outputs_change(outputs, expected).unwrap_or_else(|e| panic!("{e}"));
    for (second, _, found) in &traces[1..] {
        let found = compare(outputs, (first, expected), (second, found));
        found.unwrap_or_else(|e| panic!("{e}"));
    }
}
