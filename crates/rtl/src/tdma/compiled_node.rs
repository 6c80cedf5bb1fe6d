//! The node of a TDMA machine that follows a compiled schedule.

use super::address_links::sides;
use super::buffers::{byte_address, check_memory};
use super::{
    DeliveryReason, EnginePlan, FramePort, FromHost, MemoryEnd, MessageMemory, NodeEnds,
    OrderWrite, ProgrammedSequencer, ToHost, ORDER_PHASE_BITS, SLOT_BITS,
};
use hdl::prelude::*;
use smart_default::SmartDefault;

/// A node without a router. For each pair of phases a table holds the message to send and the slot
/// for the incoming message.
///
/// A compiled schedule causes no NAKs and no waiting, so frames have no answers. A damaged frame is
/// lost together with its message. Its slot stays empty, and the node later sends nothing from it.
/// A node listens only when a message is due. It accepts only frames of the current pair of phases,
/// so a neighbour that has lost sync cannot deliver a wrong message.
///
/// The message memory has `2^ADDRESS_BITS` bytes, `2^OFFSET_BITS` for each of `SLOTS` slots.
/// Phases are numbered within the order. While the node takes a message from the host, `out_slot`
/// is the slot for it.
#[derive(LogicBlock, Circuit, Default)]
pub struct CompiledNode<
    const LINKS: usize,
    const BITS: usize,
    const SLOTS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
    const PAIR_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    pub order_write: OrderWrite<PAIR_BITS>,
    pub move_write: MoveWrite<PAIR_BITS>,
    pub ends: NodeEnds<LINKS, BITS, ORDER_PHASE_BITS>,
    sequencer: ProgrammedSequencer<LINKS, PAIR_BITS>,
    table: MoveTable<PAIR_BITS>,
    follower: ScheduleFollower<OFFSET_BITS, ADDRESS_BITS>,
    frames: FramePort<LINKS, BITS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>,
    messages: MessageMemory<ADDRESS_BITS>,
    /// Slots that hold a message.
    taken: Reg<Bits<SLOTS>>,
    from_flag: Signal<Local, Bits<SLOTS>>,
    into_flag: Signal<Local, Bits<SLOTS>>,
    home_flag: Signal<Local, Bits<SLOTS>>,
    flags: Signal<Local, Bits<SLOTS>>,
}

#[with_parameters]
impl CompiledNode {
    /// Makes a node for a plan.
    ///
    /// # Panics
    /// If links have answers, if a message does not fit a slot, if the slots do not fit the memory
    /// or their number width, or if pairs have more than 16 bits.
    pub fn new(plan: EnginePlan) -> Self {
        assert!(!plan.acked, "a compiled schedule has no use for answers");
        assert!(SLOTS <= 1 << SLOT_BITS, "a slot's number is up to 31");
        assert!(PAIR_BITS <= 16, "a frame's check covers 16 bits of the pair");
        check_memory(SLOTS, OFFSET_BITS, ADDRESS_BITS);
        CompiledNode {
            frames: FramePort::new(plan),
            messages: MessageMemory::new(),
            ..Default::default()
        }
    }
}

#[with_parameters]
impl Logic for CompiledNode {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, table, follower, frames, messages);
        dff_setup!(self, clock, taken);
        let hang = self.ends.scheduled.hang.val();
        let transmit = self.sequencer.transmit.val();
        let taken = self.taken.q.val();
        let from = self.table.from.val();
        let into = self.table.into.val();
        let receives = self.table.receives.val() & !transmit;

        link!(self.ends -> sequencer: phase_clock, sync);
        link!(self -> sequencer: order_write);
        self.sequencer.sides.next = sides::<LINKS, BITS>(self.ends.scheduled.address.val());
        let pair = self.sequencer.pair.val().resized::<ORDER_PHASE_BITS>();
        self.ends.phase.next = (pair << 1).replace_bit(0, self.sequencer.second.val());
        link!(sequencer -> self.ends: muted, slips);
        link!(sequencer -> table: pair);
        link!(self -> table: move_write);

        self.from_flag.next = 0.into();
        self.into_flag.next = 0.into();
        self.home_flag.next = 0.into();
        for slot in 0..SLOTS {
            let flag = bits::<SLOTS>(1 << slot);
            if from == slot as u64 {
                self.from_flag.next = flag;
            }
            if into == slot as u64 {
                self.into_flag.next = flag;
            }
            if self.follower.home_slot.val() == slot as u64 {
                self.home_flag.next = flag;
            }
        }
        let from_flag = self.from_flag.val();
        let into_flag = self.into_flag.val();

        self.follower.begin.next = self.sequencer.begin.val() & !hang;
        self.follower.fresh.next = transmit & self.table.sends.val() & self.table.fresh.val();
        self.follower.from.next = from;
        self.follower.arrived.next = self.frames.store.val() & self.table.home.val();
        self.follower.into.next = into;
        link!(self.ends.scheduled <-> follower: host);
        link!(follower -> self.ends.scheduled: out, out_slot);

        link!(sequencer -> frames: begin, transmit);
        self.frames.dim.next = self.sequencer.link.val();
        // A node without a message to receive does not listen.
        self.frames.mute.next = self.sequencer.muted.val() | (!transmit & !receives);
        link!(self.ends.scheduled -> frames: address);
        link!(self.ends.scheduled <-> frames: wires);
        // A link occurs several times in the order, so the pair number tells its frames apart.
        self.frames.reset.next = false;
        self.frames.stamp.next = self.sequencer.pair.val().resized();
        self.frames.ready.next = !self.follower.busy.val() & !hang;
        let sends = self.table.sends.val() & (taken & from_flag).any();
        self.frames.send.next = sends & !hang;
        // While the node receives, the outcome shows the slot of the incoming message.
        self.frames.slot.next = if transmit { from } else { into };
        self.frames.link_buffer.next = into;
        self.frames.link_buffer_full.next = (taken & into_flag).any();
        self.frames.forget.next = false;
        link!(frames -> self.ends.scheduled: outcome);

        link!(follower -> messages: busy -> routes);
        link!(follower <-> messages: memory <-> router);
        link!(frames <-> messages: memory <-> frames);

        self.flags.next = taken;
        if self.follower.emptied.val() {
            self.flags.next = self.flags.val() & !self.home_flag.val();
        }
        if self.follower.filled.val() {
            self.flags.next = self.flags.val() | from_flag;
        }
        if self.frames.free.val() {
            self.flags.next = self.flags.val() & !from_flag;
        }
        if self.frames.spoil.val() {
            self.flags.next = self.flags.val() & !into_flag;
        }
        if self.frames.store.val() {
            self.flags.next = self.flags.val() | into_flag;
        }
        self.taken.d.next = self.flags.val();
    }
}

