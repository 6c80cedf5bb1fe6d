//! Time: the phases of the schedule, and the synchronisation points of a phase.

use rtl::tdma::EnginePlan;
use rtl::uart::BITS_PER_BYTE;
use rtl::CLOCKS_PER_BIT;

/// Clock cycles from the opening of the frame window until the receiver has the whole first byte.
/// The start bit passes two flip-flops of the pin muxes, a bit is sampled in its middle, and the CRC
/// takes eight clock cycles.
const FIRST_BYTE: u64 = 87;

/// Clock cycles of a byte on the wire.
const BYTE: u64 = BITS_PER_BYTE as u64 * CLOCKS_PER_BIT as u64;

/// A clock cycle after all others.
pub const NEVER: u64 = u64::MAX;

/// Position of the machine in its schedule.
///
/// A phase begins in the clock cycle after the phase clock rises. A program sees its beginning one clock
/// cycle later.
#[derive(Clone, Copy, Debug)]
pub struct PhaseClock {
    /// First clock cycle of phase 0, or [`NEVER`].
    pub first: u64,
    /// Clock cycles of a phase.
    pub period: u64,
    /// Phases of a superframe.
    pub phases: u64,
    /// Phases that have begun.
    pub begun: u64,
    /// First clock cycle of the phase that has begun last.
    pub begin: u64,
}

impl PhaseClock {
    pub fn new(links: u32) -> Self {
        PhaseClock { first: NEVER, period: 0, phases: 2 * u64::from(links), begun: 0, begin: 0 }
    }

    /// First clock cycle of the next phase.
    pub fn next_begin(&self) -> u64 {
        match self.begun {
            0 => self.first,
            _ => self.begin + self.period,
        }
    }

    /// Begins the next phase.
    pub fn advance(&mut self) {
        self.begin = self.next_begin();
        self.begun += 1;
    }

    /// Returns the clock during an earlier phase; `begun` counts phases from 1.
    pub fn at(&self, begun: u64) -> Self {
        PhaseClock { begun, begin: self.first + (begun - 1) * self.period, ..*self }
    }

    /// Phase in its superframe in clock cycle `t`, which is not after the first one of the next
    /// phase. 0 before the first phase.
    pub fn phase(&self, t: u64) -> u32 {
        let begun = self.begun + u64::from(t >= self.next_begin());
        (begun.saturating_sub(1) % self.phases) as u32
    }

    /// True if no phase has begun in clock cycle `t`.
    pub fn is_before(&self, t: u64) -> bool {
        t < self.first
    }

    /// Superframes that have begun, including the present one.
    pub fn superframes(&self) -> u64 {
        self.begun.div_ceil(self.phases)
    }
}

/// Clock cycles of a phase in which the state of nodes changes, counted from its beginning.
#[derive(Clone, Copy, Debug)]
pub struct PhaseTimes {
    /// The frame window opens.
    pub window: u64,
    /// The receiver has the length of the frame in the clock cycle after this one.
    pub length: u64,
    /// The sender releases the wire.
    pub close: u64,
    /// The answer slot opens.
    pub answer: u64,
    /// The answer slot closes.
    pub answer_close: u64,
}

impl PhaseTimes {
    pub fn new(plan: &EnginePlan) -> Self {
        let phase = plan.phase;
        PhaseTimes {
            window: phase.frame_open,
            length: phase.frame_open + FIRST_BYTE + 2 * BYTE - 1,
            close: phase.frame_close,
            answer: phase.answer_open,
            answer_close: phase.answer_close,
        }
    }

    /// First clock cycle in which the receive buffer shows a frame with this length byte. Sync byte,
    /// header and length go before the message, and two bytes of CRC after it.
    pub fn stored(&self, length: u64) -> u64 {
        self.window + FIRST_BYTE + (4 + length) * BYTE + 1
    }

    /// First clock cycle in which the sender shows the answer of two bytes.
    pub fn answered(&self) -> u64 {
        self.answer + FIRST_BYTE + BYTE + 1
    }

    /// The state of the link is recorded in this clock cycle.
    pub fn recorded(&self) -> u64 {
        self.answer_close + 2
    }
}

/// Synchronisation point: a clock cycle of a phase that all nodes reach before any of them runs
/// further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SyncPoint {
    /// The phase begins.
    Begin,
    /// The frame window opens.
    Window,
    /// Receivers know the length of the frame.
    Length,
    /// The answer slot opens.
    Answer,
    /// Senders record the outcome.
    Record,
}

impl SyncPoint {
    /// Returns the next synchronisation point. `Begin` follows `Record`, in the next phase.
    pub fn next(self) -> Self {
        match self {
            SyncPoint::Begin => SyncPoint::Window,
            SyncPoint::Window => SyncPoint::Length,
            SyncPoint::Length => SyncPoint::Answer,
            SyncPoint::Answer => SyncPoint::Record,
            SyncPoint::Record => SyncPoint::Begin,
        }
    }

    /// Clock cycle of this synchronisation point, which is the next one. Its effect is visible one
    /// clock cycle later.
    pub fn time(self, clock: &PhaseClock, times: &PhaseTimes) -> u64 {
        match self {
            SyncPoint::Begin => clock.next_begin(),
            SyncPoint::Window => clock.begin + times.window,
            SyncPoint::Length => clock.begin + times.length,
            SyncPoint::Answer => clock.begin + times.answer,
            SyncPoint::Record => clock.begin + times.recorded(),
        }
    }
}
