//! Machine as it goes on a board. Outputs that only the simulation observes are left open, so that
//! synthesis removes their logic.

use super::{PhaseTiming, Tdma};
use crate::networks::tdma::cube::cube_array;
use crate::{Silicon, SynthesisUnit, Trim, WholeNode, SYNTHESISED_DIMS};
use hdl::lower::{lower, LowerErrors};
use interconnect::routing::tdma::Routing;
use interconnect::topology::{Hypercube, Topology};
use lockstep::design::{Builder, Design, Library, SignalKind};
use rtl::tdma::machine::{pair_bits, phase_clock, programmed_phase_clock};
use rtl::tdma::node_on_board::DIMS;
use rtl::tdma::{buffer_fits, pool_slots, BufferSize, EnginePlan, MachineNode};
use rtl::CLOCKS_PER_BIT;

/// Returns all nodes of the 4-cube with their wires and the phase clock. The wires are inside the
/// chip and have no faults. The hosts are outside. `divider` is the divider of the phase clock.
///
/// # Errors
/// A released circuit causes no error, because the tests lower it.
pub fn cube_on_board(plan: EnginePlan, divider: u64) -> Result<Design, LowerErrors> {
    let cube = Hypercube::of(DIMS as u32);
    let node = lower(&*MachineNode::new(cube, BufferSize::Short, plan).forwarder())?;
    on_board("cube_on_board", "All nodes of the 4-cube.", cube, &node, divider)
}

/// Returns all soft nodes of a cube of up to eight dimensions, with their wires and the phase
/// clock. Each node has its own core, and the hosts are outside. `program` contains the words of
/// each program store. Messages between nodes have up to `payload` bytes.
///
/// # Errors
/// As [`cube_on_board`].
///
/// # Panics
/// If there are more dimensions, or the program is too large.
pub fn soft_cube_on_board(
    cube: Hypercube,
    payload: usize,
    program: &[u32],
) -> Result<Design, LowerErrors> {
    let timing = PhaseTiming::software(CLOCKS_PER_BIT as u32, payload, cube, true);
    let node = MachineNode::new(cube, BufferSize::Short, timing.plan());
    let node = lower(&*node.soft(program))?;
    let doc = "All soft nodes of a cube, each with its own core.";
    on_board("soft_cube_on_board", doc, cube, &node, timing.divider())
}

/// Returns all nodes of a cube. Inputs that inject faults are inactive, and outputs that only a
/// simulation observes are left open.
fn on_board(
    name: &str,
    doc: &str,
    cube: Hypercube,
    node: &Design,
    divider: u64,
) -> Result<Design, LowerErrors> {
    let whole = cube_array(cube, node)?.whole();
    let mut library = Library::default();
    let mut top = Builder::new(name, doc);
    let pins = top.instantiate_design(&mut library, "cube", &whole);
    for (_, port) in whole.top().ports() {
        let pin = pins[&port.name];
        let name = port.name.split('[').next().unwrap_or_default();
        let fixed = match name {
            "skip" | "hang" | "flip" => Some(0),
            "keep" => Some(cube.all_dims()),
            "divider" => Some(divider),
            _ => None,
        };
        match (&port.kind, fixed) {
            (SignalKind::Input, Some(value)) => {
                let value = top.constant(value, port.width());
                top.assign(pin, value);
            }
            (kind, _) if *kind == SignalKind::Input || HOST_OUTPUTS.contains(&name) => {
                top.export_port(pin, port, &port.name);
            }
            _ => {}
        }
    }
    let top = library.add_module(top.finish());
    Ok(library.finish(top))
}

/// Outputs of a node to its host.
const HOST_OUTPUTS: [&str; 6] =
    ["host_index", "host_taken", "out_valid", "out_data", "out_last", "out_reason"];

// Circuits that are synthesised for the nodes of a TDMA machine.

/// Outputs that only the simulation observes.
const SIMULATION_OUTPUTS: &[&str] =
    &["holds", "sent", "sent_slot", "received", "missed_deadline", "phase", "muted", "slips"];

/// Outputs of a core that only the simulation observes.
const CORE_SIMULATION_OUTPUTS: &[&str] =
    &["asleep", "retired", "halted", "cause", "instruction", "program_counter", "decided", "led"];

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
            let whole = Trim { open, low: &["hang"], without: &[] };
            // The outputs of a removed core become ports of the router, whether observed or not.
            let router = Trim { without: PROCESSOR_BLOCKS, ..whole };
            (
                part(format!("{} without its core", self.node_name()), router.apply(node.clone())),
                WholeNode::One(part(self.node_name(), whole.apply(node))),
            )
        } else {
            let cut = Trim { open: SIMULATION_OUTPUTS, low: &["hang"], without: &[] };
            (part(self.node_name(), cut.apply(node)), WholeNode::cores(1 << self.proc_bits)?)
        };
        Ok(Some(Silicon { router, node, shared: Some(part(clock_name, clock)) }))
    }
}
