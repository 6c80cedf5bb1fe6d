//! Engine ports between nodes and processors, and the ports that the driver observes.

use super::{ByteShape, WatchedPort};
use engine::{EngineError, NodeEngine, NodePortId};
use interconnect::topology::PortEnd;

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
                let senders = |port| {
                    (0..topology.nodes())
                        .map(|node| sender(node, port))
                        .collect()
                };
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
        self.next
            .push((self.receive_acknowledge, node, acknowledge));
    }
}
