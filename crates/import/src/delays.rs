//! Finds the delays in a Verilog source. yosys ignores them.

/// Words before a statement.
const STATEMENTS: &[&str] = &[
    "always", "assign", "begin", "else", "end", "forever", "fork", "initial",
];

/// Returns the lines of a source that have a delay (`#5`, `#(2, 3)`), counted from 1. Delays in
/// comments and strings do not count, nor do lists of parameters. All branches of `` `ifdef `` count.
///
/// ```
/// let source = "module m #(parameter W = 3) (input c, d, output reg q);\n\
///               always @(posedge c) q <= #1 d; // #2\nendmodule";
/// assert_eq!(import::delays(source), [2]);
/// ```
pub fn delays(source: &str) -> Vec<usize> {
    let bytes = source.as_bytes();
    let (mut lines, mut line, mut i) = (vec![], 1, 0);
    // The last byte that is not a space.
    let mut last = b';';
    let starts = |i: usize, text: &str| bytes[i..].starts_with(text.as_bytes());
    while i < bytes.len() {
        let end = if starts(i, "//") {
            source[i..].find('\n').map(|n| i + n)
        } else if starts(i, "/*") {
            source[i + 2..].find("*/").map(|n| i + n + 4)
        } else if bytes[i] == b'"' {
            end_of_text(bytes, i)
        } else {
            None
        };
        let is_skipped = starts(i, "//") || starts(i, "/*") || bytes[i] == b'"';
        if is_skipped {
            let end = end.unwrap_or(bytes.len());
            line += bytes[i..end].iter().filter(|byte| **byte == b'\n').count();
            i = end;
            continue;
        }
        if bytes[i] == b'#' {
            let next = bytes[i + 1..]
                .iter()
                .find(|byte| !byte.is_ascii_whitespace());
            let before = source[..i].trim_end();
            let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
            let word = &before[before.trim_end_matches(is_letter).len()..];
            // `#` after a name begins a list of parameters.
            let is_name = !word.is_empty() && !STATEMENTS.contains(&word);
            let is_delay = match next {
                // A cycle delay of an assertion.
                Some(b'#') | None => false,
                Some(b'(') => !is_name,
                Some(_) => last != b'#',
            };
            if is_delay && lines.last() != Some(&line) {
                lines.push(line);
            }
        }
        if bytes[i] == b'\n' {
            line += 1;
        }
        if !bytes[i].is_ascii_whitespace() {
            last = bytes[i];
        }
        i += 1;
    }
    lines
}

/// Returns the position after the string that begins at `start`.
fn end_of_text(bytes: &[u8], start: usize) -> Option<usize> {
    let mut escaped = false;
    for (i, byte) in bytes.iter().enumerate().skip(start + 1) {
        match byte {
            b'\\' if !escaped => escaped = true,
            b'"' if !escaped => return Some(i + 1),
            _ => escaped = false,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::delays;

    #[test]
    fn delays_are_found_and_parameters_are_not() {
        let source = "\
module top #(parameter A = 1) (input c);
  /* #1
     #2 */ initial $display(\"#3 \\\" #4\");
  counter #(.W(3)) u (.c(c));
  counter #(4) v (.c(c));
  assign #5 w = c;
  always #(6) q = 1;
  always @(c) q <= #7 d; // #8
  initial begin #9; #10 q = 1; end
  property p; a ##1 b; endproperty
endmodule";
        assert_eq!(delays(source), [6, 7, 8, 9]);
        assert!(delays("// only a comment #1").is_empty());
        assert!(delays("\"an open text #1").is_empty());
    }
}
