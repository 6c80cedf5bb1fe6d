//! The immediates of instructions.
use hdl::prelude::*;

/// Encoding of an immediate in an instruction (RISC-V Unprivileged ISA, "Immediate Encoding
/// Variants"), and two constants.
#[word]
pub enum ImmediateFormat {
    I,
    S,
    B,
    U,
    J,
    /// Constant 0.
    Zero,
    /// Constant 4, the length of an instruction in bytes.
    Four,
}

/// Extracts the immediate of an instruction and extends it to 32 bits. Combinational.
#[derive(LogicBlock, Circuit, Default)]
pub struct Immediate {
    pub instruction: Signal<In, Bits<32>>,
    pub format: Signal<In, ImmediateFormat>,
    pub value: Signal<Out, Bits<32>>,
    /// Bits 20 to 31.
    high: Signal<Local, Bits<12>>,
    /// Bits 12 to 19.
    middle: Signal<Local, Bits<8>>,
    bit_11: Signal<Local, Bit>,
    /// Bits 5 to 10.
    low: Signal<Local, Bits<6>>,
    /// Bits 1 to 4.
    lowest: Signal<Local, Bits<4>>,
    bit_0: Signal<Local, Bit>,
}

impl Logic for Immediate {
    #[kernel]
    fn update(&mut self) {
        let word = self.instruction.val();
        let sign = word.get_bit(31);
        self.high.next = if sign { bits::<12>(0xFFF) } else { 0.into() };
        self.middle.next = if sign { bits::<8>(0xFF) } else { 0.into() };
        self.bit_11.next = sign;
        self.low.next = word.get_bits::<6>(25);
        self.lowest.next = word.get_bits::<4>(21);
        self.bit_0.next = false;
        match self.format.val() {
            ImmediateFormat::I => self.bit_0.next = word.get_bit(20),
            ImmediateFormat::S => {
                self.lowest.next = word.get_bits::<4>(8);
                self.bit_0.next = word.get_bit(7);
            }
            ImmediateFormat::B => {
                self.bit_11.next = word.get_bit(7);
                self.lowest.next = word.get_bits::<4>(8);
            }
            ImmediateFormat::U => {
                self.high.next = word.get_bits::<12>(20);
                self.middle.next = word.get_bits::<8>(12);
                self.bit_11.next = false;
                self.low.next = 0.into();
                self.lowest.next = 0.into();
            }
            ImmediateFormat::J => {
                self.middle.next = word.get_bits::<8>(12);
                self.bit_11.next = word.get_bit(20);
            }
            ImmediateFormat::Zero | ImmediateFormat::Four => {
                self.high.next = 0.into();
                self.middle.next = 0.into();
                self.bit_11.next = false;
                self.low.next = 0.into();
                self.lowest.next = if self.format.val() == ImmediateFormat::Four {
                    bits::<4>(2)
                } else {
                    0.into()
                };
            }
        }
        self.value.next = (self.high.val().resized::<32>() << 20)
            | (self.middle.val().resized::<32>() << 12)
            | (self.bit_11.val().resized::<32>() << 11)
            | (self.low.val().resized::<32>() << 5)
            | (self.lowest.val().resized::<32>() << 1)
            | self.bit_0.val().resized::<32>();
    }
}
