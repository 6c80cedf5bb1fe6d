//! Machine as it goes on a board. Outputs that only the simulation observes are left open, so that
//! synthesis removes their logic.

use super::PhaseTiming;
use crate::networks::tdma::cube::cube_array;
use hdl::lower::{lower, LowerErrors};
use interconnect::topology::Hypercube;
use lockstep::design::{Builder, Design, Library, SignalKind};
use rtl::tdma::node_on_board::DIMS;
use rtl::tdma::{BufferSize, EnginePlan, MachineNode};
use rtl::CLOCKS_PER_BIT;

/// Returns all nodes of the 4-cube with their wires and the phase clock. The wires are inside the
/// chip and have no faults. The hosts are outside. `divider` is the divider of the phase clock.
///
/// # Errors
/// A released circuit causes no error, because the tests lower it.
pub fn cube_on_board(plan: EnginePlan, divider: u64) -> Result<Design, LowerErrors> {
    let cube = Hypercube::of(DIMS as u32);
    let node = lower(&*MachineNode::new(cube, BufferSize::Short, plan).forwarder())?;
    on_board(
        "cube_on_board",
        "All nodes of the 4-cube.",
        cube,
        &node,
        divider,
    )
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
const HOST_OUTPUTS: [&str; 6] = [
    "host_index",
    "host_taken",
    "out_valid",
    "out_data",
    "out_last",
    "out_reason",
];
