//! The metacube, against the golden vectors and its paper's claims on routes and total exchange.
//! Its machine as RTL is compared with a second model.

mod agreement;
mod exchange;
mod faults;
mod lists;
mod model_checks;
mod planned_exchange;
mod routes;
mod soft;

use crate::model_metacube;
use crate::support::cube_runs;
use hdl::lower::Circuit;
use lockstep::lanes::LaneOptions;
use phasecube::engine::NodeEngine;
use phasecube::machine::array::{Array, BlockCircuit};
use phasecube::machine::RunStats;
use phasecube::networks::tdma::cube::{cube_array, programmed_array, CubeCircuit, CubeFaults};
use phasecube::networks::tdma::PhaseTiming;
use phasecube::program::{Firmware, NodeKind};
use phasecube::rtl::tdma::{order_bits, Node, ProgrammedNode, SoftNode};
use phasecube::toolchain::Toolchain;
use phasecube::topology::Metacube;
use phasecube::traffic::Message;

const CLOCKS: usize = 4;

/// Clock cycles per bit for nodes with a core, which looks ahead while a frame is on the wire.
const SOFT_CLOCKS: usize = 8;

/// Maximum payload bytes of a message in these tests.
pub const PAYLOAD: usize = 4;

/// A node with buffers of 16 bytes.
type SmallMetacubeNode<const LINKS: usize, const BITS: usize, const REGISTERS: usize> =
    Node<LINKS, BITS, REGISTERS, CLOCKS, 4, 9>;

/// A node of the same size with a core.
type SmallMetacubeSoftNode<const LINKS: usize, const BITS: usize, const REGISTERS: usize> =
    SoftNode<LINKS, BITS, REGISTERS, SOFT_CLOCKS, 4, 9>;

/// A node without a core that has room for the order of a total exchange.
type SmallProgrammedNode<
    const LINKS: usize,
    const BITS: usize,
    const REGISTERS: usize,
    const PAIR_BITS: usize,
> = ProgrammedNode<LINKS, BITS, REGISTERS, CLOCKS, 4, 9, PAIR_BITS>;

/// A machine for which these tests have nodes.
#[derive(Clone, Copy, Debug)]
pub struct TestMetacube {
    pub shape: Metacube,
    /// Number of distinct counts of cross edges.
    pub counts: u32,
    /// The nodes run the program `route` instead of a forwarder.
    pub soft: bool,
}

impl TestMetacube {
    /// Creates MC(`class_bits`, `field_bits`) with all counts.
    pub fn new(class_bits: u32, field_bits: u32) -> Self {
        TestMetacube {
            shape: Metacube::new(class_bits, field_bits).unwrap(),
            counts: 8,
            soft: false,
        }
    }

    /// Creates MC(`class_bits`, `field_bits`) with nodes that run the program `route`.
    pub fn soft(class_bits: u32, field_bits: u32) -> Self {
        TestMetacube { soft: true, ..TestMetacube::new(class_bits, field_bits) }
    }

    /// Returns the same machine in the second model.
    pub fn model(self) -> model_metacube::MetacubeModel {
        let model =
            model_metacube::MetacubeModel::new(self.shape.class_bits(), self.shape.field_bits());
        model_metacube::MetacubeModel { counts: self.counts.min(model.counts), ..model }
    }

    pub fn timing(self) -> PhaseTiming {
        match self.soft {
            false => PhaseTiming::forwarder(CLOCKS as u32, PAYLOAD + 2, self.shape, true),
            true => PhaseTiming::look_ahead(SOFT_CLOCKS as u32, PAYLOAD + 2, self.shape, true),
        }
    }

    /// Returns the words of `route`, compiled for this shape.
    fn route(self) -> Vec<u32> {
        let tools = Toolchain::open().unwrap();
        let builds = env!("CARGO_TARGET_TMPDIR").as_ref();
        let program = Firmware::open("route", NodeKind::from(self.shape), &tools, builds);
        program.unwrap().words
    }

    /// Makes a node. `route` is the program of a node with a core.
    fn node(self, route: &[u32]) -> Box<dyn Circuit> {
        let (plan, counts) = (self.timing().plan(), self.counts.into());
        match (self.soft, self.shape.class_bits(), self.shape.field_bits()) {
            (false, 1, 1) => Box::new(SmallMetacubeNode::<2, 3, 6>::new(plan).with_counts(counts)),
            (false, 1, 2) => Box::new(SmallMetacubeNode::<3, 5, 9>::new(plan).with_counts(counts)),
            (false, 1, 3) => Box::new(SmallMetacubeNode::<4, 7, 12>::new(plan).with_counts(counts)),
            (false, 2, 1) => Box::new(SmallMetacubeNode::<3, 6, 15>::new(plan).with_counts(counts)),
            (false, 2, 2) => {
                Box::new(SmallMetacubeNode::<4, 10, 20>::new(plan).with_counts(counts))
            }
            (true, 1, 1) => {
                Box::new(SmallMetacubeSoftNode::<2, 3, 6>::new(plan, route).with_counts(counts))
            }
            (true, 1, 2) => {
                Box::new(SmallMetacubeSoftNode::<3, 5, 9>::new(plan, route).with_counts(counts))
            }
            (true, 2, 1) => {
                Box::new(SmallMetacubeSoftNode::<3, 6, 15>::new(plan, route).with_counts(counts))
            }
            (true, 2, 2) => {
                Box::new(SmallMetacubeSoftNode::<4, 10, 20>::new(plan, route).with_counts(counts))
            }
            _ => panic!("no node for {self:?}"),
        }
    }

    pub fn array(self) -> Array {
        let route = if self.soft { self.route() } else { vec![] };
        let node = BlockCircuit::of(move || self.node(&route)).unwrap();
        cube_array(self.shape, node).unwrap()
    }

    /// Returns the machine whose order is programmed.
    pub fn programmed_array(self) -> Array {
        let plan = self.timing().plan();
        let node = match (self.shape.class_bits(), self.shape.field_bits()) {
            (1, 1) => BlockCircuit::of(move || {
                Box::new(SmallProgrammedNode::<2, 3, 6, { order_bits(3) }>::new(plan))
            }),
            (2, 1) => BlockCircuit::of(move || {
                Box::new(SmallProgrammedNode::<3, 6, 15, { order_bits(6) }>::new(plan))
            }),
            _ => panic!("no node for {self:?}"),
        };
        programmed_array(self.shape, node.unwrap()).unwrap()
    }

    /// Returns the parameters of the machine.
    pub fn circuit(self) -> CubeCircuit {
        cube_runs::circuit(self.shape, self.timing()).with_counts(self.counts)
    }

    /// Runs messages on an engine that has such a circuit.
    pub fn run_on(
        self,
        engine: &mut dyn NodeEngine,
        disturbance: &CubeFaults,
        messages: &[Message],
    ) -> RunStats {
        cube_runs::run(engine, &self.circuit(), disturbance, messages)
    }

    /// Runs messages on the lockstep engine.
    pub fn run(self, array: &Array, disturbance: &CubeFaults, messages: &[Message]) -> RunStats {
        let mut engine = array.lockstep(&LaneOptions::default()).unwrap();
        self.run_on(&mut engine, disturbance, messages)
    }
}
