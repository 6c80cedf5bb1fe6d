//! Messages between processors.

use super::{encode, BitStream};
use interconnect::topology::Hypercube;
use interconnect::traffic::Message;
use rtl::cm1::MessageFormat;
use thiserror::Error;

/// Message between two processors. Processors are numbered chip * P + processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cm1Message {
    pub source: u32,
    pub destination: u32,
    /// Virtual processor at the destination.
    pub vp: u32,
    /// DATA, low byte first, in the minimum number of bytes for the bits of the format.
    pub data: Vec<u8>,
}

/// Size of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cm1Shape {
    pub rows: usize,
    pub format: MessageFormat,
}

/// Error for a message that the machine cannot carry.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("message {number} from {source_processor} has a payload of more than {bits} bits; accepted: --data-bits {needed} or more, or a shorter payload")]
pub struct TrafficError {
    /// Position in the list, from 1.
    pub number: usize,
    pub source_processor: u32,
    pub bits: u32,
    pub needed: u32,
}

impl Cm1Shape {
    pub fn chips(self) -> usize {
        Hypercube::of(self.format.dims).nodes() as usize
    }

    /// Returns the processors on a chip.
    pub fn processors(self) -> usize {
        1 << self.format.proc_bits
    }

    /// Returns the chip of a processor.
    pub fn chip_of(self, processor: u32) -> u32 {
        processor >> self.format.proc_bits
    }

    /// Returns the stream of a message at its source.
    pub fn stream(self, message: &Cm1Message) -> BitStream {
        let relative = self.chip_of(message.source) ^ self.chip_of(message.destination);
        let processor = message.destination & (self.processors() as u32 - 1);
        encode(self.format, relative, processor, message.vp, &message.data)
    }

    /// Returns messages whose payloads become the DATA, all for this virtual processor.
    ///
    /// # Errors
    /// The first payload that does not fit.
    pub fn messages(self, messages: &[Message], vp: u32) -> Result<Vec<Cm1Message>, TrafficError> {
        let bytes = self.format.data_bits.div_ceil(8) as usize;
        let convert = |(i, message): (usize, &Message)| {
            let needed = bits_of(&message.payload);
            if needed > self.format.data_bits {
                return Err(TrafficError {
                    number: i + 1,
                    source_processor: message.source,
                    bits: self.format.data_bits,
                    needed,
                });
            }
            let mut data = message.payload.clone();
            data.resize(bytes, 0);
            Ok(Cm1Message {
                source: message.source,
                destination: message.destination,
                vp,
                data,
            })
        };
        messages.iter().enumerate().map(convert).collect()
    }
}

/// Returns the number of bits up to the highest bit that is set.
fn bits_of(bytes: &[u8]) -> u32 {
    let highest = bytes.iter().rposition(|byte| *byte != 0);
    highest.map_or(0, |i| 8 * i as u32 + 8 - bytes[i].leading_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_are_padded_and_must_fit() {
        let format = MessageFormat {
            dims: 2,
            proc_bits: 1,
            vp_bits: 0,
            data_bits: 12,
        };
        let shape = Cm1Shape { rows: 3, format };
        let message = |payload: &[u8]| Message {
            source: 5,
            destination: 2,
            payload: payload.to_vec(),
        };
        let sent = shape
            .messages(&[message(&[7]), message(&[1, 0xF, 0])], 0)
            .unwrap();
        assert_eq!(sent[0].data, [7, 0]);
        assert_eq!(sent[1].data, [1, 0xF]);
        let error = shape
            .messages(&[message(&[]), message(&[0, 0x10])], 0)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "message 2 from 5 has a payload of more than 12 bits; \
             accepted: --data-bits 13 or more, or a shorter payload"
        );
    }
}
