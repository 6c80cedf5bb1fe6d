//! The node of a TDMA cube whose messages may cross their dimensions in any order.

use super::buffers::check_memory;
use super::{
    mask_of, BufferReader, DeliveryReason, EnginePlan, ForwarderState as State, FramePort,
    FromHost, HostExchange, MemoryEnd, MessageMemory, NodeEnds, PhaseSequencer, SendResult, ToHost,
    DIM_BITS, SLOT_BITS,
};
use hdl::prelude::*;

/// An adaptive routing node without a core. Like a [`CubeNode`](super::CubeNode), but its messages
/// are in a pool of slots. A message may leave in any dimension in which its destination still
/// differs from the node.
///
/// The message memory has `2^ADDRESS_BITS` bytes, `2^OFFSET_BITS` per slot. The state of a link is
/// in the last word of the slot with its number. There may be more links than slots.
#[derive(LogicBlock, Circuit, Default)]
pub struct AdaptiveNode<
    const DIMS: usize,
    const SLOTS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    pub ends: NodeEnds<DIMS, DIMS>,
    sequencer: PhaseSequencer<DIMS>,
    frames: FramePort<DIMS, DIMS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>,
    forwarder: AdaptiveForwarder<DIMS, OFFSET_BITS, ADDRESS_BITS>,
    messages: MessageMemory<ADDRESS_BITS>,
    pool: SlotPool<SLOTS>,
}

/// Number of slots of a node of a cube with `dims` dimensions: one more than the links, within four
/// to nine.
///
/// With fewer than four slots two messages of a node may be sent back and forth forever. More than
/// nine have hardly any effect (docs/adaptive.md).
pub const fn pool_slots(dims: usize) -> usize {
    if dims < 3 {
        4
    } else if dims < 8 {
        dims + 1
    } else {
        9
    }
}

impl<
        const DIMS: usize,
        const SLOTS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > AdaptiveNode<DIMS, SLOTS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    /// Makes a node for a plan.
    ///
    /// # Panics
    /// If links have no answers, if a message does not fit a slot, or if the slots and the link
    /// states do not fit the memory.
    pub fn new(plan: EnginePlan) -> Self {
        check_memory(SLOTS.max(DIMS), OFFSET_BITS, ADDRESS_BITS);
        AdaptiveNode {
            frames: FramePort::new(plan.pooled()),
            forwarder: AdaptiveForwarder::new(SLOTS),
            messages: MessageMemory::new(),
            ..Default::default()
        }
    }
}

impl<
        const DIMS: usize,
        const SLOTS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > Logic for AdaptiveNode<DIMS, SLOTS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, frames, forwarder, messages, pool);
        let hang = self.ends.scheduled.hang.val();
        let begin = self.sequencer.begin.val();
        let transmit = self.sequencer.transmit.val();
        let dim = self.sequencer.dim.val();
        let slot = self.forwarder.slot.val();
        link!(self.ends -> sequencer: phase_clock, sync);
        self.sequencer.sides.next = self.ends.scheduled.address.val();
        link!(sequencer -> self.ends: phase, muted, slips);

        self.frames.begin.next = begin;
        self.frames.dim.next = dim;
        self.frames.transmit.next = transmit;
        self.frames.reset.next = false;
        self.frames.stamp.next = 0.into();
        self.frames.mute.next = self.sequencer.muted.val();
        link!(self.ends.scheduled -> frames: address);
        link!(self.ends.scheduled <-> frames: wires);
        self.frames.ready.next = !self.forwarder.busy.val() & !hang;
        self.frames.send.next = self.forwarder.chosen.val() & !hang;
        self.frames.slot.next = slot;
        link!(forwarder -> frames: forget);
        // A sender needs the state of its link, a receiver the chosen slot.
        self.frames.link_buffer.next = if transmit { dim.resized::<SLOT_BITS>() } else { slot };
        self.frames.link_buffer_full.next = !self.forwarder.chosen.val();
        link!(frames -> self.ends.scheduled: outcome);

        self.forwarder.begin.next = begin & !hang;
        self.forwarder.transmit.next = transmit;
        self.forwarder.dim.next = dim;
        link!(self.ends.scheduled -> forwarder: address);
        link!(self.ends.scheduled <-> forwarder: host);
        link!(forwarder -> self.ends.scheduled: out);
        link!(pool -> forwarder: crowded, occupied, held);
        link!(frames -> forwarder: select, pending, down, all_down);
        self.ends.scheduled.out_slot.next = slot;

        link!(forwarder -> messages: busy -> routes);
        link!(forwarder <-> messages: memory <-> router);
        link!(frames <-> messages: memory <-> frames);

        self.pool.reset.next = false;
        self.pool.store.next = self.frames.store.val() | self.forwarder.inject.val();
        self.pool.at.next = slot;
        self.pool.free.next = self.frames.free.val() | self.forwarder.release.val();
        // At `begin` the outcome still belongs to the previous phase, but the link does not.
        self.pool.sent.next = (self.frames.outcome.sent.val() != SendResult::Nothing)
            & !begin
            & !self.sequencer.muted.val();
        link!(frames -> pool: pending);
    }
}

