//! The soft core: its parts and its interface.

#[cfg(doc)]
use super::Cause;
use super::{Access, Computation, Control, Decoder, InstructionState};
use hdl::prelude::*;
use smart_default::SmartDefault;

/// An RV32I core, shared in time by `2^CONTEXT_BITS` contexts, one instruction per turn.
/// `ADDRESS_BITS` must be `CONTEXT_BITS + 5`, otherwise `default` panics.
///
/// The [module](super) describes its function. All state of a context is in the register file: its
/// registers, and its program counter in the word of register 0. Every context begins at address 0
/// with all registers zero.
///
/// **Turns.** When `go` is high in the last clock cycle of a turn, or later, the turn of `context`
/// begins in the next clock cycle. After a turn that ends with `halted`, the core samples `go` and
/// `context` from the following clock cycle on. The next turn therefore begins one clock cycle
/// later. `current` shows the context until the end of the turn. Exactly one of `retired`, `asleep`
/// and `halted` is high in the last clock cycle of every turn. The result of an instruction is in
/// its register one clock cycle later, in the first clock cycle of the next turn. A wrapper for `n`
/// contexts drives `context` with the next context (`current + 1` for a fixed rotation) and holds
/// `go` high.
///
/// **Sleep.** After `wfi` the context sleeps. Its turns end at once: they take one clock cycle,
/// without a request, and in a core of one context no flip-flop changes. The context wakes when
/// `wake` is high in the first clock cycle of its turn. The core samples `wake` in no other clock
/// cycle, so `wake` must be held for a context until its turn comes. `wake` belongs to `current`.
/// `wfi` itself never waits: with `wake` high it is a no-op.
///
/// **Halt.** An instruction that cannot be executed ends the turn with `halted` and a `cause`
/// ([`Cause`]). Registers, memory and program counter do not change. The core tries the instruction
/// again in each following turn of the context. The instruction can succeed once the host has
/// replaced it.
///
/// **Bus.** `request`, `address`, `write_data` and `write_strobe` hold from the first clock cycle
/// of an access through the one in which `ready` is high. All accesses are to aligned words. A read
/// samples `read_data` in the clock cycle of `ready`. A load or a store may be answered in its
/// first clock cycle, a fetch only from its second on. The core ignores `ready` in the first clock
/// cycle of a fetch. The fetch of the next turn may follow an access without an idle clock cycle.
///
/// **Reset.** Not required at the start. No turn begins while `reset` is high. Afterwards every
/// context restarts at address 0, awake, with its registers unchanged. With one context `reset`
/// must be high for two clock cycles. With several contexts, `context` must have shown each of them
/// between the first and the last clock cycle of `reset`.
///
/// Clock cycles per turn, with a memory that answers one clock cycle after the request:
///
/// | | |
/// | --- | --- |
/// | arithmetic, `lui`, `auipc`, fences, `wfi` | 4 |
/// | load, store, branch not taken | 5 |
/// | shift by `n` | 5 + `n` |
/// | `jal`, `jalr` | 6 |
/// | branch taken | 8 |
#[derive(LogicBlock, Circuit, Default)]
pub struct SoftCore<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Restarts the contexts, as described above.
    pub reset: Signal<In, Bit>,
    /// Context of the next turn.
    pub context: Signal<In, Bits<CONTEXT_BITS>>,
    /// The next turn may begin.
    pub go: Signal<In, Bit>,
    /// Wakes the context of the current turn.
    pub wake: Signal<In, Bit>,
    /// Context of the current turn.
    pub current: Signal<Out, Bits<CONTEXT_BITS>>,
    /// The turn ends with a completed instruction.
    pub retired: Signal<Out, Bit>,
    /// The turn ends because the context sleeps.
    pub asleep: Signal<Out, Bit>,
    /// The turn ends because the instruction cannot be executed.
    pub halted: Signal<Out, Bit>,
    /// Reason for the halt; valid while `halted` is high.
    pub cause: Signal<Out, Bits<4>>,
    /// Instruction of the latest turn that has fetched one.
    pub instruction: Signal<Out, Bits<32>>,
    /// Address of `instruction`. Valid while the core waits for `go`, except in the first clock
    /// cycle after `halted`, and while `context` is the context of that turn.
    pub program_counter: Signal<Out, Bits<32>>,
    /// The core requests an access.
    pub request: Signal<Out, Bit>,
    /// Address of the access in bytes; bits 1:0 are zero.
    pub address: Signal<Out, Bits<32>>,
    pub write_data: Signal<Out, Bits<32>>,
    /// Byte lanes to write; zero for a read.
    pub write_strobe: Signal<Out, Bits<4>>,
    /// The access completes in this clock cycle.
    pub ready: Signal<In, Bit>,
    /// Word read; valid while `ready` is high.
    pub read_data: Signal<In, Bits<32>>,
    decoder: Decoder,
    computation: Computation,
    access: Access,
    registers: ContextRegisters<CONTEXT_BITS, ADDRESS_BITS>,
    control: Control,
}

