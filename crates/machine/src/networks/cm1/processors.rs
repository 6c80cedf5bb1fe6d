//! Processors of the CM-1 as queues, which are halved after a timeout.

use super::{BitStream, Cm1Message, Cm1Shape};
use std::cmp::Reverse;
use std::collections::VecDeque;

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
                petit => later.push(ScheduledMessage {
                    petit,
                    number,
                    processor,
                    stream,
                }),
            }
        }
        later.sort_by_key(|late| Reverse((late.petit, late.number)));
        Cm1Processors {
            later,
            returned: vec![vec![]; queues.len()],
            queues,
            held_back: vec![],
        }
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
