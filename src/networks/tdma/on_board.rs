//! The node and the machine as they go on a board: what only the simulation
//! looks at is left open, so that synthesis removes what only that needs.

use crate::networks::tdma::cube::cube_array;
use crate::rtl::catalog::CLOCKS_PER_BIT;
use crate::rtl::tdma::{EnginePlan, Node, Reason};
use crate::topology::Hypercube;
use hdl::lower::{kernel, lower, Circuit, LowerErrors};
use lockstep::design::{Builder, Design, Library, SignalKind};
use rust_hdl::prelude::*;

/// Dimensions of the cube that is to fit the chip.
const DIMS: usize = 4;

/// Bits of an offset in a register, and of an address of the message memory.
const OFFSET_BITS: usize = 4;
const ADDRESS: usize = 8;

/// A node of the 4-cube. Open: what became of frames, its phase, slips.
#[derive(LogicBlock, Circuit, Default)]
pub struct NodeOnBoard {
    pub clock: Signal<In, Clock>,
    pub phase_clock: Signal<In, Bit>,
    pub sync: Signal<In, Bit>,
    pub address: Signal<In, Bits<DIMS>>,
    pub level: Signal<In, Bits<DIMS>>,
    pub pull: Signal<Out, Bits<DIMS>>,
    pub host_valid: Signal<In, Bit>,
    pub host_data: Signal<In, Bits<8>>,
    pub host_index: Signal<Out, Bits<8>>,
    pub host_taken: Signal<Out, Bit>,
    pub out_valid: Signal<Out, Bit>,
    pub out_data: Signal<Out, Bits<8>>,
    pub out_last: Signal<Out, Bit>,
    pub out_reason: Signal<Out, Reason>,
    node: Node<DIMS, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>,
}

impl NodeOnBoard {
    /// The arguments are those of [`Node::new`].
    pub fn new(plan: EnginePlan) -> Self {
        NodeOnBoard {
            node: Node::new(plan),
            ..Default::default()
        }
    }
}

impl Logic for NodeOnBoard {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, node);
        self.node.phase_clock.next = self.phase_clock.val();
        self.node.sync.next = self.sync.val();
        self.node.address.next = self.address.val();
        self.node.level.next = self.level.val();
        self.pull.next = self.node.pull.val();
        self.node.hang.next = false;
        self.node.host_valid.next = self.host_valid.val();
        self.node.host_data.next = self.host_data.val();
        self.host_index.next = self.node.host_index.val();
        self.host_taken.next = self.node.host_taken.val();
        self.out_valid.next = self.node.out_valid.val();
        self.out_data.next = self.node.out_data.val();
        self.out_last.next = self.node.out_last.val();
        self.out_reason.next = self.node.out_reason.val();
    }
}

/// All nodes of the 4-cube with their wires and the phase clock. The wires are
/// inside the chip and undisturbed; the hosts are outside. `divider` is that of the
/// phase clock.
///
/// # Errors
/// None that a released circuit has: it is lowered in the tests.
pub fn cube_on_board(plan: EnginePlan, divider: u64) -> Result<Design, LowerErrors> {
    let node = lower(&Node::<DIMS, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>::new(
        plan,
    ))?;
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
