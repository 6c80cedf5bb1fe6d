//! A TDMA machine of given shape and nodes, in the form that each engine takes.

use super::array::{programmed_array, programmed_blocks, superframe_blocks, superframes};
use super::clocks::NodeClocks;
use super::registers::Registers;
use super::station::SyncSource;
use crate::engine::{EngineError, Reference, TooLarge};
use crate::machine::array::{Array, Blocks};
use crate::machine::MachineCircuit;
use crate::networks::tdma::PhaseTiming;
use crate::program::{Firmware, NodeKind};
use crate::routing::compiled::{CompiledSchedule, NodeProgram, PLACES};
use crate::routing::tdma::{PhaseSchedule, Routing, ServiceOrder};
use crate::rtl::tdma::{
    order_bits, places, AdaptiveNode, CompiledNode, CubeNode, CubeSoftNode, EnginePlan, Node,
    ProgrammedNode, SoftNode, CUBE_ORDER_BITS,
};
use crate::rtl::CLOCKS_PER_BIT;
use crate::rtl::{for_dims, for_metacubes};
use crate::topology::{Metacube, Topology};
use hdl::lower::{lower, LowerErrors};
use std::sync::Arc;

/// Bits of an offset in a register: its 128 bytes hold the longest message.
const OFFSET_BITS: usize = 7;

/// Bits of an address of the message memory of a cube's node, which has 16 registers.
const ADDRESS: usize = OFFSET_BITS + 4;

/// The same of a metacube's, which has 32.
const METACUBE_ADDRESS: usize = OFFSET_BITS + 5;

/// The node of a cube that routes adaptively.
type Adaptive<const DIMS: usize, const PLACES: usize> =
    AdaptiveNode<DIMS, PLACES, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>;

/// The same with a core.
type AdaptiveSoft<const DIMS: usize, const PLACES: usize> =
    SoftNode<DIMS, DIMS, PLACES, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>;

/// The node of a metacube.
type MetacubeNode<const LINKS: usize, const BITS: usize, const REGISTERS: usize> =
    Node<LINKS, BITS, REGISTERS, CLOCKS_PER_BIT, OFFSET_BITS, METACUBE_ADDRESS>;

/// The same with a core.
type MetacubeSoftNode<const LINKS: usize, const BITS: usize, const REGISTERS: usize> =
    SoftNode<LINKS, BITS, REGISTERS, CLOCKS_PER_BIT, OFFSET_BITS, METACUBE_ADDRESS>;

/// The node of a metacube with a programmed order.
type Programmed<
    const LINKS: usize,
    const BITS: usize,
    const REGISTERS: usize,
    const PAIR_BITS: usize,
> = ProgrammedNode<
    LINKS,
    BITS,
    REGISTERS,
    CLOCKS_PER_BIT,
    OFFSET_BITS,
    METACUBE_ADDRESS,
    PAIR_BITS,
>;

