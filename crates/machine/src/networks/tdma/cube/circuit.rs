//! TDMA machine of given shape and nodes, in the form that each engine takes.

use super::clocks::{NodeClock, NodeClocks};
use super::ledger::BufferNumbers;
use super::station::{programmed_array, superframes, SyncSource};
use crate::array::{Array, BlockCircuit};
use crate::networks::tdma::wires::subject;
use crate::networks::tdma::PhaseTiming;
use crate::program::{Firmware, NodeKind, NodeMemory};
use crate::user_core::{UserCore, SOFT_CORE};
use crate::wave::WaveSubject;
use crate::MachineCircuit;
use engine::{NodeEngine, NodePortId, SharedPortId};
use functional::FunctionalMachine;
use hdl::lower::{lower, Circuit, LowerErrors};
use interconnect::routing::compiled::{CompiledSchedule, NodeProgram, PhaseWord};
use interconnect::routing::tdma::{PhaseSchedule, Routing, ServiceOrder};
use interconnect::topology::{Metacube, Topology};
use rtl::core::MultiplyingCore;
use rtl::tdma::machine::pair_bits;
use rtl::tdma::{receives, sends, BufferSize, EnginePlan, GuardLimits, MachineNode};
use rtl::CLOCKS_PER_BIT;
use std::sync::Arc;

#[derive(Clone, Debug)]
enum NodeRouter {
    /// Forwarder circuit.
    Forwarder,
    /// Core with this program.
    Program {
        words: Vec<u32>,
        looks_ahead: bool,
        memory: NodeMemory,
        /// The core has multiplication and division.
        multiplies: bool,
        /// The second context of the core decides the phases that the program leaves undecided.
        background: bool,
        /// The nodes have an LED.
        led: bool,
        guard: Option<GuardLimits>,
    },
    /// Compiled schedule, as a program for each node.
    Compiled(Arc<[NodeProgram]>),
}

/// Parameters of the circuit of a machine.
#[derive(Clone, Debug)]
pub struct CubeCircuit {
    /// Nodes, and the order in which their links are open.
    schedule: PhaseSchedule,
    timing: PhaseTiming,
    order: ServiceOrder,
    /// Number of counts of cross edges that nodes distinguish.
    counts: u32,
    router: NodeRouter,
    routing: Routing,
    sync: SyncSource,
    /// Clock of each node, if the nodes have individual clocks.
    clocks: Option<Arc<[NodeClock]>>,
    /// Core of the nodes, if it is not the soft core.
    core: Option<Arc<UserCore>>,
}

impl CubeCircuit {
    /// Creates a machine for messages of up to `payload` bytes, which serves its buffers in turns.
    /// Returns `None` if there is no node for this shape: a cube has up to
    /// [`MAX_DIMS`](MachineNode::MAX_DIMS) dimensions, a metacube is one of
    /// [`METACUBES`](MachineNode::METACUBES).
    pub fn new(shape: impl Into<Metacube>, payload: usize, acked: bool) -> Option<Self> {
        let shape = shape.into();
        let known = match shape.class_bits() {
            0 => shape.links() <= MachineNode::MAX_DIMS,
            class_bits => MachineNode::METACUBES.contains(&(class_bits, shape.field_bits())),
        };
        // A routed message begins with its destination of two bytes.
        let payload = payload + 2;
        known.then(|| CubeCircuit {
            schedule: shape.into(),
            timing: PhaseTiming::forwarder(CLOCKS_PER_BIT as u32, payload, shape, acked),
            order: ServiceOrder::RoundRobin,
            counts: MachineNode::MAX_COUNTS,
            router: NodeRouter::Forwarder,
            routing: Routing::ECube,
            sync: SyncSource::Wire,
            clocks: None,
            core: None,
        })
    }

    /// Returns the machine with nodes that run a program. All run the same one, compiled for nodes
    /// of this [kind](Self::node_kind). The service window is set to the length that the program
    /// needs to route.
    #[must_use]
    pub fn with_program(mut self, firmware: &Firmware) -> Self {
        self.router = NodeRouter::Program {
            words: firmware.words.clone(),
            looks_ahead: firmware.uses_lookahead(),
            memory: firmware.memory,
            multiplies: firmware.multiplies,
            background: firmware.uses_background(),
            led: firmware.uses_led(),
            guard: None,
        };
        self.set_timing();
        self
    }

