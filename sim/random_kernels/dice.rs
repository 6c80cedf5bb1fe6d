//! The random source of the random kernels.

use phasecube::traffic::SplitMix64;

/// Random choices from one seed.
pub struct Dice(SplitMix64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(SplitMix64::new(seed))
    }

    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n as u64) as usize
    }

    /// Returns a number from `a` to `b`, both included.
    pub fn between(&mut self, a: usize, b: usize) -> usize {
        a + self.below(b - a + 1)
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        self.0.shuffle(items);
    }

    /// Returns a number of up to `bits` bits, sometimes a corner case of words.
    pub fn number(&mut self, bits: usize) -> u128 {
        let all = match bits {
            128.. => u128::MAX,
            _ => (1 << bits) - 1,
        };
        let noise = (u128::from(self.word()) << 64) | u128::from(self.word());
        all & match self.below(12) {
            0 => 0,
            1 => 1,
            2 => all,
            3 => all - 1,
            4 | 5 => self.below(12) as u128,
            _ => noise,
        }
    }
}
