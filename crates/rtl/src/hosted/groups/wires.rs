//! The links between groups.

use hdl::prelude::*;
use smart_default::SmartDefault;

/// Group at the other end of a link: its number differs in bit `dim`.
const fn partner(group: usize, dim: usize) -> usize {
    group ^ (1 << dim)
}

/// The wires between groups: one for each pair of groups whose numbers differ in one bit. In each
/// clock cycle all groups serve the node with the same number, and the wires belong to these nodes.
///
/// A wire is open-drain: both ends see it low while one of them pulls it low, in the same clock
/// cycle. Combinational.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct GroupWires<const GROUPS: usize, const UPPER: usize> {
    /// Each group's node pulls its wires low, the lowest dimension first.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub pull: [Signal<In, Bits<UPPER>>; GROUPS],
    /// The node holds its wires, pulled or not.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub holds: [Signal<In, Bits<UPPER>>; GROUPS],
    /// Levels of the node's wires.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub level: [Signal<Out, Bits<UPPER>>; GROUPS],
    /// Both ends hold the wire at once.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub clash: [Signal<Out, Bits<UPPER>>; GROUPS],
    #[default(std::array::from_fn(|_| Default::default()))]
    partner_pulls: [Signal<Local, Bits<UPPER>>; GROUPS],
    #[default(std::array::from_fn(|_| Default::default()))]
    partner_holds: [Signal<Local, Bits<UPPER>>; GROUPS],
}

impl<const GROUPS: usize, const UPPER: usize> Logic for GroupWires<GROUPS, UPPER> {
    #[kernel]
    fn update(&mut self) {
        for g in 0..GROUPS {
            self.partner_pulls[g].next = 0.into();
            self.partner_holds[g].next = 0.into();
            for d in 0..UPPER {
                let other = partner(g, d);
                let pulled = self.pull[other].val().get_bit(d);
                let held = self.holds[other].val().get_bit(d);
                self.partner_pulls[g].next = self.partner_pulls[g].val().replace_bit(d, pulled);
                self.partner_holds[g].next = self.partner_holds[g].val().replace_bit(d, held);
            }
            self.level[g].next = !(self.pull[g].val() | self.partner_pulls[g].val());
            self.clash[g].next = self.holds[g].val() & self.partner_holds[g].val();
        }
    }
}
