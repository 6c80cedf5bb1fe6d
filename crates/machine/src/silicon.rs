//! Circuits that are synthesised to measure the cost of a network.

use hdl::lower::{lower, LowerErrors};
use lockstep::design::{CellKind, Design};
use rtl::core::SingleContextCore;
use rtl::tdma::{DATA_BITS, PROGRAM_BITS};

/// Circuit that is synthesised alone.
#[derive(Clone, Debug)]
pub struct SynthesisUnit {
    /// Name in a table.
    pub name: String,
    pub design: Design,
}

/// Circuits of a node, and the shared circuit of the machine.
#[derive(Clone, Debug)]
pub struct Silicon {
    /// Router without the processors.
    pub router: SynthesisUnit,
    pub node: WholeNode,
    /// Circuit that distributes the time to all nodes, if the machine needs one. The machine
    /// contains it once.
    pub shared: Option<SynthesisUnit>,
}

/// Router and processors.
#[derive(Clone, Debug)]
pub enum WholeNode {
    /// Router and processors in one circuit.
    One(SynthesisUnit),
    /// The router beside this number of cores. The connections between them are not counted.
    Cores { core: SynthesisUnit, count: usize },
}

impl WholeNode {
    /// This number of the soft node's cores.
    pub fn cores(count: usize) -> Result<Self, LowerErrors> {
        let core = SynthesisUnit {
            name: "SingleContextCore".into(),
            design: lower(&SingleContextCore::default())?,
        };
        Ok(WholeNode::Cores { core, count })
    }

    /// Bits of program store and data memory of a core, as in the soft node.
    pub const CORE_MEMORY_BITS: u64 = (32 << PROGRAM_BITS) + (8 << DATA_BITS);

    /// Number of block RAMs of 4 kbit for these memories, as in the soft node.
    pub const CORE_BLOCK_RAMS: usize = (Self::CORE_MEMORY_BITS / 4096) as usize;
}

/// Returns the declared size of all memories of a circuit, in bits.
pub fn memory_bits(design: &Design) -> u64 {
    let mut bits: Vec<u64> = vec![];
    // Children come before their parents.
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
pub const SYNTHESISED_DIMS: [u32; 2] = [3, 4];
