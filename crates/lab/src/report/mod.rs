//! Reports: traffic on a link, pictures of a schedule period, and tables of circuit costs.

pub mod comparison;
mod cores;
mod cost;
mod engines;
mod load_sweep;
mod observers;
mod phase_sweep;
mod picture;

pub use cores::{CoreMarkRate, CoreMeasurement, CoreTable, CoresError};
pub use cost::{
    Cost, CostError, CostTable, Ecp5Table, NodeSharing, BLOCK_RAMS, DEVICE, LOGIC_CELLS,
};
pub use engines::{AgreedRun, AgreedRunError, EngineBench, EngineMeasurement, EngineRun};
pub use load_sweep::{LoadSweep, SweepPoint, SweptMachine};
pub use observers::{LogicAnalyzer, OutputProbe};
pub use phase_sweep::{Axis, PhasePoint, PhaseSweep};
pub use picture::{MessageHop, MessageRoute, MessageTimeline, SchedulePicture, ScheduledMachine};
use std::fmt;

// Tables in Markdown.

/// Table with text in its first columns and numbers in the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkdownTable {
    /// Number of left-aligned columns. The others are right-aligned.
    pub left: usize,
    pub headings: Vec<String>,
    /// Rows with as many cells as there are headings.
    pub rows: Vec<Vec<String>>,
}

impl MarkdownTable {
    /// Table without rows.
    pub fn new<H: Into<String>>(left: usize, headings: impl IntoIterator<Item = H>) -> Self {
        MarkdownTable {
            left,
            headings: headings.into_iter().map(H::into).collect(),
            rows: vec![],
        }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl fmt::Display for MarkdownTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = || self.rows.iter().chain([&self.headings]);
        let widths: Vec<usize> = (0..self.headings.len())
            .map(|i| all().map(|row| row[i].chars().count()).max().unwrap_or(0))
            .collect();
        let mut line = |cells: &[String]| {
            for (i, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
                match i < self.left {
                    true => write!(f, "| {cell:<width$} ")?,
                    false => write!(f, "| {cell:>width$} ")?,
                }
            }
            writeln!(f, "|")
        };
        let rule = |(i, &width): (usize, &usize)| match i < self.left {
            true => "-".repeat(width),
            false => "-".repeat(width - 1) + ":",
        };
        line(&self.headings)?;
        line(&widths.iter().enumerate().map(rule).collect::<Vec<_>>())?;
        self.rows.iter().try_for_each(|row| line(row))
    }
}

// Wraps paragraphs to lines.

/// Width of a line of text, in characters.
pub const WIDTH: usize = 100;

/// Wraps a paragraph to lines of up to `width` characters.
pub fn wrapped(paragraph: &str, width: usize) -> String {
    let mut text = String::new();
    let mut so_far = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if so_far > 0 && so_far + 1 + length > width {
            text.push('\n');
            so_far = 0;
        }
        if so_far > 0 {
            text.push(' ');
            so_far += 1;
        }
        text += word;
        so_far += length;
    }
    text + "\n"
}

/// Escapes text for XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
