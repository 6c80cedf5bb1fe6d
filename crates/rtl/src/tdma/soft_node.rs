//! The node of a TDMA machine that runs a program.

use super::{
    AccessGuard, ContextSwitch, EnginePlan, GuardLimits, LedRegister, NodeEnds, NodePeripheral,
    NodeService, COUNT_BITS,
};
use crate::core::{Cause, SoftCore};
use hdl::prelude::*;

/// Address bits of the program store on a board: 512 words, 2 KB.
pub const PROGRAM_BITS: usize = 9;

/// Address bits of the data memory on a board: 512 bytes.
pub const DATA_BITS: usize = 9;

/// Address bits of the largest program store: 16,384 words, 64 KB.
pub const PROGRAM_BITS_MAX: usize = 14;

/// Address bits of the largest data memory: 32 KB.
pub const DATA_BITS_MAX: usize = 15;

/// Sizes of the memories of a core, by the address bits that they decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreMemory {
    /// The program store has `2^program_bits` words of 32 bits.
    pub program_bits: usize,
    /// The data memory has `2^data_bits` bytes.
    pub data_bits: usize,
}

impl CoreMemory {
    /// Sizes on a board.
    pub const BOARD: Self = CoreMemory { program_bits: PROGRAM_BITS, data_bits: DATA_BITS };
}

/// Address bits of the words of a memory of bytes.
const fn word_mask(address_bits: usize) -> u64 {
    (1 << address_bits) - 4
}

/// A node that runs code. The software on its core decides which message to send, and a frame
/// engine sends it.
///
/// The node has the external ports, the message buffers and the message memory of a
/// [`Node`](super::Node). The core sees the program store at 0, its data memory at 0x1000_0000 and
/// the registers of [`NodePort`](super::NodePort) at 0x4000_0000. Only bits 30 and 28 of an address
/// are decoded. A read of the program store takes two clock cycles, a word of data five. Writes to
/// the program store are ignored.
///
/// **Background.** With [`with_background`] the core has two contexts, with registers of their own.
/// Context 1 decides the phases that the program leaves undecided ([`ContextSwitch`]).
///
/// **Guard.** With [`with_guard`] a wrong access halts the core, with a [`Cause`] of its own, and has
/// no effect on the memories ([`AccessGuard`]). A jump to a word 0 then has the cause `JumpOutside`.
///
/// [`with_background`]: Self::with_background
/// [`with_guard`]: Self::with_guard
///
/// **LED.** With [`with_led`] the program sets the brightness of the node's LED ([`LedRegister`]).
///
/// [`with_led`]: Self::with_led
///
/// A type has memories of up to `2^PROGRAM` words and `2^DATA` bytes. [`with_memory`] selects
/// smaller ones.
///
/// [`with_memory`]: Self::with_memory
#[derive(LogicBlock, Circuit, Default)]
pub struct SoftNode<
    const LINKS: usize,
    const BITS: usize,
    const BUFFERS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
    const PROGRAM: usize = PROGRAM_BITS,
    const DATA: usize = DATA_BITS,
> {
    pub clock: Signal<In, Clock>,
    pub ends: NodeEnds<LINKS, BITS>,
    /// The core sleeps.
    pub asleep: Signal<Out, Bit>,
    /// High for one clock cycle: the core has completed an instruction.
    pub retired: Signal<Out, Bit>,
    /// The core has stopped at an instruction that it cannot execute.
    pub halted: Signal<Out, Bit>,
    /// Reason for the halt, numbered like the exception causes of RISC-V.
    pub cause: Signal<Out, Bits<4>>,
    /// Instruction that stopped the core; valid while `halted` is high.
    pub instruction: Signal<Out, Bits<32>>,
    /// Address of that instruction; valid while `halted` is high.
    pub program_counter: Signal<Out, Bits<32>>,
    /// The software has decided what the node sends in this phase.
    pub decided: Signal<Out, Bit>,
    /// Brightness of the LED.
    pub led: Signal<Out, Bits<8>>,
    node: NodePeripheral<LINKS, BITS, BUFFERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>,
    service: NodeService<LINKS, BITS, BUFFERS, OFFSET_BITS, ADDRESS_BITS>,
    core: SoftCore<1, 6>,
    program: Rom<Bits<32>, PROGRAM>,
    data: Memory<Bits<8>, DATA>,
    superframe: Reg<Bits<COUNT_BITS>>,
    /// The word of the program has arrived.
    fetched: Reg<Bit>,
    stopped: Reg<Bit>,
    stop_cause: Reg<Bits<4>>,
    /// The program counter of a stopped core is valid.
    reported: Reg<Bit>,
    contexts: ContextSwitch,
    guard: AccessGuard,
    guarded: Parameter<Bit>,
    light: LedRegister,
}

