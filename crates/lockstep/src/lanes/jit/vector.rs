//! Vectors of 64-bit words in registers of the processor, for what works on the bits
//! of memories and links: the compiler does not find these instructions by itself.

/// `W` words of 64 bits. Another vector is the proof that there may be one.
pub trait Vector<const W: usize>: Copy {
    fn load(self, words: &[u64; W]) -> Self;
    fn store(self, words: &mut [u64; W]);
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Each word moved towards its higher bits, by less than 64.
    fn up(self, by: u32) -> Self;
    /// Each word moved towards its lower bits, by less than 64.
    fn down(self, by: u32) -> Self;

    /// The same word everywhere.
    #[inline(always)]
    fn splat(self, word: u64) -> Self {
        self.load(&[word; W])
    }

    /// The bits of this one where `mask` has none, those of `other` where it has.
    #[inline(always)]
    fn blend(self, other: Self, mask: Self) -> Self {
        self.xor(self.xor(other).and(mask))
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self.and(other.xor(self.splat(u64::MAX)))
    }

    #[inline(always)]
    fn words(self) -> [u64; W] {
        let mut words = [0; W];
        self.store(&mut words);
        words
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self.words().iter().fold(0, |all, word| all | word) == 0
    }
}

/// Something to do with vectors of any length.
pub trait Work {
    type Result;

    fn run<V: Vector<W>, const W: usize>(self, zero: V) -> Self::Result;
}

/// A vector that any processor has.
#[derive(Clone, Copy)]
pub struct Plain<const W: usize>(pub [u64; W]);

impl<const W: usize> Vector<W> for Plain<W> {
    #[inline(always)]
    fn load(self, words: &[u64; W]) -> Self {
        Plain(*words)
    }

    #[inline(always)]
    fn store(self, words: &mut [u64; W]) {
        *words = self.0;
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Plain(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Plain(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Plain(std::array::from_fn(|i| self.0[i] ^ other.0[i]))
    }

    #[inline(always)]
    fn up(self, by: u32) -> Self {
        Plain(self.0.map(|word| word << by))
    }

    #[inline(always)]
    fn down(self, by: u32) -> Self {
        Plain(self.0.map(|word| word >> by))
    }
}
