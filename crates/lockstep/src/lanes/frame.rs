//! The memory in which the bits of a chunk's lanes stand, aligned for vector registers.

/// The bit vectors of a chunk of lanes, one after the other, on a boundary of 64
/// bytes.
#[derive(Debug)]
pub struct Frame {
    words: Vec<u64>,
    /// The first word on a boundary.
    start: usize,
    /// Words in a vector: one for 64 lanes.
    width: usize,
    vectors: usize,
}

const BOUNDARY: usize = 64;

impl Frame {
    /// All bits are zero.
    pub fn new(vectors: usize, width: usize) -> Self {
        let words = vec![0u64; vectors * width + BOUNDARY / 8];
        let start = words.as_ptr().align_offset(BOUNDARY);
        Frame {
            // Where it isn't known the vectors stand anywhere; that is slower only.
            start: if start < BOUNDARY / 8 { start } else { 0 },
            words,
            width,
            vectors,
        }
    }

    /// Words in a vector.
    pub fn width(&self) -> usize {
        self.width
    }

    pub fn vectors(&self) -> usize {
        self.vectors
    }

    /// Makes room for more vectors.
    pub fn grow(&mut self, vectors: usize) {
        if vectors > self.vectors() {
            let mut grown = Frame::new(vectors, self.width);
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

    /// All vectors.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words[self.start..][..self.vectors * self.width]
    }
}
