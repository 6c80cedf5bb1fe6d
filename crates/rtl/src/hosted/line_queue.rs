//! What came over the line and was not read.

use hdl::cells::{Memory, Reg};
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;
use smart_default::SmartDefault;

/// Bytes from the line, in order, until the host reads them: up to `2^PLACES - 1`. What comes
/// when it is full is lost, unless one goes in that clock cycle.
///
/// A byte is `present` two clock cycles behind the one in which it comes.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct LineQueue<const PLACES: usize> {
    pub clock: Signal<In, Clock>,
    /// The byte that comes.
    pub byte: Signal<In, Bits<8>>,
    /// It comes in this clock cycle.
    pub push: Signal<In, Bit>,
    /// There is a byte.
    pub present: Signal<Out, Bit>,
    /// The oldest one, while there is one.
    pub front: Signal<Out, Bits<8>>,
    /// It goes in this clock cycle; there must be one.
    pub pop: Signal<In, Bit>,
    #[default(Memory::default().disjoint())]
    bytes: Memory<Bits<8>, PLACES>,
    /// The place of the oldest, and the one of the next that comes.
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
        // A place that is written is not read, another one is.
        self.bytes.read_address.next = first ^ (takes & empty).resized::<PLACES>();
        self.bytes.write_address.next = end;
        self.bytes.write_data.next = self.byte.val();
        self.bytes.write_enable.next = takes;
        self.present.next = self.there.q.val();
        self.front.next = self.bytes.read_data.val();
    }
}
