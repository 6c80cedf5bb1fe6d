//! Resources of a placed design, attributed to its blocks by cell names.

use super::build::MACHINE;
use hdl::verilog::VerilogFiles;
use machine::text::MarkdownTable;
use std::collections::BTreeMap;
use std::fmt::Write;
use toolchain::{ClockTiming, PlacedCell, PlacedKind};

/// Resources of each block of a placed design.
///
/// The tools dissolve the blocks, share logic between them and name a cell after a signal that it
/// drives. A cell counts for the block of that signal. Cells with only a tool-generated name are
/// counted in a separate row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockTable {
    pub rows: Vec<BlockCost>,
}

/// Block with everything inside it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct BlockCost {
    /// Instance names joined by dots. Empty for the whole chip.
    pub path: String,
    /// Name of its module.
    pub module: String,
    pub logic_cells: usize,
    pub flip_flops: usize,
    pub block_rams: usize,
}

/// Instances below the design that get a row.
const DEPTH: usize = 3;

/// Row for cells without a name from the source.
const UNNAMED: &str = "(no name)";

impl BlockTable {
    /// Counts the placed cells of a design whose top module is instance `machine`.
    pub fn new(design: &VerilogFiles, cells: &[PlacedCell]) -> Self {
        let mut places = vec![(MACHINE.to_string(), design.top().to_string())];
        descend(design, design.top(), MACHINE, &mut places);
        let index: BTreeMap<&str, usize> =
            places.iter().enumerate().map(|(i, (path, _))| (path.as_str(), i)).collect();
        let mut rows: Vec<BlockCost> = places
            .iter()
            .map(|(path, module)| BlockCost {
                path: path.clone(),
                module: module.clone(),
                ..BlockCost::default()
            })
            .collect();
        let mut board = BlockCost { path: "(board)".into(), ..BlockCost::default() };
        let mut unnamed = BlockCost { path: UNNAMED.into(), ..BlockCost::default() };
        for cell in cells {
            let mut inside = false;
            // An instance name may end at any of the dots.
            for (end, _) in cell.name.match_indices('.') {
                if let Some(row) = index.get(&cell.name[..end]) {
                    rows[*row].count(cell.kind);
                    inside = true;
                }
            }
            match inside {
                true => {}
                false if cell.name.starts_with('$') => unnamed.count(cell.kind),
                false => board.count(cell.kind),
            }
        }
        rows.extend([board, unnamed]);
        BlockTable { rows }
    }
}

impl BlockCost {
    fn count(&mut self, kind: PlacedKind) {
        match kind {
            PlacedKind::Logic { flip_flop } => {
                self.logic_cells += 1;
                self.flip_flops += usize::from(flip_flop);
            }
            PlacedKind::FlipFlop => self.flip_flops += 1,
            PlacedKind::Ram => self.block_rams += 1,
        }
    }
}

/// Appends the instances of a module, each followed by the instances inside it.
fn descend(design: &VerilogFiles, module: &str, at: &str, places: &mut Vec<(String, String)>) {
    if at.matches('.').count() == DEPTH {
        return;
    }
    let module = design.modules.iter().find(|m| m.name == module);
    for (name, of) in module.iter().flat_map(|m| &m.instances) {
        let path = format!("{at}.{name}");
        places.push((path.clone(), of.clone()));
        descend(design, of, &path, places);
    }
}

impl BlockTable {
    /// Table with a row for each block.
    pub fn table(&self) -> MarkdownTable {
        let headings = ["block", "module", "logic cells", "flip-flops", "block RAMs"];
        let mut table = MarkdownTable::new(2, headings).ranked(1, &["logic cells"], "a pipe");
        for row in &self.rows {
            table.row([
                row.path.clone(),
                row.module.clone(),
                row.logic_cells.to_string(),
                row.flip_flops.to_string(),
                row.block_rams.to_string(),
            ]);
        }
        table
    }
}

// Describes a critical path with names from the source.

/// Path of a clock, with a line for each signal on it. The first and last names are registers. The
/// tools share logic and name their cells after a signal that a cell drives, so names in between
/// are only a hint.
pub fn critical_path(clock: &ClockTiming) -> String {
    let total: f64 = clock.path.iter().map(|hop| hop.delay).sum();
    let mut text = format!("The slowest path takes {total:.2} ns:\n");
    let mut before = String::new();
    let mut at = 0.0;
    for hop in &clock.path {
        at += hop.delay;
        let name = source_name(&hop.name);
        // One line for the start, for each net, and for the end.
        let shown = matches!(hop.kind.as_str(), "clk-to-q" | "routing" | "setup");
        if shown && name != before {
            let _ = writeln!(text, "{at:>8.2}  {name}");
            before = name;
        }
    }
    text
}