    /// Returns the machine with this core in nodes that run a program. Other nodes have no core. The
    /// core has one context, and its accesses are not guarded.
    #[must_use]
    pub fn with_core(mut self, core: UserCore) -> Self {
        self.core = Some(Arc::new(core));
        self
    }

    /// Sets the service window to the length that the nodes need.
    fn set_timing(&mut self) {
        let (bit, acked) = (self.timing.clocks_per_bit, self.timing.acked);
        let (payload, shape) = (self.timing.payload as usize, self.shape());
        self.timing = match (&self.router, self.routing) {
            (NodeRouter::Compiled(_), _) => PhaseTiming::compiled(bit, payload),
            (NodeRouter::Forwarder, Routing::ECube) => {
                PhaseTiming::forwarder(bit, payload, shape, acked)
            }
            (NodeRouter::Forwarder, Routing::Adaptive) => {
                PhaseTiming::adaptive(bit, payload, shape.bits())
            }
            (NodeRouter::Program { looks_ahead: true, .. }, Routing::ECube) => {
                PhaseTiming::look_ahead(bit, payload, shape, acked)
            }
            (NodeRouter::Program { .. }, Routing::ECube) => {
                PhaseTiming::software(bit, payload, shape, acked)
            }
            (NodeRouter::Program { .. }, Routing::Adaptive) => {
                PhaseTiming::adaptive_software(bit, payload, shape.bits())
            }
        };
    }

    /// Returns the kind of nodes for which a program is to be compiled.
    pub fn node_kind(&self) -> NodeKind {
        match self.routing {
            Routing::ECube => self.shape().into(),
            Routing::Adaptive => NodeKind::Pool,
        }
    }

    /// Returns the machine with nodes and a phase clock that follow this order of links, one link
    /// for each pair of phases. Returns `None` if the metacube is not one of
    /// [`PROGRAMMED`](MachineNode::PROGRAMMED), or if the order has more pairs than the memory
    /// holds.
    ///
    /// # Panics
    /// As [`PhaseSchedule::programmed`].
    pub fn programmed(mut self, order: impl Into<Arc<[u32]>>) -> Option<Self> {
        let known = self.has_programmed_metacube();
        self.set_order(order.into(), known).then_some(self)
    }

    /// Sets this order of links, if the memory holds it and there are nodes for it.
    fn set_order(&mut self, order: Arc<[u32]>, known: bool) -> bool {
        let shape = self.shape();
        let fits = known && order.len() <= 1 << pair_bits(shape);
        self.schedule = PhaseSchedule::programmed(shape, order);
        fits
    }

    /// True if the shape is one of [`PROGRAMMED`](MachineNode::PROGRAMMED).
    fn has_programmed_metacube(&self) -> bool {
        let shape = self.shape();
        MachineNode::PROGRAMMED.contains(&(shape.class_bits(), shape.field_bits()))
    }

    /// Returns the machine with nodes that follow a compiled schedule with these programs. Returns
    /// `None` if there are no such nodes for this shape, or if the order has more pairs than the
    /// memory holds.
    pub fn compiled(
        mut self,
        schedule: &CompiledSchedule,
        programs: impl Into<Arc<[NodeProgram]>>,
    ) -> Option<Self> {
        let known = self.shape().class_bits() == 0 || self.has_programmed_metacube();
        let fits = self.set_order(schedule.order.as_slice().into(), known);
        self.router = NodeRouter::Compiled(programs.into());
        self.set_timing();
        fits.then_some(self)
    }

    /// Returns the program of each node, if a schedule was compiled.
    pub fn programs(&self) -> Option<Arc<[NodeProgram]>> {
        match &self.router {
            NodeRouter::Compiled(programs) => Some(programs.clone()),
            NodeRouter::Forwarder | NodeRouter::Program { .. } => None,
        }
    }

    /// Returns the machine with a service window of `service` bit-times.
    #[must_use]
    pub fn with_service(mut self, service: u32) -> Self {
        self.timing.service = service;
        self
    }

    /// Returns the machine with this timing of its phases.
    #[must_use]
    pub fn with_timing(self, timing: PhaseTiming) -> Self {
        CubeCircuit { timing, ..self }
    }

