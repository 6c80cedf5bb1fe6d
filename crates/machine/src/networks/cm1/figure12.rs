//! `phasecube figure12`: the curve of the paper's Figure 12.

use super::flags::{parse_processors, parse_rows};
use super::machine::Cm1Params;
use crate::flags::{parse_cube, within, EngineFlags, FlagChoice, OutputDir, OutputFlags};
use crate::networks::cm1::Cm1Driver;
use crate::networks::{CommandOutput, NetworkCommand, NetworkError};
use crate::text::{format_count, write_paragraph, MarkdownTable};
use crate::{drive, EndReason, MachineCircuit, RunControl, RunStats};
use clap::{Args, Command, FromArgMatches};
use engine::NodeEngine;
use interconnect::topology::Hypercube;
use interconnect::traffic::{ExchangeOrder, Recipe, TrafficPattern};
use lockstep::lanes::Keep;
use page::chart::{Axis, Chart, Curve, LineChart, Point, Scale};
use page::{grouped, Finding, Page, Section, Table};
use rtl::cm1::EjectMode;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use toolchain::progress::ProgressStep;

/// Definition of the command.
pub const COMMAND: NetworkCommand = NetworkCommand {
    command: || Figure12Args::augment_args(Command::new("figure12")),
    meaning: "petit cycles until all messages have arrived, against messages per processor. No \
              router with these wires is faster than the bound.",
    files: &Figure12::FILES,
    run: |flags, work_dir| figure12(&Figure12Args::from_arg_matches(flags)?, work_dir),
};

/// Measure the CM-1's petit cycles against messages per processor, as in the paper's Figure 12
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube figure12 --dims 6 --ratios 4")]
pub struct Figure12Args {
    /// Dimensions of the cube, 1 to 16, with up to 65,536 processors
    #[arg(long = "dims", value_name = "N", default_value = "6", value_parser = parse_cube)]
    cube: Hypercube,

    /// Maximum messages per processor, 1 to 64; the command measures each number up to it
    #[arg(long, value_name = "V", default_value = "8", value_parser = within::<u32>(1, 64))]
    ratios: u32,

    /// Runs of each kind, with seeds from 1, 1 to 1,000
    #[arg(long, value_name = "N", default_value = "3", value_parser = within::<u64>(1, 1000))]
    seeds: u64,

    /// Rows of a chip's heart, 2 to 16
    #[arg(long, value_name = "B", default_value = "7", value_parser = parse_rows)]
    rows: usize,

    /// Processors on a chip: 1, 2, 4, 8 or 16
    #[arg(long, value_name = "P", default_value = "16", value_parser = parse_processors)]
    processors: usize,

    #[command(flatten)]
    engine: EngineFlags,

    #[command(flatten)]
    output: OutputFlags,

    /// Output directory [default: target/phasecube/figure12; none with --json]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<OutputDir>,
}

/// Runs the machine repeatedly and returns the figure.
fn figure12(args: &Figure12Args, work_dir: &Path) -> Result<CommandOutput, NetworkError> {
    let fits = args.engine.check(&args.cube);
    fits.map_err(|e| NetworkError::BadInput(e.into()))?;
    let mut runs = Figure12Runs {
        args,
        work_dir: work_dir.into(),
        engines: vec![],
        activity: ProgressStep::quiet("building the machine"),
    };
    let points = (1..=args.ratios).map(|ratio| runs.point(ratio));
    let points = points.collect::<Result<Vec<_>, _>>()?;
    drop(runs);
    let figure = Figure12 {
        dims: args.cube.dims(),
        rows: args.rows as u64,
        processors: args.processors as u64,
        engine: args.engine.engine.name(),
        seeds: (1..=args.seeds).collect(),
        points,
    };
    let json = serde_json::to_string(&figure).expect("numbers and names are JSON") + "\n";
    let page = figure.page(&args.command()).html();
    let texts = [page, json.clone()];
    let names = Figure12::FILES.map(str::to_owned);
    Ok(CommandOutput {
        report: match args.output.json {
            true => Box::new(json),
            false => Box::new(figure),
        },
        files: names.into_iter().zip(texts).collect(),
    })
}

