//! Generation of a list of messages from a pattern.

use super::file::{self, MessageFileError};
use super::pattern::Radices;
use super::{ExchangeOrder, Message, MessageList, SplitMix64, TrafficPattern};
use crate::topology::{AddressOutOfRange, AddressSpace, NodesError};
use std::path::Path;
use thiserror::Error;

/// Maximum number of messages in a list, of a pattern or a file. A total exchange of the 12-cube
/// fits.
pub const MESSAGES_MAX: u64 = 1 << 24;

/// Patterns that work with any number of nodes.
const ANYWHERE: &str = "complement, permutation, random, uniform, tornado, neighbour, hotspot, \
                        relation:H, file:PATH";

/// Parameters that determine a list of messages, given the nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    pub pattern: TrafficPattern,
    /// Seed of destinations and payloads.
    pub seed: u64,
    /// Bytes of payload of a generated message, and of a message in a file without a payload. At
    /// most [`PAYLOAD_MAX`](super::PAYLOAD_MAX).
    pub payload: usize,
    /// Order of a total exchange.
    pub order: ExchangeOrder,
}

/// Error: these nodes have no such traffic.
#[derive(Debug, Error)]
pub enum RecipeError {
    #[error("xor: the offset {0}")]
    Offset(AddressOutOfRange),
    #[error("transpose swaps the halves of an address, and {0} bits have no halves; accepted: an even number of bits (4, 16, 64, .. nodes)")]
    OddTranspose(u32),
    #[error("{pattern} needs all addresses of some number of bits, and a {addresses} does not have them; accepted: 2, 4, 8, .. nodes, or one of {ANYWHERE}")]
    NotBits { pattern: TrafficPattern, addresses: AddressSpace },
    #[error("{pattern} on the {addresses} is {messages} messages; accepted: up to {MESSAGES_MAX}")]
    TooMany { pattern: TrafficPattern, addresses: AddressSpace, messages: u64 },
    #[error("{pattern} is no pattern of a {addresses}; accepted: radices whose product is {nodes}", nodes = addresses.nodes())]
    Radices { pattern: TrafficPattern, addresses: AddressSpace },
    #[error(transparent)]
    Nodes(#[from] NodesError),
    #[error(transparent)]
    File(#[from] MessageFileError),
}

impl Recipe {
    /// Returns the messages of [`list`](Self::list), each with its own payload.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub fn messages(&self, nodes: impl Into<AddressSpace>) -> Result<Vec<Message>, RecipeError> {
        Ok(self.list(nodes)?.to_vec())
    }

    /// Returns the messages, in the order in which their sources send them.
    ///
    /// With several messages per source, the list has the first message of every source before the
    /// second message of the first source. Destinations are drawn from SplitMix64 seeded with
    /// `seed`. Payloads are drawn from a second generator seeded with the complement of `seed`,
    /// eight bytes at a time, low byte first. Each message begins with a fresh draw.
    ///
    /// # Errors
    /// Returns an error if the nodes have no such traffic, or the file is invalid.
    pub fn list(&self, nodes: impl Into<AddressSpace>) -> Result<MessageList, RecipeError> {
        let on = nodes.into();
        let bits = || {
            on.bits().ok_or_else(|| RecipeError::NotBits {
                pattern: self.pattern.clone(),
                addresses: on,
            })
        };
        let mut random = SplitMix64::new(self.seed);
        match &self.pattern {
            TrafficPattern::Xor(offset) => {
                bits()?;
                let offset = on.address(*offset).map_err(RecipeError::Offset)?;
                self.rounds(on, 1, |_| move |s| s ^ offset)
            }
            TrafficPattern::Complement => self.rounds(on, 1, |_| |s| on.nodes() - 1 - s),
            TrafficPattern::Bitrev => {
                let unused = u32::BITS - bits()?;
                self.rounds(on, 1, |_| move |s: u32| s.reverse_bits() >> unused)
            }
            TrafficPattern::Transpose => {
                let bits = bits()?;
                if bits % 2 == 1 {
                    return Err(RecipeError::OddTranspose(bits));
                }
                self.rounds(on, 1, |_| |s| rotate_left(s, bits / 2, bits))
            }
            TrafficPattern::Shuffle => {
                let bits = bits()?;
                self.rounds(on, 1, |_| |s| rotate_left(s, 1, bits))
            }
            TrafficPattern::Hotspot => self.rounds(on, 1, |_| |_| 0),
            TrafficPattern::Random => {
                let draw = |_| random.below(on.nodes().into()) as u32;
                let drawn: Vec<u32> = on.all().map(draw).collect();
                self.rounds(on, 1, |_| |s| drawn[s as usize])
            }
            TrafficPattern::Uniform => {
                let draw = |s: u32| other_node(s, on, &mut random);
                let drawn: Vec<u32> = on.all().map(draw).collect();
                self.rounds(on, 1, |_| |s| drawn[s as usize])
            }
            TrafficPattern::HotspotShare(percent) => {
                let draw = |s: u32| match random.below(100) < *percent {
                    true => 0,
                    false => other_node(s, on, &mut random),
                };
                let drawn: Vec<u32> = on.all().map(draw).collect();
                self.rounds(on, 1, |_| |s| drawn[s as usize])
            }
            TrafficPattern::Tornado(radices) => {
                self.digits(on, radices, |digit, radix| digit + radix.div_ceil(2) - 1)
            }
            TrafficPattern::Neighbour(radices) => self.digits(on, radices, |digit, _| digit + 1),
            TrafficPattern::Permutation => self.permutations(on, 1, &mut random),
            TrafficPattern::Relation(count) => self.permutations(on, *count, &mut random),
            TrafficPattern::TotalExchange => {
                bits()?;
                let offsets = self.order.offsets(on.nodes());
                self.rounds(on, offsets.len() as u64, |round| {
                    let offset = offsets[round];
                    move |s| s ^ offset
                })
            }
            TrafficPattern::File(path) => self.file(path, on),
        }
    }

    /// Returns a total exchange by offsets other than those of the cube. In each of the `rounds`
    /// rounds every node sends one message, to `destination(round, source)`. Payloads are as in
    /// [`list`](Self::list).
    ///
    /// # Errors
    /// Returns an error if there are too many messages.
    pub fn exchange(
        &self,
        nodes: impl Into<AddressSpace>,
        rounds: u64,
        destination: impl Fn(usize, u32) -> u32,
    ) -> Result<MessageList, RecipeError> {
        let to = &destination;
        self.rounds(nodes.into(), rounds, |round| move |source| to(round, source))
    }

    /// Returns one message per node, to the node with changed digits.
    fn digits(
        &self,
        on: AddressSpace,
        radices: &Radices,
        digit: impl Fn(u32, u32) -> u32,
    ) -> Result<MessageList, RecipeError> {
        let destination = radices.map(on.nodes(), digit);
        let destination = destination
            .ok_or_else(|| RecipeError::Radices { pattern: self.pattern.clone(), addresses: on })?;
        self.rounds(on, 1, |_| &destination)
    }

    /// Returns `count` random permutations, one after the other.
    fn permutations(
        &self,
        on: AddressSpace,
        count: u64,
        random: &mut SplitMix64,
    ) -> Result<MessageList, RecipeError> {
        self.rounds(on, count, |_| {
            let mut destinations: Vec<u32> = on.all().collect();
            random.shuffle(&mut destinations);
            move |s| destinations[s as usize]
        })
    }

    /// Returns `count` messages from each node. `round` returns the destinations of each round.
    fn rounds<D: Fn(u32) -> u32>(
        &self,
        on: AddressSpace,
        count: u64,
        mut round: impl FnMut(usize) -> D,
    ) -> Result<MessageList, RecipeError> {
        let messages = count.saturating_mul(on.nodes().into());
        if messages > MESSAGES_MAX {
            return Err(RecipeError::TooMany {
                pattern: self.pattern.clone(),
                addresses: on,
                messages,
            });
        }
        let mut list = MessageList::with_capacity(messages as usize, self.payload);
        let mut payloads = Payloads::new(self.seed, self.payload);
        for number in 0..count as usize {
            let destination = round(number);
            for source in on.all() {
                list.push(Message {
                    source,
                    destination: destination(source),
                    payload: payloads.next(),
                });
            }
        }
        Ok(list)
    }

    /// Returns the messages of a file. Messages without a payload get a generated one.
    fn file(&self, path: &Path, on: AddressSpace) -> Result<MessageList, RecipeError> {
        let mut list = MessageList::default();
        let mut payloads = Payloads::new(self.seed, self.payload);
        file::read(path, on, |record| {
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

/// Draws another node; the node itself if there is only one.
fn other_node(node: u32, on: AddressSpace, random: &mut SplitMix64) -> u32 {
    let nodes = u64::from(on.nodes());
    let away = 1 + random.below(nodes.max(2) - 1);
    ((u64::from(node) + away) % nodes) as u32
}

/// Rotates an address of `bits` bits left by `by` bits.
fn rotate_left(address: u32, by: u32, bits: u32) -> u32 {
    ((address << by) | (address >> (bits - by))) & ((1 << bits) - 1)
}

/// Generator of the payloads, one after the other.
pub(super) struct Payloads {
    random: SplitMix64,
    /// Last payload, rounded up to a multiple of 8 bytes.
    drawn: Vec<u8>,
    length: usize,
}

impl Payloads {
    /// Returns a generator of payloads of `length` bytes.
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