    /// Returns the machine with nodes that serve their buffers in this order. Links without answers
    /// always serve in ascending order. There a waiting message is overwritten, as in the published
    /// machine.
    #[must_use]
    pub fn with_order(mut self, order: ServiceOrder) -> Self {
        self.order = order;
        self
    }

    /// Returns the machine with nodes that route adaptively. The service window is set to the
    /// length that they need.
    ///
    /// # Panics
    /// If the machine is not a cube with answers.
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

    /// Returns the routing of the nodes.
    pub fn routing(&self) -> Routing {
        self.routing
    }

    /// Returns the machine with this source of the nodes' `sync`. This applies to superframes only.
    /// Nodes that follow a programmed order receive `sync` by wire.
    #[must_use]
    pub fn with_sync(mut self, sync: SyncSource) -> Self {
        self.sync = sync;
        self
    }

    /// Returns the machine with an individual clock for each node. This applies to superframes
    /// only.
    #[must_use]
    pub fn with_node_clocks(mut self, clocks: impl Into<Arc<[NodeClock]>>) -> Self {
        self.clocks = Some(clocks.into());
        self
    }

    /// Returns the clock of each node, if the nodes have individual clocks.
    pub fn clocks(&self) -> Option<&[NodeClock]> {
        self.clocks.as_deref()
    }

    /// Returns the parameters of the nodes.
    pub fn plan(&self) -> EnginePlan {
        let plan = self.timing.plan();
        match self.routing {
            Routing::ECube => EnginePlan {
                round_robin: plan.acked && self.order == ServiceOrder::RoundRobin,
                ..plan
            },
            Routing::Adaptive => plan.pooled(),
        }
    }

    /// Returns the machine with nodes that distinguish `counts` counts of cross edges, 1 to
    /// [`MAX_COUNTS`](MachineNode::MAX_COUNTS). The last count includes all higher ones.
    #[must_use]
    pub fn with_counts(mut self, counts: u32) -> Self {
        self.counts = counts.clamp(1, MachineNode::MAX_COUNTS);
        self
    }

    /// True if the nodes follow a programmed order.
    fn is_programmed(&self) -> bool {
        self.schedule.order().is_some()
    }

    /// Returns the machine whose nodes can decide while their programs compute, if they run
    /// programs. Without this call only programs that use it have such nodes.
    #[must_use]
    pub fn with_background(mut self) -> Self {
        if let NodeRouter::Program { background, .. } = &mut self.router {
            *background = true;
        }
        self
    }

    /// Returns the schedule and timing for observers of the machine.
    pub fn subject(&self) -> WaveSubject {
        subject(self.schedule.clone(), self.timing())
    }

    /// Returns the machine whose nodes have an LED, if they run programs. Without this call only
    /// programs that use it have such nodes.
    #[must_use]
    pub fn with_led(mut self) -> Self {
        if let NodeRouter::Program { led, .. } = &mut self.router {
            *led = true;
        }
        self
    }

    /// Returns the machine whose nodes halt a program at a wrong access, if they run programs.
    #[must_use]
    pub fn with_guard(mut self, limits: GuardLimits) -> Self {
        if let NodeRouter::Program { guard, .. } = &mut self.router {
            *guard = Some(limits);
        }
        self
    }

    fn guard(&self) -> Option<GuardLimits> {
        match self.router {
            // The guard needs the instructions of the soft core.
            NodeRouter::Program { guard, .. } if self.core.is_none() => guard,
            _ => None,
        }
    }

    /// Returns the clock cycles of a phase after which the second context of the core decides:
    /// enough is left of the service window for a decision. `None` if there is no second context.
    fn patience(&self) -> Option<u64> {
        match (&self.router, self.routing) {
            (NodeRouter::Program { background: true, .. }, Routing::ECube)
                if self.core.is_none() =>
            {
                Some(self.timing.patience(self.shape()).into())
            }
            _ => None,
        }
    }

    /// Returns the memories of the nodes, those of a board if the nodes have no core.
    fn memory(&self) -> NodeMemory {
        match self.router {
            NodeRouter::Program { memory, .. } => memory,
            NodeRouter::Forwarder | NodeRouter::Compiled(_) => NodeMemory::BOARD,
        }
    }

