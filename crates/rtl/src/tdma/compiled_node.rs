//! The node of a TDMA machine that follows a compiled schedule.

use super::address_links::sides;
use super::buffer_layout::check_memory;
use super::{
    EnginePlan, FramePort, MessageMemory, MoveTable, MoveWrite, NodeEnds, OrderWrite,
    ProgrammedSequencer, ScheduleFollower, ORDER_PHASE_BITS, SLOT_BITS,
};
use hdl::prelude::*;

/// A node without a router. For each pair of phases a table holds the message to send and the slot
/// for the incoming message.
///
/// A compiled schedule causes no NAKs and no waiting, so frames have no answers. A damaged frame is
/// lost together with its message. Its slot stays empty, and the node later sends nothing from it.
/// A node listens only when a message is due. It accepts only frames of the current pair of phases,
/// so a neighbour that has lost sync cannot deliver a wrong message.
///
/// The message memory has `2^ADDRESS_BITS` bytes, `2^OFFSET_BITS` for each of `PLACES` slots.
/// Phases are numbered within the order. While the node takes a message from the host, `out_slot`
/// is the slot for it.
#[derive(LogicBlock, Circuit, Default)]
pub struct CompiledNode<
    const LINKS: usize,
    const BITS: usize,
    const PLACES: usize,
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
    taken: Reg<Bits<PLACES>>,
    from_flag: Signal<Local, Bits<PLACES>>,
    into_flag: Signal<Local, Bits<PLACES>>,
    home_flag: Signal<Local, Bits<PLACES>>,
    flags: Signal<Local, Bits<PLACES>>,
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const PLACES: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
        const PAIR_BITS: usize,
    > CompiledNode<LINKS, BITS, PLACES, CLOCKS, OFFSET_BITS, ADDRESS_BITS, PAIR_BITS>
{
    /// Makes a node for a plan.
    ///
    /// # Panics
    /// If links have answers, if a message does not fit a slot, if the slots do not fit the memory
    /// or their number width, or if pairs have more than 16 bits.
    pub fn new(plan: EnginePlan) -> Self {
        assert!(!plan.acked, "a compiled schedule has no use for answers");
        assert!(PLACES <= 1 << SLOT_BITS, "a place's number is up to 31");
        assert!(
            PAIR_BITS <= 16,
            "a frame's check covers 16 bits of the pair"
        );
        check_memory(PLACES, OFFSET_BITS, ADDRESS_BITS);
        CompiledNode {
            frames: FramePort::new(plan),
            messages: MessageMemory::new(),
            ..Default::default()
        }
    }
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const PLACES: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
        const PAIR_BITS: usize,
    > Logic for CompiledNode<LINKS, BITS, PLACES, CLOCKS, OFFSET_BITS, ADDRESS_BITS, PAIR_BITS>
{
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

        link!(self.ends, sequencer, phase_clock, sync);
        link!(self, sequencer, order_write);
        self.sequencer.sides.next = sides::<LINKS, BITS>(self.ends.scheduled.address.val());
        let pair = self.sequencer.pair.val().resized::<ORDER_PHASE_BITS>();
        self.ends.phase.next = (pair << 1).replace_bit(0, self.sequencer.second.val());
        link!(self.ends, sequencer, muted, slips);
        join!(self, sequencer, table, pair);
        link!(self, table, move_write);

        self.from_flag.next = 0.into();
        self.into_flag.next = 0.into();
        self.home_flag.next = 0.into();
        for place in 0..PLACES {
            let flag = bits::<PLACES>(1 << place);
            if from == place as u64 {
                self.from_flag.next = flag;
            }
            if into == place as u64 {
                self.into_flag.next = flag;
            }
            if self.follower.home_slot.val() == place as u64 {
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
        link!(self.ends.scheduled, follower, host, out, out_slot);

        join!(self, sequencer, frames, begin, transmit);
        self.frames.dim.next = self.sequencer.link.val();
        // A node without a message to receive does not listen.
        self.frames.mute.next = self.sequencer.muted.val() | (!transmit & !receives);
        link!(self.ends.scheduled, frames, address, wires);
        // A link occurs several times in the order, so the pair number tells its frames apart.
        self.frames.reset.next = false;
        self.frames.stamp.next = self.sequencer.pair.val().resized();
        self.frames.ready.next = !self.follower.busy.val() & !hang;
        let sends = self.table.sends.val() & (taken & from_flag).any();
        self.frames.send.next = sends & !hang;
        // While the node receives, the outcome shows the slot of the incoming message.
        self.frames.slot.next = if transmit { from } else { into };
        self.frames.own.next = into;
        self.frames.own_full.next = (taken & into_flag).any();
        self.frames.forget.next = false;
        link!(self.ends.scheduled, frames, outcome);

        join!(self, follower, messages, busy => routes, memory => router);
        join!(self, frames, messages, memory => frames);

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
