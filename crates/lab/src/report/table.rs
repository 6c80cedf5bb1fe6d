//! Tables in Markdown.

use std::fmt;

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
