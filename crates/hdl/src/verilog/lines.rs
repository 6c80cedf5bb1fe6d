//! Indented text.

use super::code::{VerilogExpr, LINE_WIDTH};
use super::comments::{defuse, without_links};

const INDENT: usize = 4;

/// Text with an indentation level.
#[derive(Default)]
pub struct IndentedLines {
    pub text: String,
    pub level: usize,
}

impl IndentedLines {
    pub fn new(level: usize) -> IndentedLines {
        IndentedLines {
            text: String::new(),
            level,
        }
    }

    /// Adds one line.
    pub fn line(&mut self, text: &str) {
        if !text.is_empty() {
            self.text += &" ".repeat(self.level * INDENT);
            self.text += text;
        }
        self.text += "\n";
    }

    /// Adds a statement that contains an expression, broken into several lines if it is too long.
    pub fn code(&mut self, before: &str, code: &VerilogExpr, after: &str) {
        let column = self.level * INDENT + before.len();
        self.line(&format!("{before}{}{after}", code.layout(column)));
    }

    /// Adds `target = value;`, with a comparison in parentheses.
    pub fn assignment(&mut self, target: &str, value: &VerilogExpr) {
        if value.is_comparison() {
            self.code(&format!("{target} = ("), value, ");");
        } else {
            self.code(&format!("{target} = "), value, ";");
        }
    }

    /// Adds documentation as comment lines. An empty text adds nothing.
    pub fn comment(&mut self, doc: &str) {
        if !doc.is_empty() {
            for line in wrap(&without_links(doc), LINE_WIDTH - 3 - self.level * INDENT) {
                self.line(format!("// {}", defuse(&line)).trim_end());
            }
        }
    }

    /// Adds an empty line, unless the text is empty or already ends with one.
    pub fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text += "\n";
        }
    }
}

/// Breaks long lines between words. Existing line breaks in `text` remain.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.trim().lines() {
        let start = paragraph.trim_start();
        let indent = " ".repeat(paragraph.len() - start.len());
        if paragraph.chars().count() <= width {
            lines.push(paragraph.trim_end().to_string());
            continue;
        }
        let mut line = indent.clone();
        for word in start.split_whitespace() {
            let used = line.chars().count();
            if used > indent.len() && used + 1 + word.chars().count() > width {
                lines.push(std::mem::replace(&mut line, indent.clone()));
            }
            if line.len() > indent.len() {
                line.push(' ');
            }
            line += word;
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_wrapped_and_contain_no_directives() {
        assert_eq!(wrap("one two three\nfour", 8), ["one two", "three", "four"]);
        assert_eq!(wrap("  one two three", 20), ["one two three"]);
        let mut lines = IndentedLines::new(1);
        lines.comment("verilator lint_off WIDTH\n\nok");
        let text = "    // - verilator lint_off WIDTH\n    //\n    // ok\n";
        assert_eq!(lines.text, text);
    }
}
