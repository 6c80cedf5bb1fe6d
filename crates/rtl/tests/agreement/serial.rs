//! A serial line in software: 8N1, least significant bit first. It is written from the definition
//! of the line, independently of the circuits.

/// Thousandths of a clock cycle.
pub type Milli = u64;

/// Levels of a line in each clock cycle, from a sender with an asynchronous clock. Its edges fall
/// anywhere between clock edges of the circuit.
#[derive(Default)]
pub struct SerialWaveform {
    pub levels: Vec<bool>,
    now: Milli,
}

impl SerialWaveform {
    pub fn hold(&mut self, level: bool, duration: Milli) {
        self.now += duration;
        while (self.levels.len() as u64) * 1000 < self.now {
            self.levels.push(level);
        }
    }

    /// Adds a start bit, the data bits and this stop bit.
    pub fn byte(&mut self, byte: u8, stop: bool, bit: Milli) {
        self.hold(false, bit);
        for i in 0..8 {
            self.hold(byte >> i & 1 == 1, bit);
        }
        self.hold(stop, bit);
    }

    /// Returns the number of clock cycles so far.
    pub fn cycles(&self) -> usize {
        self.levels.len()
    }
}

/// Reads a line on which every bit lasts exactly `clocks` clock cycles. Returns the bytes with the
/// clock cycles in which their start bits begin.
///
/// # Panics
/// If the line does anything else.
pub fn decode(levels: &[bool], clocks: usize) -> Vec<(usize, u8)> {
    let mut bytes = vec![];
    let mut at = 0;
    while at < levels.len() {
        if levels[at] {
            at += 1;
            continue;
        }
        let frame = levels.get(at..at + 10 * clocks);
        let frame = frame.unwrap_or_else(|| panic!("the byte from cycle {at} on has no end"));
        let bits: Vec<bool> = frame
            .chunks(clocks)
            .enumerate()
            .map(|(i, bit)| {
                let steady = bit.iter().all(|level| *level == bit[0]);
                assert!(steady, "bit {i} of the byte from cycle {at} on: {bit:?}");
                bit[0]
            })
            .collect();
        assert!(bits[9], "the byte from cycle {at} on has no stop bit");
        let byte = (0..8).map(|i| u8::from(bits[1 + i]) << i).sum();
        bytes.push((at, byte));
        at += 10 * clocks;
    }
    bytes
}
