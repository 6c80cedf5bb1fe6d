//! The bus accesses of the soft core: instruction fetches, loads and stores.

use super::InstructionState;
use hdl::prelude::*;

/// Bus interface of the core and the register of the fetched instruction. The bus protocol is
/// described at [`SoftCore`](super::SoftCore).
#[derive(LogicBlock, Circuit, Default)]
pub struct Access {
    pub clock: Signal<In, Clock>,
    /// Cancels the fetch in progress.
    pub reset: Signal<In, Bit>,
    pub step: Signal<In, InstructionState>,
    /// Kind of the instruction, from [`Decoder`](super::Decoder).
    pub load: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    pub jal: Signal<In, Bit>,
    pub jalr: Signal<In, Bit>,
    /// Accumulator: the base of an address, the target of `jal`.
    pub a: Signal<In, Bits<32>>,
    /// Address.
    pub sum: Signal<In, Bits<32>>,
    /// Word read from the registers. In step `Fetch` the program counter, whose bit 0 is set when
    /// the context sleeps. In step `Execute` the value to store.
    pub read: Signal<In, Bits<32>>,
    pub wake: Signal<In, Bit>,
    pub request: Signal<Out, Bit>,
    pub address: Signal<Out, Bits<32>>,
    pub write_data: Signal<Out, Bits<32>>,
    pub write_strobe: Signal<Out, Bits<4>>,
    pub ready: Signal<In, Bit>,
    pub read_data: Signal<In, Bits<32>>,
    /// Instruction fetched last.
    pub instruction: Signal<Out, Bits<32>>,
    /// The context sleeps, and nothing is fetched.
    pub sleeping: Signal<Out, Bit>,
    /// The instruction has arrived and is still in `read_data`.
    pub fetched: Signal<Out, Bit>,
    /// In step `Execute`: the access or the jump is misaligned.
    pub misaligned: Signal<Out, Bit>,
    /// The word of a load has arrived, and `loaded` is its value.
    pub loads: Signal<Out, Bit>,
    pub loaded: Signal<Out, Bits<32>>,
    /// A store waits for the bus. The word to store must stay in `read`.
    pub waits: Signal<Out, Bit>,
    load_lanes: LoadLanes,
    store_lanes: StoreLanes,
    word: Reg<Bits<32>>,
    /// The fetch is in progress.
    begun: Reg<Bit>,
    accessing: Signal<Local, Bit>,
}

impl Logic for Access {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, word, begun);
        let word = self.word.q.val();
        let funct3 = word.get_bits::<3>(12);
        let fetch = self.step.val() == InstructionState::Fetch;
        let execute = self.step.val() == InstructionState::Execute;
        let load = self.load.val();
        let store = self.store.val();
        let a = self.a.val();
        let ready = self.ready.val();
        let reset = self.reset.val();

        // The low bits of the address have their own adder. Much logic depends on them, and the
        // other adder is slow.
        let low_immediate = if store { word.get_bits::<2>(7) } else { word.get_bits::<2>(20) };
        let offset = a.resized::<2>() + low_immediate;
        let odd_half = (funct3.get_bits::<2>(0) == 1) & offset.get_bit(0);
        let odd_word = funct3.get_bit(1) & offset.any();
        let misaligned = ((load | store) & (odd_half | odd_word))
            | (self.jalr.val() & offset.get_bit(1))
            | (self.jal.val() & a.get_bit(1));
        self.misaligned.next = misaligned;

        let begun = self.begun.q.val();
        let sleeping = fetch & self.read.val().get_bit(0) & !self.wake.val() & !begun;
        let fetching = fetch & !sleeping;
        // Accept an answer only from the second clock cycle on, when the previous turn's result is
        // in its register.
        let fetched = begun & ready & !reset;
        self.begun.d.next = fetching & !fetched & !reset;
        if fetch & fetched {
            self.word.d.next = self.read_data.val();
        }
        self.instruction.next = word;
        self.sleeping.next = sleeping;
        self.fetched.next = fetched;

        self.accessing.next = execute & (load | store) & !misaligned;
        let accessing = self.accessing.val();
        self.request.next = fetching | accessing;
        self.address.next = self.sum.val() & 0xFFFF_FFFC;

        self.load_lanes.word.next = self.read_data.val();
        self.load_lanes.offset.next = offset;
        self.load_lanes.size.next = funct3;
        self.loads.next = accessing & load & ready;
        self.loaded.next = self.load_lanes.value.val();

        self.store_lanes.value.next = self.read.val();
        self.store_lanes.zero.next = !word.get_bits::<5>(20).any();
        self.store_lanes.offset.next = offset;
        self.store_lanes.size.next = funct3.get_bits::<2>(0);
        self.write_data.next = self.store_lanes.word.val();
        self.write_strobe.next =
            if accessing & store { self.store_lanes.strobe.val() } else { 0.into() };
        self.waits.next = accessing & store & !ready;
    }
}

// The alignment of bytes and halfwords within a word for loads and stores.

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
        self.half.next =
            if offset.get_bit(1) { word.get_bits::<16>(16) } else { word.get_bits::<16>(0) };
        let half = self.half.val();
        self.byte.next =
            if offset.get_bit(0) { half.get_bits::<8>(8) } else { half.get_bits::<8>(0) };
        let is_byte = size.get_bits::<2>(0) == 0;
        let is_word = size.get_bit(1);
        let top = if is_byte { self.byte.val().get_bit(7) } else { half.get_bit(15) };
        self.sign.next = top & !size.get_bit(2);
        let signs = if self.sign.val() { bits::<16>(0xFFFF) } else { 0.into() };
        self.second.next = if is_byte { signs.resized::<8>() } else { half.get_bits::<8>(8) };
        let high = if is_word { word.get_bits::<16>(16) } else { signs };
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
        let value = if self.zero.val() { bits::<32>(0) } else { self.value.val() };
        let is_byte = self.size.val() == 0;
        let is_word = self.size.val().get_bit(1);
        self.lane_0.next = value.get_bits::<8>(0);
        self.lane_1.next = if is_byte { value.get_bits::<8>(0) } else { value.get_bits::<8>(8) };
        self.lane_2.next = if is_word { value.get_bits::<8>(16) } else { value.get_bits::<8>(0) };
        self.lane_3.next = if is_word { value.get_bits::<8>(24) } else { self.lane_1.val() };
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
