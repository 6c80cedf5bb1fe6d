//! The part of a soft node that each node needs for itself.

use super::place::sides;
use super::register_numbers::last_register;
use super::{
    Commands, EnginePlan, FramePort, PhaseSequencer, Received, RegisterFlags, Sent, ServiceState,
    WireEnds, COUNT_BITS, DIM_BITS, PHASE_BITS, SLOT_BITS,
};
use hdl::cells::Memory;
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// A node that runs code, without its core: the wires, the UART, the frame engine
/// and the registers with their messages.
///
/// What the software does comes from a [`NodeService`](super::NodeService), which
/// nodes that share a core share, too.
#[derive(LogicBlock, Circuit, Default)]
pub struct NodePeripheral<
    const LINKS: usize,
    const BITS: usize,
    const REGISTERS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    /// Begin again: no register holds a message, and nothing is known of any link. While no
    /// phase is under way, for as long as `reset_address` takes to show every address of the
    /// message memory, which becomes zero.
    pub reset: Signal<In, Bit>,
    pub reset_address: Signal<In, Bits<ADDRESS_BITS>>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// The address of the node.
    pub address: Signal<In, Bits<BITS>>,
    pub wires: WireEnds<LINKS>,
    /// No phase begins for the core: it hangs.
    pub hang: Signal<In, Bit>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<Out, Bit>,
    /// The phase under way, as far as the node knows.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// Its link.
    pub dim: Signal<Out, Bits<DIM_BITS>>,
    /// The same, one-hot.
    pub select: Signal<Out, Bits<LINKS>>,
    /// The node sends in this phase.
    pub transmit: Signal<Out, Bit>,
    /// The node is out of step with the schedule.
    pub muted: Signal<Out, Bit>,
    /// Times it fell out of step.
    pub slips: Signal<Out, Bits<COUNT_BITS>>,
    /// The link of the phase must repeat a frame.
    pub pending: Signal<Out, Bit>,
    /// The link of the phase is down.
    pub down: Signal<Out, Bit>,
    /// What became of the frame sent; until the next phase.
    pub sent: Signal<Out, Sent>,
    /// The same as a number: nothing, silent, refused, taken.
    pub outcome: Signal<Out, Bits<2>>,
    /// The register that it came from.
    pub sent_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// What became of the frame received; until the next phase.
    pub received: Signal<Out, Received>,
    /// The node was not ready when the frame window opened; until the next phase.
    pub late: Signal<Out, Bit>,
    /// The message memory is the core's, else the frame engine's.
    pub open: Signal<Out, Bit>,
    /// The software has decided what the node sends in this phase.
    pub decided: Signal<Out, Bit>,
    /// The register that the software has selected.
    pub selected: Signal<Out, Bits<SLOT_BITS>>,
    /// The byte of that register that is next, a multiple of four.
    pub at: Signal<Out, Bits<OFFSET_BITS>>,
    /// Receive registers that are full.
    pub full: Signal<Out, Bits<REGISTERS>>,
    /// The injection register is full.
    pub injected: Signal<Out, Bit>,
    /// The byte of the message memory at `message_address`, one clock cycle later,
    /// while it is open.
    pub message_byte: Signal<Out, Bits<8>>,
    /// What follows is for this node.
    pub serve: Signal<In, Bit>,
    pub commands: Commands<ADDRESS_BITS>,
    sequencer: PhaseSequencer<LINKS>,
    frames: FramePort<LINKS, BITS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>,
    state: ServiceState<OFFSET_BITS>,
    messages: Memory<Bits<8>, ADDRESS_BITS>,
    registers: RegisterFlags<LINKS, BITS, REGISTERS>,
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const REGISTERS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > NodePeripheral<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    /// `plan` as for [`Node::new`](super::Node::new).
    ///
    /// # Panics
    /// As [`Node::new`](super::Node::new).
    pub fn new(plan: EnginePlan) -> Self {
        NodePeripheral {
            frames: FramePort::new(plan),
            state: ServiceState::new(last_register(LINKS, BITS)),
            messages: Memory::default().disjoint(),
            registers: RegisterFlags::new(OFFSET_BITS, ADDRESS_BITS),
            ..Default::default()
        }
    }

    /// As [`FramePort::with_counts`].
    #[must_use]
    pub fn with_counts(mut self, counts: u64) -> Self {
        self.frames = self.frames.with_counts(counts);
        self
    }
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const REGISTERS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > Logic for NodePeripheral<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, frames, state, messages, registers);
        let begin = self.sequencer.begin.val();
        let reset = self.reset.val();
        link!(self, frames, reset);
        link!(self, state, reset);
        link!(self, registers, reset);
        let serve = self.serve.val();

        link!(self, sequencer, phase_clock, sync);
        self.sequencer.sides.next = sides::<LINKS, BITS>(self.address.val());
        self.begin.next = begin;
        link!(self, sequencer, phase, dim, transmit, muted, slips);

        self.frames.begin.next = begin;
        join!(self, sequencer, frames, dim, transmit);
        self.frames.stamp.next = 0.into();
        self.frames.mute.next = self.sequencer.muted.val();
        link!(self, frames, address, wires, select);
        self.frames.ready.next = self.state.decided.val() & !self.hang.val();
        join!(self, state, frames, send, slot);
        self.frames.forget.next = serve & self.commands.forget.val();
        join!(self, registers, frames, own, own_full);
        join!(self, messages, frames, read_data);
        link!(self, frames, pending, down, sent);
        self.outcome.next = self.frames.sent.val().into();
        self.sent_slot.next = self.state.slot.val();
        link!(self, frames, received, late);

        self.state.begin.next = begin & !self.hang.val();
        join!(self, frames, state, window);
        self.state.serve.next = serve;
        link!(
            self.commands,
            state,
            decide,
            sends,
            choose,
            register,
            position
        );
        link!(self.commands, state, advance);
        link!(self, state, open, decided, selected, at);

        // The message memory: the software has it while it is open, the frame engine has it
        // from then on. What is written is not read.
        let write = serve & self.commands.message_write.val();
        if self.state.open.val() {
            self.messages.read_address.next =
                self.commands.message_address.val() ^ write.resized::<ADDRESS_BITS>();
            self.messages.write_address.next = self.commands.message_address.val();
            self.messages.write_data.next = self.commands.message_data.val();
            self.messages.write_enable.next = write;
        } else {
            join!(self, frames, messages, read_address, write_address);
            join!(self, frames, messages, write_data, write_enable);
        }
        if reset {
            self.messages.read_address.next = self.reset_address.val() ^ 1;
            self.messages.write_address.next = self.reset_address.val();
            self.messages.write_data.next = 0.into();
            self.messages.write_enable.next = true;
        }
        self.message_byte.next = self.messages.read_data.val();

        let frees = serve & self.commands.free.val();
        join!(self, sequencer, registers, dim);
        self.registers.crossed.next = self.frames.heard_crossed.val();
        join!(self, frames, registers, store, spoil);
        self.registers.inject.next = serve & self.commands.fill.val();
        self.registers.free.next = self.frames.free.val() | frees;
        self.registers.freed.next = if frees {
            self.commands.freed.val()
        } else {
            self.state.slot.val()
        };
        link!(self, registers, full, injected);
    }
}