    /// Returns the node as a block. Its buffers hold the messages of this machine or longer ones,
    /// according to `room`.
    ///
    /// # Panics
    /// As the methods of [`MachineNode`], which documents the nodes for short messages.
    pub(in crate::networks::tdma) fn node(&self, room: BufferSize) -> Box<dyn Circuit> {
        let node = MachineNode {
            shape: self.shape(),
            buffer_size: room,
            plan: self.plan(),
            counts: self.counts.into(),
            memory: self.memory().core(),
            background: self.patience(),
            guard: self.guard(),
            led: matches!(self.router, NodeRouter::Program { led: true, .. }),
        };
        match (&self.router, self.routing) {
            (NodeRouter::Compiled(_), _) => node.compiled(),
            (NodeRouter::Forwarder, _) if self.is_programmed() => node.programmed(),
            (NodeRouter::Forwarder, Routing::ECube) => node.forwarder(),
            (NodeRouter::Forwarder, Routing::Adaptive) => node.adaptive(),
            (NodeRouter::Program { words, .. }, Routing::ECube) => node.soft(words),
            (NodeRouter::Program { words, .. }, Routing::Adaptive) => node.adaptive_soft(words),
        }
    }

    /// Returns the numbering of the buffers of a node.
    pub(super) fn buffer_numbers(&self) -> BufferNumbers {
        let compiled = self.programs().is_some();
        BufferNumbers::new(self.shape(), self.counts, self.routing(), compiled)
    }

    /// Returns the name of a node's buffer.
    pub fn buffer_name(&self, buffer: u32) -> String {
        self.buffer_numbers().name(buffer as usize)
    }

    /// Returns the nodes and their links.
    pub fn shape(&self) -> Metacube {
        self.schedule.shape()
    }

    /// Returns the phases in which each link is open.
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
        let circuit = self.clone();
        let node = BlockCircuit::of(move || circuit.node(BufferSize::Long))?;
        let node = match &self.core {
            Some(core) => BlockCircuit::from(&core.placed_in(&node.design)),
            None if matches!(self.router, NodeRouter::Program { multiplies: true, .. }) => {
                let core = lower(&MultiplyingCore::<1, 6>::default())?;
                BlockCircuit::from(&node.design.with_module(SOFT_CORE, &core))
            }
            None => node,
        };
        match self.is_programmed() {
            true => programmed_array(self.shape(), node),
            false => {
                let clocks = match self.clocks {
                    Some(_) => NodeClocks::PerNode,
                    None => NodeClocks::Common,
                };
                superframes(self.shape(), &node, self.sync, clocks)
            }
        }
    }

    fn functional(&self) -> Result<FunctionalMachine, &'static str> {
        let NodeRouter::Program { words, multiplies, led, .. } = &self.router else {
            return Err(crate::NO_PROGRAM);
        };
        self.check_functional()?;
        Ok(FunctionalMachine {
            dims: self.shape().bits(),
            plan: self.plan(),
            program: words.clone(),
            memory: self.memory().core(),
            multiplies: *multiplies,
            background: self.patience(),
            guard: self.guard(),
            led: *led,
        })
    }
}

impl CubeCircuit {
    /// Checks that the functional engine has a model of the cores, clocks and routes of this machine.
    fn check_functional(&self) -> Result<(), &'static str> {
        if self.core.is_some() {
            return Err("--engine functional runs the soft core; accepted: no --core");
        }
        if self.clocks.is_some() {
            return Err(
                "--engine functional has one clock for all nodes; accepted: no --skew, no \
                 --skew-tree and no --ppm",
            );
        }
        if self.sync != SyncSource::Wire {
            return Err("--engine functional has no circuit for sync; accepted: --sync wire");
        }
        let is_cube = self.shape().class_bits() == 0 && !self.is_programmed();
        if !is_cube || self.routing != Routing::ECube {
            return Err("--engine functional runs the programs of a cube in the order of the \
                 superframe; accepted: --network tdma with --routing ecube");
        }
        Ok(())
    }
}

// Writes an order of links and the programs of the nodes into a machine, and starts its schedule.