const JUMP_OUTSIDE: u64 = Cause::JumpOutside as u64;

/// The node of a cube that runs a program.
pub type CubeSoftNode<
    const DIMS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
    const PROGRAM: usize = PROGRAM_BITS,
    const DATA: usize = DATA_BITS,
> = SoftNode<DIMS, DIMS, DIMS, CLOCKS, OFFSET_BITS, ADDRESS_BITS, PROGRAM, DATA>;

#[with_parameters]
impl SoftNode {
    /// Makes a node. `program` holds the words of the program store, up to `2^PROGRAM`. The plan is the
    /// same as for [`Node::new`](super::Node::new), or the plan of a node with a pool of
    /// `BUFFERS` slots ([`EnginePlan::pooled`]).
    ///
    /// # Panics
    /// Under the conditions of [`Node::new`](super::Node::new), or if the program is too large.
    pub fn new(plan: EnginePlan, program: &[u32]) -> Self {
        SoftNode {
            node: NodePeripheral::new(plan),
            service: NodeService::new(plan),
            program: Rom::new(program.iter().map(|word| u64::from(*word).into())),
            ..Default::default()
        }
    }

    /// Gives the core memories of these sizes, with this program.
    ///
    /// # Panics
    /// If the type has no memories so large, or if the program is too large.
    #[must_use]
    pub fn with_memory(mut self, memory: CoreMemory, program: &[u32]) -> Self {
        let words = program.iter().map(|word| u64::from(*word).into());
        self.program = Rom::decoding(memory.program_bits, words);
        self.data = Memory::decoding(memory.data_bits, []);
        self
    }

    /// Lets context 1 of the core decide the phases that are undecided after this number of clock
    /// cycles.
    ///
    /// # Panics
    /// If the number exceeds the length of the longest phase.
    #[must_use]
    pub fn with_background(mut self, patience: Option<u64>) -> Self {
        self.contexts = ContextSwitch::new(patience);
        self
    }

    /// Checks each access of the core against these limits and the memories that the node has, the
    /// same as in [`with_memory`](Self::with_memory).
    #[must_use]
    pub fn with_guard(mut self, limits: Option<GuardLimits>, memory: CoreMemory) -> Self {
        self.guard = AccessGuard::new(limits, memory.data_bits);
        self.guarded = Parameter::new(limits.is_some());
        self
    }

    /// Gives the node an LED. Without it `led` is 0.
    #[must_use]
    pub fn with_led(mut self, has_led: bool) -> Self {
        self.light = LedRegister::new(has_led);
        self
    }

    /// Sets the number of counts; see [`FramePort::with_counts`](super::FramePort::with_counts).
    #[must_use]
    pub fn with_counts(mut self, counts: u64) -> Self {
        self.node = self.node.with_counts(counts);
        self
    }
}

