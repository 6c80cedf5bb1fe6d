//! A second decoder of a wire: from the edges in a file, as a protocol analyser
//! does it, and by definitions only. It shares no code with the machine.

/// Edges of a wire that is high before the first of them: when, and to which
/// level.
pub type Edges = Vec<(u64, bool)>;

/// A byte, and the time of the edge of its start bit.
pub type Byte = (u64, u8);

fn level(edges: &Edges, time: u64) -> bool {
    let before = edges.partition_point(|(t, _)| *t <= time);
    before.checked_sub(1).is_none_or(|i| edges[i].1)
}

/// 8N1, least significant bit first: bits are sampled in their middles, and the
/// next start bit is looked for from the middle of the stop bit on.
pub fn bytes(edges: &Edges, bit: u64, end: u64) -> Vec<Byte> {
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

/// CRC-16/CCITT by division, from the word for sender and dimension.
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

/// What a phase said: the destination of a good frame, and the answer to it.
#[derive(Debug, PartialEq, Eq)]
pub struct Said {
    pub destination: Option<u16>,
    pub answer: &'static str,
}

/// Reads the bytes of one phase. The frame ends where its length says.
pub fn said(values: &[u8], sender: u32, dim: u32) -> Said {
    let end = 5 + usize::from(values.get(2).copied().unwrap_or(0));
    let Some(frame) = values.get(..end.min(values.len())) else {
        unreachable!()
    };
    let body = frame.get(1..frame.len().saturating_sub(2)).unwrap_or(&[]);
    let sum = crc(sender, dim, body).to_be_bytes();
    let good = frame.len() == end && frame[0] == 0xAA && frame.ends_with(&sum);
    let answer = match &values[frame.len()..] {
        [] => "silence",
        answer if answer == sum => "ACK",
        answer if answer == sum.map(|b| !b) => "REFUSED",
        _ => "nonsense",
    };
    Said {
        destination: good.then(|| u16::from_le_bytes([frame[3], frame[4]])),
        answer,
    }
}