/// Prefixes of the parts that the tools append.
const TOOL_SUFFIXES: [&str; 10] = [
    "_SB_",
    "_LC",
    "_DFFLC",
    "_RAM",
    "_TRELLIS_",
    "_LUT4_",
    "_PFUMX_",
    "_L6MUX21_",
    "_CCU2C_",
    "$",
];

/// Removes the parts that the tools appended: `machine.uart.place` for
/// `machine.uart.place_SB_DFFESR_Q_1_D_SB_LUT4_O_LC`.
fn source_name(name: &str) -> String {
    let end = TOOL_SUFFIXES
        .iter()
        .filter_map(|mark| name[1.min(name.len())..].find(mark).map(|at| at + 1))
        .min();
    name[..end.unwrap_or(name.len())].into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::lower::lower;
    use hdl::verilog;
    use rtl::board::Echo;

    #[test]
    fn a_cell_counts_for_all_blocks_around_it() {
        let design = verilog::emit(&lower(&Echo::<25>::default()).unwrap());
        let cell = |name: &str, kind| PlacedCell { name: name.into(), kind };
        let logic = |flip_flop| PlacedKind::Logic { flip_flop };
        let cells = [
            cell("machine.uart.receiver.place_SB_DFF_Q_DFFLC", logic(true)),
            cell("machine.uart.rx_valid_SB_LUT4_O_LC", logic(false)),
            cell("machine.answers.0.0_RAM", PlacedKind::Ram),
            cell("settled_SB_DFF_Q_DFFLC", logic(true)),
            cell("$nextpnr_ICESTORM_LC_0", logic(false)),
        ];
        let table = BlockTable::new(&design, &cells).table().to_string();
        assert_eq!(
            table,
            "\
| block                    | module           | logic cells | flip-flops | block RAMs |
| ------------------------ | ---------------- | ----------: | ---------: | ---------: |
| machine                  | echo             |           2 |          1 |          1 |
| machine.uart             | uart             |           2 |          1 |          0 |
| machine.uart.transmitter | uart_transmitter |           0 |          0 |          0 |
| machine.uart.receiver    | uart_receiver    |           1 |          1 |          0 |
| (board)                  |                  |           1 |          1 |          0 |
| (no name)                |                  |           1 |          0 |          0 |
"
        );
    }
}

#[cfg(test)]
mod paths_tests {
    use super::*;
    use toolchain::PathStep;

    #[test]
    fn tool_suffixes_are_removed() {
        for (made, source) in [
            ("machine.uart.place_SB_DFFESR_Q_1_D_SB_LUT4_O_LC", "machine.uart.place"),
            ("machine.table.0.0_RAM", "machine.table.0.0"),
            ("machine.tx_data[3]", "machine.tx_data[3]"),
            ("machine.count_SB_LUT4_O_I3[2]", "machine.count"),
            ("machine.count_TRELLIS_FF_Q_3", "machine.count"),
            ("machine.sum_LUT4_D_Z_PFUMX_Z_ALUT", "machine.sum"),
        ] {
            assert_eq!(source_name(made), source);
        }
    }

    #[test]
    fn the_path_runs_from_register_to_register() {
        let hop = |kind: &str, delay, name: &str| PathStep {
            kind: kind.into(),
            delay,
            name: name.into(),
        };
        let clock = ClockTiming {
            name: "clock".into(),
            reached_mhz: 0.0,
            wanted_mhz: 0.0,
            path: vec![
                hop("clk-to-q", 0.5, "a.q_SB_DFF_Q_DFFLC"),
                hop("routing", 1.0, "a.q"),
                hop("logic", 0.5, "b.sum_SB_LUT4_O_LC"),
                hop("routing", 1.0, "b.sum"),
                hop("setup", 0.25, "c.d_SB_DFF_D_DFFLC"),
            ],
        };
        assert_eq!(
            critical_path(&clock),
            "The slowest path takes 3.25 ns:\n    0.50  a.q\n    3.00  b.sum\n    3.25  c.d\n"
        );
    }
}
