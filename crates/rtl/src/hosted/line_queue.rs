//! The FIFO of bytes received from the line.
use hdl::prelude::*;
use smart_default::SmartDefault;

/// Stores bytes from the line, in order, until the host reads them: up to `2^PLACES - 1`. A byte
/// that arrives when the queue is full is lost, unless one is removed in that clock cycle.
///
/// A byte is `present` two clock cycles after the clock cycle in which it arrives.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct LineQueue<const PLACES: usize> {
    pub clock: Signal<In, Clock>,
    /// Byte that arrives.
    pub byte: Signal<In, Bits<8>>,
    /// Stores `byte` in this clock cycle.
    pub push: Signal<In, Bit>,
    /// There is a byte.
    pub present: Signal<Out, Bit>,
    /// Oldest byte; valid while `present` is high.
    pub front: Signal<Out, Bits<8>>,
    /// Removes `front` in this clock cycle; requires `present`.
    pub pop: Signal<In, Bit>,
    #[default(Memory::default().disjoint())]
    bytes: Memory<Bits<8>, PLACES>,
    /// Slot of the oldest byte, and slot for the next byte.
    first: Reg<Bits<PLACES>>,
    end: Reg<Bits<PLACES>>,
    there: Reg<Bit>,
}

impl<const PLACES: usize> Logic for LineQueue<PLACES> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, bytes);
        dff_setup!(self, clock, first, end, there);
        let end = self.end.q.val();
        let behind = end + 1;
        let first = self.first.q.val() + self.pop.val();
        self.first.d.next = first;
        let takes = self.push.val() & (behind != first);
        if takes {
            self.end.d.next = behind;
        }
        let empty = first == end;
        self.there.d.next = !empty;
        // No slot is read while it is written; another one is read instead.
        self.bytes.read_address.next = first ^ (takes & empty).resized::<PLACES>();
        self.bytes.write_address.next = end;
        self.bytes.write_data.next = self.byte.val();
        self.bytes.write_enable.next = takes;
        self.present.next = self.there.q.val();
        self.front.next = self.bytes.read_data.val();
    }
}
