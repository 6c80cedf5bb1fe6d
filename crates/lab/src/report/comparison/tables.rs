//! Tables of a comparison, and the notes below them.

use super::findings::held_load;
use super::{Comparison, ComparisonRun, LoadPoint, PartCost, SiliconReport};
use crate::report::cost::mhz;
use crate::report::{display_name, DEVICE, SATURATED_NOTE};
use machine::networks::NetworkNotes;
use machine::text::{format_count, MarkdownTable};
use machine::{format_number, format_optional, format_percent};
use page::chart::Chart;
use page::{Best, Table};
use serde::Serialize;
use serde_json::Value;

/// Table with its title and its note.
#[derive(Clone, Debug)]
pub struct Section {
    /// Id of the section, to which its charts refer.
    pub id: &'static str,
    pub title: String,
    pub table: MarkdownTable,
    pub note: String,
    /// Headings of the columns whose best value is marked on a page.
    pub best: &'static [(&'static str, Best)],
}

/// Largest number of rows of a table that a page shows unfolded.
const ROWS_SHOWN: usize = 60;

impl Section {
    /// Returns the section of a page, with the names of machines as on its charts.
    pub fn on_page(self, charts: Vec<Chart>) -> page::Section {
        let MarkdownTable { left, headings, mut rows, .. } = self.table;
        let machine = headings.iter().position(|heading| heading == "machine");
        if let Some(machine) = machine {
            for row in &mut rows {
                row[machine] = display_name(&row[machine]);
            }
        }
        page::Section {
            id: self.id,
            title: self.title,
            charts,
            pictures: vec![],
            folded: rows.len() > ROWS_SHOWN,
            table: Some(Table {
                left,
                // The first column repeats if the machines are in the second one.
                by_first: machine == Some(1),
                headings,
                rows,
                best: self.best.to_vec(),
            }),
        }
    }
}

/// Describes the comparison in a line.
pub fn headline(comparison: &Comparison) -> String {
    let setup = &comparison.setup;
    let mut line = format!(
        "{}-cube, {} nodes with {} each, {} bytes of payload, seed {}, {} engine",
        setup.dims,
        setup.nodes,
        format_count(setup.processors, "processor"),
        setup.payload,
        setup.seed,
        setup.engine,
    );
    for note in &comparison.notes {
        if let Some(built) = &note.parameters {
            line += &format!("; {built}");
        }
    }
    line
}

/// Selected notes of all networks, separated and followed by a space.
pub(super) fn selected_notes(
    comparison: &Comparison,
    which: impl Fn(&NetworkNotes) -> &'static str,
) -> String {
    let reported = comparison.notes.iter().map(which);
    let reported = reported.filter(|text| !text.is_empty());
    reported.map(|text| format!("{text} ")).collect()
}

/// All sections that have data.
pub fn sections(comparison: &Comparison) -> Vec<Section> {
    let runs = &comparison.runs;
    let timed = runs.iter().any(|run| run.microseconds.is_some());
    let mut sections = vec![machines(comparison)];
    sections.extend(silicon(comparison));
    sections.push(messages(comparison, runs));
    if timed {
        sections.push(per_second(comparison));
    }
    if !comparison.messages_per_processor.is_empty() {
        sections.push(per_processor(comparison));
    }
    if !comparison.offered_load.is_empty() {
        sections.push(saturation(comparison));
        sections.push(load(&comparison.offered_load));
    }
    sections
}

fn machines(comparison: &Comparison) -> Section {
    let headings = [
        "machine",
        "wires per node",
        "pins per node",
        "broadcast lines",
        "clock cycles per bit-time",
        "step, bit-times",
        "period, bit-times",
    ];
    let mut table = MarkdownTable::new(1, headings).ranked(1, &[], "machines.csv");
    for m in &comparison.machines {
        table.row([
            m.machine.into(),
            m.wires.per_node.to_string(),
            m.wires.pins.to_string(),
            m.broadcast.to_string(),
            m.timebase.clocks_per_bit.to_string(),
            m.timebase.step.to_string(),
            m.timebase.period.to_string(),
        ]);
    }
    Section {
        id: "machines",
        title: "The machines".into(),
        table,
        note: selected_notes(comparison, |note| note.wire_definition)
            + "Messages set out and arrive in steps. In a period every wire can carry one message \
               in each of its directions. Broadcast lines are driven by one circuit in the \
               machine, as it is built here.",
        best: &[
            ("wires per node", Best::Lowest),
            ("pins per node", Best::Lowest),
            ("broadcast lines", Best::Lowest),
        ],
    }
}

