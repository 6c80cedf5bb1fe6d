//! A custom network: a ring of nodes that store and forward messages.
//!
//! ```text
//! cargo run --release --example your_own_network -- compare --networks tdma,ring
//! cargo run --release --example your_own_network -- run --network ring --engine verilator
//! cargo run --release --example your_own_network -- deadlock --network ring --confirm
//! ```
//!
//! The file has a [`Topology`], a [`Relation`], a node circuit, the machine and its registry entry.
//! A ring deadlocks if all nodes send to the opposite one. The relation shows this before anything
//! runs.

use clap::ArgMatches;
use hdl::prelude::*;
use phasecube::cli::main_with;
use phasecube::engine::NodeEngine;
use phasecube::machine::array::{Array, BlockCircuit, InputWiring};
use phasecube::machine::{
    Load, LoadError, MachineCircuit, MachineDriver, Timebase, WordDriver, WordPorts,
};
use phasecube::networks::{
    standard, ComparisonSetting, DeadlockModel, Machine, Network, NetworkError, Networks,
};
use phasecube::routing::dependencies::Switching;
use phasecube::routing::{Channel, Relation};
use phasecube::topology::{PortEnd, Topology};
use phasecube::wave::WaveSubject;
use std::process::ExitCode;
use std::sync::Arc;

/// Ring of 2 to 256 nodes: node n sends to node n + 1, the last one to node 0.
#[derive(Clone, Copy, Debug)]
pub struct RingMachine(pub u32);

impl Topology for RingMachine {
    fn name(&self) -> String {
        format!("ring of {}", self.0)
    }

    fn nodes(&self) -> u32 {
        self.0
    }

    fn ports(&self) -> u32 {
        1
    }

    fn peer(&self, end: PortEnd) -> PortEnd {
        PortEnd::new((end.node + 1) % self.0, 0)
    }

    fn source(&self, end: PortEnd) -> PortEnd {
        PortEnd::new((end.node + self.0 - 1) % self.0, 0)
    }
}

/// There is one route, and each node holds one message to send.
impl Relation for RingMachine {
    fn topology(&self) -> &dyn Topology {
        self
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        match source == destination {
            true => vec![],
            false => vec![Channel::new(PortEnd::new(source, 0), 0)],
        }
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        self.first(self.peer(channel.from).node, destination)
    }
}

/// Node of the ring. A message is a word: its destination, 8 bits, and 32 bits of data.
///
/// While `request` and `acknowledge` of a link differ, a message is on it and stays in `word` of
/// the sender. Messages from below have priority over new ones.
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
    /// Message of the processor. `accept` takes it at the end of this clock cycle.
    pub send: Signal<In, Bit>,
    pub send_word: Signal<In, Bits<40>>,
    pub accept: Signal<Out, Bit>,
    /// A message for the processor, in this clock cycle only.
    pub deliver: Signal<Out, Bit>,
    pub delivered: Signal<Out, Bits<40>>,
    /// The node forwards a message from below at the end of this clock cycle.
    pub pass: Signal<Out, Bit>,
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

/// Shared time base of the ring. A link carries a message in two clock cycles.
#[derive(LogicBlock, Circuit, Default)]
pub struct RingTimebase {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of every two.
    pub step: Signal<Out, Bit>,
    second: Reg<Bit>,
}

impl Logic for RingTimebase {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, second);
        self.second.d.next = !self.second.q.val();
        self.step.next = !self.second.q.val();
    }
}

/// Acknowledges travel against the direction of the ring.
impl MachineCircuit for RingMachine {
    fn topology(&self) -> &dyn Topology {
        self
    }

    fn array(&self) -> Result<Array, LowerErrors> {
        Ok(Array {
            name: "ring".into(),
            doc: format!("A {} that stores and forwards.", self.name()),
            node: BlockCircuit::of(|| Box::<RingNode>::default())?,
            nodes: self.0 as usize,
            shared: BlockCircuit::of(|| Box::<RingTimebase>::default())?,
            wiring: vec![
                InputWiring::number("address"),
                InputWiring::word("request_in", "request_out", 1, self, 0),
                InputWiring::word("word_in", "word_out", 40, self, 0),
                InputWiring::reverse_word("acknowledge_in", "acknowledge_out", 1, self, 0),
            ],
        })
    }
}

impl Machine for RingMachine {
    fn label(&self) -> &'static str {
        "Ring"
    }

    fn circuit(&self) -> &dyn MachineCircuit {
        self
    }

    fn timebase(&self) -> Timebase {
        Timebase::unscheduled("turn", "turns", 2)
    }

    fn subject(&self) -> WaveSubject {
        WaveSubject::without_links(Arc::new(*self), "turn", "step", 2)
    }

    fn driver<'a>(
        &self,
        engine: &'a mut dyn NodeEngine,
        load: Load,
    ) -> Result<Box<dyn MachineDriver + 'a>, LoadError> {
        let ports = WordPorts {
            address_bits: 8,
            payload: 4,
            held: "word_out",
            clock_cycles: 2,
            ..WordPorts::DEFAULT
        };
        Ok(Box::new(WordDriver::new(engine, ports, &load)?))
    }
}

struct RingNetwork;

fn ring(dims: u64, proc_bits: u32) -> Result<RingMachine, NetworkError> {
    match (dims, proc_bits) {
        (1..=8, 0) => Ok(RingMachine(1 << dims)),
        _ => Err(NetworkError::size("accepted by a ring: --dims 1 to 8, --processors 1")),
    }
}

impl Network for RingNetwork {
    fn name(&self) -> &'static str {
        "ring"
    }

    fn machines_to_compare(
        &self,
        setting: &ComparisonSetting,
    ) -> Result<Vec<Box<dyn Machine>>, NetworkError> {
        let ring = ring(setting.cube.dims().into(), setting.proc_bits)?;
        Ok(vec![Box::new(ring)])
    }

    fn deadlock_model(&self, dims: u64, _: &ArgMatches) -> Result<DeadlockModel, NetworkError> {
        Ok(DeadlockModel {
            relation: Box::new(ring(dims, 0)?),
            holding: Switching::StoreAndForward,
            no_deadlock_reason: None,
        })
    }
}

/// Returns the registry: all networks of the project, and this one.
pub fn networks() -> Networks {
    standard().with(&RingNetwork)
}

fn main() -> ExitCode {
    main_with(&networks())
}
