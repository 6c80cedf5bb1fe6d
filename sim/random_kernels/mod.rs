//! The lowering keeps the meaning of Rust kernels.
//!
//! Random blocks over the whole subset are written as Rust, compiled, and run in `rust-hdl`'s
//! simulator and in the evaluator of the lowered circuit. All outputs must agree in every clock
//! cycle. A failure prints the seed of its kernel, and `batch(SEED, 1)` generates that kernel
//! alone.

mod block;
mod bools;
mod bundles;
mod children;
mod code;
mod control;
mod cover;
mod dice;
mod fields;
mod functions;
mod generator;
mod kernel;
mod positions;
mod program;
mod scope;
mod statements;
mod types;
mod words;

use cover::ConstructCover;
use dice::Dice;
use kernel::Kernel;
use program::KernelPrograms;
use std::collections::HashMap;

const SEED: u64 = 20_251_134;

/// A batch of at least this many kernels must contain each construct in `MINIMUM_HITS` places.
const KERNELS_FOR_COVER: u64 = 75;
const MINIMUM_HITS: usize = 3;

/// Runs a sample in every test run.
#[test]
fn sixteen_random_kernels_agree() {
    batch(SEED, 16);
}

/// Runs enough kernels to contain each construct several times.
#[test]
#[ignore = "thorough: compiles 110 kernels"]
fn many_random_kernels_agree() {
    batch(SEED, 110);
}

/// Generates kernels, compiles them, and compares the engines.
fn batch(seed: u64, count: u64) {
    let mut cover = ConstructCover::default();
    let mut seeds = Dice::new(seed);
    let kernels: Vec<(u64, Kernel)> = (0..count)
        .map(|i| {
            // A single kernel uses the seed itself, to reproduce a failure.
            let seed = if count == 1 { seed } else { seeds.word() };
            (seed, Kernel::random(format!("k{i:03}"), seed, &mut cover))
        })
        .collect();
    println!("seed {seed}, {count} kernels: {cover}");
    if count >= KERNELS_FOR_COVER {
        let rare = cover.rarer_than(MINIMUM_HITS);
        assert!(rare.is_empty(), "hardly or not covered: {rare:?}");
    }

    let results = KernelPrograms::write(kernels.iter().map(|(_, k)| k)).run();
    let sources: HashMap<&str, (u64, &str)> =
        kernels.iter().map(|(seed, k)| (k.name.as_str(), (*seed, k.source.as_str()))).collect();
    let (mut outputs, mut alive) = (0, 0);
    let mut failures = vec![];
    for result in &results {
        match &result.outcome {
            Ok(counts) => {
                outputs += counts.0;
                alive += counts.1;
            }
            Err(what) => {
                let (seed, source) = sources[result.module()];
                failures.push(format!("{} (seed {seed}): {what}\n{source}", result.kernel));
            }
        }
    }
    println!("{} circuits, {outputs} outputs, {alive} of them changed", results.len());
    assert!(
        failures.is_empty(),
        "seed {seed}: {} of {} circuits failed. The first:\n{}",
        failures.len(),
        results.len(),
        failures[0]
    );
    let expected: usize = kernels.iter().map(|(_, k)| k.tops.len()).sum();
    assert_eq!(results.len(), expected, "circuits without a result");
    assert!(
        alive * 2 >= outputs,
        "only {alive} of {outputs} outputs ever changed: the test shows little"
    );
}