#[with_parameters]
impl Logic for SoftNode {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, node, service, core, program, data, contexts, guard, light);
        dff_setup!(self, clock, superframe, fetched, stopped, stop_cause, reported);
        let begin = self.node.begin.val();
        if begin & (self.node.shown.phase.val() == 0) {
            self.superframe.d.next = self.superframe.q.val() + 1;
        }

        self.node.reset.next = false;
        self.node.reset_address.next = 0.into();
        link!(self.ends -> node: phase_clock, sync);
        link!(self.ends.scheduled -> node: address);
        link!(self.ends.scheduled <-> node: wires);
        link!(self.ends.scheduled -> node: hang);
        link!(node -> self.ends.scheduled: outcome);
        link!(node -> self.ends: muted, slips);
        self.ends.phase.next = self.node.shown.phase.val();
        self.decided.next = self.node.shown.decided.val();

        // The core and its bus.
        let request = self.core.request.val();
        let bus = self.core.address.val();
        let to_port = bus.get_bit(30);
        let to_data = bus.get_bit(28) & !to_port;
        let to_program = !to_port & !to_data;
        let second = self.core.current.val().any();
        let stores = self.core.write_strobe.val().any();
        let stops = self.core.halted.val() | self.guard.wrong.val();
        let wrong = self.guard.wrong.val();
        let strays = self.guard.strays.val();
        self.core.reset.next = false;

        link!(core -> guard: request, address, instruction);
        self.guard.store.next = stores;
        self.guard.ends.next = self.core.retired.val() | self.core.halted.val();
        self.guard.second.next = second;

        link!(node.shown -> contexts: open, decided);
        self.contexts.begin.next = begin;
        self.contexts.request.next = request & to_port;
        self.contexts.address.next = bus;
        self.contexts.write.next = stores;
        self.contexts.data.next = self.core.write_data.val().get_bit(0);
        self.contexts.second.next = second;
        self.contexts.asleep.next = self.core.asleep.val();
        self.contexts.stops.next = stops;
        self.contexts.stopped.next = self.stopped.q.val();

        self.core.context.next = if self.contexts.context.val() { 1.into() } else { 0.into() };
        self.core.go.next = !self.stopped.q.val() & !wrong;
        self.core.wake.next =
            if second { self.contexts.due.val() } else { self.node.shown.wake.val() };
        let ready = self.fetched.q.val() | self.service.ready.val() | wrong;
        self.core.ready.next = ready;
        self.guard.ready.next = ready;
        let served = self.service.read_data.val();
        let reads_one = served.get_bit(0) | self.contexts.reads_one.val();
        self.core.read_data.next = if self.fetched.q.val() & strays {
            0.into()
        } else if self.fetched.q.val() {
            self.program.data.val()
        } else {
            served.replace_bit(0, reads_one)
        };
        self.fetched.d.next = request & (to_program | strays) & !self.fetched.q.val() & !wrong;
        if stops {
            self.stopped.d.next = true;
            self.stop_cause.d.next = if wrong {
                self.guard.cause.val()
            } else if self.guarded.val() & !self.core.instruction.val().any() {
                JUMP_OUTSIDE.into()
            } else {
                self.core.cause.val()
            };
        }
        link!(core -> self: asleep, retired);
        self.reported.d.next = self.stopped.q.val();
        self.halted.next = self.reported.q.val();
        link!(core -> self: instruction, program_counter);
        self.cause.next = self.stop_cause.q.val();
        self.program.address.next = (bus >> 2).resized();

        let byte = (bus.resized::<DATA>() & word_mask(DATA))
            | self.service.byte_index.val().resized::<DATA>();
        self.data.read_address.next = byte;
        self.data.write_address.next = byte;
        self.data.write_data.next = self.service.byte.val();
        self.data.write_enable.next = self.service.byte_write.val();

        self.light.store.next = request & to_port & stores & self.service.ready.val();
        link!(core -> light: address, write_data);
        link!(light -> self: led);
        self.service.turn.next = true;
        self.service.request.next = request & to_port & !wrong & !strays;
        self.service.data.next = request & to_data & !wrong & !strays;
        self.service.offset.next = bus.resized();
        link!(core -> service: write_strobe, write_data);
        self.service.byte_read.next = self.data.read_data.val();
        self.service.begin.next = begin & !self.ends.scheduled.hang.val();
        link!(node -> service: shown -> node, buffer, slips);
        self.service.superframe.next = self.superframe.q.val();
        link!(self.ends.scheduled -> service: address);

        self.node.serve.next = true;
        link!(service -> node: commands);

        link!(self.ends.scheduled <-> service: host);
        link!(service -> self.ends.scheduled: out, out_slot);
        self.service.host_ready.next = true;
        self.service.host_room.next = true;
        self.service.host_crowded.next = false;
    }
}
