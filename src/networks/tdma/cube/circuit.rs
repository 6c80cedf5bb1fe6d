//! A TDMA machine of given shape and nodes, in the form that each engine takes.

use super::array::{programmed_array, programmed_blocks, superframe_blocks, superframes};
use super::clocks::NodeClocks;
use super::registers::Registers;
use super::station::SyncSource;
use crate::engine::EngineError;
use crate::machine::array::{Array, Blocks};
use crate::machine::MachineCircuit;
use crate::networks::tdma::PhaseTiming;
use crate::program::{Firmware, NodeKind};
use crate::routing::compiled::{CompiledSchedule, NodeProgram};
use crate::routing::tdma::{PhaseSchedule, Routing, ServiceOrder};
use crate::rtl::tdma::parts::pair_bits;
use crate::rtl::tdma::{EnginePlan, MachineNode, Room};
use crate::rtl::CLOCKS_PER_BIT;
use crate::topology::{Metacube, Topology};
use hdl::lower::{lower, Circuit, LowerErrors};
use std::sync::Arc;

/// What decides where the messages of a node go.
#[derive(Clone, Debug)]
enum Router {
    /// A circuit.
    Forwarder,
    /// A core with this program.
    Program { words: Vec<u32>, looks_ahead: bool },
    /// A schedule that was compiled: what each node does.
    Compiled(Arc<[NodeProgram]>),
}

/// The circuit of a machine: what it is built for.
#[derive(Clone, Debug)]
pub struct CubeCircuit {
    /// Of which nodes, and in which order their links are open.
    schedule: PhaseSchedule,
    timing: PhaseTiming,
    order: ServiceOrder,
    /// Different counts of cross edges that nodes tell apart.
    counts: u32,
    router: Router,
    routing: Routing,
    sync: SyncSource,
    clocks: NodeClocks,
}

impl CubeCircuit {
    /// A machine for messages of up to `payload` bytes, which serves in turns.
    /// `None` if there is no node for this shape: a cube has up to
    /// [`MAX_DIMS`](MachineNode::MAX_DIMS) dimensions, a metacube is one of
    /// [`METACUBES`](MachineNode::METACUBES).
    pub fn new(shape: impl Into<Metacube>, payload: usize, acked: bool) -> Option<Self> {
        let shape = shape.into();
        let known = match shape.class_bits() {
            0 => shape.links() <= MachineNode::MAX_DIMS,
            class_bits => MachineNode::METACUBES.contains(&(class_bits, shape.field_bits())),
        };
        // A routed message begins with its destination.
        let payload = payload + 2;
        known.then(|| CubeCircuit {
            schedule: shape.into(),
            timing: PhaseTiming::forwarder(CLOCKS_PER_BIT as u32, payload, shape, acked),
            order: ServiceOrder::Turns,
            counts: MachineNode::MAX_COUNTS,
            router: Router::Forwarder,
            routing: Routing::ECube,
            sync: SyncSource::Wire,
            clocks: NodeClocks::Common,
        })
    }

    /// With nodes that run a program, one for all, which is compiled for nodes of this
    /// [kind](Self::node_kind). The service window becomes the one that it needs to route.
    #[must_use]
    pub fn with_program(mut self, firmware: &Firmware) -> Self {
        self.router = Router::Program {
            words: firmware.words.clone(),
            looks_ahead: firmware.looks_ahead(),
        };
        self.set_timing();
        self
    }

    /// The service window becomes the one that the nodes need.
    fn set_timing(&mut self) {
        let (bit, acked) = (self.timing.clocks_per_bit, self.timing.acked);
        let (payload, shape) = (self.timing.payload as usize, self.shape());
        self.timing = match (&self.router, self.routing) {
            (Router::Compiled(_), _) => PhaseTiming::compiled(bit, payload),
            (Router::Forwarder, Routing::ECube) => {
                PhaseTiming::forwarder(bit, payload, shape, acked)
            }
            (Router::Forwarder, Routing::Adaptive) => {
                PhaseTiming::adaptive(bit, payload, shape.bits())
            }
            (
                Router::Program {
                    looks_ahead: true, ..
                },
                Routing::ECube,
            ) => PhaseTiming::ahead(bit, payload, shape, acked),
            (Router::Program { .. }, Routing::ECube) => {
                PhaseTiming::software(bit, payload, shape, acked)
            }
            (Router::Program { .. }, Routing::Adaptive) => {
                PhaseTiming::adaptive_software(bit, payload, shape.bits())
            }
        };
    }

    /// The kind of nodes that a program is to be compiled for.
    pub fn node_kind(&self) -> NodeKind {
        match self.routing {
            Routing::ECube => self.shape().into(),
            Routing::Adaptive => NodeKind::Pool,
        }
    }

    /// With nodes and a phase clock that follow this order of links, one for each pair of
    /// phases. `None` if the metacube is none of [`PROGRAMMED`](MachineNode::PROGRAMMED), or the
    /// order has more pairs than there is room for.
    ///
    /// # Panics
    /// As [`PhaseSchedule::programmed`].
    pub fn programmed(mut self, order: impl Into<Arc<[u32]>>) -> Option<Self> {
        let known = self.has_programmed_metacube();
        self.set_order(order.into(), known).then_some(self)
    }

    /// Takes this order of links, if there is room for it and there are nodes for it.
    fn set_order(&mut self, order: Arc<[u32]>, known: bool) -> bool {
        let shape = self.shape();
        let fits = known && order.len() <= 1 << pair_bits(shape);
        self.schedule = PhaseSchedule::programmed(shape, order);
        fits
    }

