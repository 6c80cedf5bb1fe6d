//! Processors of a byte network: the messages each sends, and the part of a packet it has received.

use super::ByteShape;
use interconnect::traffic::MessageList;
use std::collections::VecDeque;
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
pub(super) struct Processor {
    /// Messages still to be sent, each with the clock cycle from which it is available.
    queue: VecDeque<(usize, u64)>,
    /// Rest of the packet being sent, with the next word last.
    words: Vec<u16>,
    /// Level of the processor's request.
    pub request: bool,
    /// Words received of the current packet.
    received: Vec<u16>,
}

/// Word to be put on a port.
#[derive(Clone, Copy, Debug)]
pub(super) struct PortWord {
    pub word: u16,
    pub message: usize,
    /// True for the first word of a packet.
    pub first: bool,
}

/// All processors, and the encoding of packets.
pub(super) struct PacketProcessors {
    shape: Arc<dyn ByteShape>,
    messages: Arc<MessageList>,
    processors: Vec<Processor>,
    /// For each processor, the message whose packet it is sending.
    sending: Vec<usize>,
}

impl PacketProcessors {
    /// Creates the processors. `releases` gives, for each message, the clock cycle from which its
    /// processor has it. Messages past the end of `releases` are available from the first clock
    /// cycle.
    pub fn new(shape: Arc<dyn ByteShape>, messages: Arc<MessageList>, releases: &[u64]) -> Self {
        let nodes = shape.topology().nodes() as usize;
        let mut processors = vec![Processor::default(); nodes];
        for (number, message) in messages.iter().enumerate() {
            let ends = [message.source, message.destination];
            let failed = ends.iter().any(|node| shape.has_failed(*node));
            if !message.is_to_self() && !failed {
                let release = releases.get(number).copied().unwrap_or(0);
                processors[message.source as usize]
                    .queue
                    .push_back((number, release));
            }
        }
        PacketProcessors {
            shape,
            messages,
            processors,
            sending: vec![0; nodes],
        }
    }

    pub fn count(&self) -> usize {
        self.processors.len()
    }

    pub fn request(&self, node: usize) -> bool {
        self.processors[node].request
    }

    /// Returns the word that a processor puts on its port now, if it has one.
    pub fn put(&mut self, node: usize, clock_cycle: u64) -> Option<PortWord> {
        let processor = &mut self.processors[node];
        let mut first = false;
        if processor.words.is_empty() {
            let (number, release) = *processor.queue.front()?;
            if release > clock_cycle {
                return None;
            }
            processor.queue.pop_front();
            processor.words = self.shape.encode(&self.messages.get(number));
            processor.words.reverse();
            self.sending[node] = number;
            first = true;
        }
        processor.request = !processor.request;
        Some(PortWord {
            word: processor.words.pop()?,
            message: self.sending[node],
            first,
        })
    }

    /// True if a message becomes available to some processor in this clock cycle or later.
    pub fn has_later_messages(&self, clock_cycle: u64) -> bool {
        let mut next = self.processors.iter().filter_map(|p| p.queue.front());
        next.any(|(_, release)| *release >= clock_cycle)
    }

    /// Passes a word to a processor. If the word is the tail, returns the words of the packet
    /// without the tail.
    pub fn get(&mut self, node: usize, word: u16) -> Option<Vec<u16>> {
        let got = &mut self.processors[node].received;
        if self.shape.is_tail(word) {
            return Some(std::mem::take(got));
        }
        got.push(word);
        None
    }
}
