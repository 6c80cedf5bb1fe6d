//! Which circuits are synthesised to say what a network costs.

use crate::rtl::core::OwnCore;
use crate::rtl::tdma::{DATA_BITS, PROGRAM_BITS};
use hdl::lower::{lower, LowerErrors};
use lockstep::design::{CellKind, Design};

/// A circuit that is synthesised alone.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is called in a table.
    pub name: String,
    pub design: Design,
}

/// What a node costs, and what there is one of in the machine.
#[derive(Clone, Debug)]
pub struct Silicon {
    /// What carries messages, without the processors.
    pub router: Part,
    pub node: WholeNode,
    /// What tells all nodes the time; there is one of it, or none is needed.
    pub shared: Option<Part>,
}

/// Router and processors.
#[derive(Clone, Debug)]
pub enum WholeNode {
    /// One circuit.
    One(Part),
    /// The router and so many of these cores, side by side; what joins them is not
    /// counted.
    Cores { core: Part, count: usize },
}

impl WholeNode {
    /// So many of the soft node's cores.
    pub fn cores(count: usize) -> Result<Self, LowerErrors> {
        let core = Part {
            name: "OwnCore".into(),
            design: lower(&OwnCore::default())?,
        };
        Ok(WholeNode::Cores { core, count })
    }

    /// Bits of program store and data memory of a core, those of the soft node.
    pub const CORE_MEMORY_BITS: u64 = (32 << PROGRAM_BITS) + (8 << DATA_BITS);

    /// The same in block RAMs of 4 kbit, as the soft node takes them.
    pub const CORE_BLOCK_RAMS: usize = (Self::CORE_MEMORY_BITS / 4096) as usize;
}

/// Bits of all memories of a circuit, as it declares them.
pub fn memory_bits(design: &Design) -> u64 {
    let mut bits: Vec<u64> = vec![];
    // Children stand before parents.
    for module in &design.modules {
        let cells = module.cells.iter().map(|cell| match &cell.kind {
            CellKind::Register { .. } => 0,
            CellKind::Memory {
                read_address,
                read_data,
                ..
            } => {
                let width = u64::from(module.signal(*read_data).width());
                width << module.signal(*read_address).width()
            }
        });
        let children = module.instances.iter().map(|i| bits[i.module.index()]);
        let all = cells.chain(children).sum();
        bits.push(all);
    }
    bits[design.top.index()]
}

/// Dimensions of the cubes whose nodes are synthesised.
pub const SYNTHESISED: [u32; 2] = [3, 4];
