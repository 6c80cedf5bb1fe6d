//! Messages as bits on a row or a wire.

use rtl::cm1::MessageFormat;

/// Bits of a message in the order of transmission, with MSGP first.
pub type BitStream = Vec<bool>;

/// Fields of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamFields {
    /// XOR of the destination chip and the chip where the message is.
    pub relative: u32,
    /// Processor on the destination chip.
    pub processor: u32,
    pub vp: u32,
    /// DATA, low byte first. The last byte is padded with zeros.
    pub data: Vec<u8>,
    /// True if PARITY is correct.
    pub parity_good: bool,
}

/// Returns the stream of a message. `data` is padded with zeros.
///
/// # Panics
/// If a field has more bits than the format allows.
pub fn encode(
    format: MessageFormat,
    relative: u32,
    processor: u32,
    vp: u32,
    data: &[u8],
) -> BitStream {
    let mut stream = vec![true];
    for (value, bits) in [
        (relative, format.dims),
        (processor, format.proc_bits),
        (vp, format.vp_bits),
    ] {
        assert!(
            u64::from(value) < 1 << bits,
            "{value} has more than {bits} bits"
        );
        stream.extend((0..bits).map(|k| value >> k & 1 == 1));
    }
    let bit = |k: usize| data.get(k / 8).is_some_and(|byte| byte >> (k % 8) & 1 == 1);
    let data_bits = format.data_bits as usize;
    assert!(
        (data_bits..8 * data.len()).all(|k| !bit(k)),
        "the data have more than {data_bits} bits"
    );
    stream.extend((0..data_bits).map(bit));
    stream.push(odd(&stream[1..]));
    stream
}

/// Returns the fields of a stream. MSGP is ignored.
///
/// # Panics
/// If the stream does not have the length of the format.
pub fn decode(format: MessageFormat, stream: &[bool]) -> StreamFields {
    assert_eq!(stream.len(), format.length() as usize);
    let mut rest = &stream[1..];
    let mut take = |bits: u32| {
        let (field, others) = rest.split_at(bits as usize);
        rest = others;
        field
    };
    let number = |field: &[bool]| (0..).zip(field).map(|(k, b)| u32::from(*b) << k).sum();
    StreamFields {
        relative: number(take(format.dims)),
        processor: number(take(format.proc_bits)),
        vp: number(take(format.vp_bits)),
        data: take(format.data_bits)
            .chunks(8)
            .map(|byte| number(byte) as u8)
            .collect(),
        parity_good: !odd(&stream[1..]),
    }
}

fn odd(bits: &[bool]) -> bool {
    bits.iter().filter(|b| **b).count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_reverses_encoding() {
        let format = MessageFormat {
            dims: 5,
            proc_bits: 0,
            vp_bits: 3,
            data_bits: 11,
        };
        let stream = encode(format, 0b10110, 0, 6, &[0xA5, 0x07]);
        assert_eq!(stream.len(), 21);
        let fields = decode(format, &stream);
        let StreamFields {
            relative,
            processor,
            vp,
            data,
            parity_good,
        } = fields;
        assert_eq!((relative, processor, vp), (0b10110, 0, 6));
        assert_eq!(data, [0xA5, 0x07]);
        assert!(parity_good);
        for k in 1..21 {
            let mut damaged = stream.clone();
            damaged[k] ^= true;
            assert!(!decode(format, &damaged).parity_good);
        }
    }
}
