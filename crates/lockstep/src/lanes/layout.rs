//! The slots of a frame, given out one after the other.

/// The slots of a word, one after the other from the least significant bit up.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    pub first: u32,
    pub count: usize,
}

impl Slots {
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (self.first..).take(self.count)
    }

    pub fn range(self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + self.count
    }
}

/// The slots so far.
#[derive(Default)]
pub struct Layout {
    end: u32,
}

impl Layout {
    /// Slots given so far.
    pub fn end(&self) -> u32 {
        self.end
    }

    /// A slot for a bit.
    pub fn one(&mut self) -> u32 {
        self.end += 1;
        self.end - 1
    }

    /// Slots for a word of so many bits.
    pub fn word(&mut self, width: u32) -> Slots {
        let first = self.end;
        self.end += width;
        Slots {
            first,
            count: width as usize,
        }
    }
}
