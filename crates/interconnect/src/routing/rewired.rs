//! Four-dimensional cube with a failed switch and rewired remaining switches
//! (minimal-rotation-routing, property 5).
//!
//! The note leaves a question open: can shortest routes connect every live pair with seven
//! connections between inputs and outputs of a switch? They can, if the wiring may depend on the
//! failed switch. Six connections are not enough. `examples/failed_switch.rs` searches both.

use super::{Channel, Relation};
use crate::topology::{Hypercube, PortEnd, Topology};
use std::sync::OnceLock;
use thiserror::Error;

/// Connections between inputs and outputs of each switch after the failure of node 0. For another
/// failed node the wiring is the same, with each node xor that node.
///
/// A packet leaves in the first usable dimension to the right of its input dimension, around the
/// word. Usable dimensions are connected to the input and still to be crossed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewiring {
    /// Words of the permitted output dimensions, indexed by node and by the input dimension of the
    /// packet.
    outputs: Vec<[u32; Self::DIMS as usize]>,
}

/// Error in the text of a wiring. The message states the line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} is not the wiring of a switch; accepted: a node as four bits, then for each dimension the dimensions it leads to, or -, such as \"0001 - 3 13 12\"; every node but 0000 once, in order")]
pub struct RewiringError {
    pub line: usize,
}

impl Rewiring {
    /// Dimensions of the cube.
    pub const DIMS: u32 = 4;

    /// Returns the shipped wiring, `failed_switch_4.txt`.
    pub fn built_in() -> &'static Self {
        static SHIPPED: OnceLock<Rewiring> = OnceLock::new();
        SHIPPED.get_or_init(|| {
            let text = include_str!("failed_switch_4.txt");
            Rewiring::parse(text).expect("the tests read it")
        })
    }

    /// Parses a line for each node except 0. Lines that begin with `#` are comments.
    ///
    /// # Errors
    /// Returns the first invalid line.
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

    /// Returns the permitted output dimensions, as a word, of a packet that arrives at a node in
    /// `dim` when `failed` has failed.
    pub fn outputs(&self, failed: u32, node: u32, dim: u32) -> u32 {
        self.outputs[(node ^ failed) as usize][dim as usize]
    }
}

/// Parses a line into a node and its words.
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

/// Routing relation of the rewired cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewiredRouting {
    /// Failed switch of a cube of [`Rewiring::DIMS`] dimensions.
    pub failed: u32,
    /// Number of virtual channels per channel, 1 or 2.
    pub channels: u32,
}

const CUBE: Hypercube = Hypercube::of(Rewiring::DIMS);

impl RewiredRouting {
    /// Returns the output dimension of a packet that arrived in `dim` with the dimensions `left`
    /// still to cross.
    fn next_dim(&self, node: u32, dim: u32, left: u32) -> Option<u32> {
        let outputs = Rewiring::built_in().outputs(self.failed, node, dim);
        let mut right = (1..Rewiring::DIMS).map(|by| (dim + Rewiring::DIMS - by) % Rewiring::DIMS);
        right.find(|to| (left & outputs) >> to & 1 == 1)
    }

    /// Returns true if a packet that crosses `dim` from `node` reaches its destination. The packet
    /// may go to a higher dimension once, including `wraps`, so two virtual channels are enough.
    fn reaches_destination(&self, node: u32, dim: u32, left: u32, wraps: u32) -> bool {
        let (next, left) = (node ^ 1 << dim, left & !(1 << dim));
        let onward = || {
            let to = self.next_dim(next, dim, left)?;
            Some((to, wraps + u32::from(to > dim)))
        };
        let goes_on = |(to, wraps)| wraps < 2 && self.reaches_destination(next, to, left, wraps);
        next != self.failed && (left == 0 || onward().is_some_and(goes_on))
    }

    /// Returns the first dimension of a packet: the lowest one from which it reaches its
    /// destination.
    pub fn first_dim(&self, node: u32, left: u32) -> Option<u32> {
        let mut dims = (0..Rewiring::DIMS).filter(|dim| left >> dim & 1 == 1);
        dims.find(|dim| self.reaches_destination(node, *dim, left, 0))
    }
}

/// Messages from and to the failed node have no routes.
impl Relation for RewiredRouting {
    fn topology(&self) -> &dyn Topology {
        &CUBE
    }

    fn has_route(&self, source: u32, destination: u32) -> bool {
        source != self.failed && destination != self.failed
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        let dim = match self.has_route(source, destination) {
            true => self.first_dim(source, source ^ destination),
            false => None,
        };
        let channel = |port| Channel::new(PortEnd::new(source, port), 0);
        dim.map(channel).into_iter().collect()
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        let (node, dim) = (CUBE.peer(channel.from).node, channel.from.port);
        let wrapped = |to| channel.vc + u32::from(to > dim);
        let onward = self.next_dim(node, dim, node ^ destination);
        let next = |to| Channel::new(PortEnd::new(node, to), wrapped(to).min(self.channels - 1));
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
    use crate::routing::dependencies::{check_deadlock, DeadlockVerdict, Switching};

    /// After every failure, every live pair has a shortest route that avoids the failed switch,
    /// 3,360 in all.
    #[test]
    fn every_live_pair_is_connected_by_shortest_routes() {
        let mut pairs = 0;
        for failed in CUBE.addresses() {
            let routing = RewiredRouting { failed, channels: 2 };
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

    /// A switch has up to seven connections, and an input up to two. None leads to or from the
    /// failed switch.
    #[test]
    fn a_switch_has_seven_connections() {
        let wiring = Rewiring::built_in();
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
    fn two_virtual_channels_are_acyclic() {
        for failed in CUBE.addresses() {
            let of = |channels| {
                let routing = RewiredRouting { failed, channels };
                let verdict = check_deadlock(&routing, Switching::Wormhole).unwrap();
                matches!(verdict, DeadlockVerdict::Acyclic { .. })
            };
            assert_eq!((of(1), of(2)), (false, true));
        }
    }

    #[test]
    fn an_invalid_wiring_is_rejected_with_its_line() {
        let shipped = include_str!("failed_switch_4.txt");
        let refused = |text: &str| Rewiring::parse(text).unwrap_err().line;
        let lines: Vec<&str> = shipped.lines().collect();
        assert_eq!(refused(&lines[..lines.len() - 1].join("\n")), lines.len());
        for wrong in ["0001 0 3 13 12", "0001 - 3 13", "0001 - 3 13 14", "0010 - 3 13 12"] {
            assert_eq!(refused(wrong), 1, "{wrong}");
        }
        assert_eq!(refused("# A comment"), 2);
    }
}
