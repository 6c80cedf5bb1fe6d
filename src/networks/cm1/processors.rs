//! The processors of the CM-1 as queues, halved after a timeout.

use super::{Cm1Message, Cm1Shape, Stream};
use std::cmp::Reverse;
use std::collections::VecDeque;

/// What the processors have to send. Each offers its messages one after the
/// other, one in a petit cycle.
///
/// After a timeout, when the router has been drained, all that is left is sent
/// in two halves, one after the other (`cm1-message-router`, section 3.4.1); a
/// half that runs into the timeout again is halved again.
pub(super) struct Processors {
    queues: Vec<VecDeque<Stream>>,
    /// Messages that are not there yet, the next one last.
    later: Vec<Later>,
    /// What came back from the router.
    returned: Vec<Vec<Stream>>,
    /// Halves that wait for their turn, the next one last.
    held_back: Vec<Vec<VecDeque<Stream>>>,
}

/// A message that its processor has from a petit cycle on.
struct Later {
    petit: u64,
    number: usize,
    processor: usize,
    stream: Stream,
}

impl Processors {
    /// `releases` says of each message from which petit cycle on its processor has
    /// it; past its end, from the first.
    pub fn new(shape: Cm1Shape, messages: &[Cm1Message], releases: &[u64]) -> Self {
        let processors = shape.chips() * shape.processors();
        let mut queues = vec![VecDeque::new(); processors];
        let mut later = vec![];
        for (number, message) in messages.iter().enumerate() {
            let (processor, stream) = (message.source as usize, shape.stream(message));
            match releases.get(number).copied().unwrap_or(0) {
                0 => queues[processor].push_back(stream),
                petit => later.push(Later {
                    petit,
                    number,
                    processor,
                    stream,
                }),
            }
        }
        later.sort_by_key(|late| Reverse((late.petit, late.number)));
        Processors {
            later,
            returned: vec![vec![]; queues.len()],
            queues,
            held_back: vec![],
        }
    }

    /// At the begin of a petit cycle: what is there from then on is queued.
    pub fn release(&mut self, petit: u64) {
        while self.later.last().is_some_and(|late| late.petit <= petit) {
            let Some(late) = self.later.pop() else { break };
            self.queues[late.processor].push_back(late.stream);
        }
    }

    pub fn count(&self) -> usize {
        self.queues.len()
    }

    /// The message that a processor offers next.
    pub fn offer(&self, processor: usize) -> Option<&Stream> {
        self.queues[processor].front()
    }

    /// The message offered was taken.
    pub fn taken(&mut self, processor: usize) {
        self.queues[processor].pop_front();
    }

    /// A message came back.
    pub fn came_back(&mut self, processor: usize, stream: Stream) {
        self.returned[processor].push(stream);
    }

    /// Nothing is offered, now or later.
    pub fn all_sent(&self) -> bool {
        self.later.is_empty() && self.queues.iter().all(VecDeque::is_empty)
    }

    /// Goes on with a half that was held back; whether there was one.
    pub fn next_half(&mut self) -> bool {
        let half = self.held_back.pop();
        let found = half.is_some();
        if let Some(half) = half {
            self.queues = half;
        }
        found
    }

    /// Holds back every other message, counted through all processors.
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
