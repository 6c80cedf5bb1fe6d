//! The soft core's registers, those of all its contexts.

use super::Step;
use hdl::cells::{Memory, Reg};
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;
use smart_default::SmartDefault;

/// That an address of the registers is the register, 5 bits, and the context.
struct AddressBits<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize>;

impl<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize> Default
    for AddressBits<CONTEXT_BITS, ADDRESS_BITS>
{
    fn default() -> Self {
        assert_eq!(
            ADDRESS_BITS,
            CONTEXT_BITS + 5,
            "an address is context and register"
        );
        AddressBits
    }
}

/// The register file, and whose turn it is.
///
/// Register 0 of a context holds its program counter (see the [module](super)). The
/// word read is that of the context whose turn it is: its program counter, but for
/// the first operand behind a fetch, and the second one clock cycle later. A result
/// is written in the clock cycle behind its turn, what is loaded at once.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct ContextRegisters<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// The accumulator is written to the program counter.
    pub reset: Signal<In, Bit>,
    /// The context of the next turn.
    pub context: Signal<In, Bits<CONTEXT_BITS>>,
    /// The next turn may begin; this one ends with a result, if the instruction has
    /// one.
    pub begins: Signal<In, Bit>,
    pub ends: Signal<In, Bit>,
    pub step: Signal<In, Step>,
    pub instruction: Signal<In, Bits<32>>,
    /// Its kind, as [`Decoder`](super::Decoder) says it.
    pub has_result: Signal<In, Bit>,
    pub stops: Signal<In, Bit>,
    pub wfi: Signal<In, Bit>,
    /// The instruction is this one, a clock cycle before it is in `instruction`.
    pub fetched: Signal<In, Bit>,
    pub read_data: Signal<In, Bits<32>>,
    /// This value has come from memory.
    pub loads: Signal<In, Bit>,
    pub loaded: Signal<In, Bits<32>>,
    /// A store waits for memory.
    pub waits: Signal<In, Bit>,
    /// The accumulator.
    pub a: Signal<In, Bits<32>>,
    /// The context whose turn it is.
    pub current: Signal<Out, Bits<CONTEXT_BITS>>,
    /// The word read.
    pub read: Signal<Out, Bits<32>>,
    #[default(Memory::default().disjoint())]
    words: Memory<Bits<32>, ADDRESS_BITS>,
    owner: Reg<Bits<CONTEXT_BITS>>,
    /// Whose turn it was a clock cycle ago.
    previous: Reg<Bits<CONTEXT_BITS>>,
    /// The turn that ended a clock cycle ago has a result.
    pending: Reg<Bit>,
    _address_bits: AddressBits<CONTEXT_BITS, ADDRESS_BITS>,
    second: Signal<Local, Bits<5>>,
}

impl<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize> Logic
    for ContextRegisters<CONTEXT_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, words);
        dff_setup!(self, clock, owner, previous, pending);
        let owner = self.owner.q.val();
        let pending = self.pending.q.val();
        let word = self.instruction.val();
        let operand = self.step.val() == Step::Operand;
        let jump = self.step.val() == Step::Jump;
        let execute = self.step.val() == Step::Execute;
        let reset = self.reset.val();
        let rd = word.get_bits::<5>(7);
        self.pending.d.next = self.ends.val() & self.has_result.val() & rd.any() & !reset;
        let next_owner = if self.begins.val() {
            self.context.val()
        } else {
            owner
        };
        self.owner.d.next = next_owner;
        self.previous.d.next = owner;
        self.current.next = owner;

        // Never 0, so that no word is read while it is written: the memory is disjoint.
        let rs2 = word.get_bits::<5>(20);
        self.second.next = if rs2 == 0 { bits::<5>(1) } else { rs2 };
        let read_register = if self.fetched.val() {
            self.read_data.val().get_bits::<5>(15)
        } else if operand | jump | self.waits.val() | reset {
            self.second.val()
        } else {
            bits::<5>(0)
        };
        self.words.read_address.next =
            (next_owner.resized::<ADDRESS_BITS>() << 5) | read_register.resized::<ADDRESS_BITS>();
        self.read.next = self.words.read_data.val();

        let counts = operand | jump | reset;
        let written = if counts { 0.into() } else { rd };
        let writer = if pending {
            self.previous.q.val()
        } else {
            owner
        };
        self.words.write_address.next =
            (writer.resized::<ADDRESS_BITS>() << 5) | written.resized::<ADDRESS_BITS>();
        self.words.write_enable.next = counts | pending | (self.loads.val() & rd.any());
        let goes_on = operand & !self.stops.val();
        let done = goes_on.resized::<32>() << 1;
        let sleeps = (goes_on & self.wfi.val()).resized::<32>();
        self.words.write_data.next = if execute {
            self.loaded.val()
        } else {
            self.a.val() | done | sleeps
        };
    }
}
