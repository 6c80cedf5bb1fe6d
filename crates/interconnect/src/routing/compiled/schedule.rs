//! Compiled schedule: the pairs of phases in which each message moves.

use crate::topology::Metacube;
use std::collections::HashMap;
use thiserror::Error;

/// Order of links, and the pairs of phases in which each message crosses the open link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledSchedule {
    /// Network whose links the schedule uses.
    pub shape: Metacube,
    /// Link that is open in each pair of phases, first in one direction, then in the other.
    pub order: Vec<u32>,
    /// Pairs in which each message moves, ascending. The list is empty for a message whose source
    /// is its destination.
    pub pairs: Vec<Vec<u32>>,
}

/// Reason why a schedule can't be followed. Messages are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScheduleFault {
    #[error("the schedule has {pairs} routes for {messages} messages; accepted: one for each")]
    Count { pairs: usize, messages: usize },
    #[error("pair {pair} of the order has link {link}; accepted: links 0 to {most}")]
    Link { pair: usize, link: u32, most: u32 },
    #[error("message {message} moves in pair {pair}; accepted: pairs below {pairs}, each after the one before")]
    Pair {
        message: usize,
        pair: u32,
        pairs: usize,
    },
    #[error("the route of message {message} ends at node 0x{end:X}; accepted: its destination, 0x{destination:X}")]
    End {
        message: usize,
        end: u32,
        destination: u32,
    },
    #[error("in pair {pair} node 0x{node:X} sends messages {first} and {second}; accepted: one")]
    Twice {
        pair: u32,
        node: u32,
        first: usize,
        second: usize,
    },
}

/// Crossing of one link by one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleMove {
    pub message: usize,
    pub from: u32,
    pub to: u32,
    /// Index of the pair of phases.
    pub pair: u32,
    /// Phase number, counted from the start of the order.
    pub phase: u32,
}

impl CompiledSchedule {
    /// Returns the moves of message number `message`, which begins at `source`, in order.
    ///
    /// # Panics
    /// Panics if a pair is past the end of the order.
    pub fn moves(&self, message: usize, source: u32) -> impl Iterator<Item = ScheduleMove> + '_ {
        let mut from = source;
        self.pairs[message].iter().map(move |&pair| {
            let link = self.order[pair as usize];
            let side = (from >> self.shape.link_bit(from, link)) & 1;
            let here = from;
            from = self.shape.neighbour(here, link);
            ScheduleMove {
                message,
                from: here,
                to: from,
                pair,
                phase: 2 * pair + side,
            }
        })
    }

    /// Checks that messages with these sources and destinations arrive, and that no node sends two
    /// in a pair of phases.
    ///
    /// # Errors
    /// Returns the first fault found.
    pub fn check(&self, messages: &[[u32; 2]]) -> Result<(), ScheduleFault> {
        if self.pairs.len() != messages.len() {
            return Err(ScheduleFault::Count {
                pairs: self.pairs.len(),
                messages: messages.len(),
            });
        }
        let most = self.shape.links() - 1;
        let mut links = self.order.iter().enumerate();
        if let Some((pair, &link)) = links.find(|(_, link)| **link > most) {
            return Err(ScheduleFault::Link { pair, link, most });
        }
        let mut senders = HashMap::new();
        for (message, &[source, destination]) in messages.iter().enumerate() {
            self.check_pairs(message)?;
            let mut end = source;
            for step in self.moves(message, source) {
                end = step.to;
                if let Some(first) = senders.insert((step.from, step.pair), message) {
                    return Err(ScheduleFault::Twice {
                        pair: step.pair,
                        node: step.from,
                        first,
                        second: message,
                    });
                }
            }
            if end != destination {
                return Err(ScheduleFault::End {
                    message,
                    end,
                    destination,
                });
            }
        }
        Ok(())
    }

    fn check_pairs(&self, message: usize) -> Result<(), ScheduleFault> {
        let mut least = 0;
        for &pair in &self.pairs[message] {
            if pair < least || pair as usize >= self.order.len() {
                let pairs = self.order.len();
                return Err(ScheduleFault::Pair {
                    message,
                    pair,
                    pairs,
                });
            }
            least = pair + 1;
        }
        Ok(())
    }

    /// Number of moves of all messages.
    pub fn hops(&self) -> usize {
        self.pairs.iter().map(Vec::len).sum()
    }

    /// Number of pairs of phases until the last message arrives.
    pub fn length(&self) -> u32 {
        let last = self.pairs.iter().filter_map(|pairs| pairs.last()).max();
        last.map_or(0, |pair| pair + 1)
    }

    /// Number of superframes that have at least begun when the last message arrives.
    pub fn superframes(&self) -> u32 {
        self.length().div_ceil(self.shape.links())
    }

    /// Removes the superframes after the one in which the last message moves. Keeps one superframe
    /// if no message moves.
    #[must_use]
    pub fn trimmed(mut self) -> Self {
        let superframes = self.superframes().max(1);
        self.order
            .truncate((superframes * self.shape.links()) as usize);
        self
    }
}
