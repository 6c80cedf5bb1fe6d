//! From a pattern to its list of messages.

use super::file::{self, FileError, Record};
use super::{ExchangeOrder, Message, Pattern, SplitMix64};
use crate::topology::{Hypercube, OutsideCube};
use thiserror::Error;

/// Most messages that one list may hold: a total exchange of the 12-cube fits.
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
    /// The messages, in the order in which their sources send them.
    ///
    /// With several messages per source the list goes round all sources before
    /// it comes to the second message of the first. The destinations are drawn
    /// from SplitMix64 seeded with `seed`, the payloads from a second one seeded
    /// with the complement of `seed`, eight bytes at a time, low byte first; each
    /// message begins with a fresh draw.
    pub fn messages(&self, cube: Hypercube) -> Result<Vec<Message>, RecipeError> {
        let mut payloads = SplitMix64::new(!self.seed);
        Ok(self
            .records(cube)?
            .into_iter()
            .map(|record| Message {
                source: record.source,
                destination: record.destination,
                payload: record
                    .payload
                    .unwrap_or_else(|| random_bytes(&mut payloads, self.payload)),
            })
            .collect())
    }

    /// The messages as the pattern gives them: only a file has payloads.
    fn records(&self, cube: Hypercube) -> Result<Vec<Record>, RecipeError> {
        let nodes = cube.nodes();
        let mut random = SplitMix64::new(self.seed);
        Ok(match &self.pattern {
            Pattern::Xor(offset) => {
                let offset = cube.address(*offset).map_err(RecipeError::Offset)?;
                each(cube, |s| s ^ offset)
            }
            Pattern::Complement => each(cube, |s| s ^ (nodes - 1)),
            Pattern::Bitrev => each(cube, |s| s.reverse_bits() >> (u32::BITS - cube.dims())),
            Pattern::Transpose => {
                if cube.dims() % 2 == 1 {
                    return Err(RecipeError::OddTranspose(cube.dims()));
                }
                each(cube, |s| rotate_left(s, cube.dims() / 2, cube))
            }
            Pattern::Shuffle => each(cube, |s| rotate_left(s, 1, cube)),
            Pattern::Hotspot => each(cube, |_| 0),
            Pattern::Random => each(cube, |_| random.below(nodes.into()) as u32),
            Pattern::Permutation => permutation(cube, &mut random),
            Pattern::Relation(count) => {
                self.limit(cube, count.saturating_mul(nodes.into()))?;
                (0..*count)
                    .flat_map(|_| permutation(cube, &mut random))
                    .collect()
            }
            Pattern::TotalExchange => {
                self.limit(cube, u64::from(nodes) * u64::from(nodes - 1))?;
                self.order
                    .offsets(nodes)
                    .into_iter()
                    .flat_map(|offset| each(cube, |s| s ^ offset))
                    .collect()
            }
            Pattern::File(path) => file::read(path, cube)?,
        })
    }

    fn limit(&self, cube: Hypercube, messages: u64) -> Result<(), RecipeError> {
        if messages > MESSAGES_MAX {
            return Err(RecipeError::TooMany {
                pattern: self.pattern.clone(),
                dims: cube.dims(),
                messages,
            });
        }
        Ok(())
    }
}

/// An address of the cube rotated left by `by` bits.
fn rotate_left(address: u32, by: u32, cube: Hypercube) -> u32 {
    ((address << by) | (address >> (cube.dims() - by))) & (cube.nodes() - 1)
}

/// One message from each node, in order.
fn each(cube: Hypercube, mut destination: impl FnMut(u32) -> u32) -> Vec<Record> {
    cube.addresses()
        .map(|source| Record {
            source,
            destination: destination(source),
            payload: None,
        })
        .collect()
}

fn permutation(cube: Hypercube, random: &mut SplitMix64) -> Vec<Record> {
    let mut destinations: Vec<u32> = cube.addresses().collect();
    random.shuffle(&mut destinations);
    each(cube, |source| destinations[source as usize])
}

fn random_bytes(random: &mut SplitMix64, length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..length.div_ceil(8))
        .flat_map(|_| random.next_u64().to_le_bytes())
        .collect();
    bytes.truncate(length);
    bytes
}

#[cfg(test)]
mod tests;
