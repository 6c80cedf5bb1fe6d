//! Schedules for arbitrary lists of messages.

use super::greedy::{list_schedule, MAX_WAITING};
use super::negotiated::negotiate;
use super::{node_programs, schedule_permutation, CompiledSchedule, LowerBound, SweepDirection};
use crate::topology::{Hypercube, Metacube};
use crate::traffic::SplitMix64;

/// Effort spent on the search for a shorter schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchEffort {
    /// Number of random list schedules, at least one.
    pub draws: u32,
    /// Maximum number of negotiation rounds.
    pub rounds: u32,
    /// Seed of the random tie-breaking.
    pub seed: u64,
}

impl Default for SearchEffort {
    fn default() -> Self {
        SearchEffort {
            draws: 4,
            rounds: 40,
            seed: 1,
        }
    }
}

/// Limits on the messages that wait in a node when a host may still inject towards it. The first
/// limit is the full capacity. The smaller ones are tried when messages wait for each other.
const INJECTION_LIMITS: [usize; 3] = [MAX_WAITING, MAX_WAITING / 2, MAX_WAITING / 4];

/// Returns the shortest schedule found for these sources and destinations.
///
/// For a permutation of a cube in [`SweepDirection::UpDown`] the schedule is optimal. Other lists are
/// scheduled by list scheduling. In a cube, negotiation then removes one superframe at a time until
/// it fails or the lower bound is reached. No node holds more messages than it has slots.
///
/// The function passes progress messages to `progress`.
pub fn schedule_messages(
    shape: Metacube,
    sweep: SweepDirection,
    messages: &[[u32; 2]],
    effort: SearchEffort,
    progress: &mut dyn FnMut(String),
) -> CompiledSchedule {
    let cube = (shape.class_bits() == 0).then(|| Hypercube::of(shape.field_bits()));
    if let (Some(cube), SweepDirection::UpDown) = (cube, sweep) {
        if let Some(schedule) = schedule_permutation(cube, messages) {
            return schedule;
        }
    }
    let bound = LowerBound::of(shape, sweep, messages).superframes();
    let mut search = ListSearch {
        shape,
        sweep,
        effort,
        progress,
    };
    let mut best = search.best_random_schedule(messages);
    let Some(cube) = cube else {
        return best;
    };
    let sources: Vec<u32> = messages.iter().map(|ends| ends[0]).collect();
    while best.superframes() > bound {
        let superframes = best.superframes() - 1;
        let order = sweep.order(shape, superframes);
        let mut report_round = |round: u32, crowded: usize| {
            (search.progress)(format!(
                "{superframes} superframes, round {}: {crowded} sends too many",
                round + 1
            ));
        };
        let found = negotiate(cube, &order, messages, effort.rounds, &mut report_round);
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
    best
}

/// List scheduling in one order of links.
struct ListSearch<'a> {
    shape: Metacube,
    sweep: SweepDirection,
    effort: SearchEffort,
    /// Receives progress messages.
    progress: &'a mut dyn FnMut(String),
}

impl ListSearch<'_> {
    /// Returns the shortest of several random schedules. If messages wait for each other in all of
    /// them, schedules two halves of the list one after the other.
    fn best_random_schedule(&mut self, messages: &[[u32; 2]]) -> CompiledSchedule {
        let found = INJECTION_LIMITS
            .iter()
            .find_map(|entering| self.random_schedule(messages, *entering));
        found.unwrap_or_else(|| {
            (self.progress)(format!(
                "two halves of {} messages, which wait for each other",
                messages.len()
            ));
            self.schedule_in_halves(messages)
        })
    }

    /// Schedules each half of the list, one after the other. Each half has half of every node's
    /// messages.
    fn schedule_in_halves(&mut self, messages: &[[u32; 2]]) -> CompiledSchedule {
        let links = self.shape.links();
        let mut by_source: Vec<usize> = (0..messages.len()).collect();
        by_source.sort_by_key(|message| messages[*message][0]);
        let (mut begin, mut pairs) = (0, vec![vec![]; messages.len()]);
        for first in 0..2 {
            let half: Vec<usize> = by_source.iter().skip(first).step_by(2).copied().collect();
            let ends: Vec<[u32; 2]> = half.iter().map(|message| messages[*message]).collect();
            let schedule = self.best_random_schedule(&ends);
            // Each half begins with a superframe that sweeps up, as an order does.
            let superframes = schedule.superframes().next_multiple_of(2);
            for (message, moves) in half.into_iter().zip(schedule.pairs) {
                pairs[message] = moves.iter().map(|pair| begin + pair).collect();
            }
            begin += superframes * links;
        }
        CompiledSchedule {
            shape: self.shape,
            order: self.sweep.order(self.shape, begin / links),
            pairs,
        }
        .trimmed()
    }

    /// Returns the shortest of several random schedules with this limit of `entering` messages, or
    /// `None` if there is none.
    fn random_schedule(
        &mut self,
        messages: &[[u32; 2]],
        entering: usize,
    ) -> Option<CompiledSchedule> {
        let (shape, sweep) = (self.shape, self.sweep);
        let mut lots = SplitMix64::new(self.effort.seed);
        let mut best: Option<CompiledSchedule> = None;
        for number in 0..self.effort.draws {
            let Some(pairs) = list_schedule(shape, sweep, messages, entering, &mut lots) else {
                continue;
            };
            let last = pairs.iter().filter_map(|pairs| pairs.last()).max();
            let superframes = last.map_or(1, |pair| pair / shape.links() + 1);
            (self.progress)(format!(
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
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two halves of a list are scheduled one after the other.
    #[test]
    fn halves_are_scheduled_one_after_the_other() {
        let cube = Hypercube::of(3);
        let messages: Vec<[u32; 2]> = (0..40).map(|i| [i % 5, (3 * i + 1) % 8]).collect();
        for sweep in [SweepDirection::Up, SweepDirection::UpDown] {
            let effort = SearchEffort::default();
            let mut search = ListSearch {
                shape: cube.into(),
                sweep,
                effort,
                progress: &mut |_| {},
            };
            let halved = search.schedule_in_halves(&messages);
            assert_eq!(halved.check(&messages), Ok(()));
            assert!(halved.order.starts_with(&sweep.order(cube.into(), 2)));
            let whole = schedule_messages(cube.into(), sweep, &messages, effort, &mut |_| {});
            assert!(halved.superframes() > whole.superframes());
            let first: Vec<u32> = (0..40)
                .filter_map(|m| halved.pairs[m].first().copied())
                .collect();
            let early = first
                .iter()
                .filter(|pair| **pair < halved.length() / 2)
                .count();
            assert!((1..first.len()).contains(&early));
        }
    }
}
