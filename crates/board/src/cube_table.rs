//! The cubes of the designs `cube` and `programs`: their speed, and the block RAMs that they need.

use super::block_rams::BlockRams;
use super::design::CLOCK_MHZ;
use super::BOARDS;
use hdl::lower::LowerErrors;
use machine::networks::tdma::hosted::HostedCircuit;
use machine::program::BoardMemory;
use machine::text::{write_paragraph, MarkdownTable};
use rtl::hosted::HostedShape;
use serde::Serialize;
use std::fmt;

/// Cubes of every size. Prints as a table in Markdown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CubeTable {
    pub clock_mhz: u32,
    pub cubes: Vec<CubeRow>,
}

/// Speed and size of a cube.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CubeRow {
    pub dims: u32,
    pub nodes: u32,
    /// Number of cores of nodes. Without groups the host also uses the core.
    pub cores: u32,
    /// Clock cycles of a phase.
    pub phase_clocks: u64,
    pub phases_per_second: f64,
    /// Instructions of a node, of five clock cycles each, while no program sleeps.
    pub instructions_per_second: f64,
    /// Block RAMs that an iCE40 and an ECP5 need at least.
    pub ice40_block_rams: usize,
    pub ecp5_block_rams: usize,
    /// Block RAMs that an ECP5 needs at least for the design `programs`, if it has this size.
    pub programs_ecp5_block_rams: Option<usize>,
    /// Names of the boards with as many block RAMs.
    pub boards: Vec<&'static str>,
}

/// Clock cycles of a load, of a store and of a branch not taken (`SoftCore`).
pub const INSTRUCTION_CLOCKS: u32 = 5;

impl CubeTable {
    /// Computes the table from the circuits.
    ///
    /// # Errors
    /// None for released circuits, because the tests lower them.
    pub fn new() -> Result<Self, LowerErrors> {
        let shapes = HostedShape::CUBES.iter().copied();
        let shapes = shapes.filter_map(|dims| Some((dims, HostedShape::cube(dims)?)));
        let rows = shapes.map(|(dims, shape)| CubeRow::new(dims, shape));
        Ok(CubeTable { clock_mhz: CLOCK_MHZ, cubes: rows.collect::<Result<_, _>>()? })
    }
}

impl CubeRow {
    fn new(dims: u32, shape: HostedShape) -> Result<Self, LowerErrors> {
        let circuit = HostedCircuit::new(shape, BoardMemory { words: vec![] });
        let design = circuit.design()?;
        let (nodes, of_core) = (1 << dims, shape.core_nodes());
        let hosts = u32::from(!matches!(shape, HostedShape::Groups(_)));
        let phase_clocks = u64::from(circuit.timing().clock_cycles()) * u64::from(of_core);
        let hertz = f64::from(CLOCK_MHZ) * 1e6;
        let fits = |board: &&&super::Board| {
            let chip = board.flow.block_rams();
            chip.for_design(&design) <= chip.available
        };
        let ecp5 = BlockRams::ecp5(208);
        let programs = HostedShape::programs(dims).map(|shape| {
            let circuit = HostedCircuit::new(shape, BoardMemory { words: vec![] });
            Ok(ecp5.for_design(&circuit.design()?))
        });
        Ok(CubeRow {
            dims,
            nodes,
            cores: nodes / of_core,
            phase_clocks,
            phases_per_second: hertz / phase_clocks as f64,
            instructions_per_second: hertz / f64::from((of_core + hosts) * INSTRUCTION_CLOCKS),
            ice40_block_rams: BlockRams::ice40(32).for_design(&design),
            ecp5_block_rams: ecp5.for_design(&design),
            programs_ecp5_block_rams: programs.transpose()?,
            boards: BOARDS.iter().filter(fits).map(|board| board.name).collect(),
        })
    }
}

impl fmt::Display for CubeTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headings = [
            "cube",
            "nodes",
            "cores",
            "clock cycles of a phase",
            "phases/s",
            "instructions/s and node",
            "block RAMs, iCE40",
            "block RAMs, ECP5",
            "the same, `programs`",
        ];
        let mut table = MarkdownTable::new(1, headings).ranked(
            1,
            &["nodes", "cores", "phases/s", "instructions/s and node"],
            "--json",
        );
        for row in &self.cubes {
            table.row([
                format!("`--dims {}`", row.dims),
                row.nodes.to_string(),
                row.cores.to_string(),
                row.phase_clocks.to_string(),
                format!("{:.1}", row.phases_per_second),
                format!("{:.0}", row.instructions_per_second),
                row.ice40_block_rams.to_string(),
                row.ecp5_block_rams.to_string(),
                row.programs_ecp5_block_rams.map_or(String::new(), |count| count.to_string()),
            ]);
        }
        table.write(f, &[])?;
        writeln!(f)?;
        for board in BOARDS {
            let chip = board.flow.block_rams().available;
            let fits = |row: &&CubeRow| row.boards.contains(&board.name);
            let largest = self.cubes.iter().rfind(fits);
            let largest = largest.map_or("none".into(), |row| format!("--dims {}", row.dims));
            let name = board.name;
            write_paragraph(f, &format!("{name}: {chip} block RAMs, enough for up to {largest}."))?;
        }
        let mhz = self.clock_mhz;
        write_paragraph(
            f,
            &format!(
                "At {mhz} MHz, for instructions of {INSTRUCTION_CLOCKS} clock cycles, while no program \
                 sleeps. Phases are those of `cube`. Logic cells are not counted."
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A node of a group is as fast as a node of the 6-cube, and 256 nodes fit half of the block RAMs
    /// of an ECP5-85F.
    #[test]
    fn groups_keep_the_speed_of_sixty_four_nodes() {
        let table = CubeTable::new().unwrap();
        let of = |dims| table.cubes.iter().find(|row| row.dims == dims).unwrap();
        for dims in 7..=9 {
            assert!(of(dims).instructions_per_second >= of(6).instructions_per_second);
        }
        assert_eq!((of(8).cores, of(8).ecp5_block_rams), (4, 104));
        assert_eq!(of(9).ecp5_block_rams, 200);
        // Memories of 16 words for each node in place of 4, and more of the host.
        let programs = [3, 4, 5, 6, 7, 8, 9].map(|dims| of(dims).programs_ecp5_block_rams);
        assert_eq!(programs[6], None);
        assert!(programs[5].is_some_and(|count| count <= 208), "{programs:?}");
        println!("{table}");
    }
}
