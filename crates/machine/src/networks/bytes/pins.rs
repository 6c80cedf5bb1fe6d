//! Engine ports between nodes and processors, and the ports that the driver observes.

use super::{ByteShape, WatchedPort};
use engine::{EngineError, NodeEngine, NodePortId};
use interconnect::topology::PortEnd;
use interconnect::traffic::MessageList;
use std::collections::VecDeque;
use std::sync::Arc;

/// Virtual channels of a machine as the driver observes them: changes of the request and of the
/// acknowledge of each channel.
///
/// A queue is identified by its node and its number.
pub(super) struct BytePins<'a> {
    engine: &'a mut dyn NodeEngine,
    send_data: NodePortId,
    send_request: NodePortId,
    receive_acknowledge: NodePortId,
    receive_data: NodePortId,
    /// Requests of all queues except the last one, which leads to the processor. A change shows
    /// that the queue has put a byte on its wires.
    pub requests: Vec<PortHistory>,
    /// Acknowledges for the bytes of all queues except the last one. A change shows that the byte
    /// has been taken.
    pub acknowledges: Vec<PortHistory>,
    /// Acknowledges of the bytes that processors send.
    pub sent: PortHistory,
    /// Requests of the bytes that processors receive.
    pub received: PortHistory,
    /// Processor outputs from the next clock cycle on: port, node, value.
    next: Vec<(NodePortId, usize, u64)>,
}

/// Port of all nodes, with its values in the previous clock cycle.
pub(super) struct PortHistory {
    port: NodePortId,
    /// Number of the queue at the lowest bit of the port.
    queue: usize,
    /// For each node of the port, the node of the queue. `None` if both are the same node.
    of: Option<Vec<u32>>,
    words: Vec<u64>,
    before: Vec<u64>,
}

impl PortHistory {
    fn new(engine: &mut dyn NodeEngine, name: &str, queue: usize) -> Self {
        PortHistory {
            port: engine.port(name),
            queue,
            of: None,
            words: vec![0; engine.nodes()],
            before: vec![0; engine.nodes()],
        }
    }

    fn look(&mut self, engine: &mut dyn NodeEngine) {
        std::mem::swap(&mut self.words, &mut self.before);
        engine.get_all(self.port, &mut self.words);
    }

    /// Returns the word of a node.
    pub fn word(&self, node: usize) -> u64 {
        self.words[node]
    }

    /// Returns node and number of each queue whose bit has changed since the previous clock cycle.
    pub fn changed(&self) -> ChangedBits<'_> {
        ChangedBits {
            now: &self.words,
            before: &self.before,
            of: self.of.as_deref(),
            queue: self.queue,
            node: 0,
            left: 0,
        }
    }
}

/// Iterates over the changes at a port. Most words of most ports do not change in a clock cycle, so
/// the iterator skips whole words.
pub(super) struct ChangedBits<'a> {
    now: &'a [u64],
    before: &'a [u64],
    of: Option<&'a [u32]>,
    queue: usize,
    /// Next node of the port to be examined.
    node: usize,
    /// Changed bits of the node before it that have not been returned.
    left: u64,
}

impl Iterator for ChangedBits<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        while self.left == 0 {
            if self.node == self.now.len() {
                return None;
            }
            self.left = self.now[self.node] ^ self.before[self.node];
            self.node += 1;
        }
        let bit = self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        let node = self.node - 1;
        let node = self.of.map_or(node, |of| of[node] as usize);
        Some((node, self.queue + bit))
    }
}

impl<'a> BytePins<'a> {
    /// Finds the ports of the machine in the engine.
    ///
    /// # Panics
    /// If the engine has no machine of this shape.
    pub fn new(engine: &'a mut dyn NodeEngine, shape: &dyn ByteShape) -> Self {
        let topology = shape.topology();
        assert_eq!(engine.nodes(), topology.nodes() as usize);
        let mut watch = |ports: Vec<WatchedPort>| -> Vec<PortHistory> {
            let watched = ports.iter().map(|port| {
                let mut watched = PortHistory::new(engine, &port.name, port.queue);
                let sender = |node, port| topology.source(PortEnd { node, port }).node;
                let senders = |port| (0..topology.nodes()).map(|node| sender(node, port)).collect();
                watched.of = port.from.map(senders);
                watched
            });
            watched.collect()
        };
        let (requests, acknowledges) = (watch(shape.requests()), watch(shape.acknowledges()));
        for pin in shape.constant_inputs() {
            let port = engine.port(&pin.name);
            for (node, value) in pin.values.into_iter().enumerate() {
                engine.set(port, node, value);
            }
        }
        BytePins {
            send_data: engine.port("send_data"),
            send_request: engine.port("send_request"),
            receive_acknowledge: engine.port("receive_acknowledge"),
            receive_data: engine.port("receive_data"),
            requests,
            acknowledges,
            sent: PortHistory::new(engine, "send_acknowledge", 0),
            received: PortHistory::new(engine, "receive_request", shape.processor_queue()),
            next: vec![],
            engine,
        }
    }

    /// Settles the circuit and reads all observed ports.
    pub fn look(&mut self) -> Result<(), EngineError> {
        self.engine.settle()?;
        for watched in self.requests.iter_mut().chain(&mut self.acknowledges) {
            watched.look(self.engine);
        }
        self.sent.look(self.engine);
        self.received.look(self.engine);
        Ok(())
    }

    /// Applies the clock edge to the circuit and to the output registers of the processors.
    pub fn clock(&mut self) -> Result<(), EngineError> {
        self.engine.clock()?;
        for (port, node, value) in self.next.drain(..) {
            self.engine.set(port, node, value);
        }
        Ok(())
    }

    /// Puts a word on the port of a processor.
    pub fn put(&mut self, node: usize, word: u16, request: bool) {
        self.next.push((self.send_data, node, word.into()));
        self.next.push((self.send_request, node, request.into()));
    }

    /// Returns the word that a processor receives.
    pub fn received_word(&mut self, node: usize) -> u16 {
        self.engine.get(self.receive_data, node) as u16
    }

    /// Acknowledges the byte that a processor receives.
    pub fn take(&mut self, node: usize, acknowledge: u64) {
        self.next.push((self.receive_acknowledge, node, acknowledge));
    }
}

// Processors of a byte network: the messages each sends, and the part of a packet it has received.

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
                processors[message.source as usize].queue.push_back((number, release));
            }
        }
        PacketProcessors { shape, messages, processors, sending: vec![0; nodes] }
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
        Some(PortWord { word: processor.words.pop()?, message: self.sending[node], first })
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
