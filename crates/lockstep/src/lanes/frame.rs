//! Memory for the bits of a chunk's lanes, aligned for vector registers, and its slots.

/// Bit vectors of a chunk of lanes, stored one after the other from a 64-byte boundary.
#[derive(Debug)]
pub struct ChunkFrame {
    words: Vec<u64>,
    /// Index of the first word on a boundary.
    start: usize,
    /// Number of words in a vector. A word holds 64 lanes.
    width: usize,
    vectors: usize,
}

const BOUNDARY: usize = 64;

impl ChunkFrame {
    /// Creates a frame in which all bits are zero.
    pub fn new(vectors: usize, width: usize) -> Self {
        let words = vec![0u64; vectors * width + BOUNDARY / 8];
        let start = words.as_ptr().align_offset(BOUNDARY);
        ChunkFrame {
            // If the alignment is unknown, the vectors start anywhere. Only the speed suffers.
            start: if start < BOUNDARY / 8 { start } else { 0 },
            words,
            width,
            vectors,
        }
    }

    /// Returns the number of words in a vector.
    pub fn width(&self) -> usize {
        self.width
    }

    pub fn vectors(&self) -> usize {
        self.vectors
    }

    /// Extends the frame to at least this many vectors.
    pub fn grow(&mut self, vectors: usize) {
        if vectors > self.vectors() {
            let mut grown = ChunkFrame::new(vectors, self.width);
            let words = self.words_mut();
            grown.words_mut()[..words.len()].copy_from_slice(words);
            *self = grown;
        }
    }

    pub fn vector(&self, slot: u32) -> &[u64] {
        &self.words[self.start + slot as usize * self.width..][..self.width]
    }

    pub fn vector_mut(&mut self, slot: u32) -> &mut [u64] {
        &mut self.words[self.start + slot as usize * self.width..][..self.width]
    }

    /// Returns the words of all vectors.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words[self.start..][..self.vectors * self.width]
    }
}

// Allocates the slots of a frame in ascending order.

/// Consecutive slots of a word, the least significant bit first.
#[derive(Clone, Copy, Debug)]
pub struct WordSlots {
    pub first: u32,
    pub count: usize,
}

impl WordSlots {
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (self.first..).take(self.count)
    }

    pub fn range(self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + self.count
    }
}

/// Slots allocated so far.
#[derive(Default)]
pub struct Layout {
    end: u32,
}

impl Layout {
    /// Returns the number of allocated slots.
    pub fn end(&self) -> u32 {
        self.end
    }

    /// Allocates a slot for a bit.
    pub fn one(&mut self) -> u32 {
        self.end += 1;
        self.end - 1
    }

    /// Allocates slots for a word of `width` bits.
    pub fn word(&mut self, width: u32) -> WordSlots {
        let first = self.end;
        self.end += width;
        WordSlots { first, count: width as usize }
    }
}
