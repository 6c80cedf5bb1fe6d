//! Finds signals that a module declares and never reads. Linters report them. In published Verilog
//! one wire reads all of them, and its name shows linters that this is intended.
//!
//! The search uses the printed text, because printing folds constants and moves selections inwards.
//! Only the text shows which signals remain.

use super::comments::without_comment;
use super::header::range;
use std::collections::HashMap;

/// Bits of names that are read.
#[derive(Default)]
pub struct ReadBits {
    /// `None` if the whole name is read, or a signal selects the bits.
    of: HashMap<String, Option<Vec<(u32, u32)>>>,
}

impl ReadBits {
    /// Adds a whole name.
    pub fn name(&mut self, name: &str) {
        self.of.insert(name.to_owned(), None);
    }

    /// Adds all names that statements read, which excludes the left sides of assignments.
    pub fn statements(&mut self, text: &str) {
        let code: Vec<&str> = text.lines().map(without_comment).collect();
        let tokens = tokens(&code.join("\n"));
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            if matches!(token.as_str(), "wire" | "reg") {
                at += selection(&tokens[at..]).len();
                // A declaration is not a read.
                at += usize::from(tokens.get(at + 1).is_some_and(|after| after == ";"));
                continue;
            }
            if !is_name(token) {
                continue;
            }
            let selection = selection(&tokens[at..]);
            let after = tokens.get(at + selection.len());
            // `<=` is a comparison, except at the beginning of a statement in a clocked block.
            let clocked = begins_statement(tokens[..at - 1].last());
            let is_target = match after.map(String::as_str) {
                Some("=") => true,
                Some("<=") => clocked,
                _ => false,
            };
            if !is_target {
                self.selected(token, selection);
            }
        }
    }

    fn selected(&mut self, name: &str, selection: &[String]) {
        let number = |token: &String| token.parse::<u32>().ok();
        let bits = match selection {
            [_, bit, _] => number(bit).map(|bit| (bit, bit)),
            [_, high, _, low, _] => number(low).zip(number(high)),
            _ => None,
        };
        let known = self.of.entry(name.to_owned()).or_insert(Some(vec![]));
        match (known.as_mut(), bits) {
            (Some(known), Some(bits)) => known.push(bits),
            _ => *known = None,
        }
    }

    /// Returns the unread parts of a name as Verilog: `a`, `a[3]`, `a[7:4]`.
    pub fn unread(&self, name: &str, width: u32) -> Vec<String> {
        let read = match self.of.get(name) {
            None => return vec![name.to_owned()],
            Some(None) => return vec![],
            Some(Some(read)) => read,
        };
        let is_read = |bit: u32| read.iter().any(|(low, high)| (*low..=*high).contains(&bit));
        let mut parts = vec![];
        let mut bit = 0;
        while bit < width {
            let low = bit;
            while bit < width && !is_read(bit) {
                bit += 1;
            }
            match bit - low {
                0 => bit += 1,
                1 if width == 1 => parts.push(name.to_owned()),
                1 => parts.push(format!("{name}[{low}]")),
                _ => parts.push(format!("{name}[{}:{low}]", bit - 1)),
            }
        }
        parts
    }
}

/// Returns the signals that a text declares, with their widths. Memories are excluded.
pub fn declared(text: &str) -> Vec<(String, u32)> {
    let mut found = vec![];
    for line in text.lines().map(without_comment) {
        let tokens = tokens(line);
        let [kind, rest @ ..] = &tokens[..] else {
            continue;
        };
        if !matches!(kind.as_str(), "wire" | "reg") {
            continue;
        }
        let (width, rest) = match selection(rest) {
            [] => (1, rest),
            [_, high, _, _, _] => (high.parse::<u32>().map_or(1, |h| h + 1), &rest[5..]),
            _ => continue,
        };
        match rest {
            [name, after, ..] if after != "[" => found.push((name.clone(), width)),
            _ => {}
        }
    }
    found
}

/// Declares the wire that reads the unread parts. Returns an empty text if there are none.
pub fn sink(name: &str, parts: &[String]) -> String {
    if parts.is_empty() {
        return String::new();
    }
    let mut text = String::from("    // Not used in this module.\n");
    let mut line = format!("    wire {}{name} = &{{1'b0", range(1));
    for part in parts {
        line.push(',');
        if line.len() + part.len() + 5 > super::code::LINE_WIDTH {
            text += &format!("{line}\n");
            line = format!("       {}", " ".repeat(name.len() + 6));
        }
        line += &format!(" {part}");
    }
    text + &line + "};\n"
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn begins_statement(before: Option<&String>) -> bool {
    matches!(
        before.map(String::as_str),
        None | Some(";" | "begin" | "end")
    )
}

/// Returns `[3]`, `[7:0]` or `[a + 1]` with its brackets, if the tokens begin with a selection.
fn selection(tokens: &[String]) -> &[String] {
    if tokens.first().is_none_or(|token| token != "[") {
        return &[];
    }
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "[" => depth += 1,
            "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &tokens[..=i];
        }
    }
    tokens
}

/// Splits code into words, literals and operators. Each operator that contains `=` is one token.
/// Other operators are split into characters.
fn tokens(code: &str) -> Vec<String> {
    let mut tokens: Vec<String> = vec![];
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut token = String::from(c);
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '\'');
        let goes_on = |c: char, next: char| match is_word(c) {
            true => is_word(next),
            false => next == '=' && matches!(c, '=' | '!' | '<' | '>'),
        };
        while let Some(next) = chars.next_if(|next| goes_on(c, *next)) {
            token.push(next);
        }
        tokens.push(token);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(text: &str) -> ReadBits {
        let mut reads = ReadBits::default();
        reads.statements(text);
        reads
    }

    #[test]
    fn assignment_targets_are_not_reads() {
        let text = "assign a = b & c[2];\nalways @* begin\n    d = 4'h0; // e\n    if (f <= g) begin\n        \
            d[h] = a;\n    end\nend\nalways @(posedge clock) begin\n    q <= q_next;\nend\n";
        let reads = reads(text);
        for read in ["a", "b", "f", "g", "h", "q_next"] {
            assert_eq!(reads.unread(read, 1), [""; 0], "{read}");
        }
        for unread in ["d", "e", "i", "q"] {
            assert_eq!(reads.unread(unread, 1), [unread]);
        }
        assert_eq!(reads.unread("c", 4), ["c[1:0]", "c[3]"]);
    }

    #[test]
    fn a_variable_index_reads_all_bits() {
        assert_eq!(reads("assign a = b[c];").unread("b", 8), [""; 0]);
        let reads = reads("assign a = {b[7:4], b[0]} == c[3:0];");
        assert_eq!(reads.unread("b", 8), ["b[3:1]"]);
        assert_eq!(reads.unread("c", 4), [""; 0]);
    }

    #[test]
    fn declarations_are_found() {
        let text = "    reg  [3:0] a;  // wire b;\n    wire c = d;\n    reg [7:0] memory [0:15];\n    integer i;\n";
        assert_eq!(declared(text), [("a".to_owned(), 4), ("c".to_owned(), 1)]);
    }

    #[test]
    fn a_sink_reads_all() {
        let parts: Vec<String> = (0..40).map(|i| format!("signal_{i}")).collect();
        let text = sink("unused", &parts);
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
        let reads = reads(&text);
        assert!(parts.iter().all(|part| reads.unread(part, 1).is_empty()));
        assert_eq!(sink("unused", &[]), "");
    }
}
