//! A network of your own: a ring of nodes that store messages and hand them on.
//!
//! ```text
//! cargo run --example your_own_network
//! ```
//!
//! What a network is stands here in full: a [`Topology`], a [`Relation`], a node
//! circuit, and the [`Array`] that wires it. Each node holds one message on its way, so
//! a ring in which all send to the opposite node stands still; the relation says so
//! before anything runs.

use lockstep::lanes::LaneMap;
use phasecube::engine::{
    ByNode, Engine, EngineError, EvaluatorEngine, NodeEngine, Reference, Verilator,
};
use phasecube::lower::{kernel, lower, Circuit, LowerErrors};
use phasecube::machine::array::{Array, Blocks, Feed, Line, Wire};
use phasecube::routing::dependencies::{judge, Filling, Holder, Holding, Verdict};
use phasecube::routing::{Channel, Relation};
use phasecube::rtl::cells::Reg;
use phasecube::toolchain::{Effort, Toolchain};
use phasecube::topology::{End, Topology};
use rust_hdl::prelude::*;
use std::collections::VecDeque;
use std::path::Path;

/// Node n sends to node n + 1, the last to node 0; 2 to 256 nodes.
#[derive(Clone, Copy, Debug)]
pub struct Ring(pub u32);

impl Topology for Ring {
    fn name(&self) -> String {
        format!("ring of {}", self.0)
    }

    fn nodes(&self) -> u32 {
        self.0
    }

    fn ports(&self) -> u32 {
        1
    }

    fn peer(&self, End { node, port }: End) -> End {
        let node = (node + 1) % self.0;
        End { node, port }
    }

    fn source(&self, End { node, port }: End) -> End {
        let node = (node + self.0 - 1) % self.0;
        End { node, port }
    }
}

/// There is one way, and each node holds one message that leaves by it.
impl Relation for Ring {
    fn topology(&self) -> &dyn Topology {
        self
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        let from = End {
            node: source,
            port: 0,
        };
        let up = Channel { from, vc: 0 };
        (source != destination).then_some(up).into_iter().collect()
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        self.first(self.peer(channel.from).node, destination)
    }
}

/// A node of the ring. A message is a word: its destination, 8 bits, and 32 of data.
///
/// While `request` and `acknowledge` of a link differ a message is on it, and stays in
/// the register of its sender. What comes from below goes before what is sent here.
#[derive(LogicBlock, Circuit, Default)]
pub struct RingNode {
    pub clock: Signal<In, Clock>,
    pub address: Signal<In, Bits<8>>,
    /// From the node below.
    pub request_in: Signal<In, Bit>,
    pub word_in: Signal<In, Bits<40>>,
    pub acknowledge_out: Signal<Out, Bit>,
    /// To the node above.
    pub request_out: Signal<Out, Bit>,
    pub word_out: Signal<Out, Bits<40>>,
    pub acknowledge_in: Signal<In, Bit>,
    /// The processor has a message for another node.
    pub send: Signal<In, Bit>,
    pub send_word: Signal<In, Bits<40>>,
    /// It is taken at the end of this clock cycle.
    pub accept: Signal<Out, Bit>,
    /// There is one for the processor, in this clock cycle only.
    pub deliver: Signal<Out, Bit>,
    pub delivered: Signal<Out, Bits<40>>,
    /// A message from below goes on at the end of this clock cycle.
    pub pass: Signal<Out, Bit>,
    /// A message is held here.
    pub holds: Signal<Out, Bit>,
    request: Reg<Bit>,
    acknowledge: Reg<Bit>,
    word: Reg<Bits<40>>,
}

impl Logic for RingNode {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, request, acknowledge, word);
        let arrived = self.request_in.val() ^ self.acknowledge.q.val();
        let home = self.word_in.val().get_bits::<8>(0) == self.address.val();
        let held = self.request.q.val() ^ self.acknowledge_in.val();
        self.deliver.next = arrived & home;
        self.pass.next = arrived & !home & !held;
        self.accept.next = self.send.val() & !held & !(arrived & !home);
        if self.pass.val() {
            self.word.d.next = self.word_in.val();
        }
        if self.accept.val() {
            self.word.d.next = self.send_word.val();
        }
        self.request.d.next = self.request.q.val() ^ (self.pass.val() | self.accept.val());
        self.acknowledge.d.next = self.acknowledge.q.val() ^ (self.pass.val() | self.deliver.val());
        self.delivered.next = self.word_in.val();
        self.holds.next = held;
        self.request_out.next = self.request.q.val();
        self.word_out.next = self.word.q.val();
        self.acknowledge_out.next = self.acknowledge.q.val();
    }
}

/// What the ring has one of: a mark of time. A link carries a message in two clock
/// cycles.
#[derive(LogicBlock, Circuit, Default)]
pub struct Pace {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of every two.
    pub step: Signal<Out, Bit>,
    second: Reg<Bit>,
}

impl Logic for Pace {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, second);
        self.second.d.next = !self.second.q.val();
        self.step.next = !self.second.q.val();
    }
}

