//! Beginnings and ends of windows for a node in a phase, and the frames between nodes.

use crate::node::{Common, Node, BUFFER_BYTES, TIMEOUTS, TURN};
use crate::phase::{PhaseClock, NEVER};
use rtl::tdma::{ReceiveResult, SendResult};

/// Consecutive phases without a decision after which a node falls silent.
const SILENT_AFTER: u32 = 64;

/// Consecutive timeouts after which a link is down.
const DOWN_AFTER: u8 = 64;

impl Node {
    /// Begins a phase.
    pub fn begin_phase(&mut self, common: &Common, clock: &PhaseClock) {
        self.settle_buffers(NEVER - 1);
        self.sent = SendResult::Nothing;
        self.answer = (NEVER, SendResult::Nothing);
        self.received = ReceiveResult::Nothing;
        self.missed = false;
        let begin = clock.begin;
        self.due = begin + 1 + common.background.unwrap_or(0);
        // The host sees at the beginning of a phase whether a program computes.
        let state = &self.state;
        self.quiet &= state.context == 0 && state.asleep[0];
        if self.hangs {
            return;
        }
        let from = match self.is_open(begin) {
            true => self.open.0,
            false => begin + 1,
        };
        self.open = (from, begin + common.times.window + 1);
        let close = begin + common.times.answer_close;
        self.masked = (close, close + 1);
        self.decided = NEVER;
        self.reopens = false;
        self.sends = false;
        self.counted_from = begin + 1;
    }

    /// Opens the frame window. Returns true if the node sends a frame.
    pub fn open_window(&mut self, common: &Common, clock: &PhaseClock) -> bool {
        let t = clock.begin + common.times.window;
        let is_ready = self.decided <= t && !self.hangs;
        let is_silent = self.undecided >= SILENT_AFTER;
        self.listens = is_ready || !is_silent;
        if is_ready {
            self.undecided = 0;
        } else {
            self.quiet = false;
            self.undecided = (self.undecided + 1).min(SILENT_AFTER);
        }
        if !self.transmits(clock, t) {
            return false;
        }
        let dim = clock.phase(t) >> 1;
        if !is_ready {
            self.missed = true;
        } else if self.sends {
            self.sent = SendResult::Timeout;
            self.quiet = false;
        } else if common.plan.acked && self.state.pending >> dim & 1 == 0 {
            self.state.messages[dim as usize * BUFFER_BYTES + TURN] = 0;
        }
        self.sent != SendResult::Nothing
    }

    /// Opens the answer slot.
    pub fn open_answer(&mut self, common: &Common, clock: &PhaseClock) {
        let t = clock.begin + common.times.answer;
        if self.reopens && self.decision != t {
            self.open = (t + 1, NEVER);
        }
        self.reopens = false;
    }

    /// Records the outcome of a frame that the node sent.
    pub fn record_outcome(&mut self, common: &Common, clock: &PhaseClock) {
        if self.sent == SendResult::Nothing || !common.plan.acked {
            return;
        }
        let t = clock.begin + common.times.recorded();
        let dim = clock.phase(t) >> 1;
        let outcome = self.sent_at(t);
        let (is_silent, is_taken) =
            (outcome == SendResult::Timeout, outcome == SendResult::Accepted);
        let link = dim as usize * BUFFER_BYTES;
        let timeouts = self.state.messages[link + TIMEOUTS];
        if is_silent && timeouts == DOWN_AFTER - 1 {
            self.state.down |= 1 << dim;
        }
        self.state.messages[link + TIMEOUTS] = match is_silent {
            true => timeouts.wrapping_add(1),
            false => 0,
        };
        let advances = is_taken && common.plan.round_robin;
        self.state.messages[link + TURN] = self.state.choice as u8 + u8::from(advances);
        if is_taken {
            self.state.sequences ^= 1 << dim;
            self.state.full &= !(1 << self.state.choice);
        }
        self.state.pending &= !(1 << dim);
        self.state.pending |= u32::from(is_silent) << dim;
    }
}

/// Sends a frame, which reaches the receiver if the link passes it.
pub fn send_frame(common: &Common, clock: &PhaseClock, sender: &mut Node) {
    let begin = clock.begin;
    let times = &common.times;
    if common.plan.acked {
        let close = begin + times.answer_close;
        sender.masked = (close, close + 3);
    } else {
        // On a link without answers a sent frame counts as accepted.
        sender.answer = (begin + times.close + 1, SendResult::Accepted);
        sender.frees = (begin + times.close + 1, sender.state.choice);
    }
}

/// Receives a frame, and answers it.
pub fn receive_frame(common: &Common, clock: &PhaseClock, sender: &mut Node, receiver: &mut Node) {
    let begin = clock.begin;
    let times = &common.times;
    let t = begin + times.length + 1;
    let dim = clock.phase(t) >> 1;
    let acked = common.plan.acked;
    if !receiver.listens {
        return;
    }
    receiver.quiet = false;
    let from = sender.state.choice as usize * BUFFER_BYTES;
    let length = sender.state.messages[from];
    if length < 2 || u64::from(length) > common.plan.payload {
        receiver.received = ReceiveResult::Damaged;
        return;
    }
    receiver.settle_buffers(t);
    let is_full = receiver.state.full >> dim & 1 == 1;
    let is_repeat = (sender.state.sequences ^ receiver.state.expected) >> dim & 1 == 1;
    let naks = is_full && !(acked && is_repeat);
    let stores = !(acked && (naks || is_repeat));
    if !acked || !is_full {
        let bytes = usize::from(length) + 1;
        let to = dim as usize * BUFFER_BYTES;
        let message = &sender.state.messages[from..from + bytes];
        receiver.state.messages[to..to + bytes].copy_from_slice(message);
    }
    receiver.received = match (stores, naks) {
        (true, true) => ReceiveResult::Overwrote,
        (true, false) => ReceiveResult::Stored,
        (false, true) => ReceiveResult::Nak,
        (false, false) => ReceiveResult::Repeat,
    };
    if stores {
        receiver.fills = (begin + times.stored(length.into()), dim);
        if is_full {
            receiver.frees = (t + 1, dim);
        }
        if acked {
            receiver.state.expected ^= 1 << dim;
        }
    }
    if acked {
        let outcome = if naks { SendResult::Nak } else { SendResult::Accepted };
        sender.answer = (begin + times.answered(), outcome);
    }
}
