//! The machine as it goes on a board: what only the simulation looks at is left
//! open, so that synthesis removes what only that needs.

use crate::networks::tdma::cube::cube_array;
use crate::rtl::tdma::node_on_board::{ADDRESS, DIMS, OFFSET_BITS};
use crate::rtl::tdma::{CubeNode, EnginePlan};
use crate::rtl::CLOCKS_PER_BIT;
use crate::topology::Hypercube;
use hdl::lower::{lower, LowerErrors};
use lockstep::design::{Builder, Design, Library, SignalKind};

/// All nodes of the 4-cube with their wires and the phase clock. The wires are
/// inside the chip and undisturbed; the hosts are outside. `divider` is that of the
/// phase clock.
///
/// # Errors
/// None that a released circuit has: it is lowered in the tests.
pub fn cube_on_board(plan: EnginePlan, divider: u64) -> Result<Design, LowerErrors> {
    let node = lower(&CubeNode::<DIMS, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(plan))?;
    let cube = Hypercube::of(DIMS as u32);
    let whole = cube_array(cube, &node)?.whole();
    let mut library = Library::default();
    let id = library.add(&whole);
    let mut top = Builder::new("cube_on_board", "All nodes of the 4-cube.");
    let module = library.module(id);
    let pins = top.instance("cube", id, module);
    for ((_, port), pin) in module.ports().zip(pins) {
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
            (SignalKind::Input, None) => {
                let outside = top.input(&port.name, port.ty.clone(), &port.doc);
                top.connect(pin, outside);
            }
            _ if HOST_OUTPUTS.contains(&name) => {
                let outside = top.output(&port.name, port.ty.clone(), &port.doc);
                top.connect(outside, pin);
            }
            _ => {}
        }
    }
    let top = library.add_module(top.finish());
    Ok(library.finish(top))
}

/// What a host sees of its node.
const HOST_OUTPUTS: [&str; 6] = [
    "host_index",
    "host_taken",
    "out_valid",
    "out_data",
    "out_last",
    "out_reason",
];
