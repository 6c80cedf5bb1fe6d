//! Observed activity of an instruction, used to partition the gates into segments.

/// Sampled pairs of clock cycles, one bit each. A bit is set if the instruction was active.
pub type ActivityBits = u64;

/// Returns the fraction of active pairs, from 0 to 1. The result is never 0 because an idle
/// instruction may become active later.
pub fn active_share(busy: ActivityBits) -> f32 {
    (busy.count_ones() as f32 + 0.5) / (ActivityBits::BITS as f32 + 0.5)
}