impl<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize> Logic
    for SoftCore<CONTEXT_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, computation, access, registers, control);
        link!(self -> control: reset, go, ready);
        link!(control -> self: retired, halted, cause);
        link!(self -> access: reset, wake, ready, read_data);
        link!(access -> self: instruction);
        link!(access -> self: request, address, write_data, write_strobe);
        link!(self -> registers: reset, context, read_data);
        link!(registers -> self: current);
        link!(self -> computation: reset);
        self.asleep.next = self.access.sleeping.val();
        self.program_counter.next = self.registers.read.val() & 0xFFFF_FFFC;

        // The instruction and its kind.
        link!(access -> decoder: instruction);
        link!(access -> computation: instruction);
        link!(access -> registers: instruction);
        link!(access -> control: instruction);
        link!(decoder -> access: load, store, jal, jalr);
        link!(decoder -> computation: load, store, branch, jal, jalr);
        link!(decoder -> computation: lui, auipc, register, arithmetic, shift);
        link!(decoder -> registers: has_result, stops, wfi);
        link!(decoder -> control: load, store, branch, jal, jalr);
        link!(decoder -> control: shift, stops, illegal, ecall);

        // The step.
        link!(control -> computation: step, shifted, fault);
        link!(control -> access: step);
        link!(control -> registers: step, begins, retired -> ends);

        // Register and memory words through the datapath.
        link!(registers -> computation: read);
        link!(registers -> access: read);
        link!(computation -> access: a, sum);
        link!(computation -> registers: a);
        link!(computation -> control: distance, decides);
        link!(access -> computation: fetched);
        link!(access -> registers: fetched, loads, loaded, waits);
        link!(access -> control: sleeping, fetched, misaligned);
    }
}

// The register file of the soft core, for all its contexts.

/// Checks that a register file address has the width of a register number (5 bits) plus the
/// context.
struct AddressBits<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize>;

impl<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize> Default
    for AddressBits<CONTEXT_BITS, ADDRESS_BITS>
{
    fn default() -> Self {
        assert_eq!(ADDRESS_BITS, CONTEXT_BITS + 5, "an address is context and register");
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
        let next_owner = if self.begins.val() { self.context.val() } else { owner };
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
        let writer = if pending { self.previous.q.val() } else { owner };
        self.words.write_address.next =
            (writer.resized::<ADDRESS_BITS>() << 5) | written.resized::<ADDRESS_BITS>();
        self.words.write_enable.next = counts | pending | (self.loads.val() & rd.any());
        let goes_on = operand & !self.stops.val();
        let done = goes_on.resized::<32>() << 1;
        let sleeps = (goes_on & self.wfi.val()).resized::<32>();
        self.words.write_data.next =
            if execute { self.loaded.val() } else { self.a.val() | done | sleeps };
    }
}

/// The core of one node: [`SoftCore`] with one context, which has every turn.
#[derive(LogicBlock, Circuit, Default)]
pub struct SingleContextCore {
    pub clock: Signal<In, Clock>,
    /// Restarts at address 0; hold for at least two clock cycles.
    pub reset: Signal<In, Bit>,
    pub wake: Signal<In, Bit>,
    pub retired: Signal<Out, Bit>,
    pub asleep: Signal<Out, Bit>,
    pub halted: Signal<Out, Bit>,
    pub cause: Signal<Out, Bits<4>>,
    /// Instruction fetched last.
    pub instruction: Signal<Out, Bits<32>>,
    pub request: Signal<Out, Bit>,
    pub address: Signal<Out, Bits<32>>,
    pub write_data: Signal<Out, Bits<32>>,
    pub write_strobe: Signal<Out, Bits<4>>,
    pub ready: Signal<In, Bit>,
    pub read_data: Signal<In, Bits<32>>,
    core: SoftCore<1, 6>,
}

impl Logic for SingleContextCore {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, core);
        link!(self -> core: reset);
        self.core.context.next = 0.into();
        self.core.go.next = true;
        link!(self -> core: wake);
        link!(core -> self: retired, asleep, halted, cause);
        link!(core -> self: instruction, request, address, write_data);
        link!(core -> self: write_strobe);
        link!(self -> core: ready, read_data);
    }
}

// A core alone, to run test programs from a memory in software.

/// A core whose memory is in the host software. Every word is ready one clock cycle after its
/// request.
///
/// The host only needs to sample the outputs while `wanted`, `asleep` or `halted` is high.
#[derive(LogicBlock, Circuit, Default)]
pub struct BareNode {
    pub clock: Signal<In, Clock>,
    /// Reset of [`SingleContextCore`]; no access is requested while `reset` is high.
    pub reset: Signal<In, Bit>,
    /// High for one clock cycle: the core requests an access.
    pub wanted: Signal<Out, Bit>,
    /// The access is an instruction fetch.
    pub fetch: Signal<Out, Bit>,
    /// Address of the access in bytes; bits 1:0 are zero.
    pub address: Signal<Out, Bits<32>>,
    pub write_data: Signal<Out, Bits<32>>,
    /// Byte lanes to write; zero for a read.
    pub write_strobe: Signal<Out, Bits<4>>,
    /// Word read. Valid from the clock cycle of `wanted` through the next one.
    pub read_data: Signal<In, Bits<32>>,
    pub asleep: Signal<Out, Bit>,
    pub halted: Signal<Out, Bit>,
    pub cause: Signal<Out, Bits<4>>,
    /// Instruction fetched last.
    pub instruction: Signal<Out, Bits<32>>,
    core: SingleContextCore,
    /// The core requested an access one clock cycle ago.
    ready: Reg<Bit>,
    /// The instruction of this turn has arrived.
    fetched: Reg<Bit>,
}

impl Logic for BareNode {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, core);
        dff_setup!(self, clock, ready, fetched);
        let request = self.core.request.val();
        let ready = self.ready.q.val();
        let wanted = request & !ready;
        link!(self -> core: reset);
        self.core.wake.next = false;
        self.core.ready.next = ready;
        link!(self -> core: read_data);
        self.ready.d.next = wanted;
        if self.core.retired.val() | self.reset.val() {
            self.fetched.d.next = false;
        } else if ready {
            self.fetched.d.next = true;
        }
        self.wanted.next = wanted;
        self.fetch.next = !self.fetched.q.val();
        link!(core -> self: address, write_data, write_strobe, asleep);
        link!(core -> self: halted, cause, instruction);
    }
}
