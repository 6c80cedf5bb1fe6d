//! Vectors of 64-bit words in processor registers, for work on the bits of memories and links. The
//! compiler does not select these instructions by itself.

/// Vector of `W` 64-bit words. An existing vector proves that the processor supports the type.
pub trait Vector<const W: usize>: Copy {
    fn load(self, words: &[u64; W]) -> Self;
    fn store(self, words: &mut [u64; W]);
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Shifts each word to the left by less than 64 bits.
    fn up(self, by: u32) -> Self;
    /// Shifts each word to the right by less than 64 bits.
    fn down(self, by: u32) -> Self;

    /// Repeats a word in all positions.
    #[inline(always)]
    fn splat(self, word: u64) -> Self {
        self.load(&[word; W])
    }

    /// Takes bits from `other` where `mask` is one, and from `self` elsewhere.
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

/// Work that is generic over the vector length.
pub trait Work {
    type Result;

    fn run<V: Vector<W>, const W: usize>(self, zero: V) -> Self::Result;
}

/// Vector that every processor supports.
#[derive(Clone, Copy)]
pub struct PortableVector<const W: usize>(pub [u64; W]);

impl<const W: usize> Vector<W> for PortableVector<W> {
    #[inline(always)]
    fn load(self, words: &[u64; W]) -> Self {
        PortableVector(*words)
    }

    #[inline(always)]
    fn store(self, words: &mut [u64; W]) {
        *words = self.0;
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        PortableVector(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        PortableVector(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        PortableVector(std::array::from_fn(|i| self.0[i] ^ other.0[i]))
    }

    #[inline(always)]
    fn up(self, by: u32) -> Self {
        PortableVector(self.0.map(|word| word << by))
    }

    #[inline(always)]
    fn down(self, by: u32) -> Self {
        PortableVector(self.0.map(|word| word >> by))
    }
}
