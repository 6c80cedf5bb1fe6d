//! Random numbers for traffic, noise and tests, identical on every computer.

/// Generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA
/// 2014), with the constants of Java's `SplittableRandom`.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`: the high 64 bits of the 128-bit product of `n` and the next 64
    /// random bits. Returns 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// Fisher-Yates shuffle from the top. The last item is swapped with one of all items, then the
    /// second to last with one of the items up to itself.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that other implementations of the generator print for this seed.
    #[test]
    fn gives_the_reference_values() {
        let mut random = SplitMix64::new(1_234_567);
        for expected in [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ] {
            assert_eq!(random.next_u64(), expected);
        }
    }

    /// floor(1000 * value / 2^64) of the values above.
    #[test]
    fn below_scales_the_value() {
        let mut random = SplitMix64::new(1_234_567);
        let drawn: Vec<u64> = (0..5).map(|_| random.below(1000)).collect();
        assert_eq!(drawn, [350, 173, 532, 249, 889]);
    }

    /// Two shuffles of 0..16 one after the other, by a model in Python.
    #[test]
    fn shuffles_from_the_top() {
        let mut random = SplitMix64::new(1);
        let mut draw = || {
            let mut items: Vec<u32> = (0..16).collect();
            random.shuffle(&mut items);
            items
        };
        assert_eq!(draw(), [6, 0, 15, 1, 3, 7, 14, 2, 4, 10, 8, 12, 5, 13, 11, 9]);
        assert_eq!(draw(), [3, 1, 5, 12, 6, 7, 15, 14, 4, 13, 0, 10, 8, 11, 9, 2]);
    }
}
