//! A TDMA machine of given shape and nodes, in the form that each engine takes.

use super::reference_station::ReferenceStation;
use super::registers::Registers;
use super::station::station;
use crate::engine::{Engine, EngineError, Reference, TooLarge};
use crate::machine::array::{Array, Blocks, Wire};
use crate::machine::MachineCircuit;
use crate::networks::tdma::PhaseTiming;
use crate::program::Firmware;
use crate::routing::tdma::ServiceOrder;
use crate::rtl::catalog::CLOCKS_PER_BIT;
use crate::rtl::tdma::{CubeNode, EnginePlan, Node, PhaseClock, SoftNode};
use crate::rtl::{for_dims, for_metacubes};
use crate::topology::{Hypercube, Metacube, Topology};
use hdl::lower::{lower, LowerErrors};
use lockstep::design::Design;

/// Bits of an offset in a register: its 128 bytes hold the longest message.
const OFFSET_BITS: usize = 7;

/// Bits of an address of the message memory of a cube's node, which has 16 registers.
const ADDRESS: usize = OFFSET_BITS + 4;

/// The same of a metacube's, which has 32.
const METACUBE_ADDRESS: usize = OFFSET_BITS + 5;

/// The circuit of a machine: what it is built for.
#[derive(Clone, Debug)]
pub struct CubeCircuit {
    shape: Metacube,
    timing: PhaseTiming,
    order: ServiceOrder,
    /// Different counts of cross edges that nodes tell apart.
    counts: u32,
    /// The program of the nodes; without one they have forwarders.
    program: Option<Vec<u32>>,
}

/// The machine of these nodes: any circuit with the ports of [`Node`], built for
/// the links and addresses of this shape.
///
/// # Errors
/// None that a released circuit has: it is lowered in the tests.
pub fn cube_array(shape: impl Into<Metacube>, node: &Design) -> Result<Array, LowerErrors> {
    let shape = shape.into();
    let links = shape.links();
    Ok(Array {
        name: "cube".into(),
        doc: format!("The machine: {} nodes and the phase clock.", shape.nodes()),
        node: station(node, links),
        nodes: shape.nodes() as usize,
        shared: for_dims!(links, ..=16, D => lower(&PhaseClock::<D>::default()))?,
        wiring: vec![
            Wire::shared("phase_clock", "phase_clock"),
            Wire::shared("sync", "sync"),
            Wire::number("address"),
            Wire::links("other", "pull", &shape),
            Wire::links("other_holds", "holds", &shape),
        ],
    })
}

/// The blocks of such a machine for the reference: `node` makes so many equal ones, in
/// the reference, with the ports of [`Node`].
///
/// # Errors
/// As `node`, and as [`Reference::new`].
///
/// # Panics
/// If nodes have more than 4 links: larger stations are not compiled.
pub fn cube_blocks(
    shape: impl Into<Metacube>,
    node: impl FnOnce(usize) -> Result<Vec<Box<dyn Engine>>, EngineError>,
) -> Result<Blocks, EngineError> {
    let shape = shape.into();
    let nodes = node(shape.nodes() as usize)?;
    let links = shape.links();
    let station = |node| -> Box<dyn Engine> { Box::new(ReferenceStation::new(node, links)) };
    Ok(Blocks {
        nodes: nodes.into_iter().map(station).collect(),
        shared: for_dims!(links, ..=4, D => {
            Box::new(Reference::new(PhaseClock::<D>::default())?)
        }),
    })
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

    /// A machine for messages of up to `payload` bytes, which serves in turns.
    /// `None` if the cube has more than [`MAX_DIMS`](Self::MAX_DIMS) dimensions.
    pub fn new(cube: Hypercube, payload: usize, acked: bool) -> Option<Self> {
        // A routed message begins with its destination.
        let payload = payload + 2;
        (cube.dims() <= Self::MAX_DIMS).then(|| CubeCircuit {
            shape: cube.into(),
            timing: PhaseTiming::forwarder(CLOCKS_PER_BIT as u32, payload, cube.dims(), acked),
            order: ServiceOrder::Turns,
            counts: Self::MAX_COUNTS,
            program: None,
        })
    }

    /// A metacube for messages of up to `payload` bytes, which serves in turns, with
    /// answers. `None` if there is no node for it.
    pub fn metacube(shape: Metacube, payload: usize) -> Option<Self> {
        let payload = payload + 2;
        let registers = Registers::new(shape, Self::MAX_COUNTS).count() as u32;
        let clocks_per_bit = CLOCKS_PER_BIT as u32;
        Self::METACUBES
            .contains(&(shape.class_bits(), shape.field_bits()))
            .then(|| CubeCircuit {
                shape,
                timing: PhaseTiming::looking(clocks_per_bit, payload, registers, shape.bits()),
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
        self.timing =
            PhaseTiming::software(clocks_per_bit, payload as usize, self.shape.links(), acked);
        self.program = Some(firmware.words.clone());
        self
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
        Registers::new(self.shape, self.counts)
    }

    /// The name of a node's register.
    pub fn register_name(&self, register: u32) -> String {
        self.registers().name(register as usize)
    }

    /// Which nodes there are, and their links.
    pub fn shape(&self) -> Metacube {
        self.shape
    }

    pub fn timing(&self) -> PhaseTiming {
        self.timing
    }
}

impl MachineCircuit for CubeCircuit {
    fn topology(&self) -> &dyn Topology {
        &self.shape
    }

    fn array(&self) -> Result<Array, LowerErrors> {
        let plan = self.plan();
        let node = match (self.shape.class_bits(), &self.program) {
            (0, None) => for_dims!(self.shape.links(), ..=12, D => {
                lower(&CubeNode::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan))
            }),
            (0, Some(program)) => for_dims!(self.shape.links(), ..=12, D => {
                lower(&SoftNode::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan, program))
            }),
            _ => for_metacubes!(
                self.shape,
                [(1, 1) (1, 2) (1, 3) (1, 4) (1, 5) (2, 1) (2, 2) (2, 3)],
                L B R => lower(
                    &Node::<L, B, R, CLOCKS_PER_BIT, OFFSET_BITS, METACUBE_ADDRESS>::new(plan).with_counts(self.counts.into())
                )
            ),
        }?;
        cube_array(self.shape, &node)
    }

    fn blocks(&self) -> Result<Blocks, EngineError> {
        TooLarge::check(&self.shape)?;
        let plan = self.plan();
        cube_blocks(self.shape, |nodes| {
            match (self.shape.class_bits(), &self.program) {
                (0, None) => for_dims!(self.shape.links(), ..=4, D => {
                    Reference::copies(nodes, || {
                        CubeNode::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan)
                    })
                }),
                (0, Some(program)) => for_dims!(self.shape.links(), ..=4, D => {
                    Reference::copies(nodes, || {
                        SoftNode::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan, program)
                    })
                }),
                // The only one that is not too large.
                _ => for_metacubes!(self.shape, [(1, 1)], L B R => {
                    Reference::copies(nodes, || {
                        Node::<L, B, R, CLOCKS_PER_BIT, OFFSET_BITS, METACUBE_ADDRESS>::new(plan).with_counts(self.counts.into())
                    })
                }),
            }
        })
    }
}
