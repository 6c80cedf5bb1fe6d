//! Flags of links, of which one is read or changed at a time.

use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// One bit of state for each link of a node.
#[derive(LogicBlock, Circuit, Default)]
pub struct LinkBit<const DIMS: usize> {
    pub clock: Signal<In, Clock>,
    /// All bits become low.
    pub reset: Signal<In, Bit>,
    /// The link, one-hot.
    pub select: Signal<In, Bits<DIMS>>,
    /// Its bit; low if no link is selected.
    pub value: Signal<Out, Bit>,
    /// The bits of all links.
    pub all: Signal<Out, Bits<DIMS>>,
    /// The link that is selected changes its bit.
    pub write: Signal<In, Bit>,
    /// What the bit becomes.
    pub data: Signal<In, Bit>,
    bits_of_links: Reg<Bits<DIMS>>,
}

impl<const DIMS: usize> Logic for LinkBit<DIMS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, bits_of_links);
        let all = self.bits_of_links.q.val();
        self.value.next = (all & self.select.val()).any();
        self.all.next = all;
        if self.write.val() {
            if self.data.val() {
                self.bits_of_links.d.next = all | self.select.val();
            } else {
                self.bits_of_links.d.next = all & !self.select.val();
            }
        }
        if self.reset.val() {
            self.bits_of_links.d.next = 0.into();
        }
    }
}
