//! The check that all engines agree on a block.

use crate::engines;
use phasecube::engine::agree::{all_alive, compare, trace_with, Disagreement};
use phasecube::engine::Stimulus;
use phasecube::lower::Circuit;

/// Clock cycles of random stimulus for every block.
const CYCLES: usize = 10_000;
const SEED: u64 = 0x2A3;

/// Checks a block on plain random stimulus.
pub fn agree<C: Circuit + 'static>(make: impl Fn() -> C) {
    agree_on(make, |stimulus| stimulus);
}

/// Checks a block on stimulus that is made to reach all of it: every output
/// must change.
pub fn agree_on<C: Circuit + 'static>(
    make: impl Fn() -> C,
    stimulus: impl Fn(Stimulus) -> Stimulus,
) {
    let name = C::description().name;
    let mut outputs = vec![];
    let mut traces = vec![];
    for mut engine in engines::all(make) {
        let ports = engine.ports();
        let names = ports.iter().filter(|p| !p.input).map(|p| p.name.clone());
        outputs = names.collect();
        let stimulus = stimulus(Stimulus::new(ports, SEED));
        let trace = trace_with(&mut *engine, stimulus, CYCLES)
            .unwrap_or_else(|e| panic!("{name}, {}: {e}", engine.name()));
        traces.push((engine.name(), trace));
    }
    let check = |result: Result<(), Disagreement>| {
        result.unwrap_or_else(|e| panic!("{name}: {e}"));
    };
    let (first, expected) = &traces[0];
    check(all_alive(&outputs, expected));
    for (second, found) in &traces[1..] {
        check(compare(&outputs, (first, expected), (second, found)));
    }
}