impl Figure12Args {
    /// Returns the command line that repeats this figure.
    fn command(&self) -> String {
        format!(
            "phasecube figure12 --dims {} --ratios {} --seeds {} --rows {} --processors {} --engine {}",
            self.cube.dims(),
            self.ratios,
            self.seeds,
            self.rows,
            self.processors,
            self.engine.engine.name()
        )
    }
}

/// All runs, and the machines that they share.
struct Figure12Runs<'a> {
    args: &'a Figure12Args,
    work_dir: PathBuf,
    engines: Vec<(EjectMode, Box<dyn NodeEngine>)>,
    activity: ProgressStep,
}

impl Figure12Runs<'_> {
    fn point(&mut self, ratio: u32) -> Result<Figure12Row, NetworkError> {
        let mut random = vec![];
        let mut permutation = vec![];
        let (mut hops, mut productive, mut places) = (0, 0, 0);
        for seed in 1..=self.args.seeds {
            let run = self.run(EjectMode::Or, TrafficPattern::Random, ratio, seed)?;
            let wires = u64::from(self.args.cube.nodes() * self.args.cube.dims());
            hops += run.hops;
            productive += run.figure("productive_hops");
            places += run.periods * wires;
            random.push(run.periods);
            let run = self.run(EjectMode::Or, TrafficPattern::Permutation, ratio, seed)?;
            permutation.push(run.periods);
        }
        let per_chip = self.run(EjectMode::PerChip, TrafficPattern::Random, ratio, 1)?;
        Ok(Figure12Row {
            ratio,
            bound: self.args.processors as f64 * f64::from(ratio) / 2.0,
            random,
            permutation,
            per_chip: per_chip.periods,
            utilisation: hops as f64 / places as f64,
            utilisation_productive: productive as f64 / places as f64,
        })
    }

    fn run(
        &mut self,
        eject: EjectMode,
        pattern: TrafficPattern,
        ratio: u32,
        seed: u64,
    ) -> Result<RunStats, NetworkError> {
        let what = format!("{ratio} messages per processor, {pattern}, seed {seed}");
        let args = self.args;
        let wanted = Cm1Params {
            rows: args.rows,
            proc_bits: args.processors.ilog2(),
            // One machine serves all ratios.
            vp_bits: args.ratios.next_power_of_two().ilog2(),
            vp_ratio: ratio,
            data_bits: None,
            eject,
        };
        let recipe = Recipe { pattern, seed, payload: 2, order: ExchangeOrder::default() };
        let messages = wanted.messages(args.cube, &recipe)?;
        let machine = wanted.machine(args.cube, &messages)?;
        self.activity.step(&what);
        let sent = machine.messages(&messages)?;
        let (circuit, faults) = (&machine.circuit, &machine.faults);
        let engine = self.engine(eject, circuit)?;
        let mut driver = Cm1Driver::new(engine, circuit, faults, &sent, &[]);
        let run = drive(&mut driver, RunControl::to_end(1, None))?;
        let wrong = run.undetected + run.duplicated;
        match run.end {
            EndReason::Complete if wrong == 0 => Ok(run),
            _ => Err(NetworkError::failed(format!("{what}: messages were lost or doubled"))),
        }
    }

    /// Returns the machine with this ejector. A machine that has completed its job can run another.
    fn engine(
        &mut self,
        eject: EjectMode,
        circuit: &dyn MachineCircuit,
    ) -> Result<&mut dyn NodeEngine, NetworkError> {
        let found = self.engines.iter().position(|(mode, _)| *mode == eject);
        let place = match found {
            Some(place) => place,
            None => {
                let EngineFlags { engine, .. } = self.args.engine;
                let options = self.args.engine.options(Keep::Outputs);
                let engine = engine.start(circuit, &options, &self.work_dir)?;
                self.engines.push((eject, engine));
                self.engines.len() - 1
            }
        };
        Ok(&mut *self.engines[place].1)
    }
}

// Figure 12 of the paper `cm1-message-router`: petit cycles against messages per processor.

