//! What a node keeps of its links from phase to phase, and what it tells of the phase.

use super::{EnginePlan, Entry, FrameOutcome, HeardFrom, LinkBit, Received, Sent, SLOT_BITS};
use hdl::cells::{Parameter, Reg};
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// Silences in a row after which a link is down.
const SILENCES: u64 = 64;

/// The bit of a count of phases that is set after 64 of them.
const SIXTY_FOUR: usize = 6;

/// Decides whether a frame begins, tells what became of it, and brings the state of the
/// link up to date.
///
/// After silence the link has a frame to repeat (`pending`). After 64
/// silences in a row the link is `down` until reset. Refusals end no link: a
/// neighbour that is busy is alive. A node that has not decided for 64 phases in a
/// row falls silent until it decides again, so that its neighbours take it for dead.
///
/// A link has a turn: the register that is served first the next time, after one
/// whose message was taken the next register, else the same one again; where messages
/// are counted, after a refusal the first of the next count, since only registers of
/// this count may be full. So every register that wants the link gets it in turn, and a
/// frame to be repeated is found again. When nothing wants the link the turn is register
/// 0's, so that an idle machine remembers nothing.
///
/// What a link keeps beside its four flip-flops lies in the last word of its
/// register in the message memory: the turn in its lowest byte, then the number of
/// silences.
#[derive(LogicBlock, Circuit, Default)]
pub struct LinkState<const LINKS: usize> {
    pub clock: Signal<In, Clock>,
    /// As at the start: nothing is known of any link. Not while frames go to and fro.
    pub reset: Signal<In, Bit>,
    /// Forget the phase: another one begins, or the node is out of step.
    pub stop: Signal<In, Bit>,
    /// The sender begins its frame.
    pub frame_open: Signal<In, Bit>,
    /// The sender lets go of the wire.
    pub frame_close: Signal<In, Bit>,
    /// The receiver lets go of the wire.
    pub answer_close: Signal<In, Bit>,
    /// The link of the phase, one-hot.
    pub select: Signal<In, Bits<LINKS>>,
    /// The node sends in this phase, else it receives.
    pub transmit: Signal<In, Bit>,
    /// The node has decided what it sends.
    pub ready: Signal<In, Bit>,
    /// The node sends a message.
    pub send: Signal<In, Bit>,
    /// The register of the message that is sent.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// With counts: the register whose turn it is if the message is refused. Without, it
    /// is the same one's.
    pub after_refusal: Signal<In, Bits<SLOT_BITS>>,
    /// The message that the link had to repeat was given up.
    pub forget: Signal<In, Bit>,
    /// High for one clock cycle: a frame begins.
    pub start: Signal<Out, Bit>,
    /// The sequence bit of the next new frame to the neighbour.
    pub sequence: Signal<Out, Bit>,
    /// The sequence bit of the next new frame from the neighbour.
    pub expected: Signal<Out, Bit>,
    pub heard: HeardFrom,
    /// High for one clock cycle: the receive register has a message.
    pub store: Signal<Out, Bit>,
    /// High for one clock cycle: the register `slot` is free.
    pub free: Signal<Out, Bit>,
    /// The link must repeat a frame.
    pub pending: Signal<Out, Bit>,
    /// The link is down.
    pub down: Signal<Out, Bit>,
    /// Links that are down.
    pub all_down: Signal<Out, Bits<LINKS>>,
    pub outcome: FrameOutcome,
    /// What the message memory keeps of the link: its silences, in the clock cycle in
    /// which others are written.
    pub read_data: Signal<In, Bits<8>>,
    /// What is written of the link's state in this clock cycle.
    pub entry: Signal<Out, Entry>,
    /// The value that is written.
    pub entry_data: Signal<Out, Bits<8>>,
    acked: Parameter<Bit>,
    /// Each link serves in turns.
    turns: Parameter<Bit>,
    /// Frames tell how many cross edges their message has passed.
    counts: Parameter<Bit>,
    sequences: LinkBit<LINKS>,
    expectations: LinkBit<LINKS>,
    pendings: LinkBit<LINKS>,
    downs: LinkBit<LINKS>,
    entry_now: Reg<Entry>,
    was_late: Reg<Bit>,
    /// Phases in a row in which the node was not ready, up to 64.
    undecided: Reg<Bits<7>>,
    sent_so_far: Reg<Sent>,
    received_so_far: Reg<Received>,
}

impl<const LINKS: usize> LinkState<LINKS> {
    /// Frames tell how many cross edges their message has passed if they are counted, as in
    /// a metacube.
    pub fn new(plan: EnginePlan, counts: bool) -> Self {
        LinkState {
            acked: Parameter::new(plan.acked),
            turns: Parameter::new(plan.turns),
            counts: Parameter::new(counts),
            ..Default::default()
        }
    }
}

