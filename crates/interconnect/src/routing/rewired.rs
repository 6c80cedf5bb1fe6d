//! The cube of four dimensions with a failed switch, whose others are wired anew
//! (minimal-rotation-routing, property 5).
//!
//! The note leaves open whether every live pair can be connected by shortest routes with seven
//! connections between inputs and outputs of a switch. It can, if the wiring may depend on which
//! switch has failed; six are not enough. `examples/failed_switch.rs` searches both.

use super::{Channel, Relation};
use crate::topology::{End, Hypercube, Topology};
use std::sync::OnceLock;
use thiserror::Error;

/// Which inputs of each switch lead to which outputs, for the failure of node 0; for that of
/// another node it is the same, each node xor that one.
///
/// A packet that comes in a dimension leaves in the first of those that its input leads to, to the
/// right and round the word, which it has still to cross.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewiring {
    /// By node, by the dimension in which a packet comes, a word of the dimensions in which it
    /// may leave.
    outputs: Vec<[u32; Self::DIMS as usize]>,
}

/// Why a text is no wiring; the message says where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} is no wiring of a switch; accepted: a node as four bits, then for each dimension the dimensions it leads to, or -, such as \"0001 - 3 13 12\"; every node but 0000 once, in order")]
pub struct RewiringError {
    pub line: usize,
}

impl Rewiring {
    /// Dimensions of the cube.
    pub const DIMS: u32 = 4;

    /// The one that ships as `failed_switch_4.txt`.
    pub fn shipped() -> &'static Self {
        static SHIPPED: OnceLock<Rewiring> = OnceLock::new();
        SHIPPED.get_or_init(|| {
            let text = include_str!("failed_switch_4.txt");
            Rewiring::parse(text).expect("the tests read it")
        })
    }

    /// Reads a line for each node but 0; a line that begins with `#` is a comment.
    ///
    /// # Errors
    /// The first line that is none.
    pub fn parse(text: &str) -> Result<Self, RewiringError> {
        let mut outputs = vec![[0; Self::DIMS as usize]];
        let mut last = 0;
        for (line, text) in (1..).zip(text.lines()) {
            last = line;
            if text.starts_with('#') {
                continue;
            }
            let node = outputs.len() as u32;
            let switch = parse_line(text).filter(|(number, _)| *number == node);
            let (_, words) = switch.ok_or(RewiringError { line })?;
            outputs.push(words);
        }
        match outputs.len() == 1 << Self::DIMS {
            true => Ok(Rewiring { outputs }),
            false => Err(RewiringError { line: last + 1 }),
        }
    }

    /// The dimensions, as a word, in which a packet may leave that comes to a node in `dim`
    /// when `failed` has failed.
    pub fn outputs(&self, failed: u32, node: u32, dim: u32) -> u32 {
        self.outputs[(node ^ failed) as usize][dim as usize]
    }
}

/// A node and its words.
fn parse_line(text: &str) -> Option<(u32, [u32; Rewiring::DIMS as usize])> {
    let mut fields = text.split(' ');
    let node = u32::from_str_radix(fields.next()?, 2).ok()?;
    let mut words = [0; Rewiring::DIMS as usize];
    for (dim, word) in (0..).zip(&mut words) {
        for digit in fields.next()?.chars().filter(|c| *c != '-') {
            let to = digit.to_digit(Rewiring::DIMS).filter(|to| *to != dim)?;
            *word |= 1 << to;
        }
    }
    fields.next().is_none().then_some((node, words))
}

/// The relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewiredRouting {
    /// The switch that has failed, of a cube of [`Rewiring::DIMS`] dimensions.
    pub failed: u32,
    /// Virtual channels of a channel, 1 or 2.
    pub channels: u32,
}

const CUBE: Hypercube = Hypercube::of(Rewiring::DIMS);

impl RewiredRouting {
    /// The dimension in which a packet leaves that has come in `dim` and is `left` from home.
    fn onward(&self, node: u32, dim: u32, left: u32) -> Option<u32> {
        let outputs = Rewiring::shipped().outputs(self.failed, node, dim);
        let mut right = (1..Rewiring::DIMS).map(|by| (dim + Rewiring::DIMS - by) % Rewiring::DIMS);
        right.find(|to| (left & outputs) >> to & 1 == 1)
    }

    /// A packet that crosses `dim` from a node gets home, and goes to a higher dimension once
    /// more at most than it has: so two virtual channels are enough.
    fn arrives(&self, node: u32, dim: u32, left: u32, wraps: u32) -> bool {
        let (next, left) = (node ^ 1 << dim, left & !(1 << dim));
        let onward = || {
            let to = self.onward(next, dim, left)?;
            Some((to, wraps + u32::from(to > dim)))
        };
        let goes_on = |(to, wraps)| wraps < 2 && self.arrives(next, to, left, wraps);
        next != self.failed && (left == 0 || onward().is_some_and(goes_on))
    }

