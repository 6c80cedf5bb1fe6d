//! Length of a phase and its parts.

use crate::networks::tdma::frame::{OVERHEAD, PAYLOAD_MAX};
use interconnect::topology::Metacube;
use rtl::tdma::buffers::last_buffer;
use rtl::tdma::{pool_slots, EnginePlan, PhasePlan};
use rtl::uart::BITS_PER_BYTE;
use std::ops::Range;

/// Plan of a phase, in bit-times (docs/machine.md, "Phase"). The parts are service window, guard,
/// frame window, turnaround and answer slot if receivers answer, and guard.
///
/// In the service window the nodes decide what they send. In the first guard the pins settle. In
/// the second guard a late sender finishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseTiming {
    /// Clock cycles in a bit-time.
    pub clocks_per_bit: u32,
    /// Bit-times of the service window.
    pub service: u32,
    /// Bit-times of each guard.
    pub guard: u32,
    /// Payload of the longest frame in bytes, including its destination.
    pub payload: u32,
    /// True if receivers answer.
    pub acked: bool,
    /// Clock cycles from reset to the first phase, in which programs initialise.
    pub start: u32,
}

/// Bit-times between the frame window and the answer.
const TURNAROUND: u32 = 2;

/// Bit-times of each of the two guards.
const GUARD: u32 = 2;

/// Clock cycles of the circuits between a bit on the wire and the reaction to it. The CRC takes
/// eight of them.
const REACTION: u32 = 16;

impl PhaseTiming {
    /// Returns the clock cycles until the next bit-time begins: a whole bit-time if one begins now.
    pub(super) fn clocks_until_bit(&self, clock_cycles: u64) -> u64 {
        let bit = u64::from(self.clocks_per_bit);
        bit - clock_cycles % bit
    }

    /// Returns the timing without a service window and without answers, for a host that decides at
    /// once.
    ///
    /// # Panics
    /// If a frame cannot carry that much payload.
    pub fn raw(clocks_per_bit: u32, payload: usize) -> Self {
        assert!(payload <= PAYLOAD_MAX, "a frame carries {PAYLOAD_MAX} bytes");
        PhaseTiming {
            clocks_per_bit,
            service: 0,
            guard: GUARD,
            payload: payload as u32,
            acked: false,
            start: 0,
        }
    }

