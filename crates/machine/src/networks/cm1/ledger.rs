//! Bookkeeping of a CM-1 run: the fate of each message, and the counts.

use super::{decode, encode, BitStream, StreamFields};
use crate::arrivals::Arrivals;
use crate::Delivery;
use interconnect::topology::Hypercube;
use interconnect::traffic::Message;
use rtl::cm1::{MessageFormat, PetitPlan};
use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use thiserror::Error;

/// Counts over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cm1Counters {
    /// Hops that brought the message nearer to its destination.
    pub productive_hops: u64,
    /// Hops away from the destination, in desperation.
    pub desperation_hops: u64,
    /// Messages ORed onto another message to the same processor.
    pub collisions: u64,
    /// Offers of processors that the router did not take.
    pub refused: u64,
    /// Times that the router was drained after a timeout.
    pub timeouts: u64,
    /// Messages returned to a processor while the router drained.
    pub returned: u64,
    /// Messages that arrived with wrong parity and were flagged.
    pub parity_errors: u64,
}

/// Identifies an arriving message: destination, virtual processor, data.
type Cm1MessageKey = (u32, u32, Vec<u8>);

/// Bits that a processor received in a petit cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrival {
    /// MSGP, VP-ADDRESS, DATA, PARITY. With ejection by banks there is no VP-ADDRESS.
    pub bits: Vec<bool>,
    pub parity_error: bool,
}

/// Records the messages that have arrived.
pub(super) struct Cm1Ledger {
    shape: Cm1Shape,
    plan: PetitPlan,
    /// Outcomes of the messages. Damage that the machine did not detect counts as undetected.
    pub arrivals: Arrivals<Cm1MessageKey>,
    pub counters: Cm1Counters,
    /// Messages that left the machine, correct or not.
    pub arrived: usize,
}

impl Cm1Ledger {
    pub fn new(shape: Cm1Shape, plan: PetitPlan, messages: &[Cm1Message]) -> Self {
        let keys = messages.iter().map(|m| Ok((m.destination, m.vp, m.data.clone())));
        Cm1Ledger {
            shape,
            plan,
            arrivals: Arrivals::new(keys),
            counters: Cm1Counters::default(),
            arrived: 0,
        }
    }

    /// Records the streams that left the heart of a chip for its processors in a petit cycle, in
    /// ascending order of rows. Compares them with the bits that the processors received.
    pub fn record_ejected(
        &mut self,
        petit: u64,
        chip: usize,
        streams: &[Vec<bool>],
        got: &mut [Option<Arrival>],
    ) {
        let format = self.shape.format;
        let mut wanted: HashMap<u32, (Vec<bool>, bool, u64)> = HashMap::new();
        for stream in streams {
            let fields = decode(format, stream);
            self.arrived += 1;
            self.identify(petit, chip, &fields);
            // MSGP replaces the last of the address bits that the ejector evaluates.
            let after = (self.plan.sort() - self.plan.exit()) as usize;
            let mut bits = stream[after..].to_vec();
            bits[0] = true;
            let entry = wanted
                .entry(fields.processor)
                .or_insert_with(|| (vec![false; bits.len()], false, 0));
            for (all, bit) in entry.0.iter_mut().zip(bits) {
                *all |= bit;
            }
            entry.1 |= !fields.parity_good;
            entry.2 += 1;
        }
        for (p, got) in (0..).zip(got) {
            match (wanted.get(&p), got.take()) {
                (None, None) => {}
                (Some((bits, wrong, rows)), Some(arrival)) => {
                    let as_wanted = *bits == arrival.bits && *wrong == arrival.parity_error;
                    self.arrivals.undetected += u64::from(!as_wanted);
                    self.counters.collisions += rows - 1;
                }
                _ => self.arrivals.undetected += 1,
            }
        }
    }

    fn identify(&mut self, petit: u64, chip: usize, fields: &StreamFields) {
        if !fields.parity_good {
            self.counters.parity_errors += 1;
            return;
        }
        let chip = chip as u32 ^ fields.relative;
        let destination = chip << self.shape.format.proc_bits | fields.processor;
        let key = (destination, fields.vp, fields.data.clone());
        self.arrivals.record(&key, petit);
    }

    /// Marks the missing messages as lost, because the machine is empty in this petit cycle. They
    /// were damaged beyond recognition and cannot arrive any more.
    pub fn close(&mut self, petit: u64) {
        for delivery in &mut self.arrivals.deliveries {
            if *delivery == Delivery::UnderWay {
                *delivery = Delivery::Lost { t: petit as u32 };
            }
        }
    }
}

// Messages between processors.

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
            Ok(Cm1Message { source: message.source, destination: message.destination, vp, data })
        };
        messages.iter().enumerate().map(convert).collect()
    }
}

