//! Measures the shortest phase of two nodes with separate clocks, and its dependence on other
//! parameters.

use machine::format_number;
use machine::networks::tdma::skew::{Expectation, Limit, ShortestTiming, SkewConditions};
use machine::text::{write_paragraph, MarkdownTable};
use page::chart::{Chart, Curve, LineChart, Point, Scale};
use page::{grouped, Best, Finding, Page, Section, Table};
use serde::Serialize;
use std::fmt::{self, Write};

/// Width of the plot in characters.
const WIDTH: f64 = 60.0;

/// Parameter that is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Baud rate in kbaud, with a given clock of the nodes.
    Baud,
    /// Payload in bytes.
    Payload,
    /// Skew in microseconds.
    Skew,
    /// Clock mismatch in parts per million.
    Mismatch,
}

impl Axis {
    /// Name and unit.
    pub fn heading(self) -> &'static str {
        match self {
            Axis::Baud => "kbaud",
            Axis::Payload => "payload, bytes",
            Axis::Skew => "skew, us",
            Axis::Mismatch => "mismatch, ppm",
        }
    }

    /// Quantity and unit in charts.
    fn title(self) -> &'static str {
        match self {
            Axis::Baud => "Baud rate, kbaud",
            Axis::Payload => "Payload, bytes",
            Axis::Skew => "Skew of the phase clock, microseconds",
            Axis::Mismatch => "Mismatch of the clocks, parts per million",
        }
    }

    /// Id of its section on a page.
    fn id(self) -> &'static str {
        match self {
            Axis::Baud => "baud",
            Axis::Payload => "payload",
            Axis::Skew => "skew",
            Axis::Mismatch => "mismatch",
        }
    }

    const ALL: [Axis; 4] = [Axis::Baud, Axis::Payload, Axis::Skew, Axis::Mismatch];
}

/// One measurement. Times are in bit-times, unless the name says microseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhasePoint {
    pub axis: Axis,
    /// Value on that axis.
    pub value: f64,
    pub clocks_per_bit: u32,
    pub payload: u32,
    pub skew: f64,
    pub mismatch_ppm: f64,
    /// `None` if no phase is long enough.
    pub guard: Option<f64>,
    pub phase: Option<f64>,
    pub phase_us: Option<f64>,
    /// Payload rate of one sender across one link, in kbit/s during its phases.
    pub payload_kbit_s: Option<f64>,
    pub expected: Expectation,
    pub expected_phase: f64,
    pub limit: Limit,
}

impl PhasePoint {
    /// `kbaud` is the speed of the wire.
    pub fn new(
        (axis, value): (Axis, f64),
        conditions: &SkewConditions,
        kbaud: f64,
        measured: Option<ShortestTiming>,
    ) -> Self {
        let expected = Expectation::of(conditions);
        let phase = measured.map(|m| m.phase);
        PhasePoint {
            axis,
            value,
            clocks_per_bit: conditions.clocks_per_bit,
            payload: conditions.payload,
            skew: conditions.skew,
            mismatch_ppm: conditions.mismatch,
            guard: measured.map(|m| m.guard),
            phase,
            phase_us: phase.map(|bits| bits * 1000.0 / kbaud),
            payload_kbit_s: phase.map(|bits| f64::from(8 * conditions.payload) * kbaud / bits),
            expected,
            expected_phase: expected.phase(),
            limit: match measured {
                Some(_) => expected.limit(),
                None => Limit::UartSampling,
            },
        }
    }
}

/// All measurements. Prints as one table and plot per axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseSweep {
    /// Command that reproduces the sweep.
    pub command: String,
    /// Version of Phasecube.
    pub version: &'static str,
    /// Clock frequency of both nodes, in MHz.
    pub clock_mhz: f64,
    /// Number of frames per value.
    pub frames: u64,
    pub points: Vec<PhasePoint>,
}