    /// Returns the timing for nodes of this shape whose forwarder is a circuit.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn forwarder(
        clocks_per_bit: u32,
        payload: usize,
        shape: impl Into<Metacube>,
        acked: bool,
    ) -> Self {
        let clocks = forwarder_clocks(shape.into(), payload as u32);
        PhaseTiming::with_service(clocks_per_bit, payload, acked, clocks)
    }

    /// Returns the timing for nodes that follow a compiled schedule, without answers.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn compiled(clocks_per_bit: u32, payload: usize) -> Self {
        let clocks = compiled_clocks(payload as u32);
        PhaseTiming::with_service(clocks_per_bit, payload, false, clocks)
    }

    /// Returns the timing for nodes of a cube with `dims` dimensions that route adaptively, with
    /// answers.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn adaptive(clocks_per_bit: u32, payload: usize, dims: u32) -> Self {
        let clocks = adaptive_clocks(dims, payload as u32);
        PhaseTiming::with_service(clocks_per_bit, payload, true, clocks)
    }

    /// Returns the timing for adaptive nodes that run the program `route`, which looks ahead.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn adaptive_software(clocks_per_bit: u32, payload: usize, dims: u32) -> Self {
        let places = pool_slots(dims as usize) as u32;
        let timing = PhaseTiming::with_service(clocks_per_bit, payload, true, 1);
        timing.with_look_ahead(&LOOK_AHEAD_POOL, places)
    }

    /// Returns the timing for nodes of this shape that run the program `route`, which looks ahead.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn look_ahead(
        clocks_per_bit: u32,
        payload: usize,
        shape: impl Into<Metacube>,
        acked: bool,
    ) -> Self {
        let shape = shape.into();
        let ahead = &LOOK_AHEAD[shape.class_bits() as usize];
        let timing = PhaseTiming::with_service(clocks_per_bit, payload, acked, 1);
        timing.with_look_ahead(ahead, buffer_count(shape))
    }

    /// Sets service window and start for nodes with `registers` buffers or slots that run a program
    /// which looks ahead.
    fn with_look_ahead(self, ahead: &LookAheadClocks, registers: u32) -> Self {
        let clocks = ahead.clocks(registers, self.payload, &self.plan().phase, self.acked);
        PhaseTiming { service: clocks.div_ceil(self.clocks_per_bit), start: ahead.start, ..self }
    }

    /// Returns the timing for nodes of this shape that run a program which routes while it waits
    /// for a phase.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn software(
        clocks_per_bit: u32,
        payload: usize,
        shape: impl Into<Metacube>,
        acked: bool,
    ) -> Self {
        let shape = shape.into();
        let clocks = software_clocks(shape, payload as u32);
        PhaseTiming {
            start: start_clocks(shape),
            ..PhaseTiming::with_service(clocks_per_bit, payload, acked, clocks)
        }
    }

    /// Returns the timing for all nodes of this shape on one core, together with their host
    /// ([`TimeMultiplexedNodes`](rtl::hosted::TimeMultiplexedNodes)). The nodes run the program `route`, have
    /// answers, and are time-multiplexed. Clock cycles are counted in the time of one node.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn hosted(clocks_per_bit: u32, payload: usize, shape: impl Into<Metacube>) -> Self {
        let shape = shape.into();
        PhaseTiming::of_groups(clocks_per_bit, payload, shape, shape.nodes())
    }

    /// Returns the timing for nodes of this shape of which groups of `nodes` nodes have a core each,
    /// as [`hosted`](Self::hosted).
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn of_groups(clocks_per_bit: u32, payload: usize, shape: Metacube, nodes: u32) -> Self {
        // The core has one clock cycle in each turn. When it waits, it waits for one node after the
        // other.
        let message = 1 + payload as u32;
        let first = start_clocks(shape) + buffer_count(shape) * SOFTWARE_EMPTY + message;
        let work = software_clocks(shape, payload as u32).max(first);
        let core = ((nodes + 1) * work).div_ceil(nodes);
        let clocks = core + nodes * waiting_clocks(shape, payload as u32);
        PhaseTiming::with_service(clocks_per_bit, payload, true, clocks)
    }

    /// Returns the timing with a longer service window, for programs that do other work in addition
    /// to routing.
    #[must_use]
    pub fn with_work(self) -> Self {
        PhaseTiming {
            service: self.service + PROGRAM_STEP_CLOCKS.div_ceil(self.clocks_per_bit),
            ..self
        }
    }

    /// Returns the timing with a still longer service window, in which a StarC program prepares or
    /// ends an exchange.
    #[must_use]
    pub fn with_exchange(self) -> Self {
        PhaseTiming {
            service: self.service + STAR_EXCHANGE_CLOCKS.div_ceil(self.clocks_per_bit),
            ..self
        }
    }

    /// Returns the clock cycles that a program can leave a phase undecided, if another program then
    /// decides as `route` does.
    pub fn patience(&self, shape: Metacube) -> u32 {
        let decision =
            software_clocks(shape, self.payload) + HELD_CLOCKS + hook_clocks(self.payload);
        (self.service * self.clocks_per_bit).saturating_sub(decision)
    }

    /// Returns the timing with a service window of at least `clocks` clock cycles.
    fn with_service(clocks_per_bit: u32, payload: usize, acked: bool, clocks: u32) -> Self {
        PhaseTiming {
            service: clocks.div_ceil(clocks_per_bit),
            acked,
            ..PhaseTiming::raw(clocks_per_bit, payload)
        }
    }

    /// Returns the clock cycles that a node has for its decision, from the beginning of a phase.
    pub fn window(&self) -> u32 {
        (self.service + self.guard) * self.clocks_per_bit
    }

    /// Returns the clock cycles of a phase, from its beginning, in which messages move between
    /// nodes and hosts. The first range ends when the frame window opens. The second is the answer
    /// slot and the rest of the phase, and is empty without answers.
    pub fn host_windows(&self) -> [Range<u64>; 2] {
        let plan = self.plan().phase;
        let slot = match self.acked {
            true => plan.answer_open..plan.phase,
            false => plan.phase..plan.phase,
        };
        [0..plan.frame_open, slot]
    }

    /// Returns the bit-times of the frame window: the longest frame, and one for the delay of the
    /// circuits.
    pub fn frame_window(&self) -> u32 {
        (OVERHEAD as u32 + self.payload) * BITS_PER_BYTE + 1
    }

    /// Returns the bit-times of turnaround and answer slot: two bytes and the reaction to them.
    fn answer(&self) -> u32 {
        match self.acked {
            true => TURNAROUND + self.answer_slot(),
            false => 0,
        }
    }

    fn answer_slot(&self) -> u32 {
        2 * BITS_PER_BYTE + 1 + self.reaction()
    }

    fn reaction(&self) -> u32 {
        REACTION.div_ceil(self.clocks_per_bit)
    }

    /// Returns the bit-times of a phase.
    pub fn bit_times(&self) -> u32 {
        let work = self.service + self.frame_window() + self.answer();
        work + 2 * self.guard + self.reaction()
    }

    /// Returns the clock cycles of a phase. The number is even because a phase has two halves.
    pub fn clock_cycles(&self) -> u32 {
        (self.bit_times() * self.clocks_per_bit).next_multiple_of(2)
    }

    /// Returns the divider of the phase clock: clock cycles of half a phase, less one.
    pub fn divider(&self) -> u64 {
        u64::from(self.clock_cycles() / 2 - 1)
    }

    /// Returns the divider for `nodes` time-multiplexed nodes. A phase is longer by this factor in
    /// clock cycles of the circuit.
    pub fn divider_for(&self, nodes: u32) -> u64 {
        u64::from(self.clock_cycles() / 2 * nodes - 1)
    }

    /// Returns the parameters of the frame engines.
    pub fn plan(&self) -> EnginePlan {
        let clocks = |bit_times: u32| u64::from(bit_times * self.clocks_per_bit);
        let frame_open = clocks(self.service + self.guard);
        let frame_close = frame_open + clocks(self.frame_window());
        let (answer_open, answer_close) = match self.acked {
            true => {
                let open = frame_close + clocks(TURNAROUND + self.reaction() / 2);
                (open, open + clocks(self.answer_slot() - self.reaction() / 2))
            }
            false => (frame_close, frame_close),
        };
        EnginePlan {
            acked: self.acked,
            round_robin: self.acked,
            pool: false,
            payload: self.payload.into(),
            phase: PhasePlan {
                frame_open,
                frame_close,
                answer_open,
                answer_close,
                phase: self.clock_cycles().into(),
            },
        }
    }
}

