//! Allocates the slots of a frame in ascending order.

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
        WordSlots {
            first,
            count: width as usize,
        }
    }
}
