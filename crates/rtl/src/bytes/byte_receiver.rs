//! The receiving end of a virtual channel.
use hdl::prelude::*;

/// Keeps a byte until it is taken, and acknowledges it then (torus-routing-chip,
/// section 4 and Figure 7).
///
/// Request and acknowledge differ while there is a byte. It is on the wires in the
/// first clock cycle, in which it can be taken already, and in the latch afterwards: the
/// sender releases the wires to the other virtual channel at once.
#[derive(LogicBlock, Circuit, Default)]
pub struct ByteReceiver<const W: usize> {
    pub clock: Signal<In, Clock>,
    /// The byte on the wires.
    pub data: Signal<In, Bits<W>>,
    /// Changes when a byte comes.
    pub request: Signal<In, Bit>,
    /// Changes when it has been taken.
    pub acknowledge: Signal<Out, Bit>,
    /// There is a byte.
    pub present: Signal<Out, Bit>,
    /// This one.
    pub flit: Signal<Out, Bits<W>>,
    /// It is taken in this clock cycle; of no effect if there is none.
    pub take: Signal<In, Bit>,
    latch: Reg<Bits<W>>,
    /// The byte is in the latch.
    full: Reg<Bit>,
    acknowledged: Reg<Bit>,
}

impl<const W: usize> Logic for ByteReceiver<W> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, latch, full, acknowledged);
        let present = self.request.val() ^ self.acknowledged.q.val();
        if self.full.q.val() {
            self.flit.next = self.latch.q.val();
        } else {
            self.flit.next = self.data.val();
            self.latch.d.next = self.data.val();
        }
        self.full.d.next = present & !self.take.val();
        self.acknowledged.d.next = self.acknowledged.q.val() ^ (present & self.take.val());
        self.acknowledge.next = self.acknowledged.q.val();
        self.present.next = present;
    }
}
