//! From a pattern to its list of messages.

use super::file::{self, FileError};
use super::{ExchangeOrder, Message, MessageList, Pattern, SplitMix64};
use crate::topology::{Hypercube, OutsideCube};
use std::path::Path;
use thiserror::Error;

/// Most messages that one list may hold, of a pattern or a file: a total exchange of the 12-cube fits.
pub const MESSAGES_MAX: u64 = 1 << 24;

/// All that determines a list of messages, given the cube.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    pub pattern: Pattern,
    /// Seed of destinations and payloads.
    pub seed: u64,
    /// Bytes of payload of a generated message, and of one that stands in a
    /// file without a payload; at most [`PAYLOAD_MAX`](super::PAYLOAD_MAX).
    pub payload: usize,
    /// Order of a total exchange.
    pub order: ExchangeOrder,
}

/// Why there is no such traffic on this cube.
#[derive(Debug, Error)]
pub enum RecipeError {
    #[error("xor: the offset {0}")]
    Offset(OutsideCube),
    #[error("transpose swaps the halves of an address, and {0} bits have none; accepted: an even number of dimensions")]
    OddTranspose(u32),
    #[error("{pattern} on the {dims}-cube is {messages} messages; accepted: up to {MESSAGES_MAX}")]
    TooMany {
        pattern: Pattern,
        dims: u32,
        messages: u64,
    },
    #[error(transparent)]
    File(#[from] FileError),
}

impl Recipe {
    /// The messages of [`list`](Self::list), each with its own payload.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub fn messages(&self, cube: Hypercube) -> Result<Vec<Message>, RecipeError> {
        Ok(self.list(cube)?.to_vec())
    }

    /// The messages, in the order in which their sources send them.
    ///
    /// With several messages per source the list goes round all sources before
    /// it comes to the second message of the first. The destinations are drawn
    /// from SplitMix64 seeded with `seed`, the payloads from a second one seeded
    /// with the complement of `seed`, eight bytes at a time, low byte first; each
    /// message begins with a fresh draw.
    ///
    /// # Errors
    /// If the cube has no such traffic, or the file is bad.
    pub fn list(&self, cube: Hypercube) -> Result<MessageList, RecipeError> {
        let nodes = cube.nodes();
        let mut random = SplitMix64::new(self.seed);
        match &self.pattern {
            Pattern::Xor(offset) => {
                let offset = cube.address(*offset).map_err(RecipeError::Offset)?;
                self.rounds(cube, 1, |_| move |s| s ^ offset)
            }
            Pattern::Complement => self.rounds(cube, 1, |_| |s| s ^ (nodes - 1)),
            Pattern::Bitrev => {
                let unused = u32::BITS - cube.dims();
                self.rounds(cube, 1, |_| move |s: u32| s.reverse_bits() >> unused)
            }
            Pattern::Transpose => {
                if cube.dims() % 2 == 1 {
                    return Err(RecipeError::OddTranspose(cube.dims()));
                }
                self.rounds(cube, 1, |_| |s| rotate_left(s, cube.dims() / 2, cube))
            }
            Pattern::Shuffle => self.rounds(cube, 1, |_| |s| rotate_left(s, 1, cube)),
            Pattern::Hotspot => self.rounds(cube, 1, |_| |_| 0),
            Pattern::Random => {
                let drawn: Vec<u32> = cube
                    .addresses()
                    .map(|_| random.below(nodes.into()) as u32)
                    .collect();
                self.rounds(cube, 1, |_| |s| drawn[s as usize])
            }
            Pattern::Permutation => self.permutations(cube, 1, &mut random),
            Pattern::Relation(count) => self.permutations(cube, *count, &mut random),
            Pattern::TotalExchange => {
                let offsets = self.order.offsets(nodes);
                self.rounds(cube, offsets.len() as u64, |round| {
                    let offset = offsets[round];
                    move |s| s ^ offset
                })
            }
            Pattern::File(path) => self.file(path, cube),
        }
    }

    /// So many random permutations, one after the other.
    fn permutations(
        &self,
        cube: Hypercube,
        count: u64,
        random: &mut SplitMix64,
    ) -> Result<MessageList, RecipeError> {
        self.rounds(cube, count, |_| {
            let mut destinations: Vec<u32> = cube.addresses().collect();
            random.shuffle(&mut destinations);
            move |s| destinations[s as usize]
        })
    }

    /// So many messages from each node; `round` says for each round to whom.
    fn rounds<D: Fn(u32) -> u32>(
        &self,
        cube: Hypercube,
        count: u64,
        mut round: impl FnMut(usize) -> D,
    ) -> Result<MessageList, RecipeError> {
        let messages = count.saturating_mul(cube.nodes().into());
        if messages > MESSAGES_MAX {
            return Err(RecipeError::TooMany {
                pattern: self.pattern.clone(),
                dims: cube.dims(),
                messages,
            });
        }
        let mut list = MessageList::with_capacity(messages as usize, self.payload);
        let mut payloads = Payloads::new(self.seed, self.payload);
        for number in 0..count as usize {
            let destination = round(number);
            for source in cube.addresses() {
                list.push(Message {
                    source,
                    destination: destination(source),
                    payload: payloads.next(),
                });
            }
        }
        Ok(list)
    }

    /// The messages of a file; what has no payload there gets one.
    fn file(&self, path: &Path, cube: Hypercube) -> Result<MessageList, RecipeError> {
        let mut list = MessageList::default();
        let mut payloads = Payloads::new(self.seed, self.payload);
        file::read(path, cube, |record| {
            list.push(Message {
                source: record.source,
                destination: record.destination,
                payload: match &record.payload {
                    Some(payload) => payload,
                    None => payloads.next(),
                },
            });
        })?;
        Ok(list)
    }
}

/// An address of the cube rotated left by `by` bits.
fn rotate_left(address: u32, by: u32, cube: Hypercube) -> u32 {
    ((address << by) | (address >> (cube.dims() - by))) & (cube.nodes() - 1)
}

/// The payloads that are drawn, one after the other.
pub(super) struct Payloads {
    random: SplitMix64,
    /// The last one, up to a multiple of 8 bytes.
    drawn: Vec<u8>,
    length: usize,
}

impl Payloads {
    /// All of so many bytes.
    pub fn new(seed: u64, length: usize) -> Self {
        Payloads {
            random: SplitMix64::new(!seed),
            drawn: vec![0; length.next_multiple_of(8)],
            length,
        }
    }

    pub fn next(&mut self) -> &[u8] {
        for word in self.drawn.chunks_mut(8) {
            word.copy_from_slice(&self.random.next_u64().to_le_bytes());
        }
        &self.drawn[..self.length]
    }
}

#[cfg(test)]
mod tests;
