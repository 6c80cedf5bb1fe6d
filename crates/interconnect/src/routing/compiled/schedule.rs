//! Of each message the pairs of phases in which it moves.

use crate::topology::Metacube;
use std::collections::HashMap;
use thiserror::Error;

/// An order of links, and of each message of a list the pairs of phases in which it crosses
/// the link that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledSchedule {
    /// Whose links they are.
    pub shape: Metacube,
    /// The link that is open in each pair of phases, first one way, then the other.
    pub order: Vec<u32>,
    /// For each message the pairs in which it moves, ascending. None for a message that is
    /// at home from the start.
    pub pairs: Vec<Vec<u32>>,
}

/// Why a schedule can't be followed. Messages are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    #[error("there are {pairs} ways for {messages} messages")]
    Count { pairs: usize, messages: usize },
    #[error("pair {pair} of the order has link {link}; accepted: links 0 to {most}")]
    Link { pair: usize, link: u32, most: u32 },
    #[error("message {message} moves in pair {pair}; accepted: pairs below {pairs}, each after the one before")]
    Pair {
        message: usize,
        pair: u32,
        pairs: usize,
    },
    #[error("message {message} ends at node 0x{end:X}, its destination is 0x{destination:X}")]
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

/// A message crosses a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub message: usize,
    pub from: u32,
    pub to: u32,
    /// The pair of phases.
    pub pair: u32,
    /// The phase, counted from the start of the order.
    pub phase: u32,
}

impl CompiledSchedule {
    /// The moves of the message at this place, which begins at `source`, in order.
    ///
    /// # Panics
    /// If a pair is past the end of the order.
    pub fn moves(&self, message: usize, source: u32) -> impl Iterator<Item = Move> + '_ {
        let mut from = source;
        self.pairs[message].iter().map(move |&pair| {
            let link = self.order[pair as usize];
            let side = (from >> self.shape.link_bit(from, link)) & 1;
            let here = from;
            from = self.shape.neighbour(here, link);
            Move {
                message,
                from: here,
                to: from,
                pair,
                phase: 2 * pair + side,
            }
        })
    }

    /// Whether messages with these sources and destinations come home by it, and no node
    /// sends two in a pair of phases.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, messages: &[[u32; 2]]) -> Result<(), Fault> {
        if self.pairs.len() != messages.len() {
            return Err(Fault::Count {
                pairs: self.pairs.len(),
                messages: messages.len(),
            });
        }
        let most = self.shape.links() - 1;
        let mut links = self.order.iter().enumerate();
        if let Some((pair, &link)) = links.find(|(_, link)| **link > most) {
            return Err(Fault::Link { pair, link, most });
        }
        let mut senders = HashMap::new();
        for (message, &[source, destination]) in messages.iter().enumerate() {
            self.check_pairs(message)?;
            let mut end = source;
            for step in self.moves(message, source) {
                end = step.to;
                if let Some(first) = senders.insert((step.from, step.pair), message) {
                    return Err(Fault::Twice {
                        pair: step.pair,
                        node: step.from,
                        first,
                        second: message,
                    });
                }
            }
            if end != destination {
                return Err(Fault::End {
                    message,
                    end,
                    destination,
                });
            }
        }
        Ok(())
    }

    fn check_pairs(&self, message: usize) -> Result<(), Fault> {
        let mut least = 0;
        for &pair in &self.pairs[message] {
            if pair < least || pair as usize >= self.order.len() {
                let pairs = self.order.len();
                return Err(Fault::Pair {
                    message,
                    pair,
                    pairs,
                });
            }
            least = pair + 1;
        }
        Ok(())
    }

    /// Moves of all messages.
    pub fn hops(&self) -> usize {
        self.pairs.iter().map(Vec::len).sum()
    }

    /// Pairs of phases until the last message is at home.
    pub fn length(&self) -> u32 {
        let last = self.pairs.iter().filter_map(|pairs| pairs.last()).max();
        last.map_or(0, |pair| pair + 1)
    }

    /// Superframes that have at least begun when the last message is at home.
    pub fn superframes(&self) -> u32 {
        self.length().div_ceil(self.shape.links())
    }

    /// The same without what comes after the superframe in which the last message moves.
    /// One superframe, if none moves.
    #[must_use]
    pub fn trimmed(mut self) -> Self {
        let superframes = self.superframes().max(1);
        self.order
            .truncate((superframes * self.shape.links()) as usize);
        self
    }
}
