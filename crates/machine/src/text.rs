//! Text for a terminal or a pipe: tables, wrapped paragraphs, and counts with their nouns.
//!
//! Reports implement `Display`. The width of the format is that of the terminal: `{:80}` fits a
//! terminal of 80 columns, and `{}` is for a pipe.

use std::fmt::{self, Formatter};

/// Width of a line of text on a pipe and on a wide terminal, in characters.
pub const WIDTH: usize = 100;

/// Table with text in its first columns and numbers in the others. Prints as Markdown.
///
/// On a terminal that is too narrow, it prints the columns that fit and a line that says where the
/// others are. If the first columns alone do not fit, it prints a paragraph for each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkdownTable {
    /// Number of left-aligned columns. The others are right-aligned.
    pub left: usize,
    pub headings: Vec<String>,
    /// Rows with as many cells as there are headings.
    pub rows: Vec<Vec<String>>,
    /// Number of first columns that are always shown.
    keys: usize,
    rank: &'static [&'static str],
    rest: &'static str,
}

impl MarkdownTable {
    /// Table without rows.
    pub fn new<H: Into<String>>(left: usize, headings: impl IntoIterator<Item = H>) -> Self {
        MarkdownTable {
            left,
            headings: headings.into_iter().map(H::into).collect(),
            rows: vec![],
            keys: left,
            rank: &[],
            rest: "a wider terminal or a pipe",
        }
    }

    /// Sets what a narrow terminal shows: the first `keys` columns, then those with the headings in
    /// `rank`, most important first, and then the others. `rest` is the file or the flag that shows
    /// all columns.
    #[must_use]
    pub fn ranked(
        mut self,
        keys: usize,
        rank: &'static [&'static str],
        rest: &'static str,
    ) -> Self {
        (self.keys, self.rank, self.rest) = (keys, rank, rest);
        self
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().chain([&self.headings]);
            let lengths = cells.map(|row| row[column].chars().count());
            lengths.max().unwrap_or(0)
        };
        (0..self.headings.len()).map(width).collect()
    }

    /// Returns the columns that fit, from left to right. `None` if a key column does not fit.
    fn fitting(&self, widths: &[usize], limit: Option<usize>) -> Option<Vec<usize>> {
        let limit = limit.unwrap_or(usize::MAX);
        let rank = |column: &usize| {
            let ranked = |heading: &&str| *heading == self.headings[*column];
            match *column < self.keys {
                true => 0,
                false => 1 + self.rank.iter().position(ranked).unwrap_or(self.rank.len()),
            }
        };
        let mut columns: Vec<usize> = (0..widths.len()).collect();
        columns.sort_by_key(rank);
        // The bar at the end of the line.
        let mut taken = 1;
        columns.retain(|column| {
            let end = taken + widths[*column] + "|  ".len();
            let fits = end <= limit;
            taken = if fits { end } else { taken };
            fits
        });
        columns.sort_unstable();
        let keys = columns.iter().filter(|column| **column < self.keys);
        (keys.count() == self.keys && !columns.is_empty()).then_some(columns)
    }

    /// Formats the lines of the table: headings, rule and rows.
    ///
    /// A table whose rows are printed one by one has headings as wide as its widest cells.
    pub fn lines(&self, limit: Option<usize>) -> Option<Vec<String>> {
        let widths = self.widths();
        let columns = self.fitting(&widths, limit)?;
        let line = |cells: &[String]| {
            let cell = |column: &usize| {
                let (cell, width) = (&cells[*column], widths[*column]);
                match *column < self.left {
                    true => format!("| {cell:<width$} "),
                    false => format!("| {cell:>width$} "),
                }
            };
            columns.iter().map(cell).collect::<String>() + "|\n"
        };
        let rule = |(column, width): (usize, &usize)| match column < self.left {
            true => "-".repeat(*width),
            false => "-".repeat(width - 1) + ":",
        };
        let rule: Vec<String> = widths.iter().enumerate().map(rule).collect();
        let head = [line(&self.headings), line(&rule)];
        Some(head.into_iter().chain(self.rows.iter().map(|row| line(row))).collect())
    }

    /// Formats the columns that do not fit as one line, or returns an empty text.
    pub fn left_out(&self, limit: Option<usize>) -> String {
        let shown = self.fitting(&self.widths(), limit).unwrap_or_default();
        let hidden = (0..self.headings.len()).filter(|column| !shown.contains(column));
        let hidden: Vec<&str> = hidden.map(|column| &*self.headings[column]).collect();
        match hidden.is_empty() || shown.is_empty() {
            true => String::new(),
            false => format!("Not shown: {}. See {}.", hidden.join(", "), self.rest),
        }
    }

    /// Formats a row as a paragraph, in which the first column is the title.
    fn record(&self, row: &[String], width: usize) -> String {
        let cells = self.headings.iter().zip(row).skip(1);
        let cells = cells.map(|(heading, cell)| indented(&format!("{heading}: {cell}"), 2, width));
        wrapped(&row[0], width) + &cells.collect::<String>()
    }

    /// Writes the table with the width of this format. The n-th of the details, which are whole
    /// lines, follows the n-th row.
    pub fn write(&self, f: &mut Formatter<'_>, details: &[String]) -> fmt::Result {
        let (limit, width) = (f.width(), text_width(f));
        let mut lines = self.lines(limit).into_iter().flatten();
        lines.by_ref().take(2).try_for_each(|line| f.write_str(&line))?;
        for (i, row) in self.rows.iter().enumerate() {
            let line = lines.next().unwrap_or_else(|| self.record(row, width));
            f.write_str(&line)?;
            f.write_str(details.get(i).map_or("", |details| details))?;
        }
        match self.left_out(limit) {
            rest if rest.is_empty() => Ok(()),
            rest => write_paragraph(f, &rest),
        }
    }
}

