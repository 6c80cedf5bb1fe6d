use crate::lower::{kernel, Circuit};
use crate::rtl::cells::Reg;
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
    /// A byte is being taken.
    pub busy: Signal<Out, Bit>,
    /// This is the last clock cycle of it.
    pub last: Signal<Out, Bit>,
    /// The upper half of the register.
    pub high: Signal<Out, Bits<8>>,
    register: Reg<Bits<16>>,
    /// Bits of the byte that are left.
    left: Reg<Bits<4>>,
}

impl Logic for Crc16 {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, register, left);
        let value = self.register.q.val();
        let left = self.left.q.val();
        let position = left - 1;
        let top = value.get_bit(15);
        let feedback = top ^ self.byte.val().get_bit(bit_cast::<3, 4>(position).index());
        self.busy.next = left != 0;
        self.last.next = left == 1;
        self.high.next = value.get_bits::<8>(8);
        if self.take.val() {
            self.left.d.next = 8.into();
        } else if left != 0 {
            self.left.d.next = position;
        }
        if self.load.val() {
            self.register.d.next = self.start.val();
        } else if left != 0 {
            if self.rotate.val() {
                self.register.d.next = (value << 1).replace_bit(0, top);
            } else if feedback {
                self.register.d.next = (value << 1) ^ 0x1021;
            } else {
                self.register.d.next = value << 1;
            }
        }
    }
}