/// Runs with the same number of messages per processor.
#[derive(Clone, Debug, Serialize)]
pub struct Figure12Row {
    /// Messages per processor.
    pub ratio: u32,
    /// Lower bound on the petit cycles. Half of the messages cross each dimension, one per chip and
    /// petit cycle: 8 v with 16 processors (section 4.1).
    pub bound: f64,
    /// Petit cycles of the runs with random traffic, one for each seed.
    pub random: Vec<u64>,
    pub permutation: Vec<u64>,
    /// Petit cycles with `per-chip` ejection, on the first seed of `random`.
    pub per_chip: u64,
    /// Wire utilisation over the runs of `random`: by all hops, and by productive hops.
    pub utilisation: f64,
    pub utilisation_productive: f64,
}

/// Figure 12 as data. `Display` prints a Markdown table and a plot.
#[derive(Clone, Debug, Serialize)]
pub struct Figure12 {
    pub dims: u32,
    pub rows: u64,
    pub processors: u64,
    pub engine: &'static str,
    pub seeds: Vec<u64>,
    pub points: Vec<Figure12Row>,
}

/// Columns of the plot.
const WIDTH: f64 = 60.0;

impl fmt::Display for Figure12 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_paragraph(
            f,
            &format!(
                "Petit cycles of the {}-cube with {} rows and {} per chip, `or` ejection, {}, {} engine:",
                self.dims,
                self.rows,
                format_count(self.processors, "processor"),
                match self.seeds.len() {
                    1 => "one seed".to_owned(),
                    n => format!("{n} seeds"),
                },
                self.engine
            ),
        )?;
        f.write_str("\n")?;
        self.table().write(f, &[])?;
        self.plot(f)
    }
}

