//! The part of a soft node that every node needs for itself.

use super::address_links::sides;
use super::occupancy::highest_buffer;
use super::{
    Commands, EnginePlan, FrameOutcome, FramePort, MessageMemory, NodeStatus, Occupancy,
    PhaseSequencer, SelectedBuffer, SendResult, ServiceState, WireEnds, COUNT_BITS,
};
use hdl::prelude::*;

/// A node that runs code, without its core: the wires, the UART, the frame engine and the message
/// buffers.
///
/// The commands of the software come from a [`NodeService`](super::NodeService), which nodes with a
/// shared core also share.
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
    /// Restart: empties all buffers and clears the state of all links. Only while no phase is in
    /// progress. `reset` must be high until `reset_address` has shown every address of the message
    /// memory, which is cleared.
    pub reset: Signal<In, Bit>,
    pub reset_address: Signal<In, Bits<ADDRESS_BITS>>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// Address of the node.
    pub address: Signal<In, Bits<BITS>>,
    pub wires: WireEnds<LINKS>,
    /// Hang: no phase begins for the core.
    pub hang: Signal<In, Bit>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<Out, Bit>,
    pub shown: NodeStatus<LINKS, REGISTERS>,
    pub register: SelectedBuffer<OFFSET_BITS>,
    /// The node has lost sync with the schedule.
    pub muted: Signal<Out, Bit>,
    /// Number of times the node lost sync.
    pub slips: Signal<Out, Bits<COUNT_BITS>>,
    pub outcome: FrameOutcome,
    /// The following commands are for this node.
    pub serve: Signal<In, Bit>,
    pub commands: Commands<ADDRESS_BITS>,
    sequencer: PhaseSequencer<LINKS>,
    frames: FramePort<LINKS, BITS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>,
    state: ServiceState<OFFSET_BITS>,
    messages: MessageMemory<ADDRESS_BITS>,
    registers: Occupancy<LINKS, BITS, REGISTERS>,
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
    /// Makes a node for a plan; see [`Node::new`](super::Node::new).
    ///
    /// # Panics
    /// Under the conditions of [`Node::new`](super::Node::new).
    pub fn new(plan: EnginePlan) -> Self {
        NodePeripheral {
            frames: FramePort::new(plan),
            state: ServiceState::new(highest_buffer::<LINKS, BITS, REGISTERS>(plan)),
            messages: MessageMemory::new(),
            registers: Occupancy::new(plan, OFFSET_BITS, ADDRESS_BITS),
            ..Default::default()
        }
    }

    /// Sets the number of counts; see [`FramePort::with_counts`].
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
        link!(self, sequencer, muted, slips);
        link!(self.shown, sequencer, phase, dim, transmit);

        self.frames.begin.next = begin;
        join!(self, sequencer, frames, dim, transmit);
        self.frames.stamp.next = 0.into();
        self.frames.mute.next = self.sequencer.muted.val();
        link!(self, frames, address, wires);
        self.frames.ready.next = self.state.decided.val() & !self.hang.val();
        join!(self, state, frames, send, slot);
        self.frames.forget.next = serve & self.commands.forget.val();
        join!(self, registers, frames, own, own_full);
        link!(self.shown, frames, select, pending, down, all_down);
        self.shown.outcome.next = self.frames.outcome.sent.val().into();
        link!(self, frames, outcome);

        self.state.begin.next = begin & !self.hang.val();
        join!(self, frames, state, window, answer_open, enters);
        self.state.serve.next = serve;
        link!(
            self.commands,
            state,
            decide,
            sends,
            reopens,
            choose,
            register,
            position
        );
        link!(self.commands, state, advance);
        link!(self.shown, state, open, wake, decided);
        link!(self.register, state, selected, at);

        // The message memory belongs to the software while it is open, otherwise to the frame
        // engine. No byte is read while it is written.
        let write = serve & self.commands.message_write.val();
        let address = self.commands.message_address.val();
        self.messages.routes.next = self.state.open.val() | reset;
        self.messages.router.read_address.next = address ^ write.resized::<ADDRESS_BITS>();
        self.messages.router.write_address.next = address;
        self.messages.router.write_data.next = self.commands.message_data.val();
        self.messages.router.write_enable.next = write;
        if reset {
            self.messages.router.read_address.next = self.reset_address.val() ^ 1;
            self.messages.router.write_address.next = self.reset_address.val();
            self.messages.router.write_data.next = 0.into();
            self.messages.router.write_enable.next = true;
        }
        join!(self, frames, messages, memory => frames);
        self.register.message_byte.next = self.messages.router.read_data.val();

        let frees = serve & self.commands.free.val();
        let fills = serve & self.commands.fill.val();
        join!(self, sequencer, registers, dim, transmit);
        self.registers.crossed.next = self.frames.heard_crossed.val();
        join!(self, state, registers, send => chosen);
        join!(self, frames, registers, store, spoil, pending);
        self.registers.inject.next = fills;
        self.registers.free.next = self.frames.free.val() | frees;
        self.registers.at.next = if frees | fills {
            self.commands.changed.val()
        } else {
            self.state.slot.val()
        };
        // At `begin` the outcome still belongs to the previous phase, but the link does not.
        self.registers.sent.next = (self.frames.outcome.sent.val() != SendResult::Nothing)
            & !begin
            & !self.sequencer.muted.val();
        link!(self.shown, registers, full, injected, held, crowded);
    }
}