// Clock cycles that a node needs to decide what it sends. Circuits are calculated, and programs
// are measured.

/// Returns the number of buffers that a node of this shape examines.
pub fn buffer_count(shape: Metacube) -> u32 {
    last_buffer(shape.links() as usize, shape.bits() as usize) as u32 + 1
}

/// Returns the maximum clock cycles of the forwarder. The forwarder takes a message, recalls one to
/// be repeated, examines every buffer, and delivers two messages.
pub fn forwarder_clocks(shape: Metacube, payload: u32) -> u32 {
    let message = 1 + payload;
    let look = if shape.bits() <= 8 { 3 } else { 4 };
    let begin = 3;
    begin + message + 2 + buffer_count(shape) * look + 2 * (2 * message)
}

/// Returns the maximum clock cycles of the schedule follower (`ScheduleFollower`). The follower reads its
/// instruction, delivers one message in two clock cycles a byte, and takes one message.
pub fn compiled_clocks(payload: u32) -> u32 {
    let message = 1 + payload;
    2 + 3 * message
}

/// Returns the maximum clock cycles of the adaptive forwarder. The forwarder recalls a message to
/// be repeated, examines every slot, takes a message, and delivers two messages. The slot of a
/// message is examined again after the message is taken, and after each delivery.
pub fn adaptive_clocks(dims: u32, payload: u32) -> u32 {
    let message = 1 + payload;
    let look = if dims <= 8 { 2 } else { 3 };
    let begin = 3;
    begin + 2 + pool_slots(dims as usize) as u32 * look + (message + 1) + 2 * (2 * message + 1)
}

