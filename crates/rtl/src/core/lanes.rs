//! The alignment of bytes and halfwords within a word for loads and stores.
use hdl::prelude::*;

/// Extracts the value of a load from the word read. Combinational.
#[derive(LogicBlock, Circuit, Default)]
pub struct LoadLanes {
    /// Aligned word.
    pub word: Signal<In, Bits<32>>,
    /// Bits 1:0 of the address.
    pub offset: Signal<In, Bits<2>>,
    /// `funct3`: 0 byte, 1 halfword, 2 word; bit 2 set: unsigned.
    pub size: Signal<In, Bits<3>>,
    /// Value, extended to 32 bits.
    pub value: Signal<Out, Bits<32>>,
    half: Signal<Local, Bits<16>>,
    byte: Signal<Local, Bits<8>>,
    /// Bits 8 to 15.
    second: Signal<Local, Bits<8>>,
    sign: Signal<Local, Bit>,
}

impl Logic for LoadLanes {
    #[kernel]
    fn update(&mut self) {
        let word = self.word.val();
        let size = self.size.val();
        let offset = self.offset.val();
        self.half.next = if offset.get_bit(1) {
            word.get_bits::<16>(16)
        } else {
            word.get_bits::<16>(0)
        };
        let half = self.half.val();
        self.byte.next = if offset.get_bit(0) {
            half.get_bits::<8>(8)
        } else {
            half.get_bits::<8>(0)
        };
        let is_byte = size.get_bits::<2>(0) == 0;
        let is_word = size.get_bit(1);
        let top = if is_byte {
            self.byte.val().get_bit(7)
        } else {
            half.get_bit(15)
        };
        self.sign.next = top & !size.get_bit(2);
        let signs = if self.sign.val() {
            bits::<16>(0xFFFF)
        } else {
            0.into()
        };
        self.second.next = if is_byte {
            signs.resized::<8>()
        } else {
            half.get_bits::<8>(8)
        };
        let high = if is_word {
            word.get_bits::<16>(16)
        } else {
            signs
        };
        self.value.next = (high.resized::<32>() << 16)
            | (self.second.val().resized::<32>() << 8)
            | self.byte.val().resized::<32>();
    }
}

/// Copies a value to store into all byte lanes where it may belong, and selects the lanes to write.
/// Combinational.
#[derive(LogicBlock, Circuit, Default)]
pub struct StoreLanes {
    /// Value to store.
    pub value: Signal<In, Bits<32>>,
    /// Store zero instead of `value`.
    pub zero: Signal<In, Bit>,
    /// Bits 1:0 of the address, which is aligned.
    pub offset: Signal<In, Bits<2>>,
    /// Bits 1:0 of `funct3`: 0 byte, 1 halfword, 2 word.
    pub size: Signal<In, Bits<2>>,
    pub word: Signal<Out, Bits<32>>,
    pub strobe: Signal<Out, Bits<4>>,
    lane_0: Signal<Local, Bits<8>>,
    lane_1: Signal<Local, Bits<8>>,
    lane_2: Signal<Local, Bits<8>>,
    lane_3: Signal<Local, Bits<8>>,
}

impl Logic for StoreLanes {
    #[kernel]
    fn update(&mut self) {
        let value = if self.zero.val() {
            bits::<32>(0)
        } else {
            self.value.val()
        };
        let is_byte = self.size.val() == 0;
        let is_word = self.size.val().get_bit(1);
        self.lane_0.next = value.get_bits::<8>(0);
        self.lane_1.next = if is_byte {
            value.get_bits::<8>(0)
        } else {
            value.get_bits::<8>(8)
        };
        self.lane_2.next = if is_word {
            value.get_bits::<8>(16)
        } else {
            value.get_bits::<8>(0)
        };
        self.lane_3.next = if is_word {
            value.get_bits::<8>(24)
        } else {
            self.lane_1.val()
        };
        self.word.next = (self.lane_3.val().resized::<32>() << 24)
            | (self.lane_2.val().resized::<32>() << 16)
            | (self.lane_1.val().resized::<32>() << 8)
            | self.lane_0.val().resized::<32>();
        let lanes = if is_word {
            bits::<4>(15)
        } else {
            if is_byte {
                bits::<4>(1)
            } else {
                bits::<4>(3)
            }
        };
        self.strobe.next = lanes << self.offset.val();
    }
}
