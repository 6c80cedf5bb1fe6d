//! The soft core: its parts and its interface.

#[cfg(doc)]
use super::Cause;
use super::{Access, Computation, ContextRegisters, Control, Decoder};
use hdl::prelude::*;

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
        link!(self, control, reset, go, ready, retired, halted, cause);
        link!(self, access, reset, wake, ready, read_data, instruction);
        link!(self, access, request, address, write_data, write_strobe);
        link!(self, registers, reset, context, read_data, current);
        link!(self, computation, reset);
        self.asleep.next = self.access.sleeping.val();
        self.program_counter.next = self.registers.read.val() & 0xFFFF_FFFC;

        // The instruction and its kind.
        join!(self, access, decoder, instruction);
        join!(self, access, computation, instruction);
        join!(self, access, registers, instruction);
        join!(self, access, control, instruction);
        join!(self, decoder, access, load, store, jal, jalr);
        join!(self, decoder, computation, load, store, branch, jal, jalr);
        join!(
            self,
            decoder,
            computation,
            lui,
            auipc,
            register,
            arithmetic,
            shift
        );
        join!(self, decoder, registers, has_result, stops, wfi);
        join!(self, decoder, control, load, store, branch, jal, jalr);
        join!(self, decoder, control, shift, stops, illegal, ecall);

        // The step.
        join!(self, control, computation, step, shifted, fault);
        join!(self, control, access, step);
        join!(self, control, registers, step, begins, retired => ends);

        // Register and memory words through the datapath.
        join!(self, registers, computation, read);
        join!(self, registers, access, read);
        join!(self, computation, access, a, sum);
        join!(self, computation, registers, a);
        join!(self, computation, control, distance, decides);
        join!(self, access, computation, fetched);
        join!(self, access, registers, fetched, loads, loaded, waits);
        join!(self, access, control, sleeping, fetched, misaligned);
    }
}
