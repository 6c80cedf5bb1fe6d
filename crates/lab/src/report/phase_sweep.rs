//! Measures the shortest phase of two nodes with separate clocks, and its dependence on other
//! parameters.

use machine::format_number;
use machine::networks::tdma::skew::{Expectation, Limit, ShortestTiming, SkewConditions};
use machine::text::{write_paragraph, MarkdownTable};
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
            let axis = p
                .axis
                .heading()
                .split([',', ' '])
                .next()
                .unwrap_or_default();
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

    fn table(&self, f: &mut fmt::Formatter<'_>, axis: Axis) -> fmt::Result {
        let points: Vec<&PhasePoint> = self.points.iter().filter(|p| p.axis == axis).collect();
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
            &[
                "guard",
                "phase",
                "limit",
                "payload, kbit/s",
                "expected phase",
            ],
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
        writeln!(
            f,
            "\nBit-times over the frame (o), and the expectation (|):\n"
        )?;
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
        writeln!(
            f,
            "            0{:>width$}{scale}",
            "",
            width = WIDTH as usize - scale.len()
        )
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
        for axis in [Axis::Baud, Axis::Payload, Axis::Skew, Axis::Mismatch] {
            self.table(f, axis)?;
        }
        Ok(())
    }
}
