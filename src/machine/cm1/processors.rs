use super::{Cm1Message, Cm1Shape, Stream};
use std::collections::VecDeque;

/// What the processors have to send. Each offers its messages one after the
/// other, one in a petit cycle.
///
/// After a timeout, when the router has been drained, all that is left is sent
/// in two halves, one after the other (`cm1-message-router`, section 3.4.1); a
/// half that runs into the timeout again is halved again.
pub(super) struct Processors {
    queues: Vec<VecDeque<Stream>>,
    /// What came back from the router.
    returned: Vec<Vec<Stream>>,
    /// Halves that wait for their turn, the next one last.
    held_back: Vec<Vec<VecDeque<Stream>>>,
}

impl Processors {
    pub fn new(shape: Cm1Shape, messages: &[Cm1Message]) -> Self {
        let processors = shape.chips() * shape.processors();
        let mut queues = vec![VecDeque::new(); processors];
        for message in messages {
            queues[message.source as usize].push_back(shape.stream(message));
        }
        Processors {
            returned: vec![vec![]; queues.len()],
            queues,
            held_back: vec![],
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

    /// Nothing is offered.
    pub fn all_sent(&self) -> bool {
        self.queues.iter().all(VecDeque::is_empty)
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
