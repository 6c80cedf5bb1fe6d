//! The processors of a byte network: what each sends, and what it has got of a packet.

use super::ByteShape;
use crate::traffic::MessageList;
use std::collections::VecDeque;
use std::sync::Arc;

/// A processor.
#[derive(Clone, Debug, Default)]
pub(super) struct Processor {
    /// The messages that it has still to send, and the clock cycle from which it has them.
    queue: VecDeque<(usize, u64)>,
    /// The rest of the packet that it is sending, the next word last.
    words: Vec<u16>,
    /// Its request.
    pub request: bool,
    /// The words of the packet that it is getting.
    got: Vec<u16>,
}

/// A word goes on a port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Put {
    pub word: u16,
    pub message: usize,
    /// It is the first of its packet.
    pub first: bool,
}

/// All of them, and how packets are made.
pub(super) struct Processors {
    shape: Arc<dyn ByteShape>,
    messages: Arc<MessageList>,
    processors: Vec<Processor>,
    /// The message whose packet each is sending.
    sending: Vec<usize>,
}

impl Processors {
    /// `releases` says of each message from which clock cycle on its processor has it;
    /// past its end, from the first.
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
        Processors {
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

    /// The word that a processor puts on its port now, if it has one.
    pub fn put(&mut self, node: usize, clock_cycle: u64) -> Option<Put> {
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
        Some(Put {
            word: processor.words.pop()?,
            message: self.sending[node],
            first,
        })
    }

    /// A processor has a message that it did not have before this clock cycle, or that it
    /// will have.
    pub fn more_to_come(&self, clock_cycle: u64) -> bool {
        let mut next = self.processors.iter().filter_map(|p| p.queue.front());
        next.any(|(_, release)| *release >= clock_cycle)
    }

    /// A processor gets a word; the words of its packet without the tail, if this was it.
    pub fn get(&mut self, node: usize, word: u16) -> Option<Vec<u16>> {
        let got = &mut self.processors[node].got;
        if self.shape.is_tail(word) {
            return Some(std::mem::take(got));
        }
        got.push(word);
        None
    }
}
