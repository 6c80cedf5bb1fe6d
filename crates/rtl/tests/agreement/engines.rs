//! Constructors of the engines that run a block, their comparison, and access to ports by name.

use crate::agreement::circuits;
use engine::agree::{check_all_outputs_change, compare, trace_with, Disagreement};
use engine::{CircuitEngine, EvaluatorEngine, ReferenceEngine, Stimulus, VerilatorEngine};
use hdl::lower::{lower, Circuit};
use lockstep::design::Design;
use std::cell::RefCell;
use std::sync::LazyLock;
use toolchain::{CompileEffort, Toolchain};

thread_local! {
    /// Name of the fault in the circuits of this thread, if any.
    static FAULT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Returns true if a test still passes when every circuit that it creates has a fault.
pub fn passes_with(fault: &str, test: fn()) -> bool {
    FAULT.set(Some(fault.to_owned()));
    let passes = std::panic::catch_unwind(test).is_ok();
    FAULT.set(None);
    passes
}

fn lowered(block: &impl Circuit) -> Design {
    let mut design = lower(block).expect("the block is in the subset");
    FAULT.with_borrow(|fault| {
        if let Some(name) = fault {
            circuits::put(&mut design, name);
        }
    });
    design
}

pub fn reference(block: impl Circuit + 'static) -> Box<dyn CircuitEngine> {
    Box::new(ReferenceEngine::new(block).expect("the reference runs every block"))
}

pub fn evaluator(block: &impl Circuit) -> Box<dyn CircuitEngine> {
    let design = lowered(block);
    Box::new(EvaluatorEngine::new(&design).expect("the block has no combinational loop"))
}

pub fn verilator(block: &impl Circuit) -> Box<dyn CircuitEngine> {
    verilator_of(&lowered(block))
}

pub fn verilator_of(design: &Design) -> Box<dyn CircuitEngine> {
    static TOOLS: LazyLock<Toolchain> = LazyLock::new(|| Toolchain::open().unwrap());
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let engine = VerilatorEngine::new(design, &TOOLS, models.as_ref(), CompileEffort::Quick);
    Box::new(engine.unwrap_or_else(|e| panic!("{e}")))
}

/// Returns the engines for a test of documented behaviour. A circuit with a fault runs in the
/// evaluator alone. [`all`] compares Verilator with these engines on random stimulus.
pub fn both<C: Circuit + 'static>(make: impl Fn() -> C) -> [Box<dyn CircuitEngine>; 2] {
    if FAULT.with_borrow(Option::is_some) {
        return [(); 2].map(|()| evaluator(&make()));
    }
    [reference(make()), evaluator(&make())]
}

/// Returns all engines that run a block.
pub fn all<C: Circuit + 'static>(make: impl Fn() -> C) -> [Box<dyn CircuitEngine>; 3] {
    [reference(make()), evaluator(&make()), verilator(&make())]
}

// Helpers that check a block for agreement between all engines.

/// Clock cycles of random stimulus for each block.
const CYCLES: usize = 10_000;
/// Clock cycles for a whole node, chip or board. The reference is slow on these, and thousands of
/// clock cycles already carry hundreds of packets or messages.
const NODE_CYCLES: usize = 4_000;
const SEED: u64 = 0x2A3;

/// Checks a block on plain random stimulus.
pub fn agree<C: Circuit + 'static>(make: impl Fn() -> C) {
    agree_on(make, |stimulus| stimulus);
}

/// Checks a block on stimulus that reaches all of its states. Every output must change.
pub fn agree_on<C: Circuit + 'static>(
    make: impl Fn() -> C,
    stimulus: impl Fn(Stimulus) -> Stimulus,
) {
    agree_but(make, stimulus, &[]);
}

/// Like [`agree_on`], for a whole node, chip or board.
pub fn nodes_agree_on<C: Circuit + 'static>(
    make: impl Fn() -> C,
    stimulus: impl Fn(Stimulus) -> Stimulus,
) {
    agree_for(NODE_CYCLES, make, stimulus, &[]);
}

/// Like [`agree_on`], but the outputs named here may stay constant.
pub fn agree_but<C: Circuit + 'static>(
    make: impl Fn() -> C,
    stimulus: impl Fn(Stimulus) -> Stimulus,
    quiet: &[&str],
) {
    agree_for(CYCLES, make, stimulus, quiet);
}

fn agree_for<C: Circuit + 'static>(
    clock_cycles: usize,
    make: impl Fn() -> C,
    stimulus: impl Fn(Stimulus) -> Stimulus,
    quiet: &[&str],
) {
    let name = C::description().name;
    let mut outputs = vec![];
    let mut traces = vec![];
    for mut engine in all(make) {
        let ports = engine.ports();
        let names = ports.iter().filter(|p| !p.input).map(|p| p.name.clone());
        outputs = names.collect();
        let stimulus = stimulus(Stimulus::new(ports, SEED));
        let trace = trace_with(&mut *engine, stimulus, clock_cycles)
            .unwrap_or_else(|e| panic!("{name}, {}: {e}", engine.name()));
        traces.push((engine.name(), trace));
    }
    let check = |result: Result<(), Disagreement>| {
        result.unwrap_or_else(|e| panic!("{name}: {e}"));
    };
    let (first, expected) = &traces[0];
    let loud: Vec<usize> =
        (0..outputs.len()).filter(|i| !quiet.contains(&&outputs[*i][..])).collect();
    let names: Vec<String> = loud.iter().map(|i| outputs[*i].clone()).collect();
    let shown = expected.iter();
    let shown = shown.map(|cycle| loud.iter().map(|i| cycle[*i].clone()).collect());
    check(check_all_outputs_change(&names, &shown.collect()));
    for (second, found) in &traces[1..] {
        check(compare(&outputs, (first, expected), (second, found)));
    }
}

// Access to the ports of an engine by name.

pub fn put(engine: &mut dyn CircuitEngine, input: &str, value: u64) {
    let port = engine.port(input);
    engine.set_u64(port, value);
}

pub fn see(engine: &mut dyn CircuitEngine, output: &str) -> u64 {
    let port = engine.port(output);
    engine.get_u64(port)
}

/// Sets a list of bits, the lowest bit first.
pub fn put_all(engine: &mut dyn CircuitEngine, input: &str, bits: u64, count: usize) {
    for i in 0..count {
        put(engine, &format!("{input}[{i}]"), bits >> i & 1);
    }
}

/// Reads a list of bits, the lowest bit first.
pub fn see_all(engine: &mut dyn CircuitEngine, output: &str, count: usize) -> u64 {
    (0..count).fold(0, |bits, i| bits | see(engine, &format!("{output}[{i}]")) << i)
}