// Message transfer between the host of a node with a compiled schedule and its slots.

/// State of the follower of the schedule.
#[word]
pub enum TransferState {
    /// Idle until the next phase.
    Done,
    /// Waits for the schedule word of the phase.
    Read,
    /// Reads a byte of a message for the host.
    Fetch,
    /// Sends the byte to the host.
    Deliver,
    /// Takes a byte from the host.
    Take,
}

/// At the beginning of a phase, delivers the message that arrived for this node in the previous
/// phase. Then takes the message that the node sends in this phase from the host.
///
/// A slot of the message memory holds a length byte, then the payload.
#[derive(LogicBlock, Circuit, Default)]
pub struct ScheduleFollower<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The node sends a message that the host still has. Valid from the second clock cycle of a
    /// phase.
    pub fresh: Signal<In, Bit>,
    /// Slot for the message from the host.
    pub from: Signal<In, Bits<SLOT_BITS>>,
    /// High for one clock cycle: the message in slot `into` has reached its destination.
    pub arrived: Signal<In, Bit>,
    pub into: Signal<In, Bits<SLOT_BITS>>,
    /// The unit is working and has exclusive use of the message memory.
    pub busy: Signal<Out, Bit>,
    /// High for one clock cycle: slot `from` now holds a message.
    pub filled: Signal<Out, Bit>,
    /// High for one clock cycle: slot `home_slot` is now free.
    pub emptied: Signal<Out, Bit>,
    /// Slot of the message that has reached its destination.
    pub home_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Slot of the current transfer.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    pub host: FromHost,
    pub out: ToHost,
    pub memory: MemoryEnd<ADDRESS_BITS>,
    state: Reg<TransferState>,
    /// Index of the next byte of the message.
    index: Reg<Bits<OFFSET_BITS>>,
    /// Number of bytes of the message left.
    remaining: Reg<Bits<OFFSET_BITS>>,
    /// A message for this node has arrived.
    is_home: Reg<Bit>,
    /// Slot of the message that has arrived.
    home_number: Reg<Bits<SLOT_BITS>>,
    takes: Signal<Local, Bit>,
}

