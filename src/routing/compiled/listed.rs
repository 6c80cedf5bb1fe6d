//! The schedule of any list of messages.

use super::greedy::greedy;
use super::negotiated::negotiated;
use super::{node_programs, permutation, CompiledSchedule, LowerBound, Sweep, PLACES};
use crate::topology::{Hypercube, Metacube};
use crate::traffic::SplitMix64;
use thiserror::Error;

/// How long to look for a shorter schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Lists of sends that are drawn, at least one.
    pub draws: u32,
    /// Rounds of a negotiation.
    pub rounds: u32,
    /// Of the lots.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Effort {
            draws: 4,
            rounds: 40,
            seed: 1,
        }
    }
}

/// No schedule was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("messages come to wait for each other, with {PLACES} places in a node; accepted: a list with fewer messages, or another --seed")]
pub struct NotFound;

/// A schedule of these sources and destinations, the shortest of what is found: for a
/// permutation of a cube in [`Sweep::UpDown`] the optimum, else by list scheduling, and in
/// a cube by negotiation for a superframe less as long as that is found. No node holds more
/// messages than it has places.
///
/// `heard` is told what is done.
///
/// # Errors
/// If none is found.
pub fn listed(
    shape: Metacube,
    sweep: Sweep,
    messages: &[[u32; 2]],
    effort: Effort,
    heard: &mut dyn FnMut(String),
) -> Result<CompiledSchedule, NotFound> {
    let cube = (shape.class_bits() == 0).then(|| Hypercube::of(shape.field_bits()));
    if let (Some(cube), Sweep::UpDown) = (cube, sweep) {
        if let Some(schedule) = permutation(cube, messages) {
            return Ok(schedule);
        }
    }
    let bound = LowerBound::of(shape, sweep, messages).superframes();
    let mut best = drawn(shape, sweep, messages, effort, heard)?;
    let Some(cube) = cube else {
        return Ok(best);
    };
    let sources: Vec<u32> = messages.iter().map(|ends| ends[0]).collect();
    while best.superframes() > bound {
        let superframes = best.superframes() - 1;
        let order = sweep.order(shape, superframes);
        let mut told = |round: u32, crowded: usize| {
            heard(format!(
                "{superframes} superframes, round {}: {crowded} sends too many",
                round + 1
            ));
        };
        let found = negotiated(cube, &order, messages, effort.rounds, &mut told);
        let found = found.map(|pairs| CompiledSchedule {
            shape,
            order,
            pairs,
        });
        match found {
            Some(found) if node_programs(&found, &sources).is_ok() => best = found.trimmed(),
            _ => break,
        }
    }
    Ok(best)
}

/// The shortest of some schedules with other lots each.
fn drawn(
    shape: Metacube,
    sweep: Sweep,
    messages: &[[u32; 2]],
    effort: Effort,
    heard: &mut dyn FnMut(String),
) -> Result<CompiledSchedule, NotFound> {
    let mut lots = SplitMix64::new(effort.seed);
    let mut best: Option<CompiledSchedule> = None;
    for number in 0..effort.draws {
        let Some(pairs) = greedy(shape, sweep, messages, &mut lots) else {
            continue;
        };
        let last = pairs.iter().filter_map(|pairs| pairs.last()).max();
        let superframes = last.map_or(1, |pair| pair / shape.links() + 1);
        heard(format!(
            "{superframes} superframes by list scheduling, draw {}",
            number + 1
        ));
        let next = CompiledSchedule {
            shape,
            order: sweep.order(shape, superframes),
            pairs,
        };
        if best
            .as_ref()
            .is_none_or(|best| next.length() < best.length())
        {
            best = Some(next);
        }
    }
    best.ok_or(NotFound)
}
