//! Where nodes meet their processors in an engine, and what is watched.

use super::{ByteShape, WatchedPort};
use crate::engine::{EngineError, NodeEngine, NodePort};
use crate::topology::End;

/// The virtual channels of a machine, as the driver looks at them: of each one whether
/// its request or its acknowledge changed.
///
/// A queue is known by its node and its number.
pub(super) struct Pins<'a> {
    engine: &'a mut dyn NodeEngine,
    send_data: NodePort,
    send_request: NodePort,
    receive_acknowledge: NodePort,
    receive_data: NodePort,
    /// Of each queue its request, but of the last, which is the processor's: a change says that
    /// the queue has put a byte on its wires.
    pub requests: Vec<Watched>,
    /// Of each queue but the last, the acknowledge that its bytes get: a change says that its
    /// byte has been taken.
    pub acknowledges: Vec<Watched>,
    /// The acknowledges of what processors send.
    pub sent: Watched,
    /// The requests of what processors get.
    pub received: Watched,
    /// What processors say from the next clock cycle on: port, node, value.
    next: Vec<(NodePort, usize, u64)>,
}

/// A port of all nodes, and what it was in the clock cycle before.
pub(super) struct Watched {
    port: NodePort,
    /// The queue of its lowest bit.
    queue: usize,
    /// By the node of the port, the node of the queue, if it is another.
    of: Option<Vec<u32>>,
    words: Vec<u64>,
    before: Vec<u64>,
}

impl Watched {
    fn new(engine: &mut dyn NodeEngine, name: &str, queue: usize) -> Self {
        Watched {
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

    /// The word of a node.
    pub fn word(&self, node: usize) -> u64 {
        self.words[node]
    }

    /// The nodes and numbers of the queues whose bit is another than in the clock cycle before.
    pub fn changed(&self) -> Changed<'_> {
        Changed {
            now: &self.words,
            before: &self.before,
            of: self.of.as_deref(),
            queue: self.queue,
            node: 0,
            left: 0,
        }
    }
}

/// Goes through what changed at a port. Most words of most ports do not change in a clock cycle, so
/// whole words are passed over.
pub(super) struct Changed<'a> {
    now: &'a [u64],
    before: &'a [u64],
    of: Option<&'a [u32]>,
    queue: usize,
    /// The node of the port that is looked at next.
    node: usize,
    /// The bits that changed at the node before it, and have not been told.
    left: u64,
}

impl Iterator for Changed<'_> {
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

impl<'a> Pins<'a> {
    /// # Panics
    /// If the engine has no machine of this shape.
    pub fn new(engine: &'a mut dyn NodeEngine, shape: &dyn ByteShape) -> Self {
        let topology = shape.topology();
        assert_eq!(engine.nodes(), topology.nodes() as usize);
        let mut watch = |ports: Vec<WatchedPort>| -> Vec<Watched> {
            let watched = ports.iter().map(|port| {
                let mut watched = Watched::new(engine, &port.name, port.queue);
                let sender = |node, port| topology.source(End { node, port }).node;
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
        for pin in shape.pins() {
            let port = engine.port(&pin.name);
            for (node, value) in pin.values.into_iter().enumerate() {
                engine.set(port, node, value);
            }
        }
        Pins {
            send_data: engine.port("send_data"),
            send_request: engine.port("send_request"),
            receive_acknowledge: engine.port("receive_acknowledge"),
            receive_data: engine.port("receive_data"),
            requests,
            acknowledges,
            sent: Watched::new(engine, "send_acknowledge", 0),
            received: Watched::new(engine, "receive_request", shape.processor_queue()),
            next: vec![],
            engine,
        }
    }

    /// Settles, and looks at all that is watched.
    pub fn look(&mut self) -> Result<(), EngineError> {
        self.engine.settle()?;
        for watched in self.requests.iter_mut().chain(&mut self.acknowledges) {
            watched.look(self.engine);
        }
        self.sent.look(self.engine);
        self.received.look(self.engine);
        Ok(())
    }

    /// The clock edge, of the processors' registers, too.
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

    /// The word that a processor gets.
    pub fn got(&mut self, node: usize) -> u16 {
        self.engine.get(self.receive_data, node) as u16
    }

    /// A processor has taken what it gets.
    pub fn take(&mut self, node: usize, acknowledge: u64) {
        self.next
            .push((self.receive_acknowledge, node, acknowledge));
    }
}
