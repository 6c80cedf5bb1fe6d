//! The state of the links that a node keeps from phase to phase, and the outcome of each phase.

use super::{
    EnginePlan, FrameEventsIn, FrameOutcome, LinkRecord, ReceiveResult, SendResult, SLOT_BITS,
};
use hdl::prelude::*;

/// Number of consecutive timeouts after which a link is down.
const DOWN_AFTER: u64 = 64;

/// Index of the counter bit that is set after 64 phases.
const SILENT_AFTER_LOG2: usize = 6;

/// Decides whether a frame begins, reports its outcome, and updates the state of the link.
///
/// After a timeout the link has a frame to repeat (`pending`). After 64 consecutive timeouts the
/// link is `down` until reset. NAKs never take a link down: a busy neighbour is alive. A node that
/// has not decided for 64 consecutive phases stops answering until it decides again, so that its
/// neighbours consider it dead.
///
/// Each link has a turn: the number of the buffer that it serves first the next time. After a
/// message was taken, the turn is the next buffer, otherwise the same one. Where cross edges are
/// counted, the turn after a NAK is the first buffer of the next count. At the neighbour perhaps
/// only the buffer of the current count is full. Every buffer that uses the link is thus served
/// round-robin, and a frame to repeat is found again. When no buffer uses the link, the turn is
/// buffer 0, so that an idle machine keeps no history.
///
/// Four flip-flops per link are kept here. The rest of the state is in the last word of the link's
/// buffer in the message memory. The lowest byte is the turn, the next one the number of timeouts.
#[derive(LogicBlock, Circuit, Default)]
pub struct LinkState<const LINKS: usize> {
    pub clock: Signal<In, Clock>,
    /// Reset to the initial state of all links. Not allowed while frames are on the wires.
    pub reset: Signal<In, Bit>,
    /// Discard the state of the phase: another phase begins, or the node has lost sync.
    pub stop: Signal<In, Bit>,
    /// The sender begins its frame.
    pub frame_open: Signal<In, Bit>,
    /// The sender releases the wire.
    pub frame_close: Signal<In, Bit>,
    /// The receiver releases the wire.
    pub answer_close: Signal<In, Bit>,
    /// Link of the phase, one-hot.
    pub select: Signal<In, Bits<LINKS>>,
    /// The node transmits in this phase, otherwise it receives.
    pub transmit: Signal<In, Bit>,
    /// The node has decided what it sends.
    pub ready: Signal<In, Bit>,
    /// The node sends a message.
    pub send: Signal<In, Bit>,
    /// Buffer of the message to send.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// Buffer that gets the turn if the message gets a NAK and frames count cross edges. Without
    /// counts the same buffer keeps the turn.
    pub after_nak: Signal<In, Bits<SLOT_BITS>>,
    /// The message that the link had to repeat was dropped.
    pub forget: Signal<In, Bit>,
    /// High for one clock cycle: a frame begins.
    pub start: Signal<Out, Bit>,
    /// Sequence bit of the next new frame to the neighbour.
    pub sequence: Signal<Out, Bit>,
    /// Sequence bit of the next new frame from the neighbour.
    pub expected: Signal<Out, Bit>,
    pub events: FrameEventsIn,
    /// High for one clock cycle: the receive buffer now holds a message.
    pub store: Signal<Out, Bit>,
    /// High for one clock cycle: buffer `slot` is free.
    pub free: Signal<Out, Bit>,
    /// The link must repeat a frame.
    pub pending: Signal<Out, Bit>,
    /// The link is down.
    pub down: Signal<Out, Bit>,
    /// Links that are down.
    pub all_down: Signal<Out, Bits<LINKS>>,
    pub outcome: FrameOutcome,
    /// Byte of the link's state read from the message memory: its timeouts, in the clock cycle in
    /// which the new number is written.
    pub read_data: Signal<In, Bits<8>>,
    /// Record about the link that is written in this clock cycle.
    pub record: Signal<Out, LinkRecord>,
    /// Value to write.
    pub record_data: Signal<Out, Bits<8>>,
    acked: Parameter<Bit>,
    /// Each link serves buffers round-robin.
    turns: Parameter<Bit>,
    /// Frames carry the number of cross edges that their message has passed.
    counts: Parameter<Bit>,
    sequences: LinkBit<LINKS>,
    expectations: LinkBit<LINKS>,
    pendings: LinkBit<LINKS>,
    downs: LinkBit<LINKS>,
    current_record: Reg<LinkRecord>,
    has_missed_deadline: Reg<Bit>,
    /// Number of consecutive phases in which the node was not ready, up to 64.
    undecided: Reg<Bits<7>>,
    sent_so_far: Reg<SendResult>,
    received_so_far: Reg<ReceiveResult>,
}

