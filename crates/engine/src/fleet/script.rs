//! Script of a fleet's run, as its program reads it: numbers in text.

use super::FleetRun;
use crate::InputChange;
use lockstep::lanes::LaneMap;
use std::fmt::Write;

/// Script text with the number of clock cycles and the tables, which have one entry per node. The
/// changes of the common words follow, then the number of objects, and the changes on each.
pub fn script_text(run: &FleetRun, tables: &[LaneMap]) -> String {
    let mut text = format!("{}\n{}\n", run.clock_cycles, tables.len());
    for table in tables {
        for node in 0..run.nodes {
            let _ = write!(text, "{} ", table.from(node));
        }
        text.push('\n');
    }
    changes(&mut text, &run.shared);
    let _ = writeln!(text, "{}", run.sets.len());
    for sets in &run.sets {
        changes(&mut text, sets);
    }
    text
}

fn changes(text: &mut String, changes: &[InputChange]) {
    let _ = writeln!(text, "{}", changes.len());
    for InputChange {
        clock,
        input,
        value,
    } in changes
    {
        let _ = writeln!(text, "{clock} {input} {value}");
    }
}
