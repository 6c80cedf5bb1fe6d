//! The wires between time-multiplexed nodes.

use crate::ends::neighbour;
use hdl::prelude::*;
use smart_default::SmartDefault;

/// Position of the other end in the history of clock cycles; `0` is the latest one.
const fn history_index(nodes: usize, node: usize, other: usize) -> usize {
    (nodes + node - other - 1) % nodes
}

/// The wires between time-multiplexed nodes ([`time_multiplexed`](hdl::cells::time_multiplexed)). Each clock cycle
/// belongs to one node, in ascending order.
///
/// A wire joins two nodes. The node with the higher number sees a pull of the other one in the same
/// clock cycle of the nodes. In the opposite direction a pull takes one clock cycle of the nodes.
/// The same holds for `clash`.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct TimeMultiplexedWires<const LINKS: usize, const BITS: usize, const NODES: usize> {
    pub clock: Signal<In, Clock>,
    /// Node whose clock cycle it is.
    pub node: Signal<In, Bits<BITS>>,
    /// The node pulls its wires low, link 0 lowest.
    pub pull: Signal<In, Bits<LINKS>>,
    /// The node holds its wires, pulled or not.
    pub holds: Signal<In, Bits<LINKS>>,
    /// Levels of the node's wires.
    pub level: Signal<Out, Bits<LINKS>>,
    /// Both ends hold the wire at once.
    pub clash: Signal<Out, Bits<LINKS>>,
    /// Wires pulled and held in the last clock cycles, the latest first.
    #[default(std::array::from_fn(|_| Default::default()))]
    pulled: [Reg<Bits<LINKS>>; NODES],
    #[default(std::array::from_fn(|_| Default::default()))]
    held: [Reg<Bits<LINKS>>; NODES],
    others: Signal<Local, Bits<LINKS>>,
    holders: Signal<Local, Bits<LINKS>>,
}

impl<const LINKS: usize, const BITS: usize, const NODES: usize> Logic
    for TimeMultiplexedWires<LINKS, BITS, NODES>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, pulled[0], held[0]);
        self.pulled[0].d.next = self.pull.val();
        self.held[0].d.next = self.holds.val();
        for i in 1..NODES {
            clock!(self, clock, pulled[i], held[i]);
            self.pulled[i].d.next = self.pulled[i - 1].q.val();
            self.held[i].d.next = self.held[i - 1].q.val();
        }
        self.others.next = 0.into();
        self.holders.next = 0.into();
        for node in 0..NODES {
            if self.node.val() == node as u64 {
                for link in 0..LINKS {
                    let place = history_index(NODES, node, neighbour(LINKS, BITS, node, link));
                    let pulled = self.pulled[place].q.val().get_bit(link);
                    let held = self.held[place].q.val().get_bit(link);
                    self.others.next = self.others.val().replace_bit(link, pulled);
                    self.holders.next = self.holders.val().replace_bit(link, held);
                }
            }
        }
        self.level.next = !(self.pull.val() | self.others.val());
        self.clash.next = self.holds.val() & self.holders.val();
    }
}
