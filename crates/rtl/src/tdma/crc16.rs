//! The CRC of frames, computed bit by bit.
use hdl::prelude::*;

/// CRC-16/CCITT (0x1021, most significant bit first), one bit per clock cycle.
///
/// A byte is processed in the eight clock cycles after `take`; `byte` must be stable in them. With
/// `rotate` the register rotates by eight bits instead, so that `high` shows its bytes one after
/// the other.
#[derive(LogicBlock, Circuit, Default)]
pub struct Crc16 {
    pub clock: Signal<In, Clock>,
    /// Initial value.
    pub start: Signal<In, Bits<16>>,
    pub load: Signal<In, Bit>,
    /// Byte to process.
    pub byte: Signal<In, Bits<8>>,
    /// Process `byte` from the next clock cycle on.
    pub take: Signal<In, Bit>,
    /// Rotate the register instead.
    pub rotate: Signal<In, Bit>,
    /// Rotated bits re-enter inverted.
    pub invert: Signal<In, Bit>,
    /// A byte is being processed.
    pub busy: Signal<Out, Bit>,
    /// Last clock cycle of the byte.
    pub last: Signal<Out, Bit>,
    /// Number of bits of the byte that have been processed.
    pub count: Signal<Out, Bits<3>>,
    /// Bit being processed.
    pub bit: Signal<Out, Bit>,
    /// Highest bit of the register.
    pub top: Signal<Out, Bit>,
    /// Upper half of the register.
    pub high: Signal<Out, Bits<8>>,
    register: Reg<Bits<16>>,
    at_work: Reg<Bit>,
    taken: Reg<Bits<3>>,
}

impl Logic for Crc16 {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, register, at_work, taken);
        let value = self.register.q.val();
        let taken = self.taken.q.val();
        let busy = self.at_work.q.val();
        let last = busy & taken.all();
        let top = value.get_bit(15);
        let bit = self.byte.val().get_bit((!taken).index());
        self.at_work.d.next = self.take.val() | (busy & !last);
        if busy {
            self.taken.d.next = taken + 1;
        }
        if self.load.val() {
            self.register.d.next = self.start.val();
        } else if busy {
            if self.rotate.val() {
                self.register.d.next = (value << 1).replace_bit(0, top ^ self.invert.val());
            } else if top ^ bit {
                self.register.d.next = (value << 1) ^ 0x1021;
            } else {
                self.register.d.next = value << 1;
            }
        }
        self.busy.next = busy;
        self.last.next = last;
        self.count.next = taken;
        self.bit.next = bit;
        self.top.next = top;
        self.high.next = value.get_bits::<8>(8);
    }
}
