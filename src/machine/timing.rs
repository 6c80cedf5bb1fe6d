//! How long a phase is, and what for.

use crate::machine::frame::{OVERHEAD, PAYLOAD_MAX};
use crate::rtl::uart::BITS_PER_BYTE;

/// The plan of a phase, in bit-times (design, section 4, "Phase").
///
/// A raw phase is guard, frame window, guard. In the first guard the nodes
/// notice the new phase and turn their pins round, in the second a late sender
/// comes to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseTiming {
    /// Clock cycles in a bit-time.
    pub clocks_per_bit: u32,
    /// Bit-times before and after the frame window.
    pub guard: u32,
    /// Bytes of payload of the longest frame, its destination included.
    pub payload: u32,
}

impl PhaseTiming {
    /// For frames with up to `payload` bytes of payload.
    ///
    /// # Panics
    /// If that is more than a frame can carry.
    pub fn raw(clocks_per_bit: u32, payload: usize) -> Self {
        assert!(
            payload <= PAYLOAD_MAX,
            "a frame carries {PAYLOAD_MAX} bytes"
        );
        PhaseTiming {
            clocks_per_bit,
            guard: 2,
            payload: payload as u32,
        }
    }

    /// Bit-times of the frame window.
    pub fn frame_window(&self) -> u32 {
        (OVERHEAD as u32 + self.payload) * BITS_PER_BYTE
    }

    /// Bit-times of a phase.
    pub fn bit_times(&self) -> u32 {
        2 * self.guard + self.frame_window()
    }

    /// Clock cycles of a phase: an even number, because a phase has two halves.
    pub fn clock_cycles(&self) -> u32 {
        (self.bit_times() * self.clocks_per_bit).next_multiple_of(2)
    }

    /// What the phase clock is set to: clock cycles of half a phase, less one.
    pub fn divider(&self) -> u64 {
        u64::from(self.clock_cycles() / 2 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight bytes of message and two of destination: 15 bytes on the wire.
    #[test]
    fn a_phase_is_guard_frame_guard() {
        let timing = PhaseTiming::raw(8, 10);
        assert_eq!(timing.frame_window(), 150);
        assert_eq!(timing.bit_times(), 154);
        assert_eq!(timing.clock_cycles(), 154 * 8);
        assert_eq!(timing.divider(), 615);
        assert_eq!(PhaseTiming::raw(5, 9).clock_cycles(), 144 * 5);
        assert_eq!(PhaseTiming::raw(5, 8).clock_cycles() % 2, 0);
    }
}
