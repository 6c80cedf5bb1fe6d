//! A counter of the bytes on channels.

use super::list;
use hdl::prelude::*;

/// Width of the count.
const COUNT_BITS: usize = 16;

/// Counts the bytes on channels with `V` virtual channels. Each change of a request is one byte. A
/// channel carries at most one byte per clock cycle.
#[derive(LogicBlock, Circuit, Default)]
pub struct ByteCounter<const V: usize> {
    pub clock: Signal<In, Clock>,
    /// Requests of each channel.
    pub request: Vec<Signal<In, Bits<V>>>,
    /// Bytes since the start, modulo 65,536; two clock cycles late.
    pub count: Signal<Out, Bits<COUNT_BITS>>,
    before: Vec<Reg<Bits<V>>>,
    moved: Vec<Reg<Bit>>,
    total: Reg<Bits<COUNT_BITS>>,
    sum: Signal<Local, Bits<COUNT_BITS>>,
}

impl<const V: usize> ByteCounter<V> {
    /// Makes a counter for this number of channels.
    pub fn new(channels: usize) -> Self {
        ByteCounter {
            request: list(channels),
            before: list(channels),
            moved: list(channels),
            ..Default::default()
        }
    }
}

impl<const V: usize> Logic for ByteCounter<V> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, total);
        self.sum.next = 0.into();
        for c in 0..self.request.len() {
            clock!(self, clock, before[c], moved[c]);
            self.before[c].d.next = self.request[c].val();
            self.moved[c].d.next = (self.request[c].val() ^ self.before[c].q.val()).any();
            self.sum.next = self.sum.val() + self.moved[c].q.val().resized::<COUNT_BITS>();
        }
        self.total.d.next = self.total.q.val() + self.sum.val();
        self.count.next = self.total.q.val();
    }
}
