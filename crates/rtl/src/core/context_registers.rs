//! The register file of the soft core, for all its contexts.

use super::InstructionState;
use hdl::prelude::*;
use smart_default::SmartDefault;

/// Checks that a register file address has the width of a register number (5 bits) plus the
/// context.
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

/// The register file, and the selection of the current context.
///
/// Register 0 of a context holds its program counter (see the [module](super)). The word read
/// belongs to the current context. It is the program counter, except for the first operand after a
/// fetch and the second operand one clock cycle later. A result is written in the clock cycle after
/// its turn, a loaded word at once.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct ContextRegisters<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Writes the accumulator to the program counter.
    pub reset: Signal<In, Bit>,
    /// Context of the next turn.
    pub context: Signal<In, Bits<CONTEXT_BITS>>,
    /// The next turn may begin (`begins`). The current turn ends (`ends`), with a result if
    /// `has_result`.
    pub begins: Signal<In, Bit>,
    pub ends: Signal<In, Bit>,
    pub step: Signal<In, InstructionState>,
    pub instruction: Signal<In, Bits<32>>,
    /// Kind of the instruction, from [`Decoder`](super::Decoder).
    pub has_result: Signal<In, Bit>,
    pub stops: Signal<In, Bit>,
    pub wfi: Signal<In, Bit>,
    /// The instruction is in `read_data`, one clock cycle before `instruction` shows it.
    pub fetched: Signal<In, Bit>,
    pub read_data: Signal<In, Bits<32>>,
    /// The value `loaded` has arrived from memory.
    pub loads: Signal<In, Bit>,
    pub loaded: Signal<In, Bits<32>>,
    /// A store waits for memory.
    pub waits: Signal<In, Bit>,
    /// Accumulator.
    pub a: Signal<In, Bits<32>>,
    /// Context of the current turn.
    pub current: Signal<Out, Bits<CONTEXT_BITS>>,
    /// Word read.
    pub read: Signal<Out, Bits<32>>,
    #[default(Memory::default().disjoint())]
    words: Memory<Bits<32>, ADDRESS_BITS>,
    owner: Reg<Bits<CONTEXT_BITS>>,
    /// Owner of the turn one clock cycle ago.
    previous: Reg<Bits<CONTEXT_BITS>>,
    /// The turn that ended one clock cycle ago has a result.
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
        let operand = self.step.val() == InstructionState::Operand;
        let jump = self.step.val() == InstructionState::Jump;
        let execute = self.step.val() == InstructionState::Execute;
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

        // The number is never 0, so no word is read while it is written: reads and writes are
        // disjoint.
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
