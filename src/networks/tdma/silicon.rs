//! What the nodes of a TDMA machine are on a chip: the circuits that are synthesised.

use super::cube::{pair_bits, programmed_clock};
use super::Tdma;
use crate::machine::{Part, Silicon, Trim, WholeNode, SYNTHESISED};
use crate::routing::compiled::PLACES;
use crate::routing::tdma::Routing;
use crate::rtl::tdma::{
    order_bits, places, register_holds, AdaptiveNode, CompiledNode, CubeNode, CubeSoftNode,
    EnginePlan, Node, PhaseClock, SoftNode, CUBE_ORDER_BITS,
};
use crate::rtl::CLOCKS_PER_BIT as BIT;
use crate::rtl::{for_dims, for_metacubes};
use crate::topology::{Metacube, Topology};
use hdl::lower::{lower, LowerErrors};
use lockstep::design::Design;

/// What only the simulation looks at.
const WATCHED: &[&str] = &[
    "holds",
    "sent",
    "sent_slot",
    "received",
    "late",
    "phase",
    "muted",
    "slips",
];

/// The same of a core.
const WATCHED_CORE: &[&str] = &[
    "asleep",
    "retired",
    "halted",
    "cause",
    "instruction",
    "program_counter",
    "decided",
];

/// What is the processor's of a soft node.
const PROCESSOR: &[&str] = &["core", "program", "data"];

/// Bytes of a register that holds messages with so many bytes of payload and
/// destination, as bits of an offset: 16, or the 128 of the longest.
const SMALL: (usize, usize) = (4, 8);
const LARGE: (usize, usize) = (7, 11);

impl Tdma {
    /// The node as it is put on a chip, with registers as small as the messages let
    /// them be. For the 3- and the 4-cube, and MC(1,1).
    fn node(&self) -> Result<Design, LowerErrors> {
        let small = register_holds(SMALL.0, self.circuit.timing().payload.into());
        let plan = self.circuit.plan();
        if self.circuit.routing() == Routing::Adaptive {
            let program = &self.firmware.words;
            return for_dims!(self.circuit.shape().links(), [3 4], D => match (&self.program, small) {
                (None, true) => lower(
                    &AdaptiveNode::<D, { places(D) }, BIT, { SMALL.0 }, { SMALL.1 }>::new(plan)
                ),
                (None, false) => lower(
                    &AdaptiveNode::<D, { places(D) }, BIT, { LARGE.0 }, { LARGE.1 }>::new(plan)
                ),
                (Some(_), true) => lower(
                    &SoftNode::<D, D, { places(D) }, BIT, { SMALL.0 }, { SMALL.1 }>::new(plan, program)
                ),
                (Some(_), false) => lower(
                    &SoftNode::<D, D, { places(D) }, BIT, { LARGE.0 }, { LARGE.1 }>::new(plan, program)
                ),
            });
        }
        if self.circuit.programs().is_some() {
            return compiled_node(self.circuit.shape(), plan, small);
        }
        if self.circuit.shape().class_bits() > 0 {
            return for_metacubes!(
                self.circuit.shape(),
                [(1, 1)],
                L B R => match (&self.program, small) {
                    (None, true) => {
                        lower(&Node::<L, B, R, BIT, { SMALL.0 }, { SMALL.1 }>::new(plan))
                    }
                    (None, false) => {
                        lower(&Node::<L, B, R, BIT, { LARGE.0 }, { LARGE.1 }>::new(plan))
                    }
                    (Some(_), true) => lower(
                        &SoftNode::<L, B, R, BIT, { SMALL.0 }, { SMALL.1 }>::new(plan, &self.firmware.words)
                    ),
                    (Some(_), false) => lower(
                        &SoftNode::<L, B, R, BIT, { LARGE.0 }, { LARGE.1 }>::new(plan, &self.firmware.words)
                    ),
                }
            );
        }
        for_dims!(self.circuit.shape().links(), [3 4], D => match (&self.program, small) {
            (None, true) => lower(&CubeNode::<D, BIT, { SMALL.0 }, { SMALL.1 }>::new(plan)),
            (None, false) => lower(&CubeNode::<D, BIT, { LARGE.0 }, { LARGE.1 }>::new(plan)),
            (Some(_), true) => lower(
                &CubeSoftNode::<D, BIT, { SMALL.0 }, { SMALL.1 }>::new(plan, &self.firmware.words)
            ),
            (Some(_), false) => lower(
                &CubeSoftNode::<D, BIT, { LARGE.0 }, { LARGE.1 }>::new(plan, &self.firmware.words)
            ),
        })
    }