impl fmt::Display for MarkdownTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, &[])
    }
}

/// Returns the width of paragraphs for the width of this format.
pub fn text_width(f: &Formatter<'_>) -> usize {
    f.width().unwrap_or(WIDTH).min(WIDTH)
}

/// Writes a paragraph, wrapped to the width of this format.
pub fn write_paragraph(f: &mut Formatter<'_>, paragraph: &str) -> fmt::Result {
    f.write_str(&wrapped(paragraph, text_width(f)))
}

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

/// Wraps a paragraph whose lines all begin in this column.
pub fn indented(paragraph: &str, column: usize, width: usize) -> String {
    if paragraph.is_empty() {
        return String::new();
    }
    let lines = wrapped(paragraph, width.saturating_sub(column));
    let lines = lines.lines().map(|line| format!("{:column$}{line}\n", ""));
    lines.collect()
}

/// Wraps the lines that are longer than `width` characters. The continuation of a line is indented
/// like its last column, which two spaces separate from the text before it.
pub fn fitted(text: &str, width: usize) -> String {
    let line = |line: &str| {
        if line.chars().count() <= width {
            return line.to_owned() + "\n";
        }
        let margin = line.chars().take_while(|c| *c == ' ').count();
        let column = line[margin..].rfind("  ").map_or(margin, |gap| margin + gap + 2);
        let head = if column < width / 2 { column } else { margin };
        let rest = indented(&line[head..], head, width);
        line[..head].to_owned() + rest.get(head..).unwrap_or_default()
    };
    let mut fitted: String = text.lines().map(line).collect();
    if !text.ends_with('\n') {
        fitted.pop();
    }
    fitted
}

/// Formats a count with a noun in the singular or plural: `1 hop`, but `0 hops` and `2 hops`.
pub fn format_count<N: fmt::Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Formats a count with a phrase: `1 message lost`, but `2 messages lost`. The phrase `what` begins
/// with the plural of its noun, which ends with an s.
pub fn format_count_phrase(count: u64, what: &str) -> String {
    let (plural, rest) = what.split_at(what.find(' ').unwrap_or(what.len()));
    let singular = plural.strip_suffix('s').filter(|_| count == 1);
    format!("{count} {}{rest}", singular.unwrap_or(plural))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> MarkdownTable {
        let headings = ["machine", "first", "second", "third"];
        let mut table = MarkdownTable::new(1, headings).ranked(1, &["third"], "all.csv");
        table.row(["a".into(), "1".into(), "22".into(), "333".into()]);
        table
    }

    #[test]
    fn a_pipe_gets_all_columns() {
        let all = "| machine | first | second | third |\n\
                   | ------- | ----: | -----: | ----: |\n\
                   | a       |     1 |     22 |   333 |\n";
        assert_eq!(table().to_string(), all);
        assert_eq!(format!("{:37}", table()), all);
    }

    #[test]
    fn a_narrow_terminal_gets_the_most_important_columns() {
        let some = "| machine | first | third |\n\
                    | ------- | ----: | ----: |\n\
                    | a       |     1 |   333 |\n\
                    Not shown: second. See\nall.csv.\n";
        assert_eq!(format!("{:28}", table()), some);
    }

    #[test]
    fn rows_that_do_not_fit_become_paragraphs() {
        let text = "a\n  first: 1\n  second:\n  22\n  third:\n  333\n";
        assert_eq!(format!("{:10}", table()), text);
    }

    #[test]
    fn long_lines_continue_in_their_last_column() {
        let text = "name   words words words\nfits\n  margin margin margin";
        let all = "name   words words\n       words\nfits\n  margin margin\n  margin";
        assert_eq!(fitted(text, 18), all);
        assert_eq!(fitted("ünïcode ünïcode\n", 8), "ünïcode\nünïcode\n");
    }

    #[test]
    fn lines_are_wrapped_and_indented() {
        let text = "word ".repeat(60);
        let lines = indented(&text, 4, 30);
        let fits = |line: &str| line.starts_with("    word") && line.len() <= 30;
        assert!(lines.lines().all(fits), "{lines}");
        assert_eq!(lines.split_whitespace().count(), 60);
    }

    #[test]
    fn one_is_singular() {
        let phases = [0u32, 1, 2].map(|count| format_count(count, "phase"));
        assert_eq!(phases, ["0 phases", "1 phase", "2 phases"]);
        assert_eq!(format_count(0.5, "message"), "0.5 messages");
    }

    #[test]
    fn one_makes_the_phrase_singular() {
        let lost = [0, 1, 2].map(|count| format_count_phrase(count, "messages lost"));
        assert_eq!(lost, ["0 messages lost", "1 message lost", "2 messages lost"]);
        assert_eq!(format_count_phrase(1, "slips"), "1 slip");
    }
}
