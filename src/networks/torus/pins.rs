//! Where the nodes of a torus meet their processors in an engine, and what is watched.

use super::TorusShape;
use crate::engine::{EngineError, NodeEngine, NodePort};
use crate::topology::{End, Topology};

/// The virtual channels of a machine, as the driver looks at them: of each one whether
/// its request or its acknowledge changed.
///
/// A queue is known by its node and a number: virtual channel v of dimension d is
/// d * channels + v, and behind these come the chips' queues to their processor's side.
pub(super) struct Pins<'a> {
    engine: &'a mut dyn NodeEngine,
    send_data: NodePort,
    send_request: NodePort,
    receive_acknowledge: NodePort,
    receive_data: NodePort,
    /// Of each queue its request, but of the last, which is the processor's.
    requests: Vec<Watched>,
    /// Of each queue, the acknowledge that its bytes get.
    acknowledges: Vec<Watched>,
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
    pub fn changed(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let words = self.words.iter().zip(&self.before).enumerate();
        let changed = words.filter(|(_, (now, before))| now != before);
        changed.flat_map(move |(node, (now, before))| {
            let bits = (0..64).filter(move |bit| (now ^ before) >> bit & 1 == 1);
            let node = self.of.as_ref().map_or(node, |of| of[node] as usize);
            bits.map(move |bit| (node, self.queue + bit))
        })
    }
}

impl<'a> Pins<'a> {
    /// # Panics
    /// If the engine has no machine of this shape.
    pub fn new(engine: &'a mut dyn NodeEngine, shape: &TorusShape) -> Self {
        let (plan, nodes) = (shape.plan(), engine.nodes());
        assert_eq!(nodes, shape.torus().nodes() as usize);
        let (mut requests, mut acknowledges) = (vec![], vec![]);
        for dim in 0..plan.dims {
            let queue = dim * plan.channels;
            let mut watch = |name| Watched::new(engine, &format!("{name}[{dim}]"), queue);
            requests.push(watch("request_out"));
            let mut acknowledge = watch("acknowledge_out");
            let sender = |node| End {
                node,
                port: dim as u32,
            };
            let torus = shape.torus();
            let senders = torus
                .addresses()
                .map(|node| torus.source(sender(node)).node);
            acknowledge.of = Some(senders.collect());
            acknowledges.push(acknowledge);
        }
        for chip in 0..plan.chips() - 1 {
            let queue = plan.dims * plan.channels + chip;
            let mut watch = |name| Watched::new(engine, &format!("{name}[{chip}]"), queue);
            requests.push(watch("between_request"));
            acknowledges.push(watch("between_acknowledge"));
        }
        let last = plan.dims * plan.channels + plan.chips() - 1;
        for dim in 0..plan.dims {
            let pin = engine.port(&format!("origin[{dim}]"));
            for node in 0..nodes {
                let origin = shape.routing().changes_at(node as u32, dim);
                engine.set(pin, node, origin.into());
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
            received: Watched::new(engine, "receive_request", last),
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

    /// The queues that have put a byte on their wires, but for those to processors.
    pub fn requests(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.requests.iter().flat_map(Watched::changed)
    }

    /// The queues whose byte has been taken, but for those to processors.
    pub fn acknowledges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.acknowledges.iter().flat_map(Watched::changed)
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
