//! The part of a soft node that every node needs for itself.

use super::address_links::sides;
use super::buffers::highest_buffer;
use super::{
    Commands, EnginePlan, FrameOutcome, FramePort, MessageMemory, NodeStatus, Occupancy,
    PhaseSequencer, SelectedBuffer, SendResult, WireEnds, COUNT_BITS, SLOT_BITS,
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
    const BUFFERS: usize,
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
    pub shown: NodeStatus<LINKS, BUFFERS>,
    pub buffer: SelectedBuffer<OFFSET_BITS>,
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
    buffers: Occupancy<LINKS, BITS, BUFFERS>,
}

#[with_parameters]
impl NodePeripheral {
    /// Makes a node for a plan; see [`Node::new`](super::Node::new).
    ///
    /// # Panics
    /// Under the conditions of [`Node::new`](super::Node::new).
    pub fn new(plan: EnginePlan) -> Self {
        NodePeripheral {
            frames: FramePort::new(plan),
            state: ServiceState::new(highest_buffer::<LINKS, BITS, BUFFERS>(plan)),
            messages: MessageMemory::new(),
            buffers: Occupancy::new(plan, OFFSET_BITS, ADDRESS_BITS),
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

#[with_parameters]
impl Logic for NodePeripheral {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, frames, state, messages, buffers);
        let begin = self.sequencer.begin.val();
        let reset = self.reset.val();
        link!(self -> frames: reset);
        link!(self -> state: reset);
        link!(self -> buffers: reset);
        let serve = self.serve.val();

        link!(self -> sequencer: phase_clock, sync);
        self.sequencer.sides.next = sides::<LINKS, BITS>(self.address.val());
        self.begin.next = begin;
        link!(sequencer -> self: muted, slips);
        link!(sequencer -> self.shown: phase, dim, transmit);

        self.frames.begin.next = begin;
        link!(sequencer -> frames: dim, transmit);
        self.frames.stamp.next = 0.into();
        self.frames.mute.next = self.sequencer.muted.val();
        link!(self -> frames: address);
        link!(self <-> frames: wires);
        self.frames.ready.next = self.state.decided.val() & !self.hang.val();
        link!(state -> frames: send, slot);
        self.frames.forget.next = serve & self.commands.forget.val();
        link!(buffers -> frames: link_buffer, link_buffer_full);
        link!(frames -> self.shown: select, pending, down, all_down);
        self.shown.outcome.next = self.frames.outcome.sent.val().into();
        link!(frames -> self: outcome);

        self.state.begin.next = begin & !self.hang.val();
        link!(frames -> state: window, answer_open, records);
        self.state.serve.next = serve;
        link!(self.commands -> state: decide, sends, reopens, choose, buffer, position);
        link!(self.commands -> state: advance);
        link!(state -> self.shown: open, wake, decided);
        link!(state -> self.buffer: selected, at);

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
        link!(frames <-> messages: memory <-> frames);
        self.buffer.message_byte.next = self.messages.router.read_data.val();

        let frees = serve & self.commands.free.val();
        let fills = serve & self.commands.fill.val();
        link!(sequencer -> buffers: dim, transmit);
        self.buffers.crossed.next = self.frames.received_crossed.val();
        link!(state -> buffers: send -> chosen);
        link!(frames -> buffers: store, spoil, pending);
        self.buffers.inject.next = fills;
        self.buffers.free.next = self.frames.free.val() | frees;
        self.buffers.at.next =
            if frees | fills { self.commands.changed.val() } else { self.state.slot.val() };
        // At `begin` the outcome still belongs to the previous phase, but the link does not.
        self.buffers.sent.next = (self.frames.outcome.sent.val() != SendResult::Nothing)
            & !begin
            & !self.sequencer.muted.val();
        link!(buffers -> self.shown: full, injected, held, crowded);
    }
}

/// Tracks the software of a node within a phase: the owner of the message memory, the decision, and
/// the next word of the selected buffer.
///
/// The message memory is `open` to the core from the beginning of a phase until the software writes
/// its decision or the frame window opens. A decision written in time may request a second opening.
/// The memory is then open again from the answer slot on, when the frame has ended, until the
/// software writes its decision once more. Commands of [`NodePort`](super::NodePort) apply to this
/// node while `serve` is high.
#[derive(LogicBlock, Circuit, Default)]
pub struct ServiceState<const OFFSET_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Reset to the state before the first phase: decided to send nothing.
    pub reset: Signal<In, Bit>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// High for one clock cycle: the frame window opens.
    pub window: Signal<In, Bit>,
    /// High for one clock cycle: the answer slot opens.
    pub answer_open: Signal<In, Bit>,
    /// The frame engine needs the memory in this clock cycle even if it is open.
    pub records: Signal<In, Bit>,
    /// The commands are for this node.
    pub serve: Signal<In, Bit>,
    /// Command: the phase is decided. The node sends the content of `buffer` if `sends`.
    pub decide: Signal<In, Bit>,
    pub sends: Signal<In, Bit>,
    /// With `decide`: open the memory again when the answer slot opens.
    pub reopens: Signal<In, Bit>,
    /// Command: select `buffer`, with its word `position` next.
    pub choose: Signal<In, Bit>,
    pub buffer: Signal<In, Bits<SLOT_BITS>>,
    pub position: Signal<In, Bits<COUNT_BITS>>,
    /// Command: advance to the next word.
    pub advance: Signal<In, Bit>,
    /// The message memory belongs to the core, otherwise to the frame engine.
    pub open: Signal<Out, Bit>,
    /// The software has work to do: the phase is not decided, or the memory is open.
    pub wake: Signal<Out, Bit>,
    /// The phase is decided.
    pub decided: Signal<Out, Bit>,
    /// The node sends a message.
    pub send: Signal<Out, Bit>,
    /// Buffer of the message to send.
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Buffer that the core has selected.
    pub selected: Signal<Out, Bits<SLOT_BITS>>,
    /// Byte address of the next word in that buffer, a multiple of four.
    pub at: Signal<Out, Bits<OFFSET_BITS>>,
    is_open: Reg<Bit>,
    is_decided: Reg<Bit>,
    /// The memory opens again with the answer slot.
    returns: Reg<Bit>,
    sending: Reg<Bit>,
    choice: Reg<Bits<SLOT_BITS>>,
    selection: Reg<Bits<SLOT_BITS>>,
    next_byte: Reg<Bits<OFFSET_BITS>>,
    /// Mask of the buffer numbers; synthesis can see which bits are zero.
    mask: Parameter<Bits<SLOT_BITS>>,
}

