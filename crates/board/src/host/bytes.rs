//! Little-endian numbers in the payload of a frame.

/// Reads a payload from its beginning.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// Takes the next `count` bytes, or returns `None` if fewer are left.
    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.bytes(1).map(|bytes| bytes[0])
    }

    pub fn u16(&mut self) -> Option<u16> {
        let bytes = self.bytes(2)?;
        bytes.try_into().ok().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        let bytes = self.bytes(4)?;
        bytes.try_into().ok().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        let bytes = self.bytes(8)?;
        bytes.try_into().ok().map(u64::from_le_bytes)
    }

    /// Takes all remaining bytes.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// Takes all remaining bytes as text. Invalid UTF-8 is replaced.
    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.rest()).into_owned()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
