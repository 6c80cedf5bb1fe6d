//! Torus routing: dimension by dimension, in each from virtual channel 1 to virtual channel 0
//! (torus-routing-chip, sections 3 and 4).

use super::{Channel, Relation};
use crate::topology::{PortEnd, Topology, Torus};

/// Node at which packets change to virtual channel 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VcSwitchNode {
    /// Packets that arrive at coordinate 0 continue on virtual channel 0 (section 4).
    #[default]
    AtOrigin,
    /// Packets that arrive at the greatest coordinate continue on virtual channel 0; the channel
    /// from coordinate 0 is still 1 (Figure 2B). The hardware is the same, with another origin.
    AfterOrigin,
}

/// Routing relation of the torus: the next channel and virtual channel of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TorusRouting {
    pub torus: Torus,
    pub switch: VcSwitchNode,
    /// Number of virtual channels per channel, 1 or 2.
    pub channels: usize,
}

impl TorusRouting {
    /// Returns the routing of the chip, with two virtual channels.
    pub fn new(torus: Torus, switch: VcSwitchNode) -> Self {
        TorusRouting { torus, switch, channels: 2 }
    }

    /// Returns true if packets that continue in this dimension change to virtual channel 0 at this
    /// node. This is the origin pin of the chip.
    pub fn changes_vc_at(&self, node: u32, dim: usize) -> bool {
        let coordinate = self.torus.coordinate(node, dim);
        match self.switch {
            VcSwitchNode::AtOrigin => coordinate == 0,
            VcSwitchNode::AfterOrigin => coordinate == self.torus.radices()[dim] - 1,
        }
    }

    /// Returns the channel in the first dimension from `from` on in which the packet has not
    /// arrived.
    fn entry_channel(&self, here: u32, destination: u32, from: usize) -> Option<Channel> {
        let differs = |dim: &usize| self.torus.relative(here, destination, *dim) != 0;
        let dim = (from..self.torus.dims()).find(differs)?;
        Some(Channel {
            from: PortEnd { node: here, port: dim as u32 },
            vc: self.channels as u32 - 1,
        })
    }

    /// Returns the channel after this one, or `None` if it leads to the destination.
    pub fn next_channel(&self, channel: Channel, destination: u32) -> Option<Channel> {
        let Channel { from, vc } = channel;
        let (here, dim) = (self.torus.peer(from).node, from.port as usize);
        if self.torus.relative(here, destination, dim) == 0 {
            return self.entry_channel(here, destination, dim + 1);
        }
        Some(Channel {
            from: PortEnd { node: here, ..from },
            vc: if self.changes_vc_at(here, dim) { 0 } else { vc },
        })
    }
}

impl Relation for TorusRouting {
    fn topology(&self) -> &dyn Topology {
        &self.torus
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        self.entry_channel(source, destination, 0).into_iter().collect()
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        self.next_channel(channel, destination).into_iter().collect()
    }

    /// `0x3 to 0x2, virtual channel 1`.
    fn channel_name(&self, channel: Channel) -> String {
        let to = self.torus.peer(channel.from);
        let [from, to] = [channel.from.node, to.node].map(|node| self.torus.node_name(node));
        match self.channels {
            1 => format!("{from} to {to}"),
            _ => format!("{from} to {to}, virtual channel {}", channel.vc),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::dependencies::{check_deadlock, DeadlockVerdict, Switching};

    fn routing(radices: &[u32], switch: VcSwitchNode, channels: usize) -> TorusRouting {
        TorusRouting { channels, ..TorusRouting::new(Torus::new(radices).unwrap(), switch) }
    }

    /// Returns an order in which no channel waits for an earlier one, if there is one.
    fn order(radices: &[u32], switch: VcSwitchNode, channels: usize) -> Option<Vec<Channel>> {
        let verdict = check_deadlock(&routing(radices, switch, channels), Switching::Wormhole);
        match verdict.unwrap() {
            DeadlockVerdict::Acyclic { order } => Some(order),
            DeadlockVerdict::Cyclic { .. } => None,
        }
    }

    /// Every route ends at its destination, and its number of channels is the distance.
    #[test]
    fn routes_have_minimal_length() {
        for (radices, channels) in [(&[4, 4][..], 2), (&[5, 3], 2), (&[3, 4, 2], 1), (&[8], 2)] {
            for switch in [VcSwitchNode::AtOrigin, VcSwitchNode::AfterOrigin] {
                let routing = routing(radices, switch, channels);
                let torus = &routing.torus;
                for source in torus.addresses() {
                    for destination in torus.addresses() {
                        let route = routing.route(source, destination);
                        assert_eq!(route.len() as u32, torus.distance(source, destination));
                        let mut here = source;
                        for channel in &route {
                            assert_eq!(channel.from.node, here);
                            assert!((channel.vc as usize) < channels);
                            here = torus.peer(channel.from).node;
                        }
                        assert_eq!(here, destination);
                    }
                }
            }
        }
    }

    /// Figure 2B with both rules: packets use virtual channel 1 until they arrive at the origin, or
    /// until they leave it.
    #[test]
    fn a_route_around_the_ring_changes_virtual_channel_once() {
        let hops = |switch| -> Vec<(u32, u32)> {
            let route = routing(&[5], switch, 2).route(2, 3);
            route.iter().map(|c| (c.from.node, c.vc)).collect()
        };
        assert_eq!(hops(VcSwitchNode::AtOrigin), [(2, 1), (1, 1), (0, 0), (4, 0)]);
        assert_eq!(hops(VcSwitchNode::AfterOrigin), [(2, 1), (1, 1), (0, 1), (4, 0)]);
        // A packet that starts at the origin starts on virtual channel 1.
        let start = routing(&[5], VcSwitchNode::AtOrigin, 2).route(0, 3);
        assert_eq!(start.iter().map(|c| c.vc).collect::<Vec<_>>(), [1, 1]);
    }

    /// Theorem 1, in both directions.
    #[test]
    fn two_virtual_channels_are_acyclic_and_one_is_not() {
        let shapes = [&[3][..], &[4], &[7], &[3, 3], &[4, 4], &[5, 2], &[3, 4, 2]];
        for radices in shapes {
            for switch in [VcSwitchNode::AtOrigin, VcSwitchNode::AfterOrigin] {
                let order = order(radices, switch, 2);
                assert!(order.is_some(), "{radices:?}, {switch:?}");
            }
            assert!(order(radices, VcSwitchNode::AtOrigin, 1).is_none());
        }
        // In rings of two no packet continues in a dimension.
        assert!(order(&[2, 2, 2], VcSwitchNode::AtOrigin, 1).is_some());
    }

    /// A ring of k uses 2k - 2 virtual channels.
    #[test]
    fn some_virtual_channels_are_never_used() {
        for k in 2..=8 {
            for switch in [VcSwitchNode::AtOrigin, VcSwitchNode::AfterOrigin] {
                let used = order(&[k], switch, 2).unwrap();
                assert_eq!(used.len() as u32, 2 * k - 2, "{k}");
            }
        }
    }
}
