//! Conversion between a message and the bytes of a packet (torus-routing-chip, section 4 and Figure
//! 6).
//!
//! A packet consists of an address for each dimension, the payload and a tail. With a tail of zero,
//! COBS encodes the payload so that none of its bytes is zero. COBS adds one byte for up to 254
//! bytes. With a tail wire the payload is not encoded, and the tail is also a byte.

use super::TorusShape;
use crate::networks::bytes::data;
use interconnect::topology::Torus;
use interconnect::traffic::Message;
use rtl::torus::Tail;

/// Wire that marks a tail, above the byte.
const TAIL_WIRE: u16 = 1 << 8;

/// Returns the words of a packet, in order. A word has 8 bits, or 9 with the tail wire as the
/// highest bit.
pub fn encode(shape: &TorusShape, message: &Message<&[u8]>) -> Vec<u16> {
    let mut words = addresses(shape.torus(), message.source, message.destination);
    match shape.plan().tail {
        Tail::Wire => {
            words.extend(message.payload.iter().map(|byte| u16::from(*byte)));
            words.push(TAIL_WIRE);
        }
        Tail::Zero | Tail::Naive => {
            let data = data::encode(message.payload);
            words.extend(data.into_iter().map(u16::from));
            words.push(0);
        }
    }
    words
}

/// Returns the number of channels to pass in each dimension.
fn addresses(torus: &Torus, source: u32, destination: u32) -> Vec<u16> {
    let dims = 0..torus.dims();
    dims.map(|dim| torus.relative(source, destination, dim) as u16)
        .collect()
}

/// True if a word ends a packet that has reached its destination.
pub fn is_tail(tail: Tail, word: u16) -> bool {
    match tail {
        Tail::Wire => word & TAIL_WIRE != 0,
        Tail::Zero | Tail::Naive => word == 0,
    }
}

/// Decodes the payload of a packet from the words that its destination received before the tail.
/// Returns `None` if the words encode no payload.
pub fn decode(tail: Tail, words: &[u16]) -> Option<Vec<u8>> {
    let bytes: Vec<u8> = words.iter().map(|word| *word as u8).collect();
    match tail {
        Tail::Wire => Some(bytes),
        Tail::Zero | Tail::Naive => data::decode(&bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rtl::torus::TorusPlan;

    fn shape(radices: &[u32], tail: Tail) -> TorusShape {
        let shape = TorusShape::new(Torus::new(radices).unwrap());
        let plan = TorusPlan {
            tail,
            ..shape.plan()
        };
        shape.with(plan).unwrap()
    }

    fn message(payload: &[u8]) -> Message<&[u8]> {
        Message {
            source: 1,
            destination: 6,
            payload,
        }
    }

    #[test]
    fn a_packet_has_addresses_data_and_tail() {
        // From (1, 0) to (2, 1): three down in the first ring, three in the second.
        let zero = encode(&shape(&[4, 4], Tail::Zero), &message(&[7, 0, 9]));
        assert_eq!(zero, [3, 3, 2, 7, 2, 9, 0]);
        let wire = encode(&shape(&[4, 4], Tail::Wire), &message(&[7, 0, 9]));
        assert_eq!(wire, [3, 3, 7, 0, 9, 0x100]);
    }

    #[test]
    fn every_payload_is_decoded() {
        let mut random = interconnect::traffic::SplitMix64::new(1);
        for length in 0..=80 {
            for tail in [Tail::Zero, Tail::Wire, Tail::Naive] {
                let draw = |_| random.below(4) as u8 * 85;
                let payload: Vec<u8> = (0..length).map(draw).collect();
                let words = encode(&shape(&[4, 4], tail), &message(&payload));
                let (last, words) = words[2..].split_last().unwrap();
                assert!(is_tail(tail, *last));
                assert!(words.iter().all(|word| !is_tail(tail, *word)));
                assert_eq!(decode(tail, words), Some(payload));
            }
        }
    }

    #[test]
    fn words_without_payload_decode_to_none() {
        for words in [&[][..], &[5, 1], &[1, 3, 1]] {
            assert_eq!(decode(Tail::Zero, words), None, "{words:?}");
        }
    }
}
