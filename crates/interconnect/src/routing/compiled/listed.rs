//! Schedules for arbitrary lists of messages.

use super::greedy::{greedy, WAITING};
use super::negotiated::negotiated;
use super::{node_programs, permutation, CompiledSchedule, LowerBound, Sweep};
use crate::topology::{Hypercube, Metacube};
use crate::traffic::SplitMix64;

/// Effort spent on the search for a shorter schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Number of random list schedules, at least one.
    pub draws: u32,
    /// Maximum number of negotiation rounds.
    pub rounds: u32,
    /// Seed of the random tie-breaking.
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

/// Limits on the messages that wait in a node when a host may still inject towards it. The first
/// limit is the full capacity. The smaller ones are tried when messages wait for each other.
const ENTERING: [usize; 3] = [WAITING, WAITING / 2, WAITING / 4];

/// Returns the shortest schedule found for these sources and destinations.
///
/// For a permutation of a cube in [`Sweep::UpDown`] the schedule is optimal. Other lists are
/// scheduled by list scheduling. In a cube, negotiation then removes one superframe at a time until
/// it fails or the lower bound is reached. No node holds more messages than it has slots.
///
/// The function passes progress messages to `heard`.
pub fn listed(
    shape: Metacube,
    sweep: Sweep,
    messages: &[[u32; 2]],
    effort: Effort,
    heard: &mut dyn FnMut(String),
) -> CompiledSchedule {
    let cube = (shape.class_bits() == 0).then(|| Hypercube::of(shape.field_bits()));
    if let (Some(cube), Sweep::UpDown) = (cube, sweep) {
        if let Some(schedule) = permutation(cube, messages) {
            return schedule;
        }
    }
    let bound = LowerBound::of(shape, sweep, messages).superframes();
    let mut search = Search {
        shape,
        sweep,
        effort,
        heard,
    };
    let mut best = search.drawn(messages);
    let Some(cube) = cube else {
        return best;
    };
    let sources: Vec<u32> = messages.iter().map(|ends| ends[0]).collect();
    while best.superframes() > bound {
        let superframes = best.superframes() - 1;
        let order = sweep.order(shape, superframes);
        let mut told = |round: u32, crowded: usize| {
            (search.heard)(format!(
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
    best
}

/// List scheduling in one order of links.
struct Search<'a> {
    shape: Metacube,
    sweep: Sweep,
    effort: Effort,
    /// Receives progress messages.
    heard: &'a mut dyn FnMut(String),
}

impl Search<'_> {
    /// Returns the shortest of several random schedules. If messages wait for each other in all of
    /// them, schedules two halves of the list one after the other.
    fn drawn(&mut self, messages: &[[u32; 2]]) -> CompiledSchedule {
        let found = ENTERING
            .iter()
            .find_map(|entering| self.of_lots(messages, *entering));
        found.unwrap_or_else(|| {
            (self.heard)(format!(
                "two halves of {} messages, which wait for each other",
                messages.len()
            ));
            self.in_halves(messages)
        })
    }

    /// Schedules each half of the list, one after the other. Each half has half of every node's
    /// messages.
    fn in_halves(&mut self, messages: &[[u32; 2]]) -> CompiledSchedule {
        let links = self.shape.links();
        let mut by_source: Vec<usize> = (0..messages.len()).collect();
        by_source.sort_by_key(|message| messages[*message][0]);
        let (mut begin, mut pairs) = (0, vec![vec![]; messages.len()]);
        for first in 0..2 {
            let half: Vec<usize> = by_source.iter().skip(first).step_by(2).copied().collect();
            let ends: Vec<[u32; 2]> = half.iter().map(|message| messages[*message]).collect();
            let schedule = self.drawn(&ends);
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
    fn of_lots(&mut self, messages: &[[u32; 2]], entering: usize) -> Option<CompiledSchedule> {
        let (shape, sweep) = (self.shape, self.sweep);
        let mut lots = SplitMix64::new(self.effort.seed);
        let mut best: Option<CompiledSchedule> = None;
        for number in 0..self.effort.draws {
            let Some(pairs) = greedy(shape, sweep, messages, entering, &mut lots) else {
                continue;
            };
            let last = pairs.iter().filter_map(|pairs| pairs.last()).max();
            let superframes = last.map_or(1, |pair| pair / shape.links() + 1);
            (self.heard)(format!(
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
    fn halves_follow_each_other() {
        let cube = Hypercube::of(3);
        let messages: Vec<[u32; 2]> = (0..40).map(|i| [i % 5, (3 * i + 1) % 8]).collect();
        for sweep in [Sweep::Up, Sweep::UpDown] {
            let effort = Effort::default();
            let mut search = Search {
                shape: cube.into(),
                sweep,
                effort,
                heard: &mut |_| {},
            };
            let halved = search.in_halves(&messages);
            assert_eq!(halved.check(&messages), Ok(()));
            assert!(halved.order.starts_with(&sweep.order(cube.into(), 2)));
            let whole = listed(cube.into(), sweep, &messages, effort, &mut |_| {});
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
