//! Measurement of the shortest phase.

use super::{Expectation, SkewConditions, Trial};
use engine::EngineError;

/// Initial alignments of the clocks, all of which are tried for every value.
const ALIGNMENTS: u64 = 4;

/// Shortest values that deliver every frame, in bit-times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShortestTiming {
    /// Time from a node's begin of a phase to its frame, found with a phase that is long enough. In
    /// steps of whole clock cycles.
    pub guard: f64,
    /// Phase with that guard, in steps of a clock cycle.
    pub phase: f64,
}

/// Searches for the shortest guard, and then for the shortest phase with that guard. Each value is
/// tried with `frames` frames in four alignments of the clocks. Below 16 frames, some alignments do
/// not have several frames in both directions. Returns `None` if even long phases lose frames.
///
/// # Errors
/// As an engine.
pub fn measure(
    conditions: &SkewConditions,
    frames: u64,
) -> Result<Option<ShortestTiming>, EngineError> {
    let bit = f64::from(conditions.clocks_per_bit);
    // Far more than needed, in clock cycles.
    let guard_max = ((conditions.skew.abs() + 2.0) * bit).ceil() as u64;
    let enough = Expectation::of(conditions).phase() + conditions.skew.abs() + 6.0 + 16.0 / bit;
    let longest = (enough * bit).ceil() as u64 + guard_max;
    let node = conditions.node()?;
    let delivers = |guard: u64, phase: u64| -> Result<bool, EngineError> {
        for seed in 0..ALIGNMENTS {
            let trial = Trial {
                conditions: *conditions,
                phase: phase as f64 / bit,
                guard: guard as u32,
                frames: frames.div_ceil(ALIGNMENTS),
                seed,
            };
            if !trial.delivers_on(&node)? {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let Some(guard) = smallest_passing(0, guard_max, |guard| delivers(guard, longest))? else {
        return Ok(None);
    };
    let shortest = conditions.frame() * bit;
    let phase = smallest_passing((shortest * 0.9) as u64, longest, |phase| {
        delivers(guard, phase)
    })?;
    Ok(phase.map(|phase| ShortestTiming {
        guard: guard as f64 / bit,
        phase: phase as f64 / bit,
    }))
}

/// Finds by bisection the smallest value in `low..=high` from which on `holds` is true. Returns
/// `None` if `holds` is false for `high`.
fn smallest_passing<E>(
    mut low: u64,
    mut high: u64,
    holds: impl Fn(u64) -> Result<bool, E>,
) -> Result<Option<u64>, E> {
    if !holds(high)? {
        return Ok(None);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle)? {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(Some(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisection_finds_the_smallest_passing_value() {
        for edge in 3..=17 {
            let found = smallest_passing(3, 17, |value| Ok::<_, ()>(value >= edge));
            assert_eq!(found, Ok(Some(edge)));
        }
        assert_eq!(smallest_passing(3, 17, |_| Ok::<_, ()>(false)), Ok(None));
    }
}