    /// Whether the shape is one of [`PROGRAMMED`](MachineNode::PROGRAMMED).
    fn has_programmed_metacube(&self) -> bool {
        let shape = self.shape();
        MachineNode::PROGRAMMED.contains(&(shape.class_bits(), shape.field_bits()))
    }

    /// With nodes that follow a compiled schedule, which has these programs. `None` if there
    /// are no such nodes for this shape, or the order has more pairs than there is room for.
    pub fn compiled(
        mut self,
        schedule: &CompiledSchedule,
        programs: impl Into<Arc<[NodeProgram]>>,
    ) -> Option<Self> {
        let known = self.shape().class_bits() == 0 || self.has_programmed_metacube();
        let fits = self.set_order(schedule.order.as_slice().into(), known);
        self.router = Router::Compiled(programs.into());
        self.set_timing();
        fits.then_some(self)
    }

    /// What each node does, if a schedule was compiled.
    pub fn programs(&self) -> Option<Arc<[NodeProgram]>> {
        match &self.router {
            Router::Compiled(programs) => Some(programs.clone()),
            Router::Forwarder | Router::Program { .. } => None,
        }
    }

    /// With a service window of so many bit-times.
    #[must_use]
    pub fn with_service(mut self, service: u32) -> Self {
        self.timing.service = service;
        self
    }

    /// With nodes that serve their registers in this order. Links without answers
    /// always serve in ascending order: what waits there is overwritten, and the
    /// published machine is the one to be seen.
    #[must_use]
    pub fn with_order(mut self, order: ServiceOrder) -> Self {
        self.order = order;
        self
    }

    /// With nodes that route adaptively. The service window becomes the one that they need.
    ///
    /// # Panics
    /// If it is not a cube with answers.
    #[must_use]
    pub fn adaptive(mut self) -> Self {
        assert!(
            self.shape().class_bits() == 0 && self.timing.acked,
            "only nodes of a cube with answers route adaptively"
        );
        self.routing = Routing::Adaptive;
        self.set_timing();
        self
    }

    /// How the nodes route.
    pub fn routing(&self) -> Routing {
        self.routing
    }

    /// With nodes that have their `sync` from there; superframes only, for who follows a
    /// programmed order has it from the wire.
    #[must_use]
    pub fn with_sync(mut self, sync: SyncSource) -> Self {
        self.sync = sync;
        self
    }

    /// With nodes that have clocks of their own; superframes only.
    #[must_use]
    pub fn with_own_clocks(mut self) -> Self {
        self.clocks = NodeClocks::Own;
        self
    }

    /// Which clocks the nodes have.
    pub fn clocks(&self) -> NodeClocks {
        self.clocks
    }

    /// What the nodes are built for.
    pub fn plan(&self) -> EnginePlan {
        let plan = self.timing.plan();
        match self.routing {
            Routing::ECube => EnginePlan {
                turns: plan.acked && self.order == ServiceOrder::Turns,
                ..plan
            },
            Routing::Adaptive => plan.pooled(),
        }
    }

    /// With nodes that tell so many counts of cross edges apart, 1 to
    /// [`MAX_COUNTS`](MachineNode::MAX_COUNTS); what would be more is the last.
    #[must_use]
    pub fn with_counts(mut self, counts: u32) -> Self {
        self.counts = counts.clamp(1, MachineNode::MAX_COUNTS);
        self
    }

    /// Different counts of cross edges that nodes tell apart.
    pub fn counts(&self) -> u32 {
        self.counts
    }

    /// Its nodes follow an order that they are told.
    fn is_programmed(&self) -> bool {
        self.schedule.order().is_some()
    }

    /// The node, as a block, with room for messages of this machine or for longer ones.
    ///
    /// # Panics
    /// As the methods of [`MachineNode`], which says what there is for short messages.
    pub(in crate::networks::tdma) fn node(&self, room: Room) -> Box<dyn Circuit> {
        let node = MachineNode {
            shape: self.shape(),
            room,
            plan: self.plan(),
            counts: self.counts.into(),
        };
        match (&self.router, self.routing) {
            (Router::Compiled(_), _) => node.compiled(),
            (Router::Forwarder, _) if self.is_programmed() => node.programmed(),
            (Router::Forwarder, Routing::ECube) => node.forwarder(),
            (Router::Forwarder, Routing::Adaptive) => node.adaptive(),
            (Router::Program { words, .. }, Routing::ECube) => node.soft(words),
            (Router::Program { words, .. }, Routing::Adaptive) => node.adaptive_soft(words),
        }
    }

    fn registers(&self) -> Registers {
        let compiled = self.programs().is_some();
        Registers::new(self.shape(), self.counts, self.routing(), compiled)
    }

    /// The name of a node's register.
    pub fn register_name(&self, register: u32) -> String {
        self.registers().name(register as usize)
    }

    /// Which nodes there are, and their links.
    pub fn shape(&self) -> Metacube {
        self.schedule.shape()
    }

    /// When which links are open.
    pub fn schedule(&self) -> &PhaseSchedule {
        &self.schedule
    }

    pub fn timing(&self) -> PhaseTiming {
        self.timing
    }
}

impl MachineCircuit for CubeCircuit {
    fn topology(&self) -> &dyn Topology {
        self.schedule.topology()
    }

    fn array(&self) -> Result<Array, LowerErrors> {
        let node = lower(&*self.node(Room::Long))?;
        match self.is_programmed() {
            true => programmed_array(self.shape(), &node),
            false => superframes(self.shape(), &node, self.sync, self.clocks),
        }
    }

    fn blocks(&self) -> Result<Blocks, EngineError> {
        match self.is_programmed() {
            true => programmed_blocks(self.shape(), || self.node(Room::Long)),
            false => superframe_blocks(self.shape(), self.sync, self.clocks, || {
                self.node(Room::Long)
            }),
        }
    }
}
