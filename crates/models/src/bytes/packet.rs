//! Packets as bytes: addresses, payload, tail. The models have their own encoder.

/// Encoding that marks the end of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelTailFormat {
    /// A zero byte. The search starts after the addresses.
    Zero,
    /// A tail wire beside the byte.
    Wire,
    /// A zero byte. The search starts at the first byte that is not stripped, as printed in the
    /// paper.
    Naive,
}

impl ModelTailFormat {
    pub fn is_tail(self, value: u8, tail: bool) -> bool {
        match self {
            ModelTailFormat::Wire => tail,
            ModelTailFormat::Zero | ModelTailFormat::Naive => value == 0,
        }
    }
}

/// Returns the bytes of a packet, each with the value of its tail wire.
pub fn encode(format: ModelTailFormat, addresses: &[u8], payload: &[u8]) -> Vec<(u8, bool)> {
    let mut bytes: Vec<(u8, bool)> = addresses.iter().map(|a| (*a, false)).collect();
    let data = match format {
        ModelTailFormat::Wire => payload.to_vec(),
        ModelTailFormat::Zero | ModelTailFormat::Naive => cobs_encode(payload),
    };
    bytes.extend(data.iter().map(|byte| (*byte, false)));
    bytes.push((0, format == ModelTailFormat::Wire));
    bytes
}

/// Encodes fewer than 254 bytes with COBS (Cheshire and Baker 1999). Each run of nonzero bytes
/// follows a byte that holds the run length plus one.
fn cobs_encode(payload: &[u8]) -> Vec<u8> {
    assert!(payload.len() < 254);
    let runs = payload.split(|byte| *byte == 0);
    runs.flat_map(|run| [&[run.len() as u8 + 1], run].concat())
        .collect()
}

#[test]
fn cobs_removes_zero_bytes() {
    assert_eq!(cobs_encode(&[]), [1]);
    assert_eq!(cobs_encode(&[0]), [1, 1]);
    assert_eq!(cobs_encode(&[7, 0, 0, 9]), [2, 7, 1, 2, 9]);
    let wire = encode(ModelTailFormat::Wire, &[2, 0], &[0]);
    assert_eq!(wire, [(2, false), (0, false), (0, false), (0, true)]);
}
