//! Length of a phase and its parts.

use super::service_clocks::{self, LookAheadClocks};
use crate::networks::tdma::frame::{OVERHEAD, PAYLOAD_MAX};
use interconnect::topology::Metacube;
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
    /// Returns the timing without a service window and without answers, for a host that decides at
    /// once.
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
        let clocks = service_clocks::forwarder_clocks(shape.into(), payload as u32);
        PhaseTiming::with_service(clocks_per_bit, payload, acked, clocks)
    }

    /// Returns the timing for nodes that follow a compiled schedule, without answers.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn compiled(clocks_per_bit: u32, payload: usize) -> Self {
        let clocks = service_clocks::compiled_clocks(payload as u32);
        PhaseTiming::with_service(clocks_per_bit, payload, false, clocks)
    }

    /// Returns the timing for nodes of a cube with `dims` dimensions that route adaptively, with
    /// answers.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn adaptive(clocks_per_bit: u32, payload: usize, dims: u32) -> Self {
        let clocks = service_clocks::adaptive_clocks(dims, payload as u32);
        PhaseTiming::with_service(clocks_per_bit, payload, true, clocks)
    }

    /// Returns the timing for adaptive nodes that run the program `route`, which looks ahead.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn adaptive_software(clocks_per_bit: u32, payload: usize, dims: u32) -> Self {
        let places = pool_slots(dims as usize) as u32;
        let timing = PhaseTiming::with_service(clocks_per_bit, payload, true, 1);
        timing.with_look_ahead(&service_clocks::LOOK_AHEAD_POOL, places)
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
        let ahead = &service_clocks::LOOK_AHEAD[shape.class_bits() as usize];
        let timing = PhaseTiming::with_service(clocks_per_bit, payload, acked, 1);
        timing.with_look_ahead(ahead, service_clocks::buffer_count(shape))
    }

    /// Sets service window and start for nodes with `registers` buffers or slots that run a program
    /// which looks ahead.
    fn with_look_ahead(self, ahead: &LookAheadClocks, registers: u32) -> Self {
        let clocks = ahead.clocks(registers, self.payload, &self.plan().phase, self.acked);
        PhaseTiming {
            service: clocks.div_ceil(self.clocks_per_bit),
            start: ahead.start,
            ..self
        }
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
        let clocks = service_clocks::software_clocks(shape, payload as u32);
        PhaseTiming {
            start: service_clocks::start_clocks(shape),
            ..PhaseTiming::with_service(clocks_per_bit, payload, acked, clocks)
        }
    }

    /// Returns the timing for all nodes of this shape on one core, together with their host
    /// ([`SharedNodes`](rtl::hosted::SharedNodes)). The nodes run the program `route`, have
    /// answers, and are time-multiplexed. Clock cycles are counted in the time of one node.
    ///
    /// # Panics
    /// As [`raw`](Self::raw).
    pub fn hosted(clocks_per_bit: u32, payload: usize, shape: impl Into<Metacube>) -> Self {
        let shape = shape.into();
        let nodes = shape.nodes();
        // The core has one clock cycle in each turn. When it waits, it waits for one node after the
        // other.
        let message = 1 + payload as u32;
        let first = service_clocks::start_clocks(shape)
            + service_clocks::buffer_count(shape) * service_clocks::SOFTWARE_EMPTY
            + message;
        let work = service_clocks::software_clocks(shape, payload as u32).max(first);
        let core = ((nodes + 1) * work).div_ceil(nodes);
        let clocks = core + nodes * service_clocks::waiting_clocks(shape, payload as u32);
        PhaseTiming::with_service(clocks_per_bit, payload, true, clocks)
    }

    /// Returns the timing with a longer service window, for programs that do other work in addition
    /// to routing.
    #[must_use]
    pub fn with_work(self) -> Self {
        PhaseTiming {
            service: self.service
                + service_clocks::PROGRAM_STEP_CLOCKS.div_ceil(self.clocks_per_bit),
            ..self
        }
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
                (
                    open,
                    open + clocks(self.answer_slot() - self.reaction() / 2),
                )
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
