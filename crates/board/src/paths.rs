//! Describes a critical path with names from the source.

use std::fmt::Write;
use toolchain::ClockTiming;

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
    use toolchain::PathStep;

    #[test]
    fn tool_suffixes_are_removed() {
        for (made, source) in [
            (
                "machine.uart.place_SB_DFFESR_Q_1_D_SB_LUT4_O_LC",
                "machine.uart.place",
            ),
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