/// What becomes of a good frame.
#[kernel]
fn of_frame(store: bool, refusal: bool) -> Received {
    let full = if store {
        Received::Overwrote
    } else {
        Received::Refused
    };
    let free = if store {
        Received::Stored
    } else {
        Received::Repeat
    };
    if refusal {
        full
    } else {
        free
    }
}

impl<const LINKS: usize> Logic for LinkState<LINKS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, entry_now, was_late, undecided);
        dff_setup!(self, clock, sent_so_far, received_so_far);
        clock!(self, clock, sequences, expectations, pendings, downs);
        link!(self, sequences, reset);
        link!(self, expectations, reset);
        link!(self, pendings, reset);
        link!(self, downs, reset);
        let acked = self.acked.val();
        let transmit = self.transmit.val();
        let sent = self.sent_so_far.q.val();
        let received = self.received_so_far.q.val();
        let entry = self.entry_now.q.val();
        let refusal = self.heard.refusal.val();

        // What became of a frame that is heard, and of the one that is answered.
        let frame = self.heard.frame.val();
        let store = frame & !(acked & (refusal | self.heard.repeat.val()));
        self.store.next = store;
        if self.heard.spoil.val() {
            self.received_so_far.d.next = Received::Spoiled;
        } else if frame {
            self.received_so_far.d.next = of_frame(store, refusal);
        } else if self.heard.byte.val() & (received == Received::Nothing) {
            self.received_so_far.d.next = Received::Damaged;
        }
        if self.heard.answer.val() {
            self.sent_so_far.d.next = if refusal { Sent::Refused } else { Sent::Taken };
        }

        // The frame window.
        let ready = self.ready.val();
        let fell_silent = self.undecided.q.val().get_bit(SIXTY_FOUR);
        let begins = if transmit {
            ready & self.send.val()
        } else {
            ready | !fell_silent
        };
        self.start.next = self.frame_open.val() & begins;
        if self.frame_open.val() {
            if ready {
                self.undecided.d.next = 0.into();
            } else if !fell_silent {
                self.undecided.d.next = self.undecided.q.val() + 1;
            }
            if transmit & !ready {
                self.was_late.d.next = true;
            } else if transmit & begins {
                self.sent_so_far.d.next = Sent::Silent;
            } else if transmit & acked & !self.pendings.value.val() {
                self.entry_now.d.next = Entry::Turn;
            }
        }
        // Without answers a frame is taken for received.
        let given = self.frame_close.val() & !acked & (sent == Sent::Silent);
        if given {
            self.sent_so_far.d.next = Sent::Taken;
        }
        if acked & self.answer_close.val() & (sent != Sent::Nothing) {
            self.entry_now.d.next = Entry::Silences;
        }

        // After the answer the link's state is brought up to date.
        let silent = sent == Sent::Silent;
        let taken = sent == Sent::Taken;
        let in_silences = entry == Entry::Silences;
        let in_turn = entry == Entry::Turn;
        let silences = self.read_data.val();
        if in_silences {
            self.entry_now.d.next = Entry::Turn;
        } else if in_turn {
            self.entry_now.d.next = Entry::Nothing;
        }
        let refused = self.counts.val() & (sent == Sent::Refused);
        let served = if refused {
            self.after_refusal.val()
        } else {
            self.slot.val()
        };
        let turn = served.resized::<8>() + (taken & self.turns.val());
        self.entry.next = entry;
        if in_silences & silent {
            self.entry_data.next = silences + 1;
        } else if in_turn & (sent != Sent::Nothing) {
            self.entry_data.next = turn;
        } else {
            self.entry_data.next = 0.into();
        }
        self.free.next = given | (in_turn & taken);
        link!(self, sequences, select, sequence => value);
        self.sequences.write.next = in_turn & taken;
        self.sequences.data.next = !self.sequences.value.val();
        link!(self, expectations, select, expected => value);
        self.expectations.write.next = acked & store;
        self.expectations.data.next = !self.expectations.value.val();
        link!(self, pendings, select, pending => value);
        self.pendings.write.next = self.forget.val() | in_turn;
        self.pendings.data.next = silent & !self.forget.val();
        link!(self, downs, select, down => value, all_down => all);
        self.downs.write.next = in_silences & silent & (silences == SILENCES - 1);
        self.downs.data.next = true;

        let reset = self.reset.val();
        if self.stop.val() | reset {
            self.entry_now.d.next = Entry::Nothing;
            self.was_late.d.next = false;
            self.sent_so_far.d.next = Sent::Nothing;
            self.received_so_far.d.next = Received::Nothing;
        }
        if reset {
            self.undecided.d.next = 0.into();
        }
        self.outcome.late.next = self.was_late.q.val();
        self.outcome.sent.next = sent;
        self.outcome.sent_slot.next = self.slot.val();
        self.outcome.received.next = received;
    }
}