/// Returns the number of bits up to the highest bit that is set.
fn bits_of(bytes: &[u8]) -> u32 {
    let highest = bytes.iter().rposition(|byte| *byte != 0);
    highest.map_or(0, |i| 8 * i as u32 + 8 - bytes[i].leading_zeros())
}

// Processors of the CM-1 as queues, which are halved after a timeout.

/// Messages that the processors have to send. Each processor offers its messages in order, one in
/// each petit cycle.
///
/// After a timeout the router is drained. The remaining messages are then sent in two halves, one
/// after the other (`cm1-message-router`, section 3.4.1). A half that runs into the timeout is
/// halved again.
pub(super) struct Cm1Processors {
    queues: Vec<VecDeque<BitStream>>,
    /// Messages that are not yet available, with the next one last.
    later: Vec<ScheduledMessage>,
    /// Messages returned by the router.
    returned: Vec<Vec<BitStream>>,
    /// Halves that are held back, with the next one last.
    held_back: Vec<Vec<VecDeque<BitStream>>>,
}

/// Message that becomes available to its processor in a given petit cycle.
struct ScheduledMessage {
    petit: u64,
    number: usize,
    processor: usize,
    stream: BitStream,
}

impl Cm1Processors {
    /// Creates the queues. `releases` gives, for each message, the petit cycle from which its
    /// processor has it. Messages past the end of `releases` are available from the first petit
    /// cycle.
    pub fn new(shape: Cm1Shape, messages: &[Cm1Message], releases: &[u64]) -> Self {
        let processors = shape.chips() * shape.processors();
        let mut queues = vec![VecDeque::new(); processors];
        let mut later = vec![];
        for (number, message) in messages.iter().enumerate() {
            let (processor, stream) = (message.source as usize, shape.stream(message));
            match releases.get(number).copied().unwrap_or(0) {
                0 => queues[processor].push_back(stream),
                petit => later.push(ScheduledMessage { petit, number, processor, stream }),
            }
        }
        later.sort_by_key(|late| Reverse((late.petit, late.number)));
        Cm1Processors { later, returned: vec![vec![]; queues.len()], queues, held_back: vec![] }
    }

    /// Queues the messages that become available at the beginning of this petit cycle.
    pub fn release(&mut self, petit: u64) {
        while self.later.last().is_some_and(|late| late.petit <= petit) {
            let Some(late) = self.later.pop() else { break };
            self.queues[late.processor].push_back(late.stream);
        }
    }

    pub fn count(&self) -> usize {
        self.queues.len()
    }

    /// Returns the message that a processor offers next.
    pub fn offer(&self, processor: usize) -> Option<&BitStream> {
        self.queues[processor].front()
    }

    /// Removes the offered message after the router took it.
    pub fn remove_offered(&mut self, processor: usize) {
        self.queues[processor].pop_front();
    }

    /// Stores a message that the router returned.
    pub fn store_returned(&mut self, processor: usize, stream: BitStream) {
        self.returned[processor].push(stream);
    }

    /// True if no processor offers a message now or later.
    pub fn all_sent(&self) -> bool {
        self.later.is_empty() && self.queues.iter().all(VecDeque::is_empty)
    }

    /// Continues with a half that was held back. Returns false if there is none.
    pub fn next_half(&mut self) -> bool {
        let half = self.held_back.pop();
        let found = half.is_some();
        if let Some(half) = half {
            self.queues = half;
        }
        found
    }

    /// Holds back every other message, counted across all processors.
    pub fn halve(&mut self) {
        let mut later = vec![VecDeque::new(); self.queues.len()];
        let mut hold = false;
        for (p, later) in later.iter_mut().enumerate() {
            let here = self.queues[p].drain(..).chain(self.returned[p].drain(..));
            let mut now = VecDeque::new();
            for stream in here {
                match hold {
                    true => later.push_back(stream),
                    false => now.push_back(stream),
                }
                hold = !hold;
            }
            self.queues[p] = now;
        }
        if later.iter().any(|queue| !queue.is_empty()) {
            self.held_back.push(later);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_are_padded_and_must_fit() {
        let format = MessageFormat { dims: 2, proc_bits: 1, vp_bits: 0, data_bits: 12 };
        let shape = Cm1Shape { rows: 3, format };
        let message =
            |payload: &[u8]| Message { source: 5, destination: 2, payload: payload.to_vec() };
        let sent = shape.messages(&[message(&[7]), message(&[1, 0xF, 0])], 0).unwrap();
        assert_eq!(sent[0].data, [7, 0]);
        assert_eq!(sent[1].data, [1, 0xF]);
        let error = shape.messages(&[message(&[]), message(&[0, 0x10])], 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "message 2 from 5 has a payload of more than 12 bits; \
             accepted: --data-bits 13 or more, or a shorter payload"
        );
    }
}
