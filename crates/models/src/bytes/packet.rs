//! Packets as bytes, in the model's own hand: addresses, payload, tail.

/// How the end of a packet is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// By a zero, looked for only behind the addresses.
    Zero,
    /// By a wire beside the byte.
    Wire,
    /// By a zero, looked for from the first byte on that is not taken off: as printed.
    Naive,
}

impl Format {
    pub fn is_tail(self, value: u8, tail: bool) -> bool {
        match self {
            Format::Wire => tail,
            Format::Zero | Format::Naive => value == 0,
        }
    }
}

/// The bytes of a packet, each with its tail wire.
pub fn encode(format: Format, addresses: &[u8], payload: &[u8]) -> Vec<(u8, bool)> {
    let mut bytes: Vec<(u8, bool)> = addresses.iter().map(|a| (*a, false)).collect();
    let data = match format {
        Format::Wire => payload.to_vec(),
        Format::Zero | Format::Naive => without_zeros(payload),
    };
    bytes.extend(data.iter().map(|byte| (*byte, false)));
    bytes.push((0, format == Format::Wire));
    bytes
}

/// COBS (Cheshire and Baker 1999) of less than 254 bytes: every run of bytes that
/// are not zero stands behind its length and one.
fn without_zeros(payload: &[u8]) -> Vec<u8> {
    assert!(payload.len() < 254);
    let runs = payload.split(|byte| *byte == 0);
    runs.flat_map(|run| [&[run.len() as u8 + 1], run].concat())
        .collect()
}

#[test]
fn no_data_byte_is_zero() {
    assert_eq!(without_zeros(&[]), [1]);
    assert_eq!(without_zeros(&[0]), [1, 1]);
    assert_eq!(without_zeros(&[7, 0, 0, 9]), [2, 7, 1, 2, 9]);
    let wire = encode(Format::Wire, &[2, 0], &[0]);
    assert_eq!(wire, [(2, false), (0, false), (0, false), (0, true)]);
}
