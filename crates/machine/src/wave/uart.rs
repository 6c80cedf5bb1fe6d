//! UART decoder of a logic analyser: converts samples of a wire's level to bytes. The decoder
//! shares no code with the circuits that sent them.

/// Byte on the wire: 8N1, least significant bit first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireByte {
    /// First sample of its start bit.
    pub start: usize,
    pub value: u8,
    /// True if the stop bit is high, as required.
    pub stop_bit_high: bool,
}

/// Decodes the bytes on a wire that is idle (high) before the first sample. An incomplete byte at
/// the end is left out.
pub fn decode_uart(levels: &[bool], samples_per_bit: usize) -> Vec<WireByte> {
    let mut bytes = vec![];
    let mut at = 0;
    while let Some(low) = falling_edge(levels, at) {
        let middle = |bit: usize| levels.get(low + bit * samples_per_bit + samples_per_bit / 2);
        let Some(&stopped) = middle(9) else { break };
        if middle(0) == Some(&true) {
            // Too short for a start bit.
            at = low + 1;
            continue;
        }
        let bits = (0..8).map(|bit| u8::from(middle(bit + 1) == Some(&true)) << bit);
        bytes.push(WireByte {
            start: low,
            value: bits.sum(),
            stop_bit_high: stopped,
        });
        // From the middle of the stop bit on, any edge may be a start bit.
        at = low + 9 * samples_per_bit + samples_per_bit / 2;
    }
    bytes
}

/// First low sample at or after `at` whose predecessor is high.
fn falling_edge(levels: &[bool], at: usize) -> Option<usize> {
    (at..levels.len()).find(|&i| !levels[i] && (i == 0 || levels[i - 1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::traffic::SplitMix64;

    fn send(levels: &mut Vec<bool>, value: u8, samples_per_bit: usize) {
        let bits = [false]
            .into_iter()
            .chain((0..8).map(|bit| value >> bit & 1 == 1))
            .chain([true]);
        for bit in bits {
            levels.extend(vec![bit; samples_per_bit]);
        }
    }

    #[test]
    fn bytes_are_decoded_with_and_without_gaps() {
        let mut random = SplitMix64::new(1);
        for samples_per_bit in [1, 2, 3, 8, 17] {
            let (mut levels, mut expected) = (vec![], vec![]);
            for _ in 0..300 {
                let gap = random.below(3) * random.below(40);
                levels.extend(vec![true; gap as usize]);
                let value = random.next_u64() as u8;
                expected.push(WireByte {
                    start: levels.len(),
                    value,
                    stop_bit_high: true,
                });
                send(&mut levels, value, samples_per_bit);
            }
            assert_eq!(decode_uart(&levels, samples_per_bit), expected);
        }
    }

    #[test]
    fn glitches_and_incomplete_bytes_are_skipped() {
        let mut levels = vec![true; 20];
        levels[5..8].fill(false);
        send(&mut levels, 0x5A, 8);
        send(&mut levels, 0x33, 8);
        levels.truncate(20 + 80 + 70);
        let bytes = decode_uart(&levels, 8);
        assert_eq!(bytes.len(), 1);
        assert_eq!((bytes[0].start, bytes[0].value), (20, 0x5A));
    }

    #[test]
    fn a_low_stop_bit_is_reported() {
        let mut levels = vec![];
        send(&mut levels, 0, 4);
        levels[36..].fill(false);
        assert!(!decode_uart(&levels, 4)[0].stop_bit_high);
    }
}
