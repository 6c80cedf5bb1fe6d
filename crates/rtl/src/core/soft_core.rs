//! The soft core itself: its parts, and what it has outside.

#[cfg(doc)]
use super::Cause;
use super::{Access, Computation, ContextRegisters, Control, Decoder};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// An RV32I core, shared in time by `2^CONTEXT_BITS` contexts, one instruction at a
/// turn. `ADDRESS_BITS` is `CONTEXT_BITS + 5`, else `default` panics.
///
/// What it does is said in the [module](super). All state of a context is in the
/// register file: its registers, and in the place of register 0 its program
/// counter. Every context begins at address 0 with all registers zero.
///
/// **Turns.** When `go` is high in the last clock cycle of a turn, or later, the
/// turn of `context` begins in the next; after a turn that ends with `halted`, `go`
/// and `context` are looked at from the clock cycle behind it on, so that the next
/// begins a clock cycle later. The context is `current` from then to the end of
/// the turn. Exactly one of `retired`, `asleep` and `halted` is high in the last
/// clock cycle of every turn. The result of an instruction is in its register a
/// clock cycle later, in the first of the next turn. A wrapper for `n` contexts shows in `context` the one
/// that comes next (`current + 1` for a fixed rotation) and holds `go` high.
///
/// **Sleep.** After `wfi` the context sleeps: its turns end at once (one clock
/// cycle, no request, and for a core of one context no flip-flop changes) until
/// `wake` is high in the first clock cycle of one. `wake` is looked at in no other,
/// so it must be held for a context until its turn comes; `wake` belongs to
/// `current`. `wfi` itself never waits: with `wake` high it is a no-op.
///
/// **Halt.** An instruction that cannot be done ends the turn with `halted` and a
/// `cause` ([`Cause`]); registers, memory and program counter stay. It is tried
/// again in the context's next turn, and so on; it can be done if the host
/// has put another in its place.
///
/// **Bus.** `request`, `address`, `write_data` and `write_strobe` hold from the
/// first clock cycle of an access to the one in which `ready` is high, too. All
/// accesses are of aligned words; a read takes `read_data` as it is in that clock
/// cycle. A load or a store may be answered in its first clock cycle, a fetch
/// only from its second on: `ready` in its first is not looked at. The fetch of the
/// next turn may follow an access without a clock cycle between them.
///
/// **Reset.** Not needed at the start. No turn begins while `reset` is high; after it
/// every context begins again at address 0, awake, with its registers as they were.
/// For one context it must be high for two clock cycles; for several, `context`
/// must have shown each of them between its first and its last clock cycle.
///
/// Clock cycles of a turn, with a memory that answers one clock cycle after the
/// request:
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
    /// Begin again, as said above.
    pub reset: Signal<In, Bit>,
    /// The context of the next turn.
    pub context: Signal<In, Bits<CONTEXT_BITS>>,
    /// The next turn may begin.
    pub go: Signal<In, Bit>,
    /// The context whose turn it is need not sleep.
    pub wake: Signal<In, Bit>,
    /// The context whose turn it is.
    pub current: Signal<Out, Bits<CONTEXT_BITS>>,
    /// The turn ends: an instruction was finished.
    pub retired: Signal<Out, Bit>,
    /// The turn ends: the context sleeps.
    pub asleep: Signal<Out, Bit>,
    /// The turn ends: the instruction cannot be done.
    pub halted: Signal<Out, Bit>,
    /// Why not, while `halted` is high.
    pub cause: Signal<Out, Bits<4>>,
    /// The instruction of the latest turn that has read one.
    pub instruction: Signal<Out, Bits<32>>,
    /// Its address, while the core waits for `go`, but for the first clock cycle
    /// after `halted`; as long as `context` is the one of that turn.
    pub program_counter: Signal<Out, Bits<32>>,
    /// The core wants an access.
    pub request: Signal<Out, Bit>,
    /// Of this word; bits 0 and 1 are zero.
    pub address: Signal<Out, Bits<32>>,
    pub write_data: Signal<Out, Bits<32>>,
    /// The bytes to write; none: the word is read.
    pub write_strobe: Signal<Out, Bits<4>>,
    /// The access is done in this clock cycle.
    pub ready: Signal<In, Bit>,
    /// The word, while `ready` is high.
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

        // Which instruction it is.
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

        // In which step.
        join!(self, control, computation, step, shifted, fault);
        join!(self, control, access, step);
        join!(self, control, registers, step, begins, retired => ends);

        // What goes from the registers through the computation, and what comes from
        // memory.
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