/// Returns the maximum clock cycles of the program `route`. The program takes a message, recalls
/// one to be repeated, examines every buffer, and delivers two messages. The value is measured. The
/// tests of `sim/firmware` and `sim/metacube` check it against directed worst cases and against
/// random traffic. A core that nodes share needs this number of clock cycles once for each node.
/// `sim/hosted` checks that against random traffic.
pub fn software_clocks(shape: Metacube, payload: u32) -> u32 {
    let message = 1 + payload;
    let looks = buffer_count(shape) * (SOFTWARE_FULL + crossing_clocks(shape));
    SOFTWARE_BEGIN + message + looks + 2 * (SOFTWARE_DELIVER + 2 * message)
}

/// Clock cycles for which a program holds the second context back, with a margin
/// (`firmware/runtime/background.h`).
const HELD_CLOCKS: u32 = 64;

/// Returns the clock cycles of a hook `tdma_on_phase` that fills the injection buffer, as that of the
/// runtime of StarC does, with a margin.
fn hook_clocks(payload: u32) -> u32 {
    200 + 8 * payload
}

/// Returns the clock cycles from reset until the program `route` sleeps, with a margin.
pub fn start_clocks(shape: Metacube) -> u32 {
    SOFTWARE_START + shape.class_bits() * SOFTWARE_FIELDS
}

/// Clock cycles of a program that looks ahead, measured in the same way as [`software_clocks`].
pub struct LookAheadClocks {
    /// With answers: from the beginning of a phase to the decision, without the bytes of the
    /// message that is taken.
    begin: u32,
    /// With answers: from the beginning of the answer slot, without the bytes of the message that
    /// is delivered.
    slot: u32,
    /// From the decision until all buffers have been examined, without the time for each buffer.
    scan: u32,
    /// Time for each buffer.
    per_buffer: u32,
    /// From reset until the first phase may begin.
    pub start: u32,
}

/// The program `route` with e-cube routing, for classes of zero, one or two bits.
pub const LOOK_AHEAD: [LookAheadClocks; 3] = [
    LookAheadClocks { begin: 104, slot: 208, scan: 400, per_buffer: 42, start: 1200 },
    // Few buffers are full at a time, even with eight messages for each node.
    LookAheadClocks { begin: 108, slot: 222, scan: 785, per_buffer: 14, start: 1800 },
    // Two cross edges are available here.
    LookAheadClocks { begin: 190, slot: 330, scan: 500, per_buffer: 32, start: 2400 },
];

/// The program `route` of nodes with a pool.
pub const LOOK_AHEAD_POOL: LookAheadClocks =
    LookAheadClocks { begin: 140, slot: 190, scan: 500, per_buffer: 50, start: 1000 };

impl LookAheadClocks {
    /// Returns the maximum clock cycles up to the decision, in phases of this plan. Only the
    /// lengths of the parts after the service window matter. With answers the program takes a
    /// message and examines it. Before that it completes the work that did not fit in the answer
    /// slot. Without answers it takes one message, examines one, and sends or delivers that one.
    pub fn clocks(&self, registers: u32, payload: u32, plan: &PhasePlan, acked: bool) -> u32 {
        let message = 1 + payload;
        let scan = self.scan + registers * self.per_buffer;
        let between = |from: u64, to: u64| (to - from) as u32;
        if !acked {
            let late = scan.saturating_sub(between(plan.frame_open, plan.phase));
            return late + (RAW_SEND + message).max(RAW_DELIVER + 3 * message);
        }
        let late = scan.saturating_sub(between(plan.frame_open, plan.answer_open));
        let slot = self.slot + 2 * message;
        let from_slot = between(plan.answer_open, plan.phase);
        self.begin + message + (late + slot).saturating_sub(from_slot)
    }
}

/// Clock cycles from the beginning of a phase to the decision, without the bytes of messages, if
/// the examined message may be sent.
const RAW_SEND: u32 = 128;

/// Clock cycles from the beginning of a phase to the decision, without the bytes of messages, if
/// the examined message is delivered.
const RAW_DELIVER: u32 = 96;

/// Returns the additional clock cycles to examine a message that may take a cross edge.
fn crossing_clocks(shape: Metacube) -> u32 {
    match shape.class_bits() {
        0 => 0,
        1 => SOFTWARE_CROSS,
        _ => SOFTWARE_CHOOSE,
    }
}