fn silicon(comparison: &Comparison) -> Option<Section> {
    let headings = [
        "part",
        "machine",
        "circuit",
        "logic cells",
        "flip-flops",
        "memory bits",
        "block RAMs",
        "fmax, MHz",
    ];
    let mut table = MarkdownTable::new(3, headings).ranked(
        2,
        &["logic cells", "fmax, MHz", "flip-flops", "block RAMs"],
        "machines.csv",
    );
    type Part = fn(&SiliconReport) -> Option<&PartCost>;
    let parts: [(&str, Part); 3] = [
        ("router", |silicon| Some(&silicon.router)),
        ("node", |silicon| Some(&silicon.node)),
        ("shared", |silicon| silicon.shared.as_ref()),
    ];
    for (part, costs) in parts {
        for m in &comparison.machines {
            let Some(costs) = m.silicon.as_ref().and_then(costs) else {
                continue;
            };
            table.row([
                part.into(),
                m.machine.into(),
                costs.cost.block.clone(),
                costs.cost.logic_cells.to_string(),
                costs.cost.flip_flops.to_string(),
                costs.memory_bits.to_string(),
                costs.cost.block_rams.to_string(),
                mhz(costs.cost.fmax_mhz),
            ]);
        }
    }
    if table.rows.is_empty() {
        return None;
    }
    Some(Section {
        id: "silicon",
        title: format!("What a node costs on an {DEVICE}"),
        table,
        note: format!(
            "Each circuit is placed and routed alone, with one seed, without pins; what only the \
             simulation looks at is left out. The router is what carries messages, without the \
             processor; the part called shared is there once in the machine, if one needs it. Where router and core \
             are in one circuit the node is measured as one; else (+) it is the sum of router and \
             cores, with {} memory bits for the program and the data of each core, and without what \
             would join them: less than it would be. Memory bits are those of the memories as the \
             circuits declare them, in powers of two; registers are flip-flops. The router of a soft node has \
             the registers that its core sees it by; the others have lines for a host instead.",
            machine::WholeNode::CORE_MEMORY_BITS
        ),
        best: &[
            ("logic cells", Best::Lowest),
            ("flip-flops", Best::Lowest),
            ("memory bits", Best::Lowest),
            ("fmax, MHz", Best::Highest),
        ],
    })
}

pub(super) fn messages(comparison: &Comparison, runs: &[ComparisonRun]) -> Section {
    let headings = [
        "pattern",
        "machine",
        "delivered",
        "lost",
        "ORed",
        "periods",
        "bit-times",
        "p50",
        "p99",
        "max",
        "wires used",
        "messages per 1000 bit-times",
        "wires per node x bit-times",
        "messages per 1000 (wire x bit-time)",
    ];
    let rank = &["delivered", "bit-times", "wires used", "p50", "messages per 1000 bit-times"];
    let mut table = MarkdownTable::new(2, headings).ranked(2, rank, "runs.csv");
    for run in runs {
        table.row([
            run.pattern.clone(),
            run.machine.into(),
            format!("{} of {}", run.delivered, run.messages),
            run.lost.to_string(),
            run.ored.to_string(),
            run.periods.to_string(),
            run.bit_times.to_string(),
            format_optional(run.latency.p50),
            format_optional(run.latency.p99),
            format_optional(run.latency.max),
            format_percent(run.wire_utilisation),
            format_number(run.per_1000_bit_times, 2),
            format!("{:.0}", run.wire_bit_times),
            format_number(run.per_1000_wire_bit_times, 4),
        ]);
    }
    Section {
        id: "messages",
        title: "The same messages".into(),
        table,
        note: "Every message is there at the start, with the same payload everywhere. Messages \
               that stay on their node enter no machine and are not counted. Bit-times count from \
               the start. "
            .to_owned()
            + &selected_notes(comparison, |note| note.arrival)
            + "Latencies are in bit-times, from the start. Of the wires, hops are counted over one \
               for each wire, direction and period. A machine with more wires is faster for that: \
               the last two columns say how long its wires are taken, and what each of them carries.",
        best: &[
            ("bit-times", Best::Lowest),
            ("p50", Best::Lowest),
            ("p99", Best::Lowest),
            ("max", Best::Lowest),
            ("messages per 1000 bit-times", Best::Highest),
            ("wires per node x bit-times", Best::Lowest),
            ("messages per 1000 (wire x bit-time)", Best::Highest),
        ],
    }
}

