//! Room for the values of all nets of a netlist, in one list of limbs.

use super::limbs;
use crate::netlist::{NetId, Netlist};
use std::ops::Range;

/// Where the value of each net stands in the list of limbs: in the order of the
/// nets, so that the operands of a net stand before it.
#[derive(Debug)]
pub struct Slots {
    /// The first limb of each net, and the end of the last one.
    starts: Vec<u32>,
}

impl Slots {
    pub fn new(netlist: &Netlist) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        for net in &netlist.nets {
            end += limbs::count(net.width) as u32;
            starts.push(end);
        }
        Slots { starts }
    }

    /// The limbs of a net.
    pub fn range(&self, id: NetId) -> Range<usize> {
        self.starts[id.index()] as usize..self.starts[id.index() + 1] as usize
    }

    /// The number of limbs.
    pub fn len(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }
}
