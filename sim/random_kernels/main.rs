//! That the lowering gives kernels the meaning that Rust gives them.
//!
//! Random blocks over the whole subset are written as Rust, compiled, and run
//! in `rust-hdl`'s simulator and in the evaluator of the lowered circuit: all
//! outputs must agree in every clock cycle. The seed is `PHASECUBE_SEED`, the
//! number of kernels `PHASECUBE_KERNELS`; one alone is made again by the seed
//! of its own that a failure shows and `PHASECUBE_KERNELS=1`. With
//! `PHASECUBE_MINUTES` there are as many such batches, each with another seed, as
//! begin in that time.

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
#[path = "../support/scratch.rs"]
mod scratch;
mod statements;
mod types;
mod words;

use cover::Cover;
use dice::Dice;
use kernel::Kernel;
use program::Program;
use std::collections::HashMap;
use std::env;
use std::time::{Duration, Instant};

const SEED: u64 = 20_251_121;
const KERNELS: u64 = 80;

/// The seeds of more batches are drawn apart from those of the first one's kernels.
const OTHERS: u64 = 0x0123_4567_89AB_CDEF;

/// Of so many kernels each construct must have occurred in several places.
const KERNELS_FOR_COVER: u64 = 75;
const LEAST: usize = 3;

fn number_of(variable: &str, default: u64) -> u64 {
    match env::var(variable) {
        Err(_) => default,
        Ok(text) => {
            let number = text.strip_prefix("0x").map_or_else(
                || text.parse(),
                |hexadecimal| u64::from_str_radix(hexadecimal, 16),
            );
            number.unwrap_or_else(|e| panic!("{variable}={text}: {e}"))
        }
    }
}

#[test]
fn random_kernels_mean_the_same_to_rust_and_to_the_lowering() {
    let seed = number_of("PHASECUBE_SEED", SEED);
    let count = number_of("PHASECUBE_KERNELS", KERNELS);
    let time = Duration::from_secs(60 * number_of("PHASECUBE_MINUTES", 0));
    let began = Instant::now();
    batch(seed, count);
    let mut seeds = Dice::new(seed ^ OTHERS);
    while began.elapsed() < time {
        batch(seeds.word(), count);
    }
}

/// Makes so many kernels, and runs them.
fn batch(seed: u64, count: u64) {
    let mut cover = Cover::default();
    let mut seeds = Dice::new(seed);
    let kernels: Vec<(u64, Kernel)> = (0..count)
        .map(|i| {
            // A single kernel has the seed itself: that of a failure.
            let seed = if count == 1 { seed } else { seeds.word() };
            (seed, Kernel::random(format!("k{i:03}"), seed, &mut cover))
        })
        .collect();
    println!("seed {seed}, {count} kernels: {cover}");
    if count >= KERNELS_FOR_COVER {
        let rare = cover.rarer_than(LEAST);
        assert!(rare.is_empty(), "hardly or not covered: {rare:?}");
    }

    let results = Program::write(kernels.iter().map(|(_, k)| k)).run();
    let sources: HashMap<&str, (u64, &str)> = kernels
        .iter()
        .map(|(seed, k)| (k.name.as_str(), (*seed, k.source.as_str())))
        .collect();
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
    println!(
        "{} circuits, {outputs} outputs, {alive} of them changed",
        results.len()
    );
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
