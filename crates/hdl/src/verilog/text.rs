//! Indented text.

use super::code::{VerilogExpr, LINE_WIDTH};

const INDENT: usize = 4;

/// Text with an indentation level.
#[derive(Default)]
pub struct IndentedLines {
    pub text: String,
    pub level: usize,
}

impl IndentedLines {
    pub fn new(level: usize) -> IndentedLines {
        IndentedLines { text: String::new(), level }
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

// Comments in Verilog: converts documentation to comments, and removes comments from Verilog.

/// Returns a doc comment without the links of rustdoc, which have no target in Verilog. For example
/// ``[`Uart`](super::Uart)`` becomes `` `Uart` ``.
pub fn without_links(doc: &str) -> String {
    let mut plain = String::new();
    let mut rest = doc;
    while let Some((before, inside, behind)) = next_bracket(rest) {
        plain += before;
        let target = behind.strip_prefix('(').and_then(|link| link.split_once(')'));
        let name = inside.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
        match (name, target) {
            // A link without a separate target uses its text as path.
            (Some(path), None) => plain += &format!("`{}`", path_end(path)),
            (_, Some(_)) => plain += inside,
            (None, None) => plain += &format!("[{inside}]"),
        }
        rest = target.map_or(behind, |(_, behind)| behind);
    }
    plain + rest
}

/// Splits the text at its first pair of brackets: before, inside and after.
fn next_bracket(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices(']').find_map(|(end, _)| {
        let begin = text[..end].rfind('[')?;
        Some((&text[..begin], &text[begin + 1..end], &text[end + 1..]))
    })
}

/// Returns the last segment of a path that begins with a Rust module.
fn path_end(path: &str) -> &str {
    let of_a_module = ["super::", "crate::", "self::"].iter().any(|start| path.starts_with(start));
    match path.rsplit_once("::") {
        Some((_, end)) if of_a_module => end,
        _ => path,
    }
}

/// Changes a comment that begins with the name of a tool, because the tool would interpret it as a
/// directive.
pub fn defuse(comment: &str) -> String {
    const TOOLS: [&str; 6] = ["verilator", "synopsys", "synthesis", "pragma", "cadence", "ambit"];
    let start = comment.trim_start().to_ascii_lowercase();
    if TOOLS.iter().any(|tool| start.starts_with(tool)) {
        format!("- {}", comment.trim_start())
    } else {
        comment.to_string()
    }
}

/// Returns a line of Verilog without its comment. The line must not contain a string with `//`.
pub fn without_comment(line: &str) -> &str {
    line.split("//").next().unwrap_or("")
}

/// Returns Verilog without line comments and empty lines. The result depends on the circuit only,
/// not on its documentation. The text must not contain a string with `//`.
pub fn without_comments(text: &str) -> String {
    let code = text.lines().map(|line| without_comment(line).trim_end());
    code.filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
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

#[cfg(test)]
mod comments_tests {
    use super::*;

    #[test]
    fn links_are_names() {
        for (doc, plain) in [
            ("It has the ports of [`Uart`](super::Uart), and", "It has the ports of `Uart`, and"),
            ("([`FrameCheck`]); [`crate::rtl::Node`].", "(`FrameCheck`); `Node`."),
            ("[`EjectMode::PerChip`]", "`EjectMode::PerChip`"),
            ("[the paper](https://a.b/c) says", "the paper says"),
            ("bits [7:0] of `x[3]` (the low)", "bits [7:0] of `x[3]` (the low)"),
            ("open [ or ] shut, a [`word`", "open [ or ] shut, a [`word`"),
            ("] first, then [`A`]", "] first, then `A`"),
            ("", ""),
        ] {
            assert_eq!(without_links(doc), plain);
        }
    }

    #[test]
    fn comments_are_left_out() {
        let text =
            "// A module\nmodule a (\n    input wire b  // what\n);\n\n    // c\nendmodule\n";
        assert_eq!(without_comments(text), "module a (\n    input wire b\n);\nendmodule\n");
    }
}
