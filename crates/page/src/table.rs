//! Tables of a page.

use maud::{html, Markup};

/// Value of a column that is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Best {
    Lowest,
    Highest,
}

/// Table with text in its first columns and numbers in the others.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Number of columns with text.
    pub left: usize,
    pub headings: Vec<String>,
    /// Rows with as many cells as there are headings.
    pub rows: Vec<Vec<String>>,
    /// True if the first column becomes a heading above the rows that share its value.
    pub by_first: bool,
    /// Headings of the columns in which the best value is marked.
    pub best: Vec<(&'static str, Best)>,
}

impl Table {
    /// Returns the table in a region that scrolls if the screen is too narrow.
    pub(crate) fn html(&self, title: &str) -> Markup {
        let first = usize::from(self.by_first);
        let class = |column: usize| (column < self.left).then_some("text");
        html! {
            div.scroll tabindex="0" role="region" aria-label=(title) {
                table {
                    thead { tr {
                        @for (i, heading) in self.headings.iter().enumerate().skip(first) {
                            th scope="col" class=[class(i)] { (heading) }
                        }
                    } }
                    @for group in self.groups() {
                        tbody {
                            @if self.by_first {
                                tr.group { th scope="rowgroup" colspan=(self.headings.len() - 1) {
                                    span { (group[0][0]) }
                                } }
                            }
                            @for row in group { (self.row(row, group)) }
                        }
                    }
                }
            }
        }
    }

    fn groups(&self) -> impl Iterator<Item = &[Vec<String>]> {
        (self.rows).chunk_by(|a, b| !self.by_first || a[0] == b[0])
    }

    fn row(&self, row: &[String], group: &[Vec<String>]) -> Markup {
        let first = usize::from(self.by_first);
        html! {
            tr {
                @for (i, cell) in row.iter().enumerate().skip(first) {
                    @if i == first {
                        th.text scope="row" { (cell) }
                    } @else if i < self.left {
                        td.text { (cell) }
                    } @else if self.is_best(i, cell, group) {
                        td.best { span.star { "★ " } (grouped(cell)) }
                    } @else {
                        td { (grouped(cell)) }
                    }
                }
            }
        }
    }

    /// True if this is the best number of its column, and if not all rows share it.
    fn is_best(&self, column: usize, cell: &str, group: &[Vec<String>]) -> bool {
        let marked = |(heading, _): &&(&str, Best)| *heading == self.headings[column];
        let (Some((_, best)), Some(own)) = (self.best.iter().find(marked), number(cell)) else {
            return false;
        };
        let others = || group.iter().filter_map(|row| number(&row[column]));
        let beaten = |other: f64| match best {
            Best::Lowest => other < own,
            Best::Highest => other > own,
        };
        !others().any(beaten) && others().any(|other| other != own)
    }
}

/// Number at the start of a cell.
fn number(cell: &str) -> Option<f64> {
    cell.split(' ').next()?.parse().ok()
}

/// Groups the digits of the whole numbers and of the integer parts in a text by commas.
pub fn grouped(text: &str) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let length = rest[start..].find(|c: char| !c.is_ascii_digit());
        let end = length.map_or(rest.len(), |length| start + length);
        done += &rest[..start];
        // A digit after a letter belongs to a name, and a digit after a point to a fraction.
        let whole = !done.ends_with(|c: char| c.is_alphanumeric() || c == '.' || c == '_');
        for (i, digit) in rest[start..end].char_indices() {
            if whole && i > 0 && (end - start - i) % 3 == 0 {
                done.push(',');
            }
            done.push(digit);
        }
        rest = &rest[end..];
    }
    done + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        for (plain, text) in [
            ("1234567", "1,234,567"),
            ("999", "999"),
            ("1896.25", "1,896.25"),
            ("0.123456", "0.123456"),
            ("4096 of 4096", "4,096 of 4,096"),
            ("R12345", "R12345"),
            ("none", "none"),
        ] {
            assert_eq!(grouped(plain), text);
        }
    }

    fn table(by_first: bool) -> Table {
        let row = |cells: [&str; 4]| cells.map(String::from).to_vec();
        Table {
            left: 2,
            headings: row(["pattern", "machine", "bit-times", "rate"]),
            rows: vec![
                row(["p", "a", "5000", "1.5"]),
                row(["p", "b", "70", "none"]),
                row(["q", "a", "60", "2.5"]),
                row(["q", "b", "60", "3.5"]),
            ],
            by_first,
            best: vec![("bit-times", Best::Lowest), ("rate", Best::Highest)],
        }
    }

    fn best(table: &Table) -> Vec<String> {
        let html = table.html("title").into_string();
        let cells = html.split("★ </span>").skip(1);
        let cells = cells.map(|cell| cell.split('<').next().unwrap().to_owned());
        cells.collect()
    }

    #[test]
    fn the_best_value_of_each_group_is_marked() {
        // In group p the rate has one value, and in group q the bit-times are equal.
        assert_eq!(best(&table(true)), ["70", "3.5"]);
        assert_eq!(best(&table(false)), ["60", "60", "3.5"]);
    }

    #[test]
    fn groups_have_a_heading() {
        let html = table(true).html("title").into_string();
        assert_eq!(html.matches("scope=\"rowgroup\"").count(), 2);
        assert_eq!(html.matches("<tbody>").count(), 2);
        assert!(html.contains("<td>5,000</td>"), "{html}");
        assert!(!html.contains("pattern"), "{html}");
    }
}
