//! How long a phase is, and what for.

use crate::networks::tdma::frame::{OVERHEAD, PAYLOAD_MAX};
use crate::rtl::tdma::register_numbers::last_register;
use crate::rtl::tdma::{places, EnginePlan, PhasePlan};
use crate::rtl::uart::BITS_PER_BYTE;
use crate::topology::Metacube;
use std::ops::Range;

/// The plan of a phase, in bit-times (docs/machine.md, "Phase"): service
/// window, guard, frame window, and if receivers answer turnaround and answer
/// slot, guard.
///
/// In the service window the nodes decide what they send, in the first guard the
/// pins settle, in the second a late sender comes to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseTiming {
    /// Clock cycles in a bit-time.
    pub clocks_per_bit: u32,
    /// Bit-times of the service window.
    pub service: u32,
    /// Bit-times of each guard.
    pub guard: u32,
    /// Bytes of payload of the longest frame, its destination included.
    pub payload: u32,
    /// Receivers answer.
    pub acked: bool,
    /// Clock cycles from reset to the first phase, in which programs get ready for it.
    pub start: u32,
}

/// Bit-times between the frame window and the answer.
const TURNAROUND: u32 = 2;

/// Bit-times of the two guards.
const GUARD: u32 = 2;

/// Clock cycles that the circuits take between a bit on the wire and what
/// follows from it; the CRC takes eight of them.
const REACTION: u32 = 16;

impl PhaseTiming {
    /// Without a service window and answers: for a host that decides at once.
    ///
    /// # Panics
    /// If a frame cannot carry that much payload.
    pub fn raw(clocks_per_bit: u32, payload: usize) -> Self {
        assert!(
            payload <= PAYLOAD_MAX,
            "a frame carries {PAYLOAD_MAX} bytes"
        );
        PhaseTiming {
            clocks_per_bit,
            service: 0,
            guard: GUARD,
            payload: payload as u32,
            acked: false,
            start: 0,
        }
    }

    /// For nodes of this shape whose forwarder is a circuit.
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