/// Router of a node that keeps its messages in a pool of slots.
///
/// In every phase it visits all slots in ascending order and delivers messages for this node to the
/// host. If the node was not crowded when the phase began, it takes one message from the host into
/// the first free slot. In a receive phase the next free slot is reserved for the incoming message.
///
/// In a transmit phase it considers the messages whose destination differs from the node in the bit
/// of the phase. It chooses the one with the smallest difference, read as a number; of equal ones
/// the first. If there is none and the node is crowded, it sends another message in desperation:
/// the one with the largest difference, of equal ones the last. A link with a frame to repeat
/// repeats it, and no other link may send that message before. A message whose links are all down
/// goes to the host, one per phase.
///
/// A slot of the message memory holds a length byte, then the payload. The payload begins with the
/// destination, low byte first.
#[derive(LogicBlock, Circuit, Default)]
pub struct AdaptiveForwarder<const DIMS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize>
{
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The node transmits in this phase.
    pub transmit: Signal<In, Bit>,
    /// Link of the phase. The last word of the slot with this number stores its state.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// Link of the phase, one-hot.
    pub select: Signal<In, Bits<DIMS>>,
    /// Address of the node.
    pub address: Signal<In, Bits<DIMS>>,
    /// Fewer than three slots are free.
    pub crowded: Signal<In, Bit>,
    /// Slot `slot` holds a message.
    pub occupied: Signal<In, Bit>,
    /// A link must repeat the message in slot `slot`.
    pub held: Signal<In, Bit>,
    /// The link must repeat a frame.
    pub pending: Signal<In, Bit>,
    /// The link is down.
    pub down: Signal<In, Bit>,
    /// Links that are down.
    pub all_down: Signal<In, Bits<DIMS>>,
    /// The forwarder is working and has exclusive use of the message memory.
    pub busy: Signal<Out, Bit>,
    /// A message to send, or a slot for an incoming one, is chosen.
    pub chosen: Signal<Out, Bit>,
    /// Chosen slot. While the forwarder works: the slot being visited.
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    /// High for one clock cycle: slot `slot` now holds a message from the host.
    pub inject: Signal<Out, Bit>,
    /// High for one clock cycle: slot `slot` is now free.
    pub release: Signal<Out, Bit>,
    /// High for one clock cycle: cancels the pending repetition.
    pub forget: Signal<Out, Bit>,
    pub host: FromHost,
    pub out: ToHost,
    pub memory: MemoryEnd<ADDRESS_BITS>,
    state: Reg<State>,
    /// Points to the slot being visited, finally to the chosen one.
    reader: BufferReader<OFFSET_BITS, ADDRESS_BITS>,
    exchange: HostExchange<OFFSET_BITS>,
    /// A message from the host may be taken.
    takes: Reg<Bit>,
    has_chosen: Reg<Bit>,
    choice: Reg<Bits<SLOT_BITS>>,
    /// The chosen message comes nearer to its destination, or is repeated.
    is_wanted: Reg<Bit>,
    /// Difference between its destination and the node.
    difference: Reg<Bits<DIMS>>,
    /// Mask of the slot numbers; synthesis can see which bits are zero.
    mask: Parameter<Bits<SLOT_BITS>>,
    reason: Reg<DeliveryReason>,
    go_on: Signal<Local, Bit>,
    chosen_now: Signal<Local, Bits<SLOT_BITS>>,
}

