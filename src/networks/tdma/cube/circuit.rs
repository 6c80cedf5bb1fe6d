//! A TDMA cube of given size and nodes, in the form that each engine takes.

use super::reference_station::ReferenceStation;
use super::station::station;
use crate::engine::{Engine, EngineError, Reference, TooLarge};
use crate::machine::array::{Array, Blocks, Wire};
use crate::machine::MachineCircuit;
use crate::networks::tdma::PhaseTiming;
use crate::program::Firmware;
use crate::routing::tdma::ServiceOrder;
use crate::rtl::catalog::CLOCKS_PER_BIT;
use crate::rtl::for_dims;
use crate::rtl::tdma::{EnginePlan, Node, PhaseClock, SoftNode, SLOT_BITS};
use crate::topology::{Hypercube, Topology};
use hdl::lower::{lower, LowerErrors};
use lockstep::design::Design;

/// Bits of an offset in a register: its 128 bytes hold the longest message.
const OFFSET_BITS: usize = 7;

/// Bits of an address of the message memory.
const ADDRESS: usize = OFFSET_BITS + SLOT_BITS;

/// The circuit of a machine: what it is built for.
#[derive(Clone, Debug)]
pub struct CubeCircuit {
    cube: Hypercube,
    timing: PhaseTiming,
    order: ServiceOrder,
    /// The program of the nodes; without one they have forwarders.
    program: Option<Vec<u32>>,
}

/// The machine of these nodes: any circuit with the ports of [`Node`], built for
/// the dimensions of the cube.
///
/// # Errors
/// None that a released circuit has: it is lowered in the tests.
pub fn cube_array(cube: Hypercube, node: &Design) -> Result<Array, LowerErrors> {
    let dims = cube.dims();
    Ok(Array {
        name: "cube".into(),
        doc: format!("The machine: {} nodes and the phase clock.", cube.nodes()),
        node: station(node, dims),
        nodes: cube.nodes() as usize,
        shared: for_dims!(dims, ..=16, D => lower(&PhaseClock::<D>::default()))?,
        wiring: vec![
            Wire::shared("phase_clock", "phase_clock"),
            Wire::shared("sync", "sync"),
            Wire::number("address"),
            Wire::links("other", "pull", &cube),
            Wire::links("other_holds", "holds", &cube),
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
/// If the cube has more than 4 dimensions: larger stations are not compiled.
pub fn cube_blocks(
    cube: Hypercube,
    node: impl FnOnce(usize) -> Result<Vec<Box<dyn Engine>>, EngineError>,
) -> Result<Blocks, EngineError> {
    let nodes = node(cube.nodes() as usize)?;
    let station = |node| -> Box<dyn Engine> { Box::new(ReferenceStation::new(node, cube.dims())) };
    Ok(Blocks {
        nodes: nodes.into_iter().map(station).collect(),
        shared: for_dims!(cube.dims(), ..=4, D => {
            Box::new(Reference::new(PhaseClock::<D>::default())?)
        }),
    })
}

impl CubeCircuit {
    /// The largest cube that there is a node for.
    pub const MAX_DIMS: u32 = 12;

    /// A machine for messages of up to `payload` bytes, which serves in turns.
    /// `None` if the cube has more than [`MAX_DIMS`](Self::MAX_DIMS) dimensions.
    pub fn new(cube: Hypercube, payload: usize, acked: bool) -> Option<Self> {
        // A routed message begins with its destination.
        let payload = payload + 2;
        (cube.dims() <= Self::MAX_DIMS).then(|| CubeCircuit {
            cube,
            timing: PhaseTiming::forwarder(CLOCKS_PER_BIT as u32, payload, cube.dims(), acked),
            order: ServiceOrder::Turns,
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
            PhaseTiming::software(clocks_per_bit, payload as usize, self.cube.dims(), acked);
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

    pub fn cube(&self) -> Hypercube {
        self.cube
    }

    pub fn timing(&self) -> PhaseTiming {
        self.timing
    }
}

impl MachineCircuit for CubeCircuit {
    fn topology(&self) -> &dyn Topology {
        &self.cube
    }

    fn array(&self) -> Result<Array, LowerErrors> {
        let plan = self.plan();
        let node = for_dims!(self.cube.dims(), ..=12, D => match &self.program {
            None => lower(&Node::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan)),
            Some(program) => lower(
                &SoftNode::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan, program)
            ),
        })?;
        cube_array(self.cube, &node)
    }

    fn blocks(&self) -> Result<Blocks, EngineError> {
        TooLarge::check(&self.cube)?;
        let plan = self.plan();
        cube_blocks(self.cube, |nodes| {
            for_dims!(self.cube.dims(), ..=4, D => match &self.program {
                None => Reference::copies(nodes, || {
                    Node::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan)
                }),
                Some(program) => Reference::copies(nodes, || {
                    SoftNode::<D, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan, program)
                }),
            })
        })
    }
}