fn per_second(comparison: &Comparison) -> Section {
    let headings = [
        "pattern",
        "machine",
        "clock, MHz",
        "microseconds",
        "messages per second",
        "and 1000 cells of routers",
        "and 1000 cells of nodes",
    ];
    let rank = &["microseconds", "messages per second", "clock, MHz"];
    let mut table = MarkdownTable::new(2, headings).ranked(2, rank, "runs.csv");
    for run in &comparison.runs {
        let silicon = comparison.machine(run.machine).silicon.as_ref();
        table.row([
            run.pattern.clone(),
            run.machine.into(),
            format_number(silicon.and_then(|s| s.clock_mhz), 1),
            format_number(run.microseconds, 2),
            format_number(run.messages_per_second, 0),
            format_number(run.per_second_and_1000_router_cells, 0),
            format_number(run.per_second_and_1000_node_cells, 0),
        ]);
    }
    Section {
        id: "per_second",
        title: "At the clock that each reaches".into(),
        table,
        note: "Messages of all nodes together. The clock is that of the whole node where its \
               software routes, and that of the router alone otherwise: processors beside a router \
               can have a clock of their own. What boards, pins and cables allow is not in it."
            .into(),
        best: &[
            ("clock, MHz", Best::Highest),
            ("microseconds", Best::Lowest),
            ("messages per second", Best::Highest),
            ("and 1000 cells of routers", Best::Highest),
            ("and 1000 cells of nodes", Best::Highest),
        ],
    }
}

fn per_processor(comparison: &Comparison) -> Section {
    let points = &comparison.messages_per_processor;
    let patterns = points.chunk_by(|a, b| a.pattern == b.pattern);
    let patterns: Vec<&str> = patterns.map(|runs| &*runs[0].pattern).collect();
    let mut headings = vec!["machine"];
    headings.extend(&patterns);
    headings.push("messages per 1000 bit-times");
    let mut table = MarkdownTable::new(1, headings).ranked(1, &[], "messages_per_processor.csv");
    for m in &comparison.machines {
        let own = || points.iter().filter(|run| run.machine == m.machine);
        let cell = |pattern: &&str| {
            let run = own().find(|run| run.pattern == *pattern);
            format_optional(run.map(|run| run.bit_times))
        };
        let rate = own().filter_map(|run| run.per_1000_bit_times);
        let mut cells = vec![m.machine.to_owned()];
        cells.extend(patterns.iter().map(cell));
        cells.push(format_number(rate.reduce(f64::max), 2));
        table.row(cells);
    }
    Section {
        id: "messages_per_processor",
        title: "More messages per processor, in bit-times".into(),
        table,
        note: "relation:H gives every processor H messages, all there at the start. The columns are \
               the bit-times until the last has arrived. The last column is the highest rate of all \
               nodes together."
            .into(),
        best: &[("messages per 1000 bit-times", Best::Highest)],
    }
}

/// Highest load that each machine keeps up with.
fn saturation(comparison: &Comparison) -> Section {
    let headings = [
        "machine",
        "keeps up with",
        "per node and 1000 bit-times",
        "saturated at",
        "p50 at the lowest load",
    ];
    let mut table = MarkdownTable::new(1, headings);
    for m in &comparison.machines {
        let points = || {
            let points = comparison.offered_load.iter();
            points.filter(|p| p.machine == m.machine)
        };
        let Some(lightest) = points().next() else {
            continue;
        };
        let load = |p: Option<&LoadPoint>| p.map_or("none".into(), |p| p.load.to_string());
        let held = held_load(comparison, m.machine);
        let limit = points().find(|p| p.saturated);
        table.row([
            m.machine.into(),
            load(held),
            format_number(held.map(|p| p.offered_per_1000_bit_times), 2),
            load(limit),
            format_optional(lightest.latency.p50),
        ]);
    }
    Section {
        id: "saturation",
        title: "Under steady load".into(),
        table,
        note: format!(
            "Loads are messages per node and period. Every machine runs the same messages, for random \
             other nodes at random moments, each in its own periods. {SATURATED_NOTE}"
        ),
        best: &[
            ("keeps up with", Best::Highest),
            ("per node and 1000 bit-times", Best::Highest),
            ("p50 at the lowest load", Best::Lowest),
        ],
    }
}

