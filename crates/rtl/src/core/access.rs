//! The bus accesses of the soft core: instruction fetches, loads and stores.

use super::{InstructionState, LoadLanes, StoreLanes};
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
        let low_immediate = if store {
            word.get_bits::<2>(7)
        } else {
            word.get_bits::<2>(20)
        };
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
        self.write_strobe.next = if accessing & store {
            self.store_lanes.strobe.val()
        } else {
            0.into()
        };
        self.waits.next = accessing & store & !ready;
    }
}