    /// The nodes have cores, and pools of places.
    fn is_pooled(&self) -> bool {
        self.program.is_some() && self.circuit.routing() == Routing::Adaptive
    }

    /// What its node is called in a table of circuits.
    fn node_name(&self) -> String {
        let shape = self.circuit.shape();
        let block = match (&self.program, self.circuit.routing()) {
            _ if self.circuit.programs().is_some() => "CompiledNode",
            (None, Routing::ECube) => "Node",
            (None, Routing::Adaptive) => "AdaptiveNode",
            (Some(_), _) => "SoftNode",
        };
        match shape.class_bits() {
            0 if self.is_pooled() => {
                let dims = shape.links();
                format!("{block}<{dims}, {dims}, {}>", places(dims as usize))
            }
            0 => format!("{block}<{}>", shape.links()),
            _ => format!("{block} of {}", shape.name()),
        }
    }

    /// As [`Machine::silicon`](crate::networks::Machine::silicon) says it.
    pub(super) fn synthesised(&self) -> Result<Option<Silicon>, LowerErrors> {
        let shape = self.circuit.shape();
        let compiled = self.circuit.programs().is_some();
        // No comparison has a machine with a programmed order whose nodes have forwarders.
        let programmed = self.circuit.schedule().order().is_some();
        if programmed && !compiled || !SYNTHESISED.contains(&shape.bits()) {
            return Ok(None);
        }
        let clock_name = match compiled {
            true => format!("ProgrammedPhaseClock<{}>", pair_bits(shape)),
            false => format!("PhaseClock<{}>", shape.links()),
        };
        let node = self.node()?;
        let clock = match compiled {
            true => programmed_clock(shape),
            false => for_dims!(shape.links(), [2 3 4], D => lower(&PhaseClock::<D>::default())),
        }?;
        let part = |name: String, design| Part { name, design };
        let (router, node) = if self.program.is_some() {
            let open = &[WATCHED, WATCHED_CORE].concat();
            let whole = Trim {
                open,
                low: &["hang"],
                without: &[],
            };
            // The core's own outputs are its ports then, watched or not.
            let router = Trim {
                without: PROCESSOR,
                ..whole
            };
            (
                part(
                    format!("{} without its core", self.node_name()),
                    router.of(node.clone()),
                ),
                WholeNode::One(part(self.node_name(), whole.of(node))),
            )
        } else {
            let cut = Trim {
                open: WATCHED,
                low: &["hang"],
                without: &[],
            };
            (
                part(self.node_name(), cut.of(node)),
                WholeNode::cores(1 << self.proc_bits)?,
            )
        };
        Ok(Some(Silicon {
            router,
            node,
            shared: Some(part(clock_name, clock)),
        }))
    }
}

/// The node that follows a compiled schedule, with places as small as the messages let them
/// be, or large ones.
fn compiled_node(shape: Metacube, plan: EnginePlan, small: bool) -> Result<Design, LowerErrors> {
    if shape.class_bits() > 0 {
        return for_metacubes!(shape, [(1, 1)], L B _R => match small {
            true => lower(
                &CompiledNode::<L, B, PLACES, BIT, { SMALL.0 }, { SMALL.1 }, { order_bits(B) }>::new(plan)
            ),
            false => lower(
                &CompiledNode::<L, B, PLACES, BIT, { LARGE.0 }, { LARGE.1 }, { order_bits(B) }>::new(plan)
            ),
        });
    }
    for_dims!(shape.links(), [3 4], D => match small {
        true => lower(
            &CompiledNode::<D, D, PLACES, BIT, { SMALL.0 }, { SMALL.1 }, CUBE_ORDER_BITS>::new(plan)
        ),
        false => lower(
            &CompiledNode::<D, D, PLACES, BIT, { LARGE.0 }, { LARGE.1 }, CUBE_ORDER_BITS>::new(plan)
        ),
    })
}