fn load(points: &[LoadPoint]) -> Section {
    let headings = [
        "machine",
        "load",
        "offered",
        "accepted",
        "per node and 1000 bit-times",
        "p50",
        "p99",
        "p50, periods",
        "lost",
        "saturated",
    ];
    let rank = &["load", "accepted", "p50", "p99", "saturated", "lost"];
    let mut table = MarkdownTable::new(1, headings).ranked(1, rank, "offered_load.csv");
    for p in points {
        table.row([
            p.machine.into(),
            p.load.to_string(),
            format!("{:.2}", p.offered),
            format!("{:.2}", p.accepted),
            format!("{:.2}", p.offered_per_1000_bit_times),
            format_optional(p.latency.p50),
            format_optional(p.latency.p99),
            format_number(p.p50_periods, 2),
            p.lost.to_string(),
            if p.saturated { "yes" } else { "no" }.into(),
        ]);
    }
    Section {
        id: "offered_load",
        title: "All steady loads".into(),
        table,
        note: "Latencies are from when a message came until it arrived, in bit-times, the wait at its \
               source included. The latency of a saturated machine depends on the length of the window."
            .into(),
        best: &[],
    }
}

// Comma-separated values: the numbers of the JSON, with one line per object.

/// First columns. The others follow in alphabetical order.
const FIRST: [&str; 3] = ["machine", "pattern", "load"];

/// Formats rows as comma-separated values, after a line of headings. The field `p50` of the object
/// `latency` is `latency.p50`. An unknown value is empty.
pub fn csv(rows: &[impl Serialize]) -> String {
    let rows: Vec<Vec<(String, String)>> = rows
        .iter()
        .map(|row| {
            let mut fields = vec![];
            let value = serde_json::to_value(row).expect("numbers and names are JSON");
            flatten("", &value, &mut fields);
            fields
        })
        .collect();
    let rank = |name: &str| FIRST.iter().position(|first| *first == name);
    let names = rows.iter().flatten();
    let mut headings: Vec<&String> = names.map(|(name, _)| name).collect();
    headings.sort_by_key(|name| (rank(name).unwrap_or(FIRST.len()), *name));
    headings.dedup();
    let line = |cells: Vec<&str>| cells.join(",") + "\n";
    let mut text = line(headings.iter().map(|name| name.as_str()).collect());
    for row in &rows {
        let cell = |heading: &&String| {
            let found = row.iter().find(|(name, _)| name == *heading);
            found.map_or("", |(_, cell)| cell.as_str())
        };
        text += &line(headings.iter().map(cell).collect());
    }
    text
}

fn flatten(name: &str, value: &Value, fields: &mut Vec<(String, String)>) {
    let cell = match value {
        Value::Object(object) => {
            for (key, value) in object {
                let separator = if name.is_empty() { "" } else { "." };
                flatten(&format!("{name}{separator}{key}"), value, fields);
            }
            return;
        }
        Value::Null => String::new(),
        Value::String(text) => quoted(text),
        other => other.to_string(),
    };
    fields.push((name.into(), cell));
}

/// Quotes the text if it contains a field separator.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row {
        pattern: &'static str,
        count: u32,
        inner: Option<InnerRow>,
    }

    #[derive(Serialize)]
    struct InnerRow {
        a: u32,
        b: Option<f64>,
    }

    #[test]
    fn nested_objects_become_columns() {
        let rows = [
            Row { pattern: "file:a,\"b\"", count: 7, inner: Some(InnerRow { a: 1, b: Some(0.5) }) },
            Row { pattern: "plain", count: 8, inner: Some(InnerRow { a: 2, b: None }) },
        ];
        let text = "pattern,count,inner.a,inner.b\n\"file:a,\"\"b\"\"\",7,1,0.5\nplain,8,2,\n";
        assert_eq!(csv(&rows), text);
        assert_eq!(csv(&[] as &[Row; 0]), "\n");
    }
}
