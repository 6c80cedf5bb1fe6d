//! A TDMA machine of given shape and nodes, in the form that each engine takes.

use super::array::{cube_array, cube_blocks, programmed_array, programmed_blocks};
use super::registers::Registers;
use crate::engine::{EngineError, Reference, TooLarge};
use crate::machine::array::{Array, Blocks};
use crate::machine::MachineCircuit;
use crate::networks::tdma::PhaseTiming;
use crate::program::Firmware;
use crate::routing::tdma::{PhaseSchedule, ServiceOrder};
use crate::rtl::catalog::CLOCKS_PER_BIT;
use crate::rtl::tdma::{
    order_bits, CubeNode, CubeSoftNode, EnginePlan, Node, ProgrammedNode, SoftNode,
};
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

/// The circuit of a machine: what it is built for.
#[derive(Clone, Debug)]
pub struct CubeCircuit {
    /// Of which nodes, and in which order their links are open.
    schedule: PhaseSchedule,
    timing: PhaseTiming,
    order: ServiceOrder,
    /// Different counts of cross edges that nodes tell apart.
    counts: u32,
    /// The program of the nodes; without one they have forwarders.
    program: Option<Vec<u32>>,
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
            program: None,
        })
    }

    /// With nodes that run a program, one for all. The service window becomes the
    /// one that `route` needs.
    #[must_use]
    pub fn with_program(mut self, firmware: &Firmware) -> Self {
        let PhaseTiming {
            clocks_per_bit,
            payload,
            acked,
            ..
        } = self.timing;
        self.timing = PhaseTiming::software(clocks_per_bit, payload as usize, self.shape(), acked);
        self.program = Some(firmware.words.clone());
        self
    }

    /// With nodes and a phase clock that follow this order of links, one for each pair of
    /// phases. `None` if the metacube is none of [`PROGRAMMED`](Self::PROGRAMMED), or the
    /// order has more pairs than there is room for.
    ///
    /// # Panics
    /// As [`PhaseSchedule::programmed`].
    pub fn programmed(mut self, order: impl Into<Arc<[u32]>>) -> Option<Self> {
        let (shape, order) = (self.shape(), order.into());
        let room = 1 << order_bits(shape.bits() as usize);
        let fits = order.len() <= room
            && Self::PROGRAMMED.contains(&(shape.class_bits(), shape.field_bits()));
        self.schedule = PhaseSchedule::programmed(shape, order);
        fits.then_some(self)
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

    /// What the nodes are built for.
    pub fn plan(&self) -> EnginePlan {
        let plan = self.timing.plan();
        EnginePlan {
            turns: plan.acked && self.order == ServiceOrder::Turns,
            ..plan
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

    fn registers(&self) -> Registers {
        Registers::new(self.shape(), self.counts)
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
        let (plan, shape, counts) = (self.plan(), self.shape(), self.counts.into());
        if self.schedule.order().is_some() {
            let node = for_metacubes!(
                shape,
                programmed,
                L B R => lower(&Programmed::<L, B, R, { order_bits(B) }>::new(plan).with_counts(counts))
            )?;
            return programmed_array(shape, &node);
        }
        let node = match (shape.class_bits(), &self.program) {
            (0, None) => for_dims!(shape.links(), ..=12, D => {
                lower(&CubeNode::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan))
            }),
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
        cube_array(shape, &node)
    }

    fn blocks(&self) -> Result<Blocks, EngineError> {
        let (plan, shape, counts) = (self.plan(), self.shape(), self.counts.into());
        TooLarge::check(&shape)?;
        if self.schedule.order().is_some() {
            return programmed_blocks(shape, |nodes| {
                for_metacubes!(shape, [(1, 1)], L B R => Reference::copies(nodes, || {
                    Programmed::<L, B, R, { order_bits(B) }>::new(plan).with_counts(counts)
                }))
            });
        }
        cube_blocks(shape, |nodes| {
            match (shape.class_bits(), &self.program) {
                (0, None) => for_dims!(shape.links(), ..=4, D => {
                    Reference::copies(nodes, || {
                        CubeNode::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan)
                    })
                }),
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
