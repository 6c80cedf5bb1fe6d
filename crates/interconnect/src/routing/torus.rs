//! Routing in the torus: dimension by dimension, and in each from virtual channel 1 to
//! 0 (torus-routing-chip, sections 3 and 4).

use super::{Channel, Relation};
use crate::topology::{End, Topology, Torus};

/// Where packets change to virtual channel 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    /// What arrives at coordinate 0 goes on on virtual channel 0 (section 4).
    #[default]
    At,
    /// The channel from coordinate 0 is still 1: what arrives at the greatest
    /// coordinate goes on on 0 (Figure 2B). The same hardware, with another origin.
    After,
}

/// The relation: which virtual channel a packet takes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TorusRouting {
    pub torus: Torus,
    pub switch: Switch,
    /// Virtual channels of a channel, 1 or 2.
    pub channels: usize,
}

impl TorusRouting {
    /// As on the chip: two virtual channels.
    pub fn new(torus: Torus, switch: Switch) -> Self {
        TorusRouting {
            torus,
            switch,
            channels: 2,
        }
    }

    /// Packets that go on in this dimension change to virtual channel 0 at this node: the
    /// origin pin of the chip.
    pub fn changes_at(&self, node: u32, dim: usize) -> bool {
        let coordinate = self.torus.coordinate(node, dim);
        match self.switch {
            Switch::At => coordinate == 0,
            Switch::After => coordinate == self.torus.radices()[dim] - 1,
        }
    }

    /// The channel in the first of these dimensions in which the packet is not home.
    fn enters(&self, here: u32, destination: u32, from: usize) -> Option<Channel> {
        let differs = |dim: &usize| self.torus.relative(here, destination, *dim) != 0;
        let dim = (from..self.torus.dims()).find(differs)?;
        Some(Channel {
            from: End {
                node: here,
                port: dim as u32,
            },
            vc: self.channels as u32 - 1,
        })
    }

    /// The channel after this one; `None` if it leads home.
    pub fn after(&self, channel: Channel, destination: u32) -> Option<Channel> {
        let Channel { from, vc } = channel;
        let (here, dim) = (self.torus.peer(from).node, from.port as usize);
        if self.torus.relative(here, destination, dim) == 0 {
            return self.enters(here, destination, dim + 1);
        }
        Some(Channel {
            from: End { node: here, ..from },
            vc: if self.changes_at(here, dim) { 0 } else { vc },
        })
    }
}

impl Relation for TorusRouting {
    fn topology(&self) -> &dyn Topology {
        &self.torus
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        self.enters(source, destination, 0).into_iter().collect()
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        self.after(channel, destination).into_iter().collect()
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
    use crate::routing::dependencies::{judge, Holding, Verdict};

    fn routing(radices: &[u32], switch: Switch, channels: usize) -> TorusRouting {
        TorusRouting {
            channels,
            ..TorusRouting::new(Torus::new(radices).unwrap(), switch)
        }
    }

    /// The channels in an order, if none waits for one before it.
    fn order(radices: &[u32], switch: Switch, channels: usize) -> Option<Vec<Channel>> {
        let verdict = judge(&routing(radices, switch, channels), Holding::Stretched);
        match verdict.unwrap() {
            Verdict::Acyclic { order } => Some(order),
            Verdict::Cyclic { .. } => None,
        }
    }

    /// Every route ends at its destination, after as many channels as it is far.
    #[test]
    fn routes_are_as_short_as_they_can_be() {
        for (radices, channels) in [(&[4, 4][..], 2), (&[5, 3], 2), (&[3, 4, 2], 1), (&[8], 2)] {
            for switch in [Switch::At, Switch::After] {
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

    /// Figure 2B, by both rules: on 1 until it has come to the origin, or has left it.
    #[test]
    fn a_route_round_the_ring_changes_once() {
        let ways = |switch| -> Vec<(u32, u32)> {
            let route = routing(&[5], switch, 2).route(2, 3);
            route.iter().map(|c| (c.from.node, c.vc)).collect()
        };
        assert_eq!(ways(Switch::At), [(2, 1), (1, 1), (0, 0), (4, 0)]);
        assert_eq!(ways(Switch::After), [(2, 1), (1, 1), (0, 1), (4, 0)]);
        // What starts at the origin starts on 1.
        let start = routing(&[5], Switch::At, 2).route(0, 3);
        assert_eq!(start.iter().map(|c| c.vc).collect::<Vec<_>>(), [1, 1]);
    }

    /// Theorem 1, both ways.
    #[test]
    fn two_virtual_channels_have_an_order_and_one_has_none() {
        let shapes = [&[3][..], &[4], &[7], &[3, 3], &[4, 4], &[5, 2], &[3, 4, 2]];
        for radices in shapes {
            for switch in [Switch::At, Switch::After] {
                let order = order(radices, switch, 2);
                assert!(order.is_some(), "{radices:?}, {switch:?}");
            }
            assert!(order(radices, Switch::At, 1).is_none());
        }
        // In rings of two no packet goes on.
        assert!(order(&[2, 2, 2], Switch::At, 1).is_some());
    }

    /// Of a ring of k, 2k - 2 virtual channels are used.
    #[test]
    fn some_virtual_channels_are_never_used() {
        for k in 2..=8 {
            for switch in [Switch::At, Switch::After] {
                let used = order(&[k], switch, 2).unwrap();
                assert_eq!(used.len() as u32, 2 * k - 2, "{k}");
            }
        }
    }
}