/// Returns the maximum clock cycles for which a shared core waits for a node during the work of
/// [`software_clocks`]. The unit is clock cycles of a node. Each access to a hardware register
/// takes one, and each word of the message memory five. A message that is taken needs one for each
/// byte, and a message that is delivered two. `sim/hosted` checks the value against random traffic.
pub fn waiting_clocks(shape: Metacube, payload: u32) -> u32 {
    let message = 1 + payload;
    let looks = buffer_count(shape) * WAITING_FULL;
    WAITING_BEGIN + looks + (WAITING_MOVE + message) + 2 * (WAITING_MOVE + 2 * message)
}

/// Waiting clock cycles from the beginning of a phase to the decision, without those for each
/// buffer.
const WAITING_BEGIN: u32 = 12;

/// Waiting clock cycles for a full buffer: one word of the message memory, and the queries for it.
const WAITING_FULL: u32 = 7;

/// Waiting clock cycles for a message that is moved, without those for its bytes.
const WAITING_MOVE: u32 = 3;

/// Clock cycles of `route` from the beginning of a phase to the decision if buffers are full,
/// without the time for each buffer.
const SOFTWARE_BEGIN: u32 = 100;

/// Clock cycles from reset to the first decision, without the time for each buffer and for a
/// message that is taken.
const SOFTWARE_START: u32 = 485;

/// Additional clock cycles for each bit of a class, in which the program prepares the fields of an
/// address.
const SOFTWARE_FIELDS: u32 = 300;

/// Clock cycles for an empty buffer.
pub const SOFTWARE_EMPTY: u32 = 31;

/// Clock cycles for a full buffer.
const SOFTWARE_FULL: u32 = 95;

/// Additional clock cycles for a message that takes a cross edge, if there is one cross edge.
const SOFTWARE_CROSS: u32 = 40;

/// Additional clock cycles for a message that takes a cross edge, if there are two to choose from.
const SOFTWARE_CHOOSE: u32 = 150;

/// Additional clock cycles for a message to the host, compared with any other message.
const SOFTWARE_DELIVER: u32 = 20;

/// Clock cycles of a program for one step without its routing. In a step it takes a word from a
/// neighbour, computes a new word and passes it to its host. Then it takes a word from the host and
/// sends it. A step without the host takes less. The value is measured: `firmware/programs` take
/// the number of superframes that theory predicts (`sim/firmware/collectives.rs`). The value also
/// covers the work before the first message after reset.
pub const PROGRAM_STEP_CLOCKS: u32 = 4000;

/// Clock cycles for the work of a StarC program in a phase. An exchange has up to some ten values,
/// which are combined in software, also as `float`.
const STAR_EXCHANGE_CLOCKS: u32 = 12_000;

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::topology::Hypercube;

    /// Eight bytes of message and two of destination are 15 bytes on the wire.
    #[test]
    fn a_raw_phase_has_guard_frame_guard() {
        let timing = PhaseTiming::raw(8, 10);
        assert_eq!(timing.frame_window(), 151);
        assert_eq!(timing.bit_times(), 2 + 151 + 2 + 2);
        assert_eq!(timing.clock_cycles(), 157 * 8);
        assert_eq!(timing.divider(), 627);
        for clocks in 4..20 {
            assert_eq!(PhaseTiming::raw(clocks, 9).clock_cycles() % 2, 0);
        }
    }

    #[test]
    fn phase_windows_are_consecutive() {
        for (clocks, payload, dims) in [(4, 2, 1), (8, 10, 4), (8, 80, 12), (5, 33, 7)] {
            let timing = PhaseTiming::forwarder(clocks, payload, Hypercube::of(dims), true);
            let PhasePlan { frame_open, frame_close, answer_open, answer_close, phase } =
                timing.plan().phase;
            let clocks = u64::from(clocks);
            assert!(frame_open >= clocks * u64::from(timing.service + 1));
            assert!(frame_close - frame_open > clocks * (5 + payload as u64) * 10);
            assert!(answer_open - frame_close >= clocks * 2 + 8);
            assert!(answer_close - answer_open >= clocks * 20 + 8);
            assert!(phase - answer_close >= clocks * 2);
        }
    }
}