/// The machine. What is acknowledged goes against the direction of the ring.
pub fn array(ring: Ring) -> Result<Array, LowerErrors> {
    let end = |node| End { node, port: 0 };
    let below = LaneMap::Table((0..ring.0).map(|n| ring.source(end(n)).node).collect());
    let above = LaneMap::Table((0..ring.0).map(|n| ring.peer(end(n)).node).collect());
    let wire = |input: &str, output: &str, width, node: &LaneMap| {
        let (output, node) = (output.to_string(), node.clone());
        let line = |bit| Line {
            output: output.clone(),
            bit,
            node: node.clone(),
        };
        let feed = Feed::Nodes((0..width).map(line).collect());
        let input = input.into();
        Wire { input, feed }
    };
    Ok(Array {
        name: "ring".into(),
        doc: format!("A {} that stores and forwards.", ring.name()),
        node: lower(&RingNode::default())?,
        nodes: ring.nodes() as usize,
        shared: lower(&Pace::default())?,
        wiring: vec![
            Wire::number("address"),
            wire("request_in", "request_out", 1, &below),
            wire("word_in", "word_out", 40, &below),
            wire("acknowledge_in", "acknowledge_out", 1, &above),
        ],
    })
}

/// The machine in all four engines.
pub fn engines(ring: Ring, models: &Path) -> Result<Vec<Box<dyn NodeEngine>>, Failure> {
    let (array, tools) = (array(ring)?, Toolchain::open()?);
    let whole = array.whole();
    let mut nodes: Vec<Box<dyn Engine>> = vec![];
    for _ in 0..array.nodes {
        nodes.push(Box::new(Reference::new(RingNode::default())?));
    }
    let shared = Box::new(Reference::new(Pace::default())?);
    let evaluator = Box::new(EvaluatorEngine::new(&whole)?);
    let verilator = Verilator::new(&whole, &tools, models, Effort::Quick)?;
    Ok(vec![
        Box::new(array.lockstep(&Default::default())?),
        Box::new(array.assemble(Blocks { nodes, shared })?),
        Box::new(ByNode::new(evaluator, array.nodes)),
        Box::new(ByNode::new(Box::new(verilator), array.nodes)),
    ])
}

pub type Failure = Box<dyn std::error::Error>;

/// What became of messages, each a source, a destination and data.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    pub clock_cycles: u64,
    /// Where what arrived, in order.
    pub arrived: Vec<(u32, u32)>,
    /// If nothing can move any more: who holds a message for whom.
    pub stuck: Vec<(u32, u32)>,
}

/// Sends the messages of each node in order, until all have arrived, or nothing moves: a
/// clock cycle in which nothing does changes no register, so nothing ever will.
pub fn run(engine: &mut dyn NodeEngine, messages: &[[u32; 3]]) -> Result<Outcome, EngineError> {
    let [send, send_word] = ["send", "send_word"].map(|name| engine.port(name));
    let [delivered, holds, word_out] =
        ["delivered", "holds", "word_out"].map(|name| engine.port(name));
    let moves @ [accept, deliver, _] = ["accept", "deliver", "pass"].map(|name| engine.port(name));
    let mut queues = vec![VecDeque::new(); engine.nodes()];
    for &[source, destination, data] in messages {
        queues[source as usize].push_back(u64::from(data) << 8 | u64::from(destination));
    }
    let mut outcome = Outcome::default();
    while outcome.arrived.len() < messages.len() {
        for (node, queue) in queues.iter().enumerate() {
            engine.set(send, node, u64::from(!queue.is_empty()));
            engine.set(send_word, node, queue.front().copied().unwrap_or(0));
        }
        engine.settle()?;
        let moving = engine.any(&moves);
        for (node, queue) in (0..).zip(&mut queues) {
            if engine.get(accept, node) == 1 {
                queue.pop_front();
            }
            if engine.get(deliver, node) == 1 {
                let data = engine.get(delivered, node) >> 8;
                outcome.arrived.push((node as u32, data as u32));
            }
            if !moving && engine.get(holds, node) == 1 {
                let destination = engine.get(word_out, node) & 0xFF;
                outcome.stuck.push((node as u32, destination as u32));
            }
        }
        if !moving {
            break;
        }
        engine.clock()?;
        outcome.clock_cycles += 1;
    }
    Ok(outcome)
}

/// What the example prints.
pub fn show(models: &Path) -> Result<String, Failure> {
    let ring = Ring(8);
    let Verdict::Cyclic { cycle, filling, .. } = judge(&ring, Holding::Whole)? else {
        return Err("a ring has a cycle".into());
    };
    let mut text = format!("{}: {} channels in a cycle\n", ring.name(), cycle.len());
    let Filling::By(holders) = filling else {
        return Err("the cycle can be filled".into());
    };
    let message = |holder: &Holder| [holder.source, holder.destination, 7];
    let list: Vec<_> = holders.iter().map(message).collect();
    for list in [&list[..], &list[1..]] {
        for mut engine in engines(ring, models)? {
            let Outcome { arrived, stuck, .. } = run(&mut *engine, list)?;
            let [arrived, stuck] = [arrived.len(), stuck.len()];
            let (sent, engine) = (list.len(), engine.name());
            text += &format!("{engine}: {sent} sent, {arrived} arrived, {stuck} stand still\n");
        }
    }
    Ok(text)
}

fn main() -> Result<(), Failure> {
    print!("{}", show("target/phasecube/models".as_ref())?);
    Ok(())
}
