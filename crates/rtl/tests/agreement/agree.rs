//! Helpers that check a block for agreement between all engines.

use crate::agreement::engines;
use engine::agree::{check_all_outputs_change, compare, trace_with, Disagreement};
use engine::Stimulus;
use hdl::lower::Circuit;

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
    for mut engine in engines::all(make) {
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
    let loud: Vec<usize> = (0..outputs.len())
        .filter(|i| !quiet.contains(&&outputs[*i][..]))
        .collect();
    let names: Vec<String> = loud.iter().map(|i| outputs[*i].clone()).collect();
    let shown = expected.iter();
    let shown = shown.map(|cycle| loud.iter().map(|i| cycle[*i].clone()).collect());
    check(check_all_outputs_change(&names, &shown.collect()));
    for (second, found) in &traces[1..] {
        check(compare(&outputs, (first, expected), (second, found)));
    }
}