impl<const OFFSET_BITS: usize> ServiceState<OFFSET_BITS> {
    /// Makes the state of a node with buffers numbered up to `last`. Before the first phase the
    /// node has decided to send nothing, so that the core may sleep.
    pub fn new(last: usize) -> Self {
        ServiceState {
            is_decided: Reg::new(true),
            mask: Parameter::new(super::mask_of(last + 1).into()),
            ..Default::default()
        }
    }
}

impl<const OFFSET_BITS: usize> Logic for ServiceState<OFFSET_BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, is_open, is_decided, returns);
        dff_setup!(self, clock, sending, choice, selection, next_byte);
        let serve = self.serve.val();
        let decided = self.is_decided.q.val();
        let buffer = self.buffer.val() & self.mask.val();
        if serve & self.advance.val() {
            self.next_byte.d.next = self.next_byte.q.val() + 4;
        }
        if serve & self.choose.val() {
            self.selection.d.next = buffer;
            self.next_byte.d.next = self.position.val().resized::<OFFSET_BITS>() << 2;
        }
        let decides = serve & self.decide.val();
        if decides & !decided {
            self.is_decided.d.next = true;
            self.returns.d.next = self.reopens.val();
            self.sending.d.next = self.sends.val();
            self.choice.d.next = buffer;
        }
        if self.answer_open.val() {
            self.is_open.d.next = self.returns.q.val();
            self.returns.d.next = false;
        }
        if decides | self.window.val() {
            self.is_open.d.next = false;
        }
        if self.begin.val() {
            self.is_open.d.next = true;
            self.is_decided.d.next = false;
            self.returns.d.next = false;
            self.sending.d.next = false;
        }
        if self.reset.val() {
            self.is_open.d.next = false;
            self.is_decided.d.next = true;
            self.returns.d.next = false;
            self.sending.d.next = false;
            self.choice.d.next = 0.into();
            self.selection.d.next = 0.into();
            self.next_byte.d.next = 0.into();
        }
        self.open.next = self.is_open.q.val() & !self.records.val();
        self.wake.next = self.is_open.q.val() | !decided;
        self.decided.next = decided;
        self.send.next = self.sending.q.val();
        self.slot.next = self.choice.q.val();
        self.selected.next = self.selection.q.val();
        self.at.next = self.next_byte.q.val();
    }
}