impl<const DIMS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize>
    AdaptiveForwarder<DIMS, OFFSET_BITS, ADDRESS_BITS>
{
    /// Makes a forwarder for this number of slots.
    pub fn new(slots: usize) -> Self {
        AdaptiveForwarder {
            reader: BufferReader::new(slots - 1, DIMS),
            mask: Parameter::new(mask_of(slots).into()),
            ..Default::default()
        }
    }
}

/// True if a message has priority over the best one so far. Messages that come nearer to their
/// destination have priority over the others.
#[kernel]
fn has_priority(wanted: bool, less: bool, best_is_wanted: bool) -> bool {
    if best_is_wanted {
        wanted & less
    } else {
        wanted | !less
    }
}

impl<const DIMS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize> Logic
    for AdaptiveForwarder<DIMS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, state, has_chosen, choice, reason);
        dff_setup!(self, clock, is_wanted, difference, takes);
        clock!(self, clock, exchange, reader);
        let state = self.state.q.val();
        let examined = self.reader.buffer.val();
        let read_data = self.memory.read_data.val();
        let down = self.down.val();
        let wide = DIMS > 8;
        let transmit = self.transmit.val();
        let repeats = transmit & self.pending.val();
        let has_chosen = self.has_chosen.q.val();
        // Message transfer from or to the host.
        self.exchange.restart.next = self.begin.val() | (state == State::Examine);
        self.exchange.take.next = state == State::Inject;
        // When a phase begins, `dim` no longer belongs to the message being delivered.
        self.exchange.deliver.next = (state == State::Deliver) & !self.begin.val();
        self.exchange.reason.next = self.reason.q.val();
        link!(self <-> exchange: host);
        link!(exchange -> self: out);
        link!(self.memory -> exchange: read_data);
        link!(exchange -> self.memory: write_data, write_enable);
        link!(exchange -> self: taken -> inject, delivered -> release, forget);
        let ended = self.exchange.delivered.val();

        // Visits the slots one after the other. No byte is read while it is written.
        link!(self -> reader: begin);
        link!(reader -> self: buffer -> slot);
        link!(self.memory -> reader: read_data);
        link!(exchange -> reader: index);
        self.reader.state.next = state;
        self.reader.link_buffer.next = self.dim.val().resized();
        let address = self.reader.read_address.val();
        let injects = state == State::Inject;
        self.memory.read_address.next = if injects { address ^ 1 } else { address };
        self.memory.write_address.next = address;
        let delta = self.reader.destination.val().resized::<DIMS>() ^ self.address.val();
        let wanted = (delta & self.select.val()).any();
        let stranded = !(delta & !self.all_down.val()).any();
        let less = delta < self.difference.q.val();
        let better = has_priority(wanted, less, self.is_wanted.q.val());
        let candidate = transmit & !self.pending.val() & !self.held.val();
        self.go_on.next = false;
        self.chosen_now.next = self.choice.q.val();
        match state {
            State::Done => {}
            State::Inject => {
                if self.exchange.taken.val() {
                    self.takes.d.next = false;
                    self.state.d.next = State::Examine;
                }
            }
            State::Turn => {
                self.choice.d.next = read_data.resized::<SLOT_BITS>() & self.mask.val();
                self.is_wanted.d.next = true;
                // `has_chosen` is low in the first clock cycle of this state and high in the second.
                self.has_chosen.d.next = true;
                if has_chosen {
                    self.state.d.next = State::Examine;
                }
            }
            State::Examine => {
                if self.occupied.val() {
                    self.state.d.next = if wide { State::HighByte } else { State::Decide };
                } else if self.takes.q.val() {
                    self.state.d.next = State::Inject;
                } else {
                    self.go_on.next = true;
                    if !transmit & !has_chosen {
                        self.has_chosen.d.next = true;
                        self.choice.d.next = examined;
                        self.chosen_now.next = examined;
                    }
                }
            }
            State::HighByte => self.state.d.next = State::Decide,
            State::Decide => {
                self.state.d.next = State::Fetch;
                if !delta.any() {
                    self.reason.d.next = DeliveryReason::Delivered;
                } else if down & repeats & (examined == self.choice.q.val()) {
                    self.reason.d.next = DeliveryReason::Unknown;
                } else if down & candidate & stranded & !has_chosen {
                    self.reason.d.next = DeliveryReason::Undelivered;
                    self.has_chosen.d.next = true;
                } else {
                    self.go_on.next = true;
                    if candidate & better & !down {
                        self.has_chosen.d.next = true;
                        self.is_wanted.d.next = wanted;
                        self.difference.d.next = delta;
                        self.choice.d.next = examined;
                        self.chosen_now.next = examined;
                    }
                }
            }
            State::Fetch => self.state.d.next = State::Deliver,
            // The slot of a delivered message is free.
            State::Deliver => self.state.d.next = if ended { State::Examine } else { State::Fetch },
        }
        self.reader.go_on.next = self.go_on.val();
        self.reader.chosen.next = self.chosen_now.val();
        let at_last = self.reader.at_last.val();
        if self.go_on.val() {
            self.state.d.next = if at_last { State::Done } else { State::Examine };
        }
        if self.begin.val() {
            self.has_chosen.d.next = false;
            self.is_wanted.d.next = false;
            self.difference.d.next = 0.into();
            self.takes.d.next = self.host.valid.val() & !self.crowded.val();
            self.state.d.next = if repeats { State::Turn } else { State::Examine };
        }
        self.busy.next = state != State::Done;
        // Messages for a link that is down have gone to the host.
        let goes = (self.is_wanted.q.val() | self.crowded.val()) & !down;
        self.chosen.next = has_chosen & (goes | !transmit);
    }
}

