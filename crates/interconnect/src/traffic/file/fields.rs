//! Splits a line of a list into its fields.

use super::MessageFileProblem;
use std::borrow::Cow;

/// A field and the column of its first character, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct CsvField<'a> {
    pub text: Cow<'a, str>,
    pub column: usize,
}

/// Fields of a line.
#[derive(Debug, PartialEq, Eq)]
pub struct CsvFields<'a> {
    /// Empty for a blank line and for one that is only a comment.
    pub fields: Vec<CsvField<'a>>,
    /// Column after the last field, where another field would begin.
    pub end: usize,
}

/// Splits a line. An error includes its column.
pub fn split(line: &str) -> Result<CsvFields<'_>, (usize, MessageFileProblem)> {
    let mut cursor = Cursor {
        rest: line,
        column: 1,
    };
    let mut fields = Vec::new();
    loop {
        cursor.skip_blanks();
        let column = cursor.column;
        let text = if cursor.rest.starts_with('"') {
            Cow::Owned(cursor.quoted()?)
        } else {
            Cow::Borrowed(cursor.plain())
        };
        let end = cursor.column;
        cursor.skip_blanks();
        let more = cursor.rest.starts_with(',');
        if more || !fields.is_empty() || end > column {
            fields.push(CsvField { text, column });
        }
        if !more {
            return Ok(CsvFields { fields, end });
        }
        cursor.advance(1);
    }
}

/// Remaining text of a line, and the column at which it begins.
struct Cursor<'a> {
    rest: &'a str,
    column: usize,
}

impl<'a> Cursor<'a> {
    /// Consumes the next `bytes` bytes.
    fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.column += taken.chars().count();
        taken
    }

    fn skip_blanks(&mut self) {
        self.advance(self.rest.len() - self.rest.trim_start().len());
    }

    /// Parses a field without quotes: up to a comma, a comment or the end, without trailing blanks.
    fn plain(&mut self) -> &'a str {
        let end = self.rest.find([',', '#']).unwrap_or(self.rest.len());
        let length = self.rest[..end].trim_end().len();
        self.advance(length)
    }

    /// Parses a field in quotes. A doubled quote inside represents one quote.
    fn quoted(&mut self) -> Result<String, (usize, MessageFileProblem)> {
        let start = self.column;
        let mut text = String::new();
        self.advance(1);
        loop {
            let Some(length) = self.rest.find('"') else {
                return Err((start, MessageFileProblem::OpenQuote));
            };
            text += self.advance(length);
            self.advance(1);
            if !self.rest.starts_with('"') {
                break;
            }
            text += self.advance(1);
        }
        let mut after = Cursor { ..*self };
        after.skip_blanks();
        let column = after.column;
        match after.plain() {
            "" => Ok(text),
            found => {
                let found = found.to_owned();
                Err((column, MessageFileProblem::AfterQuote { found }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str) -> Vec<(String, usize)> {
        let fields = split(line).unwrap().fields;
        fields
            .into_iter()
            .map(|field| (field.text.into_owned(), field.column))
            .collect()
    }

    fn fields(expected: &[(&str, usize)]) -> Vec<(String, usize)> {
        expected
            .iter()
            .map(|&(text, column)| (text.to_owned(), column))
            .collect()
    }

    #[test]
    fn fields_are_separated_by_commas() {
        assert_eq!(cut("1,0x2,AB"), fields(&[("1", 1), ("0x2", 3), ("AB", 7)]));
        assert_eq!(cut(" 1 ,\t2 "), fields(&[("1", 2), ("2", 6)]));
        assert_eq!(cut("1,"), fields(&[("1", 1), ("", 3)]));
        assert_eq!(cut(",,"), fields(&[("", 1), ("", 2), ("", 3)]));
        assert_eq!(cut("é,2"), fields(&[("é", 1), ("2", 3)]));
        assert_eq!(cut("1 2"), fields(&[("1 2", 1)]));
    }

    #[test]
    fn blank_lines_and_comments_have_no_fields() {
        for line in ["", "  \t", "# 1,2", "  #"] {
            assert_eq!(cut(line), fields(&[]));
        }
        assert_eq!(cut("1,2 # 3,4"), fields(&[("1", 1), ("2", 3)]));
        assert_eq!(cut("1,2,#"), fields(&[("1", 1), ("2", 3), ("", 5)]));
    }

    #[test]
    fn a_quoted_field_may_contain_commas_and_quotes() {
        assert_eq!(
            cut("\"1\", \"2\" ,3"),
            fields(&[("1", 1), ("2", 6), ("3", 11)])
        );
        assert_eq!(cut("\"a,#b\",\"\"#"), fields(&[("a,#b", 1), ("", 8)]));
        assert_eq!(cut("\"\"\"x\"\"\""), fields(&[("\"x\"", 1)]));
    }

    #[test]
    fn an_unclosed_quote_is_rejected_with_its_column() {
        assert!(matches!(
            split("1,\"2"),
            Err((3, MessageFileProblem::OpenQuote))
        ));
        match split("1,\"2\" x,3") {
            Err((7, MessageFileProblem::AfterQuote { found })) => assert_eq!(found, "x"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_end_column_follows_the_last_field() {
        for (line, end) in [("5", 2), ("5  # x", 2), ("5,", 3), ("5,\"6\" ", 6)] {
            assert_eq!(split(line).unwrap().end, end);
        }
    }
}
