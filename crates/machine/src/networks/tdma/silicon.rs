//! Circuits that are synthesised for the nodes of a TDMA machine.

use super::Tdma;
use crate::{Silicon, SynthesisUnit, Trim, WholeNode, SYNTHESISED_DIMS};
use hdl::lower::{lower, LowerErrors};
use interconnect::routing::tdma::Routing;
use interconnect::topology::Topology;
use lockstep::design::Design;
use rtl::tdma::parts::{pair_bits, phase_clock, programmed_phase_clock};
use rtl::tdma::{buffer_fits, pool_slots, BufferSize};

/// Outputs that only the simulation observes.
const SIMULATION_OUTPUTS: &[&str] = &[
    "holds",
    "sent",
    "sent_slot",
    "received",
    "late",
    "phase",
    "muted",
    "slips",
];

/// Outputs of a core that only the simulation observes.
const CORE_SIMULATION_OUTPUTS: &[&str] = &[
    "asleep",
    "retired",
    "halted",
    "cause",
    "instruction",
    "program_counter",
    "decided",
];

/// Blocks of a soft node that belong to its processor.
const PROCESSOR_BLOCKS: &[&str] = &["core", "program", "data"];

impl Tdma {
    /// Returns the node for synthesis, with the smallest buffers that hold the messages. For the
    /// 3-cube, the 4-cube and MC(1,1).
    fn node(&self) -> Result<Design, LowerErrors> {
        let payload = self.circuit.timing().payload.into();
        let room = match buffer_fits(BufferSize::Short.offset_bits(), payload) {
            true => BufferSize::Short,
            false => BufferSize::Long,
        };
        lower(&*self.circuit.node(room))
    }

    /// True if the nodes have cores and pools of slots.
    fn is_pooled(&self) -> bool {
        self.program.is_some() && self.circuit.routing() == Routing::Adaptive
    }

    /// Returns the name of the node in a table of circuits.
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
                format!("{block}<{dims}, {dims}, {}>", pool_slots(dims as usize))
            }
            0 => format!("{block}<{}>", shape.links()),
            _ => format!("{block} of {}", shape.name()),
        }
    }

    /// Implements [`Machine::silicon`](crate::networks::Machine::silicon).
    pub(super) fn synthesised(&self) -> Result<Option<Silicon>, LowerErrors> {
        let shape = self.circuit.shape();
        let compiled = self.circuit.programs().is_some();
        // No comparison has a machine with a programmed order and forwarders.
        let programmed = self.circuit.schedule().order().is_some();
        if programmed && !compiled || !SYNTHESISED_DIMS.contains(&shape.bits()) {
            return Ok(None);
        }
        let clock_name = match compiled {
            true => format!("ProgrammedPhaseClock<{}>", pair_bits(shape)),
            false => format!("PhaseClock<{}>", shape.links()),
        };
        let node = self.node()?;
        let clock = lower(&*match compiled {
            true => programmed_phase_clock(shape),
            false => phase_clock(shape.links()),
        })?;
        let part = |name: String, design| SynthesisUnit { name, design };
        let (router, node) = if self.program.is_some() {
            let open = &[SIMULATION_OUTPUTS, CORE_SIMULATION_OUTPUTS].concat();
            let whole = Trim {
                open,
                low: &["hang"],
                without: &[],
            };
            // The outputs of a removed core become ports of the router, whether observed or not.
            let router = Trim {
                without: PROCESSOR_BLOCKS,
                ..whole
            };
            (
                part(
                    format!("{} without its core", self.node_name()),
                    router.apply(node.clone()),
                ),
                WholeNode::One(part(self.node_name(), whole.apply(node))),
            )
        } else {
            let cut = Trim {
                open: SIMULATION_OUTPUTS,
                low: &["hang"],
                without: &[],
            };
            (
                part(self.node_name(), cut.apply(node)),
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
