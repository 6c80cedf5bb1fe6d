//! Packets as bytes: addresses, payload, tail. The models have their own encoder.

/// Encoding that marks the end of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A zero byte. The search starts after the addresses.
    Zero,
    /// A tail wire beside the byte.
    Wire,
    /// A zero byte. The search starts at the first byte that is not stripped, as printed in the
    /// paper.
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

/// Returns the bytes of a packet, each with the value of its tail wire.
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

/// Encodes fewer than 254 bytes with COBS (Cheshire and Baker 1999). Each run of nonzero bytes
/// follows a byte that holds the run length plus one.
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