impl Figure12 {
    /// Names of the files of the report.
    const FILES: [&'static str; 2] = ["figure12.html", "figure12.json"];

    fn table(&self) -> MarkdownTable {
        let headings = [
            "messages per processor",
            "bound",
            "random",
            "permutation",
            "over bound",
            "per-chip, slower",
            "wires used",
            "productively",
        ];
        let rank = &["bound", "random", "permutation", "over bound"];
        let mut table = MarkdownTable::new(0, headings).ranked(1, rank, "figure12.json");
        for row in &self.points {
            let slower = row.per_chip as f64 / row.random[0].max(1) as f64;
            table.row([
                row.ratio.to_string(),
                row.bound.to_string(),
                range(&row.random),
                range(&row.permutation),
                format!("{:.2}", mean(&row.random) / row.bound),
                format!("{slower:.2}"),
                format!("{:.1} %", 100.0 * row.utilisation),
                format!("{:.1} %", 100.0 * row.utilisation_productive),
            ]);
        }
        table
    }

    fn page(&self, command: &str) -> Page {
        let settings = [
            ("Cube", format!("{} dimensions", self.dims)),
            ("Heart", format!("{} rows", self.rows)),
            ("Chip", format_count(self.processors, "processor")),
            ("Runs", format!("{} of each kind", self.seeds.len())),
            ("Engine", self.engine.to_owned()),
        ];
        let words = [
            "In a petit cycle the routers take their messages past every dimension once.",
            "Half of the messages cross each dimension, one per chip and petit cycle. No router with \
             these wires is faster than this bound.",
            "A chip hands several messages to a processor at once and ORs them (random, permutation), \
             or one message per petit cycle (one per chip).",
        ];
        let over = self.points.last().map(|row| Finding {
            summary: format!(
                "Random messages take {:.2} times the bound",
                mean(&row.random) / row.bound
            ),
            figures: grouped(&format!(
                "With {} per processor they arrive within {:.0} petit cycles, and {:.0} % of the wires \
                 are used. If a chip ejects one message per petit cycle, they take {}.",
                format_count(row.ratio, "message"),
                mean(&row.random),
                100.0 * row.utilisation,
                row.per_chip,
            )),
        });
        Page {
            title: "Figure 12 of the CM-1 paper".into(),
            settings: settings.map(|(name, value)| (name.to_owned(), value)).into(),
            findings: over.into_iter().collect(),
            warnings: vec![],
            sections: vec![self.section()],
            definitions: vec![("Words".into(), words.map(str::to_owned).into())],
            command: command.into(),
            made_by: format!("Phasecube {}", env!("CARGO_PKG_VERSION")),
            files: Self::FILES[1..].to_vec(),
        }
    }

    fn section(&self) -> Section {
        let curve = |name: &str, family, y: fn(&Figure12Row) -> f64| Curve {
            name: name.into(),
            family,
            points: self
                .points
                .iter()
                .map(|row| Point { x: row.ratio.into(), y: y(row), hollow: false })
                .collect(),
        };
        let bound = |row: Option<&Figure12Row>| row.map(|row| (row.ratio.into(), row.bound));
        let bound = bound(self.points.first()).zip(bound(self.points.last()));
        let chart = LineChart {
            id: "figure",
            title: "Time until all messages have arrived".into(),
            x: Axis::new("Messages per processor", Scale::Linear),
            y: Axis::new("Time, petit cycles", Scale::Linear),
            curves: vec![
                curve("random", "cm1", |row| mean(&row.random)),
                curve("permutation", "cm1", |row| mean(&row.permutation)),
                curve("one per chip", "cm1", |row| row.per_chip as f64),
            ],
            references: bound.map(|(from, to)| ("bound".into(), [from, to])).into_iter().collect(),
        };
        let headings = [
            "messages per processor",
            "bound",
            "random",
            "permutation",
            "one per chip",
            "wires used",
        ];
        let row = |row: &Figure12Row| {
            vec![
                row.ratio.to_string(),
                row.bound.to_string(),
                range(&row.random),
                range(&row.permutation),
                row.per_chip.to_string(),
                format!("{:.1} %", 100.0 * row.utilisation),
            ]
        };
        Section {
            id: "petit-cycles",
            title: "Petit cycles".into(),
            charts: vec![Chart::Lines(chart)],
            pictures: vec![],
            table: Some(Table {
                headings: headings.map(str::to_owned).into(),
                rows: self.points.iter().map(row).collect(),
                ..Table::default()
            }),
            folded: false,
        }
    }

    /// Plots the bound as `|` and the mean of the random runs as `o`.
    fn plot(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let highest =
            self.points.iter().map(|row| mean(&row.random).max(row.bound)).fold(1.0, f64::max);
        writeln!(f, "\nPetit cycles with random destinations (o) and the bound (|):\n")?;
        for row in &self.points {
            let place = |petits: f64| (petits / highest * WIDTH).round() as usize;
            let mut line = vec![' '; WIDTH as usize + 1];
            line[place(row.bound)] = '|';
            line[place(mean(&row.random))] = 'o';
            let line: String = line.into_iter().collect();
            writeln!(f, "{:>4}  {}", row.ratio, line.trim_end())?;
        }
        let scale = format!("{highest:.0}");
        let left = WIDTH as usize - scale.len();
        writeln!(f, "      0{:>left$}{scale}", "")
    }
}

fn mean(petits: &[u64]) -> f64 {
    petits.iter().sum::<u64>() as f64 / petits.len().max(1) as f64
}

fn range(petits: &[u64]) -> String {
    match (petits.iter().min(), petits.iter().max()) {
        (Some(low), Some(high)) if low != high => format!("{low}-{high}"),
        (Some(low), _) => low.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_12_prints_a_table_and_a_plot() {
        let point = |ratio, random: &[u64]| Figure12Row {
            ratio,
            bound: 8.0 * f64::from(ratio),
            random: random.to_vec(),
            permutation: random.to_vec(),
            per_chip: 30,
            utilisation: 0.9,
            utilisation_productive: 0.85,
        };
        let figure = Figure12 {
            dims: 12,
            rows: 7,
            processors: 16,
            engine: "lockstep",
            seeds: vec![1, 2],
            points: vec![point(1, &[12, 14]), point(2, &[26, 26])],
        };
        let text = figure.to_string();
        assert!(text.contains("|                      1 |     8 |  12-14 |       12-14 |       1.62 |             2.50 |     90.0 % |       85.0 % |\n"), "{text}");
        assert!(text.contains("|                      2 |    16 |     26 |"), "{text}");
        // Columns for 8 and 13 of 26, at 60 columns.
        assert!(
            text.contains(&format!("   1  {}|{}o\n", " ".repeat(18), " ".repeat(11))),
            "{text}"
        );
    }
}