/// The node of a cube or metacube that follows a compiled schedule.
type Compiled<const LINKS: usize, const BITS: usize, const PAIR_BITS: usize> =
    CompiledNode<LINKS, BITS, PLACES, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS, PAIR_BITS>;

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
    /// The largest cube that there is a node for.
    pub const MAX_DIMS: u32 = 12;

    /// More counts of cross edges than a message passes.
    pub const MAX_COUNTS: u32 = 8;

    /// The metacubes MC(k, m) that there are nodes for.
    pub const METACUBES: [(u32, u32); 8] = [
        (1, 1),
        (1, 2),
        (1, 3),
        (1, 4),
        (1, 5),
        (2, 1),
        (2, 2),
        (2, 3),
    ];

    /// Those of them that there are nodes with a programmed order for.
    pub const PROGRAMMED: [(u32, u32); 7] =
        [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 1), (2, 2)];

    /// A machine for messages of up to `payload` bytes, which serves in turns.
    /// `None` if there is no node for this shape: a cube has up to
    /// [`MAX_DIMS`](Self::MAX_DIMS) dimensions, a metacube is one of
    /// [`METACUBES`](Self::METACUBES).
    pub fn new(shape: impl Into<Metacube>, payload: usize, acked: bool) -> Option<Self> {
        let shape = shape.into();
        let known = match shape.class_bits() {
            0 => shape.links() <= Self::MAX_DIMS,
            class_bits => Self::METACUBES.contains(&(class_bits, shape.field_bits())),
        };
        // A routed message begins with its destination.
        let payload = payload + 2;
        known.then(|| CubeCircuit {
            schedule: shape.into(),
            timing: PhaseTiming::forwarder(CLOCKS_PER_BIT as u32, payload, shape, acked),
            order: ServiceOrder::Turns,
            counts: Self::MAX_COUNTS,
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
    /// phases. `None` if the metacube is none of [`PROGRAMMED`](Self::PROGRAMMED), or the
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

    /// Whether the shape is one of [`PROGRAMMED`](Self::PROGRAMMED).
    fn has_programmed_metacube(&self) -> bool {
        let shape = self.shape();
        Self::PROGRAMMED.contains(&(shape.class_bits(), shape.field_bits()))
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
    /// [`MAX_COUNTS`](Self::MAX_COUNTS); what would be more is the last.
    #[must_use]
    pub fn with_counts(mut self, counts: u32) -> Self {
        self.counts = counts.clamp(1, Self::MAX_COUNTS);
        self
    }

    /// Different counts of cross edges that nodes tell apart.
    pub fn counts(&self) -> u32 {
        self.counts
    }

    /// The program of the nodes, if they have cores.
    fn program(&self) -> Option<&[u32]> {
        match &self.router {
            Router::Program { words, .. } => Some(words),
            Router::Forwarder | Router::Compiled(_) => None,
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

/// Bits of a pair's number in a programmed order of this shape.
pub const fn pair_bits(shape: Metacube) -> usize {
    match shape.class_bits() {
        0 => CUBE_ORDER_BITS,
        _ => order_bits(shape.bits() as usize),
    }
}

impl MachineCircuit for CubeCircuit {
    fn topology(&self) -> &dyn Topology {
        self.schedule.topology()
    }

    fn array(&self) -> Result<Array, LowerErrors> {
        let (plan, shape, counts) = (self.plan(), self.shape(), self.counts.into());
        if let Router::Compiled(_) = self.router {
            let node = match shape.class_bits() {
                0 => for_dims!(shape.links(), ..=12, D => {
                    lower(&Compiled::<D, D, CUBE_ORDER_BITS>::new(plan))
                }),
                _ => for_metacubes!(
                    shape,
                    programmed,
                    L B _R => lower(&Compiled::<L, B, { order_bits(B) }>::new(plan))
                ),
            }?;
            return programmed_array(shape, &node);
        }
        if self.schedule.order().is_some() {
            let node = for_metacubes!(
                shape,
                programmed,
                L B R => lower(&Programmed::<L, B, R, { order_bits(B) }>::new(plan).with_counts(counts))
            )?;
            return programmed_array(shape, &node);
        }
        let node = match (shape.class_bits(), self.program()) {
            (0, None) if self.routing == Routing::Adaptive => {
                for_dims!(shape.links(), ..=12, D => {
                    lower(&Adaptive::<D, { places(D) }>::new(plan))
                })
            }
            (0, None) => for_dims!(shape.links(), ..=12, D => {
                lower(&CubeNode::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan))
            }),
            (0, Some(program)) if self.routing == Routing::Adaptive => {
                for_dims!(shape.links(), ..=12, D => {
                    lower(&AdaptiveSoft::<D, { places(D) }>::new(plan, program))
                })
            }
            (0, Some(program)) => for_dims!(shape.links(), ..=12, D => {
                lower(&CubeSoftNode::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan, program))
            }),
            (_, None) => for_metacubes!(
                shape,
                all,
                L B R => lower(&MetacubeNode::<L, B, R>::new(plan).with_counts(counts))
            ),
            (_, Some(program)) => for_metacubes!(
                shape,
                all,
                L B R => lower(
                    &MetacubeSoftNode::<L, B, R>::new(plan, program).with_counts(counts)
                )
            ),
        }?;
        superframes(shape, &node, self.sync, self.clocks)
    }

    fn blocks(&self) -> Result<Blocks, EngineError> {
        let (plan, shape, counts) = (self.plan(), self.shape(), self.counts.into());
        TooLarge::check(&shape)?;
        if let Router::Compiled(_) = self.router {
            return programmed_blocks(shape, |nodes| match shape.class_bits() {
                0 => for_dims!(shape.links(), ..=4, D => Reference::copies(nodes, || {
                    Compiled::<D, D, CUBE_ORDER_BITS>::new(plan)
                })),
                _ => for_metacubes!(shape, [(1, 1)], L B _R => Reference::copies(nodes, || {
                    Compiled::<L, B, { order_bits(B) }>::new(plan)
                })),
            });
        }
        if self.schedule.order().is_some() {
            return programmed_blocks(shape, |nodes| {
                for_metacubes!(shape, [(1, 1)], L B R => Reference::copies(nodes, || {
                    Programmed::<L, B, R, { order_bits(B) }>::new(plan).with_counts(counts)
                }))
            });
        }
        superframe_blocks(shape, self.sync, self.clocks, |nodes| {
            match (shape.class_bits(), self.program()) {
                (0, None) if self.routing == Routing::Adaptive => {
                    for_dims!(shape.links(), ..=4, D => {
                        Reference::copies(nodes, || Adaptive::<D, { places(D) }>::new(plan))
                    })
                }
                (0, None) => for_dims!(shape.links(), ..=4, D => {
                    Reference::copies(nodes, || {
                        CubeNode::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan)
                    })
                }),
                (0, Some(program)) if self.routing == Routing::Adaptive => {
                    for_dims!(shape.links(), ..=4, D => {
                        Reference::copies(nodes, || {
                            AdaptiveSoft::<D, { places(D) }>::new(plan, program)
                        })
                    })
                }
                (0, Some(program)) => for_dims!(shape.links(), ..=4, D => {
                    Reference::copies(nodes, || {
                        CubeSoftNode::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan, program)
                    })
                }),
                // MC(1,1) is the only one that is not too large.
                (_, None) => for_metacubes!(shape, [(1, 1)], L B R => {
                    Reference::copies(nodes, || {
                        MetacubeNode::<L, B, R>::new(plan).with_counts(counts)
                    })
                }),
                (_, Some(program)) => for_metacubes!(shape, [(1, 1)], L B R => {
                    Reference::copies(nodes, || {
                        MetacubeSoftNode::<L, B, R>::new(plan, program).with_counts(counts)
                    })
                }),
            }
        })
    }
}
