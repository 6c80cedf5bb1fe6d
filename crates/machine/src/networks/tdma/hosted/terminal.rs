//! Software model of a serial terminal, for boards in a simulator.

use rtl::uart::BITS_PER_BYTE;
use std::collections::VecDeque;

/// PC end of a serial line: 8N1, with a given number of clock cycles per bit.
#[derive(Clone, Debug)]
pub struct Terminal {
    clocks: u32,
    /// Bytes to send. `sending` holds the levels of the current byte, and `left` its remaining
    /// clock cycles.
    queue: VecDeque<u8>,
    sending: u32,
    left: u32,
    /// Clock cycles since the start bit of the byte being received, and the bits read.
    receiving: Option<(u32, u32)>,
    received: Vec<u8>,
}

impl Terminal {
    pub fn new(clocks: usize) -> Self {
        Terminal {
            clocks: clocks as u32,
            queue: VecDeque::new(),
            sending: 0,
            left: 0,
            receiving: None,
            received: vec![],
        }
    }

    /// Appends these bytes to the bytes to be sent.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.queue.extend(bytes.as_ref());
    }

    /// Returns the level of the board's input in the next clock cycle.
    pub fn level(&mut self) -> bool {
        if self.left == 0 {
            if let Some(byte) = self.queue.pop_front() {
                self.sending = u32::from(byte) << 1 | 1 << (BITS_PER_BYTE - 1);
                self.left = BITS_PER_BYTE * self.clocks;
            }
        }
        if self.left == 0 {
            return true;
        }
        let bit = BITS_PER_BYTE - self.left.div_ceil(self.clocks);
        self.left -= 1;
        self.sending >> bit & 1 == 1
    }

    /// Samples the level of the board's output in a clock cycle.
    pub fn sample(&mut self, level: bool) {
        match &mut self.receiving {
            None => {
                if !level {
                    self.receiving = Some((1, 0));
                }
            }
            Some((elapsed, bits)) => {
                if *elapsed % self.clocks == self.clocks / 2 {
                    *bits |= u32::from(level) << (*elapsed / self.clocks);
                }
                *elapsed += 1;
                if *elapsed > (BITS_PER_BYTE - 1) * self.clocks + self.clocks / 2 {
                    self.received.push((*bits >> 1) as u8);
                    self.receiving = None;
                }
            }
        }
    }

    /// Returns the bytes received since the last call.
    pub fn bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.received)
    }

    /// Returns the complete lines received since the last call.
    pub fn lines(&mut self) -> Vec<String> {
        let Some(end) = self.received.iter().rposition(|byte| *byte == b'\n') else {
            return vec![];
        };
        let rest = self.received.split_off(end + 1);
        let text = std::mem::replace(&mut self.received, rest);
        String::from_utf8_lossy(&text)
            .lines()
            .map(str::to_owned)
            .collect()
    }
}
