//! The checksum of frames, bit by bit.

use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// CRC-16/CCITT (0x1021, most significant bit first), one bit a clock cycle.
///
/// A byte is taken in the eight clock cycles after `take`, in which `byte` must
/// stand still. With `rotate` the register turns by eight bits in place of
/// taking the byte, so that `high` shows its bytes one after the other.
#[derive(LogicBlock, Circuit, Default)]
pub struct Crc16 {
    pub clock: Signal<In, Clock>,
    /// Begin with this value.
    pub start: Signal<In, Bits<16>>,
    pub load: Signal<In, Bit>,
    /// The byte to take.
    pub byte: Signal<In, Bits<8>>,
    /// Take it from the next clock cycle on.
    pub take: Signal<In, Bit>,
    /// Turn the register instead.
    pub rotate: Signal<In, Bit>,
    /// What turns out comes in again inverted.
    pub invert: Signal<In, Bit>,
    /// A byte is being taken.
    pub busy: Signal<Out, Bit>,
    /// This is the last clock cycle of it.
    pub last: Signal<Out, Bit>,
    /// Bits of the byte that have been taken.
    pub count: Signal<Out, Bits<3>>,
    /// The bit that is being taken.
    pub bit: Signal<Out, Bit>,
    /// The highest bit of the register.
    pub top: Signal<Out, Bit>,
    /// The upper half of the register.
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