    /// For nodes that follow a compiled schedule. Without answers.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn compiled(clocks_per_bit: u32, payload: usize) -> Self {
        let clocks = compiled_clocks(payload as u32);
        PhaseTiming::with_service(clocks_per_bit, payload, false, clocks)
    }

    /// For nodes of a cube with so many dimensions that route adaptively. With answers.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn adaptive(clocks_per_bit: u32, payload: usize, dims: u32) -> Self {
        let clocks = adaptive_clocks(dims, payload as u32);
        PhaseTiming::with_service(clocks_per_bit, payload, true, clocks)
    }

    /// For the same that run the program `route`, which looks ahead.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn adaptive_software(clocks_per_bit: u32, payload: usize, dims: u32) -> Self {
        let places = places(dims as usize) as u32;
        let timing = PhaseTiming::with_service(clocks_per_bit, payload, true, 1);
        timing.looking_ahead(&POOL, places)
    }

    /// For nodes of this shape that run the program `route`, which looks ahead.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn ahead(
        clocks_per_bit: u32,
        payload: usize,
        shape: impl Into<Metacube>,
        acked: bool,
    ) -> Self {
        let shape = shape.into();
        let work = &AHEAD[shape.class_bits() as usize];
        let timing = PhaseTiming::with_service(clocks_per_bit, payload, acked, 1);
        timing.looking_ahead(work, registers(shape))
    }

    /// The same for nodes with so many registers, or places, that run a program which looks ahead.
    fn looking_ahead(self, work: &Ahead, registers: u32) -> Self {
        let clocks = match self.acked {
            true => ahead_clocks(work, registers, &self),
            false => ahead_raw_clocks(work, registers, &self),
        };
        PhaseTiming {
            service: clocks.div_ceil(self.clocks_per_bit),
            start: work.start,
            ..self
        }
    }

    /// For nodes of this shape that run a program which routes when it waits for a phase.
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

    /// For all nodes of this shape, which run the program `route` on one core, together
    /// with their host, and have their clock cycles in turn
    /// ([`SharedNodes`](crate::rtl::hosted::SharedNodes)). With answers. All clock cycles are
    /// those of a node.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn hosted(clocks_per_bit: u32, payload: usize, shape: impl Into<Metacube>) -> Self {
        let shape = shape.into();
        let nodes = shape.nodes();
        // The core has a clock cycle in each turn, and when it waits it waits for one node
        // after the other.
        let message = 1 + payload as u32;
        let first = start_clocks(shape) + registers(shape) * SOFTWARE_EMPTY + message;
        let work = software_clocks(shape, payload as u32).max(first);
        let core = ((nodes + 1) * work).div_ceil(nodes);
        let clocks = core + nodes * waiting_clocks(shape, payload as u32);
        PhaseTiming::with_service(clocks_per_bit, payload, true, clocks)
    }

    /// With a service window that is longer by the time that programs need for work of
    /// their own beside that of `route`.
    #[must_use]
    pub fn with_work(self) -> Self {
        PhaseTiming {
            service: self.service + WORK.div_ceil(self.clocks_per_bit),
            ..self
        }
    }

    /// With a service window of at least so many clock cycles.
    fn with_service(clocks_per_bit: u32, payload: usize, acked: bool, clocks: u32) -> Self {
        PhaseTiming {
            service: clocks.div_ceil(clocks_per_bit),
            acked,
            ..PhaseTiming::raw(clocks_per_bit, payload)
        }
    }

    /// Clock cycles that a node has to decide, from the beginning of a phase.
    pub fn window(&self) -> u32 {
        (self.service + self.guard) * self.clocks_per_bit
    }

    /// Clock cycles of a phase, from its beginning, in which messages move between nodes and
    /// hosts: until the frame window opens, and from the answer slot on, if there is one.
    pub fn moves(&self) -> [Range<u64>; 2] {
        let plan = self.plan().phase;
        let slot = match self.acked {
            true => plan.answer_open..plan.phase,
            false => plan.phase..plan.phase,
        };
        [0..plan.frame_open, slot]
    }

    /// Bit-times of the frame window: the longest frame, and one for the way
    /// through the circuits.
    pub fn frame_window(&self) -> u32 {
        (OVERHEAD as u32 + self.payload) * BITS_PER_BYTE + 1
    }

    /// Bit-times of turnaround and answer slot: two bytes and the reaction to them.
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

    /// Bit-times of a phase.
    pub fn bit_times(&self) -> u32 {
        let work = self.service + self.frame_window() + self.answer();
        work + 2 * self.guard + self.reaction()
    }

    /// Clock cycles of a phase: an even number, because a phase has two halves.
    pub fn clock_cycles(&self) -> u32 {
        (self.bit_times() * self.clocks_per_bit).next_multiple_of(2)
    }

    /// What the phase clock is set to: clock cycles of half a phase, less one.
    pub fn divider(&self) -> u64 {
        u64::from(self.clock_cycles() / 2 - 1)
    }

    /// The same for nodes that have their clock cycles in turn: a phase is as many times
    /// longer in clock cycles of the circuit.
    pub fn divider_for(&self, nodes: u32) -> u64 {
        u64::from(self.clock_cycles() / 2 * nodes - 1)
    }

    /// What the frame engines are built for.
    pub fn plan(&self) -> EnginePlan {
        let clocks = |bit_times: u32| u64::from(bit_times * self.clocks_per_bit);
        let frame_open = clocks(self.service + self.guard);
        let frame_close = frame_open + clocks(self.frame_window());
        let (answer_open, answer_close) = match self.acked {
            true => {
                let open = frame_close + clocks(TURNAROUND + self.reaction() / 2);
                (
                    open,
                    open + clocks(self.answer_slot() - self.reaction() / 2),
                )
            }
            false => (frame_close, frame_close),
        };
        EnginePlan {
            acked: self.acked,
            turns: self.acked,
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

/// Registers that a node of this shape looks at.
fn registers(shape: Metacube) -> u32 {
    last_register(shape.links() as usize, shape.bits() as usize) as u32 + 1
}

/// Clock cycles that the forwarder needs at most: it takes a message, recalls
/// one to be repeated, looks at every register, and hands over two.
fn forwarder_clocks(shape: Metacube, payload: u32) -> u32 {
    let message = 1 + payload;
    let look = if shape.bits() <= 8 { 3 } else { 4 };
    let begin = 3;
    begin + message + 2 + registers(shape) * look + 2 * (2 * message)
}

/// Clock cycles that the courier needs at most: it reads what there is to do, hands over one
/// message, in two clock cycles a byte, and takes one.
fn compiled_clocks(payload: u32) -> u32 {
    let message = 1 + payload;
    2 + 3 * message
}

/// Clock cycles that the adaptive forwarder needs at most: it recalls a message to be
/// repeated, looks at every place, takes a message, and hands over two, after which, as
/// after the one that it takes, it looks at their places again.
fn adaptive_clocks(dims: u32, payload: u32) -> u32 {
    let message = 1 + payload;
    let look = if dims <= 8 { 2 } else { 3 };
    let begin = 3;
    begin + 2 + places(dims as usize) as u32 * look + (message + 1) + 2 * (2 * message + 1)
}

/// Clock cycles that the program `route` needs at most. Measured: the tests of
/// `sim/firmware` and `sim/metacube` hold it against directed worst cases and against
/// random traffic. It takes a message, recalls one to be repeated, looks at every
/// register, and hands over two. On a core that nodes share it needs as much, as many
/// times: `sim/hosted` holds it against random traffic.
fn software_clocks(shape: Metacube, payload: u32) -> u32 {
    let message = 1 + payload;
    let looks = registers(shape) * (SOFTWARE_LOOK + crossing_clocks(shape));
    SOFTWARE_BEGIN + message + looks + 2 * (SOFTWARE_HAND + 2 * message)
}

/// Clock cycles from reset until the program `route` sleeps, with some to spare.
fn start_clocks(shape: Metacube) -> u32 {
    SOFTWARE_START + shape.class_bits() * SOFTWARE_FIELDS
}

/// Clock cycles of a program that looks ahead. Measured as those of [`software_clocks`].
struct Ahead {
    /// With answers: from the beginning of a phase to the decision, without the bytes of the message
    /// that is taken.
    begin: u32,
    /// With answers: from the beginning of the answer slot, without the bytes of the message that is
    /// handed over.
    slot: u32,
    /// From the decision until all registers have been gone through, without what is done for
    /// each.
    scan: u32,
    /// For each register.
    register: u32,
    /// From reset until the first phase may begin.
    start: u32,
}

/// The program `route` by e-cube, where a class has no, one or two bits.
const AHEAD: [Ahead; 3] = [
    Ahead {
        begin: 104,
        slot: 208,
        scan: 400,
        register: 42,
        start: 1200,
    },
    // Few of its registers are full at a time, also with eight messages for each node.
    Ahead {
        begin: 108,
        slot: 222,
        scan: 785,
        register: 14,
        start: 1800,
    },
    // Here are two cross edges to choose from.
    Ahead {
        begin: 190,
        slot: 330,
        scan: 500,
        register: 32,
        start: 2400,
    },
];

/// The program `route` of nodes with a pool.
const POOL: Ahead = Ahead {
    begin: 140,
    slot: 190,
    scan: 500,
    register: 50,
    start: 1000,
};

/// Clock cycles that such a program needs at most to decide where links have answers: it takes a message and looks at it,
/// and does before what it had no time for in the answer slot.
fn ahead_clocks(work: &Ahead, registers: u32, timing: &PhaseTiming) -> u32 {
    let message = 1 + timing.payload;
    let scan = work.scan + registers * work.register;
    let slot = work.slot + 2 * message;
    let plan = timing.plan().phase;
    let before_slot = (plan.answer_open - plan.frame_open) as u32;
    let from_slot = (plan.phase - plan.answer_open) as u32;
    let late = scan.saturating_sub(before_slot);
    work.begin + message + (late + slot).saturating_sub(from_slot)
}

/// The same where links have no answers: it looks at one message when the phase begins, takes one, and
/// sends the one or hands it over.
fn ahead_raw_clocks(work: &Ahead, registers: u32, timing: &PhaseTiming) -> u32 {
    let message = 1 + timing.payload;
    let scan = work.scan + registers * work.register;
    let plan = timing.plan().phase;
    let late = scan.saturating_sub((plan.phase - plan.frame_open) as u32);
    late + (RAW_SEND + message).max(RAW_HAND + 3 * message)
}

/// Clock cycles from the beginning of a phase to the decision, without the bytes of messages, if the
/// message that was looked at may be sent.
const RAW_SEND: u32 = 128;

/// The same if it is handed over.
const RAW_HAND: u32 = 96;

/// Clock cycles more for a look at a message that may take a cross edge.
fn crossing_clocks(shape: Metacube) -> u32 {
    match shape.class_bits() {
        0 => 0,
        1 => SOFTWARE_CROSS,
        _ => SOFTWARE_CHOOSE,
    }
}

/// Clock cycles of a node in which a core that nodes share in turn waits for it, at most, while
/// it does what [`software_clocks`] counts: for each register of the machine's that it reads
/// or writes one, for a word of the message memory five, for a message that is taken one a
/// byte, for one that is handed over two. `sim/hosted` holds it against random traffic.
fn waiting_clocks(shape: Metacube, payload: u32) -> u32 {
    let message = 1 + payload;
    let looks = registers(shape) * WAITING_LOOK;
    WAITING_BEGIN + looks + (WAITING_MOVE + message) + 2 * (WAITING_MOVE + 2 * message)
}

/// Clock cycles of waiting from the beginning of a phase to the decision, without what it does
/// for each register.
const WAITING_BEGIN: u32 = 12;

/// Clock cycles of waiting for a register that is full: a word, and what is asked of it.
const WAITING_LOOK: u32 = 7;

/// Clock cycles of waiting when a message is moved, beside its bytes.
const WAITING_MOVE: u32 = 3;

/// Clock cycles of `route` from the beginning of a phase to the decision, when it
/// finds full registers, without what it does for each.
const SOFTWARE_BEGIN: u32 = 100;

/// Clock cycles from reset to the first decision, without what it does for each register, and
/// without a message that is taken.
const SOFTWARE_START: u32 = 485;

/// Clock cycles more until then for each bit of a class: what the program keeps of the fields of an
/// address.
const SOFTWARE_FIELDS: u32 = 300;

/// Clock cycles for a register that is empty.
const SOFTWARE_EMPTY: u32 = 31;

/// Clock cycles for a register that is full.
const SOFTWARE_LOOK: u32 = 95;

/// Clock cycles more for a message that takes a cross edge, where there is one.
const SOFTWARE_CROSS: u32 = 40;

/// The same where there are two to choose from.
const SOFTWARE_CHOOSE: u32 = 150;

/// Clock cycles for a message for the host, more than for another one.
const SOFTWARE_HAND: u32 = 20;

/// Clock cycles in which a program takes a word from a neighbour, makes another of it,
/// gives that to its host, takes a word from there, and sends it, but for its routing; less
/// if its host has no part. Measured: `firmware/programs` use the superframes that theory
/// says (`sim/firmware/collectives.rs`). So many also do for what comes before the first
/// message after reset.
const WORK: u32 = 4000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Hypercube;

    /// Eight bytes of message and two of destination: 15 bytes on the wire.
    #[test]
    fn a_raw_phase_is_guard_frame_guard() {
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
    fn the_windows_of_a_phase_follow_each_other() {
        for (clocks, payload, dims) in [(4, 2, 1), (8, 10, 4), (8, 80, 12), (5, 33, 7)] {
            let timing = PhaseTiming::forwarder(clocks, payload, Hypercube::of(dims), true);
            let PhasePlan {
                frame_open,
                frame_close,
                answer_open,
                answer_close,
                phase,
            } = timing.plan().phase;
            let clocks = u64::from(clocks);
            assert!(frame_open >= clocks * u64::from(timing.service + 1));
            assert!(frame_close - frame_open > clocks * (5 + payload as u64) * 10);
            assert!(answer_open - frame_close >= clocks * 2 + 8);
            assert!(answer_close - answer_open >= clocks * 20 + 8);
            assert!(phase - answer_close >= clocks * 2);
        }
    }
}
