//! A second decoder of a wire. It starts from the edges in a file, as a protocol analyser does, and
//! follows the definitions only. It shares no code with the machine.

/// Edges of a wire that is high at first: time and new level.
pub type WireEdges = Vec<(u64, bool)>;

/// Time of the edge of a start bit, and the byte.
pub type Byte = (u64, u8);

fn level(edges: &WireEdges, time: u64) -> bool {
    let before = edges.partition_point(|(t, _)| *t <= time);
    before.checked_sub(1).is_none_or(|i| edges[i].1)
}

/// Decodes 8N1, least significant bit first. Bits are sampled in their middle. The search for the
/// next start bit begins in the middle of the stop bit.
pub fn bytes(edges: &WireEdges, bit: u64, end: u64) -> Vec<Byte> {
    let mut bytes = vec![];
    let mut from = 0;
    for &(time, high) in edges {
        let sample = |place: u64| level(edges, time + place * bit + bit / 2);
        if high || time < from || sample(0) || time + 9 * bit + bit / 2 >= end {
            continue;
        }
        let value = (0..8).fold(0, |byte, i| byte | u8::from(sample(i + 1)) << i);
        bytes.push((time, value));
        from = time + 9 * bit + bit / 2;
    }
    bytes
}

/// Returns the CRC-16/CCITT by division, starting from the word for sender and dimension.
fn crc(sender: u32, dim: u32, bytes: &[u8]) -> u16 {
    let mut rest = 0xFFFF ^ sender as u16 ^ (dim as u16) << 12;
    for bit in bytes
        .iter()
        .flat_map(|b| (0..8).rev().map(move |i| b >> i & 1))
    {
        let feedback = (rest >> 15) as u8 ^ bit;
        rest = (rest << 1) ^ (u16::from(feedback) * 0x1021);
    }
    rest
}

/// Result of a phase: the destination of a good frame, and the answer to it.
#[derive(Debug, PartialEq, Eq)]
pub struct DecodedPhase {
    pub destination: Option<u16>,
    pub answer: &'static str,
}

/// Decodes the bytes of one phase. The frame ends where its length says.
pub fn decode_phase(values: &[u8], sender: u32, dim: u32) -> DecodedPhase {
    let end = 5 + usize::from(values.get(2).copied().unwrap_or(0));
    let Some(frame) = values.get(..end.min(values.len())) else {
        unreachable!()
    };
    let body = frame.get(1..frame.len().saturating_sub(2)).unwrap_or(&[]);
    let sum = crc(sender, dim, body).to_be_bytes();
    let good = frame.len() == end && frame[0] == 0xAA && frame.ends_with(&sum);
    let answer = match &values[frame.len()..] {
        [] => "timeout",
        answer if answer == sum => "ACK",
        answer if answer == sum.map(|b| !b) => "NAK",
        _ => "nonsense",
    };
    DecodedPhase {
        destination: good.then(|| u16::from_le_bytes([frame[3], frame[4]])),
        answer,
    }
}
