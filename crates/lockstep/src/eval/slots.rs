//! Storage layout of the values of all nets in one list of limbs.

use super::limbs;
use crate::netlist::{NetId, Netlist};
use std::ops::Range;

/// Position of each net's value in the list of limbs. The order is that of the nets, so operands
/// come before their users.
#[derive(Debug)]
pub struct LimbPositions {
    /// First limb of each net, and the end of the last one.
    starts: Vec<u32>,
}

impl LimbPositions {
    pub fn new(netlist: &Netlist) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        for net in &netlist.nets {
            end += limbs::count(net.width) as u32;
            starts.push(end);
        }
        LimbPositions { starts }
    }

    /// Returns the limbs of a net.
    pub fn range(&self, id: NetId) -> Range<usize> {
        self.starts[id.index()] as usize..self.starts[id.index() + 1] as usize
    }

    /// Returns the number of limbs.
    pub fn len(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }
}
