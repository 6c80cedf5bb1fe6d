//! Structured random stimulus: bytes on a line, ticks of a schedule.

use interconnect::traffic::SplitMix64;
use std::collections::VecDeque;

/// Returns a serial line of bytes, most with a stop bit, with idle times, glitches and noise.
pub fn line(clocks: u64) -> impl FnMut(&mut SplitMix64) -> u64 {
    let mut levels = VecDeque::new();
    move |random| {
        while levels.is_empty() {
            let mut hold = |level, cycles| levels.extend((0..cycles).map(|_| level));
            match random.below(16) {
                0..=9 => {
                    let byte = random.below(256);
                    let stop = u64::from(random.below(6) > 0);
                    hold(0, clocks);
                    (0..8).for_each(|i| hold(byte >> i & 1, clocks));
                    hold(stop, clocks);
                    hold(1, random.below(2) * random.below(clocks));
                }
                10 | 11 => hold(0, random.below(clocks)),
                12 => (0..3 * clocks).for_each(|_| hold(random.below(2), 1)),
                _ => hold(1, random.below(6 * clocks)),
            }
        }
        levels.pop_front().expect("it was filled")
    }
}

/// Returns a pulse in one of `n` clock cycles on average.
pub fn rarely(n: u64) -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
    move |random| vec![u64::from(random.below(n) == 0)]
}

/// Returns bursts of up to two bits between long idle times.
pub fn bursts(clocks: u64) -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
    let (mut level, mut left) = (1, 0);
    move |random| {
        if left == 0 {
            level = 1 - level;
            left = 1 + random.below(if level == 1 { 2 } else { 20 } * clocks);
        }
        left -= 1;
        vec![level]
    }
}

/// Returns the two wires of a schedule whose half phases have one of these lengths. Some ticks are
/// missing and some are extra.
pub fn schedule(phases: u64, halves: &'static [u64]) -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
    let mut wires = VecDeque::new();
    let mut phase = 0;
    let mut half = halves[0];
    move |random| {
        if wires.is_empty() {
            let sync = u64::from(phase == 0);
            let mut hold = |level, cycles| wires.extend((0..cycles).map(|_| [level, sync]));
            if phase == 0 {
                half = halves[random.below(halves.len() as u64) as usize];
            }
            match random.below(40) {
                0 => hold(0, 2 * half),
                1 => (0..2).for_each(|_| {
                    hold(1, half);
                    hold(0, half);
                }),
                _ => {
                    hold(1, half);
                    hold(0, half);
                }
            }
            phase = (phase + 1) % phases;
        }
        wires.pop_front().expect("it was filled").to_vec()
    }
}

/// Returns a number that is mostly below `small` and sometimes below `large`.
pub fn mostly_small(small: u64, large: u64) -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
    let mut value = 0;
    move |random| {
        if random.below(64) == 0 {
            value = match random.below(16) {
                0 => random.below(large),
                _ => random.below(small),
            };
        }
        vec![value]
    }
}

/// Returns bytes of packets on `channels` channels: small addresses, zeros and data. One in `tails`
/// has the tail wire set, or none if `tails` is 0.
pub fn flits(channels: usize, tails: u64) -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
    let mut words = vec![0; channels];
    move |random| {
        for word in &mut words {
            if random.below(2) == 0 {
                *word = match random.below(8) {
                    0..=2 => 0,
                    3..=5 => 1 + random.below(3),
                    _ => random.below(256),
                };
                if tails > 0 && random.below(tails) == 0 {
                    *word |= 1 << 8;
                }
            }
        }
        words.clone()
    }
}

// A serial line in software: 8N1, least significant bit first. It is written from the definition
// of the line, independently of the circuits.

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