/// Writes one pair of the order in each clock cycle, and then starts the phase clock.
pub(super) struct OrderWriter {
    enable: SharedPortId,
    /// Order memory, in a machine whose order is programmed.
    memory: Option<OrderMemory>,
    /// Programs of the nodes, in a machine whose schedule is compiled.
    schedule: Option<ScheduleMemory>,
    /// Remaining clock cycles in which programs initialise.
    start: u32,
    begun: bool,
}

/// Programs of the nodes, and the ports that write them.
struct ScheduleMemory {
    programs: Arc<[NodeProgram]>,
    /// For each program, the number of words written.
    written: Vec<usize>,
    write: NodePortId,
    pair: NodePortId,
    word: NodePortId,
}

impl ScheduleMemory {
    fn new(engine: &mut dyn NodeEngine, programs: Arc<[NodeProgram]>) -> Self {
        ScheduleMemory {
            written: vec![0; programs.len()],
            programs,
            write: engine.port("plan_write"),
            pair: engine.port("plan_pair"),
            word: engine.port("plan_word"),
        }
    }

    /// Writes the entry of each node for this pair of phases, if it has one.
    fn write(&mut self, engine: &mut dyn NodeEngine, pair: u32) {
        for (node, program) in self.programs.iter().enumerate() {
            let written = &mut self.written[node];
            let now = program[*written..].iter().take_while(|word| word.phase / 2 == pair);
            let words: Vec<u64> = now.map(encode_word).collect();
            *written += words.len();
            let word = words.iter().fold(0, |all, word| all | word);
            engine.set(self.write, node, u64::from(word != 0));
            if word != 0 {
                engine.set(self.pair, node, pair.into());
                engine.set(self.word, node, word);
            }
        }
    }

    fn finish(&self, engine: &mut dyn NodeEngine) {
        for node in 0..self.programs.len() {
            engine.set(self.write, node, 0);
        }
    }
}

/// Returns the word in the format of [`MoveTable`](rtl::tdma::MoveTable).
fn encode_word(word: &PhaseWord) -> u64 {
    match word.sends {
        true => sends(word.slot, word.ends),
        false => receives(word.slot, word.ends),
    }
}

/// Order, and the ports that write it.
struct OrderMemory {
    order: Arc<[u32]>,
    /// Number of pairs written.
    written: usize,
    write: SharedPortId,
    pair: SharedPortId,
    link: SharedPortId,
    last: SharedPortId,
}

impl OrderWriter {
    /// Creates the writer for an engine that has just been started. `start` is the number of clock
    /// cycles in which programs initialise, and `order` is the order to write. With a compiled
    /// schedule the nodes get `programs`.
    pub fn new(
        engine: &mut dyn NodeEngine,
        start: u32,
        order: Option<&[u32]>,
        programs: Option<Arc<[NodeProgram]>>,
    ) -> Self {
        let memory = order.map(|order| OrderMemory {
            order: order.into(),
            written: 0,
            write: engine.shared_port("write"),
            pair: engine.shared_port("write_pair"),
            link: engine.shared_port("write_link"),
            last: engine.shared_port("write_last"),
        });
        OrderWriter {
            enable: engine.shared_port("enable"),
            memory,
            schedule: programs.map(|programs| ScheduleMemory::new(engine, programs)),
            start,
            begun: false,
        }
    }

    /// Sets the inputs of the phase clock for one clock cycle. Must be called before each clock
    /// edge.
    pub fn write(&mut self, engine: &mut dyn NodeEngine) {
        if self.begun {
            return;
        }
        if self.start > 0 {
            self.start -= 1;
            return;
        }
        let Some(memory) = &mut self.memory else {
            engine.set_shared(self.enable, 1);
            self.begun = true;
            return;
        };
        match memory.order.get(memory.written) {
            Some(link) => {
                let last = memory.written + 1 == memory.order.len();
                engine.set_shared(memory.write, 1);
                engine.set_shared(memory.pair, memory.written as u64);
                engine.set_shared(memory.link, (*link).into());
                engine.set_shared(memory.last, last.into());
                if let Some(moves) = &mut self.schedule {
                    moves.write(engine, memory.written as u32);
                }
                memory.written += 1;
            }
            // The first word is read in this clock cycle.
            None => {
                engine.set_shared(memory.write, 0);
                if let Some(moves) = self.schedule.take() {
                    moves.finish(engine);
                }
                self.memory = None;
            }
        }
    }
}