impl PhaseSweep {
    /// Comma-separated values, with a line of headings. A missing phase is an empty field.
    pub fn csv(&self) -> String {
        let mut text = "axis,value,clocks_per_bit,payload,skew,mismatch_ppm,guard,phase,phase_us,\
                        payload_kbit_s,expected_guard,expected_phase,limit\n"
            .to_owned();
        let field = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
        for p in &self.points {
            let axis = p.axis.heading().split([',', ' ']).next().unwrap_or_default();
            let _ = writeln!(
                text,
                "{axis},{},{},{},{},{},{},{},{},{},{},{},{}",
                p.value,
                p.clocks_per_bit,
                p.payload,
                p.skew,
                p.mismatch_ppm,
                field(p.guard),
                field(p.phase),
                field(p.phase_us),
                field(p.payload_kbit_s),
                p.expected.guard,
                p.expected_phase,
                p.limit
            );
        }
        text
    }

    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("numbers and names are JSON") + "\n"
    }

    /// Names of the files of the report.
    pub const FILES: [&'static str; 3] = ["phase.html", "phase.csv", "phase.json"];

    /// Returns the files of the report with their names and contents.
    pub fn files(&self) -> Vec<(String, String)> {
        let texts: [String; Self::FILES.len()] = [self.page(), self.csv(), self.json()];
        let names = Self::FILES.map(str::to_owned);
        names.into_iter().zip(texts).collect()
    }

    fn points_on(&self, axis: Axis) -> Vec<&PhasePoint> {
        self.points.iter().filter(|p| p.axis == axis).collect()
    }

    fn page(&self) -> String {
        let axes = Axis::ALL.into_iter();
        let axes: Vec<Axis> = axes.filter(|axis| !self.points_on(*axis).is_empty()).collect();
        let settings = [
            ("Nodes", "two, each with its own clock".to_owned()),
            ("Clock", format!("{} MHz", self.clock_mhz)),
            ("Frames", format!("{} for each measurement, without an error", self.frames)),
        ];
        let words = [
            "The guard is the dead time at the start of a phase. The phase is the whole time of one \
             link.",
            "The frame takes 10 bit-times for each of its payload + 5 bytes, less half of one.",
            "The expectation is computed from skew, mismatch and the clock cycles of a bit.",
        ];
        Page {
            title: "Shortest phase of two nodes".into(),
            settings: settings.map(|(name, value)| (name.to_owned(), value)).into(),
            findings: axes.iter().filter_map(|axis| self.finding(*axis)).collect(),
            warnings: vec![],
            sections: axes.iter().map(|axis| self.section(*axis)).collect(),
            definitions: vec![("Words".into(), words.map(str::to_owned).into())],
            command: self.command.clone(),
            made_by: format!("Phasecube {}", self.version),
            files: Self::FILES[1..].to_vec(),
        }
        .html()
    }

    /// Range of the phase on an axis, and where no phase is long enough.
    fn finding(&self, axis: Axis) -> Option<Finding> {
        let points = self.points_on(axis);
        let mut works = points.iter().filter_map(|p| Some((p, p.phase?)));
        let (first, shortest) = works.next()?;
        let (last, longest) = works.next_back().unwrap_or((first, shortest));
        let fails = points.iter().find(|p| p.phase.is_none());
        let fails =
            fails.map_or(String::new(), |p| format!(" At {} no phase is long enough.", p.value));
        Some(Finding {
            summary: axis.title().into(),
            figures: grouped(&format!(
                "From {} to {} the phase changes from {shortest} to {longest} bit-times.{fails}",
                first.value, last.value
            )),
        })
    }

    fn section(&self, axis: Axis) -> Section {
        let points = self.points_on(axis);
        let curve = |name: &str, family, y: fn(&PhasePoint) -> Option<f64>| Curve {
            name: name.into(),
            family,
            points: points
                .iter()
                .filter_map(|p| Some(Point { x: p.value, y: y(p)?, hollow: false }))
                .collect(),
        };
        let chart = LineChart {
            id: axis.id(),
            title: "Shortest phase that delivers all frames".into(),
            x: page::chart::Axis::new(axis.title(), Scale::Linear),
            y: page::chart::Axis::new("Phase, bit-times", Scale::Linear),
            curves: vec![
                curve("measured", "tdma", |p| p.phase),
                curve("expected", "expected", |p| Some(p.expected_phase)),
            ],
            references: vec![],
        };
        let headings = [
            axis.heading(),
            "guard",
            "expected guard",
            "phase",
            "expected phase",
            "phase, us",
            "payload, kbit/s",
            "limit",
        ];
        let row = |p: &&PhasePoint| {
            vec![
                p.value.to_string(),
                format_number(p.guard, 2),
                format!("{:.2}", p.expected.guard),
                format_number(p.phase, 2),
                format!("{:.2}", p.expected_phase),
                format_number(p.phase_us, 1),
                format_number(p.payload_kbit_s, 1),
                p.limit.to_string(),
            ]
        };
        Section {
            id: axis.id(),
            title: axis.title().into(),
            charts: vec![Chart::Lines(chart)],
            pictures: vec![],
            table: Some(Table {
                headings: headings.map(str::to_owned).into(),
                rows: points.iter().map(row).collect(),
                best: vec![("payload, kbit/s", Best::Highest)],
                ..Table::default()
            }),
            folded: false,
        }
    }

    fn table(&self, f: &mut fmt::Formatter<'_>, axis: Axis) -> fmt::Result {
        let points = self.points_on(axis);
        if points.is_empty() {
            return Ok(());
        }
        let headings = [
            axis.heading(),
            "guard",
            "expected guard",
            "phase",
            "expected phase",
            "over frame",
            "phase, us",
            "payload, kbit/s",
            "limit",
        ];
        let mut table = MarkdownTable::new(0, headings).ranked(
            1,
            &["guard", "phase", "limit", "payload, kbit/s", "expected phase"],
            "--csv",
        );
        for p in &points {
            let frame = p.expected.frame;
            table.row([
                p.value.to_string(),
                format_number(p.guard, 2),
                format!("{:.2}", p.expected.guard),
                format_number(p.phase, 2),
                format!("{:.2}", p.expected_phase),
                format_number(p.phase.map(|phase| phase - frame), 2),
                format_number(p.phase_us, 1),
                format_number(p.payload_kbit_s, 1),
                p.limit.to_string(),
            ]);
        }
        f.write_char('\n')?;
        table.write(f, &[])?;
        let over = |p: &PhasePoint| p.phase.map(|phase| (phase - p.expected.frame).max(0.0));
        let most = points
            .iter()
            .filter_map(|p| over(p).map(|bits| bits.max(p.expected_phase - p.expected.frame)));
        let most = most.fold(1.0, f64::max);
        writeln!(f, "\nBit-times over the frame (o), and the expectation (|):\n")?;
        for p in &points {
            let mut line = vec![' '; WIDTH as usize + 1];
            let mut put = |bits: f64, mark| {
                let place = (bits / most * WIDTH).round().clamp(0.0, WIDTH);
                line[place as usize] = mark;
            };
            let text: String = match over(p) {
                None => "no phase is long enough".into(),
                Some(bits) => {
                    put(p.expected_phase - p.expected.frame, '|');
                    put(bits, 'o');
                    line.into_iter().collect()
                }
            };
            writeln!(f, "{:>10}  {}", p.value, text.trim_end())?;
        }
        let scale = format!("{most:.1}");
        writeln!(f, "            0{:>width$}{scale}", "", width = WIDTH as usize - scale.len())
    }
}

impl fmt::Display for PhaseSweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = format!(
            "The shortest guard and phase, in bit-times, with which two nodes with clocks of their own \
             ({} MHz) deliver {} frames without an error. The frame alone, up to its last sample, takes \
             10 bit-times for each of payload + 5 bytes, less half of one.",
            self.clock_mhz, self.frames
        );
        write_paragraph(f, &title)?;
        for axis in Axis::ALL {
            self.table(f, axis)?;
        }
        Ok(())
    }
}