impl<const LINKS: usize> LinkState<LINKS> {
    /// Makes the state of a node's links. With `counts`, frames carry the number of cross edges
    /// that their message has passed, as in a metacube.
    pub fn new(plan: EnginePlan, counts: bool) -> Self {
        LinkState {
            acked: Parameter::new(plan.acked),
            turns: Parameter::new(plan.round_robin),
            counts: Parameter::new(counts),
            ..Default::default()
        }
    }
}

/// Outcome of a valid frame.
#[kernel]
fn send_result(nak: bool) -> SendResult {
    if nak {
        SendResult::Nak
    } else {
        SendResult::Accepted
    }
}

#[kernel]
fn receive_result(store: bool, nak: bool) -> ReceiveResult {
    let full = if store { ReceiveResult::Overwrote } else { ReceiveResult::Nak };
    let free = if store { ReceiveResult::Stored } else { ReceiveResult::Repeat };
    if nak {
        full
    } else {
        free
    }
}

impl<const LINKS: usize> Logic for LinkState<LINKS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, current_record, has_missed_deadline, undecided);
        dff_setup!(self, clock, sent_so_far, received_so_far);
        clock!(self, clock, sequences, expectations, pendings, downs);
        link!(self -> sequences: reset);
        link!(self -> expectations: reset);
        link!(self -> pendings: reset);
        link!(self -> downs: reset);
        let acked = self.acked.val();
        let transmit = self.transmit.val();
        let sent = self.sent_so_far.q.val();
        let received = self.received_so_far.q.val();
        let record = self.current_record.q.val();
        let nak = self.events.nak.val();
        // Outcomes of the frame being received and of the frame being answered.
        let frame = self.events.frame.val();
        let store = frame & !(acked & (nak | self.events.repeat.val()));
        self.store.next = store;
        if self.events.spoil.val() {
            self.received_so_far.d.next = ReceiveResult::Spoiled;
        } else if frame {
            self.received_so_far.d.next = receive_result(store, nak);
        } else if self.events.byte.val() & (received == ReceiveResult::Nothing) {
            self.received_so_far.d.next = ReceiveResult::Damaged;
        }
        if self.events.answer.val() {
            self.sent_so_far.d.next = send_result(nak);
        }

        // The frame window.
        let ready = self.ready.val();
        let fell_silent = self.undecided.q.val().get_bit(SILENT_AFTER_LOG2);
        let begins = if transmit { ready & self.send.val() } else { ready | !fell_silent };
        self.start.next = self.frame_open.val() & begins;
        if self.frame_open.val() {
            if ready {
                self.undecided.d.next = 0.into();
            } else if !fell_silent {
                self.undecided.d.next = self.undecided.q.val() + 1;
            }
            if transmit & !ready {
                self.has_missed_deadline.d.next = true;
            } else if transmit & begins {
                self.sent_so_far.d.next = SendResult::Timeout;
            } else if transmit & acked & !self.pendings.value.val() {
                self.current_record.d.next = LinkRecord::Turn;
            }
        }
        // Without answers a frame is assumed to be received.
        let given = self.frame_close.val() & !acked & (sent == SendResult::Timeout);
        if given {
            self.sent_so_far.d.next = SendResult::Accepted;
        }
        if acked & self.answer_close.val() & (sent != SendResult::Nothing) {
            self.current_record.d.next = LinkRecord::Timeouts;
        }

        // Updates the state of the link after the answer.
        let silent = sent == SendResult::Timeout;
        let taken = sent == SendResult::Accepted;
        let in_timeouts = record == LinkRecord::Timeouts;
        let in_turn = record == LinkRecord::Turn;
        let timeouts = self.read_data.val();
        if in_timeouts {
            self.current_record.d.next = LinkRecord::Turn;
        } else if in_turn {
            self.current_record.d.next = LinkRecord::Nothing;
        }
        let has_nak = self.counts.val() & (sent == SendResult::Nak);
        let served = if has_nak { self.after_nak.val() } else { self.slot.val() };
        let turn = served.resized::<8>() + (taken & self.turns.val());
        self.record.next = record;
        if in_timeouts & silent {
            self.record_data.next = timeouts + 1;
        } else if in_turn & (sent != SendResult::Nothing) {
            self.record_data.next = turn;
        } else {
            self.record_data.next = 0.into();
        }
        self.free.next = given | (in_turn & taken);
        link!(self -> sequences: select);
        link!(sequences -> self: value -> sequence);
        self.sequences.write.next = in_turn & taken;
        self.sequences.data.next = !self.sequences.value.val();
        link!(self -> expectations: select);
        link!(expectations -> self: value -> expected);
        self.expectations.write.next = acked & store;
        self.expectations.data.next = !self.expectations.value.val();
        link!(self -> pendings: select);
        link!(pendings -> self: value -> pending);
        self.pendings.write.next = self.forget.val() | in_turn;
        self.pendings.data.next = silent & !self.forget.val();
        link!(self -> downs: select);
        link!(downs -> self: value -> down, all -> all_down);
        self.downs.write.next = in_timeouts & silent & (timeouts == DOWN_AFTER - 1);
        self.downs.data.next = true;

        let reset = self.reset.val();
        if self.stop.val() | reset {
            self.current_record.d.next = LinkRecord::Nothing;
            self.has_missed_deadline.d.next = false;
            self.sent_so_far.d.next = SendResult::Nothing;
            self.received_so_far.d.next = ReceiveResult::Nothing;
        }
        if reset {
            self.undecided.d.next = 0.into();
        }
        self.outcome.missed_deadline.next = self.has_missed_deadline.q.val();
        self.outcome.sent.next = sent;
        self.outcome.sent_slot.next = self.slot.val();
        self.outcome.received.next = received;
    }
}

/// One bit of state for each link of a node.
#[derive(LogicBlock, Circuit, Default)]
pub struct LinkBit<const DIMS: usize> {
    pub clock: Signal<In, Clock>,
    /// Clears all bits.
    pub reset: Signal<In, Bit>,
    /// Selected link, one-hot.
    pub select: Signal<In, Bits<DIMS>>,
    /// Bit of the selected link; low if no link is selected.
    pub value: Signal<Out, Bit>,
    /// Bits of all links.
    pub all: Signal<Out, Bits<DIMS>>,
    /// Writes the bit of the selected link.
    pub write: Signal<In, Bit>,
    /// New value of the bit.
    pub data: Signal<In, Bit>,
    bits_of_links: Reg<Bits<DIMS>>,
}

impl<const DIMS: usize> Logic for LinkBit<DIMS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, bits_of_links);
        let all = self.bits_of_links.q.val();
        self.value.next = (all & self.select.val()).any();
        self.all.next = all;
        if self.write.val() {
            if self.data.val() {
                self.bits_of_links.d.next = all | self.select.val();
            } else {
                self.bits_of_links.d.next = all & !self.select.val();
            }
        }
        if self.reset.val() {
            self.bits_of_links.d.next = 0.into();
        }
    }
}
