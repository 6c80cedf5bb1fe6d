//! Block RAMs that a design needs at least, known before synthesis.

use lockstep::design::{CellKind, Design, ModuleId};

/// Block RAMs of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRams {
    /// Number on the chip.
    pub available: usize,
    /// Shapes of a block: width of a word in bits, and address bits.
    shapes: &'static [(u32, u32)],
    /// Memories of up to this many bits may be made of logic cells.
    logic_bits: u64,
}

impl BlockRams {
    /// Blocks of 4 kbit of an iCE40.
    pub const fn ice40(available: usize) -> Self {
        BlockRams { available, shapes: &[(16, 8), (8, 9), (4, 10), (2, 11)], logic_bits: 512 }
    }

    /// Blocks of 18 kbit of an ECP5.
    pub const fn ecp5(available: usize) -> Self {
        BlockRams {
            available,
            shapes: &[(36, 9), (18, 10), (9, 11), (4, 12), (2, 13), (1, 14)],
            logic_bits: 2048,
        }
    }

    /// Returns the number of blocks for a memory of `2^address_bits` words of `width` bits.
    fn for_memory(&self, width: u32, address_bits: u32) -> usize {
        if u64::from(width) << address_bits <= self.logic_bits {
            return 0;
        }
        let blocks = self.shapes.iter().map(|(block_width, block_bits)| {
            let deep = 1 << address_bits.saturating_sub(*block_bits);
            width.div_ceil(*block_width) as usize * deep
        });
        blocks.min().unwrap_or(0)
    }

    /// Returns the number of blocks that the design needs at least. Synthesis may need more.
    pub fn for_design(&self, design: &Design) -> usize {
        self.for_module(design, design.top)
    }

    fn for_module(&self, design: &Design, id: ModuleId) -> usize {
        let module = design.module(id);
        let cells = module.cells.iter().map(|cell| match &cell.kind {
            CellKind::Memory { read_address, read_data, asynchronous: false, .. } => {
                let width = |signal| module.signal(signal).width();
                self.for_memory(width(*read_data), width(*read_address))
            }
            _ => 0,
        });
        let instances = module.instances.iter();
        let inside = instances.map(|instance| self.for_module(design, instance.module));
        cells.sum::<usize>() + inside.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::networks::tdma::hosted::HostedCircuit;
    use machine::program::BoardMemory;
    use rtl::hosted::HostedShape;

    fn needs(chip: BlockRams, shape: HostedShape) -> usize {
        let circuit = HostedCircuit::new(shape, BoardMemory { words: vec![] });
        chip.for_design(&circuit.design().unwrap())
    }

    /// The 4-cube fills an HX8K, and the 6-cube takes 28 blocks of an ECP5 (docs/board.md,
    /// docs/your-own-board.md).
    #[test]
    fn published_images_need_the_blocks_that_they_have() {
        let hx8k = BlockRams::ice40(32);
        assert_eq!(needs(hx8k, HostedShape::Cube3), 21);
        assert_eq!(needs(hx8k, HostedShape::Cube4), 32);
        assert_eq!(needs(BlockRams::ecp5(208), HostedShape::Cube6), 28);
    }

    /// 32 nodes need more than an HX8K has.
    #[test]
    fn five_cube_does_not_fit_the_blocks_of_an_hx8k() {
        assert!(needs(BlockRams::ice40(32), HostedShape::Cube5) > 32);
    }
}
