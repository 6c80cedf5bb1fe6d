//! When an instruction has something to do: what is observed, and what segments are cut by.

/// Pairs of clock cycles: those in which an instruction had something to do, one bit
/// for each that was looked at.
pub type Pairs = u64;

/// In how many of them, from 0 to 1, but never 0: what had nothing to do may have
/// something later.
pub fn share(busy: Pairs) -> f32 {
    (busy.count_ones() as f32 + 0.5) / (Pairs::BITS as f32 + 0.5)
}