    /// The first dimension of a packet: the lowest from which it gets home.
    pub fn first_dim(&self, node: u32, left: u32) -> Option<u32> {
        let mut dims = (0..Rewiring::DIMS).filter(|dim| left >> dim & 1 == 1);
        dims.find(|dim| self.arrives(node, *dim, left, 0))
    }
}

/// Messages from and to the failed node have no routes.
impl Relation for RewiredRouting {
    fn topology(&self) -> &dyn Topology {
        &CUBE
    }

    fn carries(&self, source: u32, destination: u32) -> bool {
        source != self.failed && destination != self.failed
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        let dim = match self.carries(source, destination) {
            true => self.first_dim(source, source ^ destination),
            false => None,
        };
        let channel = |port| Channel::new(End::new(source, port), 0);
        dim.map(channel).into_iter().collect()
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        let (node, dim) = (CUBE.peer(channel.from).node, channel.from.port);
        let wrapped = |to| channel.vc + u32::from(to > dim);
        let onward = self.onward(node, dim, node ^ destination);
        let next = |to| Channel::new(End::new(node, to), wrapped(to).min(self.channels - 1));
        onward.map(next).into_iter().collect()
    }

    /// `0x3 to 0x2, virtual channel 1`.
    fn channel_name(&self, channel: Channel) -> String {
        super::rotation::channel_name(CUBE, self.channels, channel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::dependencies::{judge, Holding, Verdict};

    /// Of every failure every live pair has a shortest route past it, 3,360 in all.
    #[test]
    fn every_live_pair_is_connected_by_shortest_routes() {
        let mut pairs = 0;
        for failed in CUBE.addresses() {
            let routing = RewiredRouting {
                failed,
                channels: 2,
            };
            for source in CUBE.addresses().filter(|s| *s != failed) {
                for destination in CUBE.addresses().filter(|d| *d != failed && *d != source) {
                    let route = routing.route(source, destination);
                    let mut here = source;
                    for channel in &route {
                        assert_eq!(channel.from.node, here);
                        here ^= 1 << channel.from.port;
                        assert_ne!(here, failed);
                    }
                    assert_eq!(here, destination);
                    assert_eq!(route.len() as u32, (source ^ destination).count_ones());
                    pairs += 1;
                }
            }
        }
        assert_eq!(pairs, 16 * 15 * 14);
    }

    /// Seven connections of a switch at most, two of an input; none to or from the failed one.
    #[test]
    fn a_switch_has_seven_connections() {
        let wiring = Rewiring::shipped();
        let mut most = 0;
        for node in CUBE.addresses() {
            let outputs = (0..Rewiring::DIMS).map(|dim| wiring.outputs(0, node, dim));
            let outputs: Vec<u32> = outputs.collect();
            assert!(outputs.iter().all(|word| word.count_ones() <= 2));
            most = most.max(outputs.iter().map(|word| word.count_ones()).sum());
            for (dim, word) in outputs.iter().enumerate() {
                let uses = |to: u32| node == 0 || node ^ 1 << to == 0;
                assert!(!uses(dim as u32) || *word == 0);
                assert!((0..4).all(|to| !uses(to) || word >> to & 1 == 0));
            }
        }
        assert_eq!(most, 7);
    }

    #[test]
    fn two_virtual_channels_have_an_order() {
        for failed in CUBE.addresses() {
            let of = |channels| {
                let routing = RewiredRouting { failed, channels };
                let verdict = judge(&routing, Holding::Stretched).unwrap();
                matches!(verdict, Verdict::Acyclic { .. })
            };
            assert_eq!((of(1), of(2)), (false, true));
        }
    }

    #[test]
    fn what_is_no_wiring_is_refused_with_its_line() {
        let shipped = include_str!("failed_switch_4.txt");
        let refused = |text: &str| Rewiring::parse(text).unwrap_err().line;
        let lines: Vec<&str> = shipped.lines().collect();
        assert_eq!(refused(&lines[..lines.len() - 1].join("\n")), lines.len());
        for wrong in [
            "0001 0 3 13 12",
            "0001 - 3 13",
            "0001 - 3 13 14",
            "0010 - 3 13 12",
        ] {
            assert_eq!(refused(wrong), 1, "{wrong}");
        }
        assert_eq!(refused("# A comment"), 2);
    }
}