impl<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> Logic
    for ScheduleFollower<OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, state, index, remaining, is_home, home_number);
        let index = self.index.q.val();
        let read_data = self.memory.read_data.val();
        let slot = self.home_number.q.val();
        let last = self.remaining.q.val() == 1;

        self.memory.read_address.next = byte_address::<OFFSET_BITS, ADDRESS_BITS>(slot, index);
        self.memory.write_address.next =
            byte_address::<OFFSET_BITS, ADDRESS_BITS>(self.from.val(), index);
        self.memory.write_data.next = self.host.data.val();
        self.memory.write_enable.next = false;
        self.host.index.next = 0.into();
        self.host.taken.next = false;
        self.out.valid.next = false;
        self.out.data.next = read_data;
        self.out.last.next = (index != 0) & last;
        self.out.reason.next = DeliveryReason::Delivered;
        self.home_slot.next = slot;
        self.out_slot.next = slot;
        self.filled.next = false;
        self.emptied.next = false;
        self.takes.next = false;

        match self.state.q.val() {
            TransferState::Done => {}
            TransferState::Read => {
                if self.is_home.q.val() {
                    self.state.d.next = TransferState::Fetch;
                } else {
                    self.takes.next = true;
                }
            }
            TransferState::Fetch => self.state.d.next = TransferState::Deliver,
            TransferState::Deliver => {
                self.out.valid.next = true;
                self.index.d.next = index + 1;
                self.remaining.d.next = self.remaining.q.val() - 1;
                self.state.d.next = TransferState::Fetch;
                if index == 0 {
                    self.remaining.d.next = read_data.resized();
                } else if last {
                    self.is_home.d.next = false;
                    self.emptied.next = true;
                    self.takes.next = true;
                }
            }
            TransferState::Take => {
                self.memory.write_enable.next = true;
                self.out_slot.next = self.from.val();
                // No byte is read while it is written.
                self.memory.read_address.next = !self.memory.write_address.val();
                self.host.index.next = index.resized();
                self.index.d.next = index + 1;
                self.remaining.d.next = self.remaining.q.val() - 1;
                if index == 0 {
                    self.remaining.d.next = self.host.data.val().resized();
                } else if last {
                    self.filled.next = true;
                    self.host.taken.next = true;
                    self.state.d.next = TransferState::Done;
                }
            }
        }
        if self.takes.val() {
            self.index.d.next = 0.into();
            self.state.d.next = if self.fresh.val() & self.host.valid.val() {
                TransferState::Take
            } else {
                TransferState::Done
            };
        }
        if self.arrived.val() {
            self.is_home.d.next = true;
            self.home_number.d.next = self.into.val();
        }
        if self.begin.val() {
            self.index.d.next = 0.into();
            self.state.d.next = TransferState::Read;
        }
        self.busy.next = self.state.q.val() != TransferState::Done;
    }
}

// The actions of a node in each pair of phases of a compiled schedule.

/// Width of the description of one message: its slot, whether there is a message, and whether it
/// starts or ends at this node.
const MOVE_BITS: usize = SLOT_BITS + 2;

/// Width of a word of a [`MoveTable`]: the message to send, and above it the message to receive.
pub const MOVES_BITS: usize = 2 * MOVE_BITS;

/// Returns a word of a [`MoveTable`] that only sends: the node sends the message in slot `slot`.
/// If the message is `fresh`, the node first takes it from its host.
pub const fn sends(slot: u8, fresh: bool) -> u64 {
    slot as u64 | 1 << SLOT_BITS | (fresh as u64) << (SLOT_BITS + 1)
}

/// Returns a word that only receives: the node receives a message into slot `slot`. If the message
/// is at `home`, the node delivers it to its host.
pub const fn receives(slot: u8, home: bool) -> u64 {
    sends(slot, home) << MOVE_BITS
}

/// Ports for programming a [`MoveTable`].
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct MoveWrite<const PAIR_BITS: usize> {
    /// Writes the actions of the node in a pair of phases.
    pub plan_write: Signal<In, Bit>,
    /// Pair of phases to write.
    pub plan_pair: Signal<In, Bits<PAIR_BITS>>,
    pub plan_word: Signal<In, Bits<MOVES_BITS>>,
}

/// A memory of the node's actions: the message to send and the message to receive, for each of up
/// to `2^PAIR_BITS` pairs of phases. It is written before the schedule begins.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct MoveTable<const PAIR_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Pair to look up. The other outputs belong to the pair requested one clock cycle ago. They
    /// are invalid if the table was written in that clock cycle.
    pub pair: Signal<In, Bits<PAIR_BITS>>,
    /// The node sends a message.
    pub sends: Signal<Out, Bit>,
    /// Slot of the message to send.
    pub from: Signal<Out, Bits<SLOT_BITS>>,
    /// The node takes the message to send from the host first.
    pub fresh: Signal<Out, Bit>,
    /// The node receives a message.
    pub receives: Signal<Out, Bit>,
    /// Slot for the message to receive.
    pub into: Signal<Out, Bits<SLOT_BITS>>,
    /// The message to receive has this node as its destination and is delivered to the host.
    pub home: Signal<Out, Bit>,
    pub move_write: MoveWrite<PAIR_BITS>,
    #[default(Memory::default().disjoint())]
    words: Memory<Bits<MOVES_BITS>, PAIR_BITS>,
}

impl<const PAIR_BITS: usize> Logic for MoveTable<PAIR_BITS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, words);
        // No word is read while it is written.
        self.words.read_address.next = if self.move_write.plan_write.val() {
            !self.move_write.plan_pair.val()
        } else {
            self.pair.val()
        };
        let word = self.words.read_data.val();
        self.from.next = word.get_bits::<SLOT_BITS>(0);
        self.sends.next = word.get_bit(SLOT_BITS);
        self.fresh.next = word.get_bit(SLOT_BITS + 1);
        self.into.next = word.get_bits::<SLOT_BITS>(MOVE_BITS);
        self.receives.next = word.get_bit(MOVE_BITS + SLOT_BITS);
        self.home.next = word.get_bit(MOVE_BITS + SLOT_BITS + 1);

        self.words.write_enable.next = self.move_write.plan_write.val();
        self.words.write_address.next = self.move_write.plan_pair.val();
        self.words.write_data.next = self.move_write.plan_word.val();
    }
}