/// Keeps two flip-flops per slot of the message memory: the slot holds a message, and a link must
/// repeat that message. They are changed for one slot at a time.
///
/// A node is crowded when fewer than three slots are free. It then takes no message from its host
/// and sends in every phase in which it transmits (docs/adaptive.md).
#[derive(LogicBlock, Circuit, Default)]
pub struct SlotPool<const SLOTS: usize> {
    pub clock: Signal<In, Clock>,
    /// Empties all slots.
    pub reset: Signal<In, Bit>,
    /// Slot to read and change.
    pub at: Signal<In, Bits<SLOT_BITS>>,
    /// Slot `at` holds a message.
    pub occupied: Signal<Out, Bit>,
    /// A link must repeat the message in slot `at`.
    pub held: Signal<Out, Bit>,
    /// High for one clock cycle: slot `at` now holds a message.
    pub store: Signal<In, Bit>,
    /// High for one clock cycle: slot `at` is now free.
    pub free: Signal<In, Bit>,
    /// The message in slot `at` was sent.
    pub sent: Signal<In, Bit>,
    /// The link must repeat the sent message.
    pub pending: Signal<In, Bit>,
    /// Fewer than three slots are free.
    pub crowded: Signal<Out, Bit>,
    /// Slots that hold a message.
    pub full: Signal<Out, Bits<SLOTS>>,
    /// Slots whose message a link must repeat.
    pub all_held: Signal<Out, Bits<SLOTS>>,
    taken: Reg<Bits<SLOTS>>,
    repeats: Reg<Bits<SLOTS>>,
    here: Signal<Local, Bits<SLOTS>>,
    /// At least one slot is free; `two` and `three` likewise.
    one: Signal<Local, Bit>,
    two: Signal<Local, Bit>,
    three: Signal<Local, Bit>,
}

impl<const SLOTS: usize> Logic for SlotPool<SLOTS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, taken, repeats);
        let taken = self.taken.q.val();
        let repeats = self.repeats.q.val();
        let at = self.at.val();
        self.here.next = 0.into();
        for number in 0..SLOTS {
            if at == number as u64 {
                self.here.next = bits::<SLOTS>(1 << number);
            }
        }
        let here = self.here.val();
        self.occupied.next = (taken & here).any();
        self.held.next = (repeats & here).any();
        if self.store.val() {
            self.taken.d.next = taken | here;
        }
        if self.sent.val() & self.pending.val() {
            self.repeats.d.next = repeats | here;
        } else if self.sent.val() {
            self.repeats.d.next = repeats & !here;
        }
        if self.free.val() {
            self.taken.d.next = taken & !here;
            self.repeats.d.next = repeats & !here;
        }
        if self.reset.val() {
            self.taken.d.next = 0.into();
            self.repeats.d.next = 0.into();
        }
        self.full.next = taken;
        self.all_held.next = repeats;

        self.one.next = false;
        self.two.next = false;
        self.three.next = false;
        for number in 0..SLOTS {
            let free = !taken.get_bit(number);
            self.three.next = self.three.val() | (self.two.val() & free);
            self.two.next = self.two.val() | (self.one.val() & free);
            self.one.next = self.one.val() | free;
        }
        self.crowded.next = !self.three.val();
    }
}
