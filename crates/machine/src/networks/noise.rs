//! Noise on the wires of a machine.

use interconnect::traffic::SplitMix64;

/// Random number streams, one for each wire, with one number drawn in each bit-time. The noise is
/// thus the same on every engine.
#[derive(Debug)]
pub(super) struct Noise {
    /// Bits whose random number is below this value are inverted.
    threshold: u64,
    streams: Vec<SplitMix64>,
}

impl Noise {
    /// Inverts every bit on each of `wires` wires with this probability. Returns `None` for a
    /// probability of zero.
    pub fn new(probability: f64, seed: u64, wires: usize) -> Option<Self> {
        if probability <= 0.0 {
            return None;
        }
        let mut seeds = SplitMix64::new(seed);
        Some(Noise {
            // 2^64 as a float; a cast saturates.
            threshold: (probability * 18_446_744_073_709_551_616.0) as u64,
            streams: (0..wires)
                .map(|_| SplitMix64::new(seeds.next_u64()))
                .collect(),
        })
    }

    /// Returns, for each wire, whether the bit on it is inverted in the next bit-time.
    pub fn next_bit(&mut self) -> impl Iterator<Item = bool> + '_ {
        let threshold = self.threshold;
        self.streams
            .iter_mut()
            .map(move |stream| stream.next_u64() < threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_the_requested_probability() {
        let mut noise = Noise::new(0.01, 7, 12).unwrap();
        let flips: usize = (0..10_000)
            .map(|_| noise.next_bit().filter(|f| *f).count())
            .sum();
        // 1,200 expected, with a standard deviation of 34.
        assert!((1_030..1_370).contains(&flips), "{flips}");
        assert!(Noise::new(0.0, 7, 12).is_none());
    }
}
