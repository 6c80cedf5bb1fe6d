//! Per-link flags that are read and changed one at a time.
use hdl::prelude::*;

/// One bit of state for each link of a node.
#[derive(LogicBlock, Circuit, Default)]
pub struct LinkBit<const DIMS: usize> {
    pub clock: Signal<In, Clock>,
    /// Clears all bits.
    pub reset: Signal<In, Bit>,
    /// Selected link, one-hot.
    pub select: Signal<In, Bits<DIMS>>,
    /// Bit of the selected link; low if no link is selected.
    pub value: Signal<Out, Bit>,
    /// Bits of all links.
    pub all: Signal<Out, Bits<DIMS>>,
    /// Writes the bit of the selected link.
    pub write: Signal<In, Bit>,
    /// New value of the bit.
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
