//! Finds delays in Verilog, which yosys ignores.

/// Words before a statement.
const STATEMENTS: &[&str] =
    &["always", "assign", "begin", "else", "end", "forever", "fork", "initial"];

/// Returns the places of all delays (`#5`, `#(2, 3)`) as `file:line`, once for each line.
///
/// `preprocessed` is the text that yosys writes to the file [`YosysJob::preprocessed`]. It has
/// neither macros nor branches that are not taken. Comments, texts and lists of parameters are no
/// delays.
///
/// [`YosysJob::preprocessed`]: super::YosysJob::preprocessed
///
/// ```
/// let text = "`file_push \"m.v\"\n\
///             module m #(parameter W = 3) (input c, d, output reg q);\n\
///             always @(posedge c) q <= #1 d; // #2\nendmodule\n`file_pop\n";
/// assert_eq!(import::delays(text), ["m.v:2"]);
/// ```
pub fn delays(preprocessed: &str) -> Vec<String> {
    let source = preprocessed;
    let bytes = source.as_bytes();
    let (mut places, mut i) = (vec![], 0);
    let mut files = OpenFiles::default();
    // The last byte that is not a space.
    let mut last = b';';
    while i < bytes.len() {
        if let Some(end) = end_of_skipped(source, i) {
            files.add_lines(&source[i..end]);
            i = end;
            continue;
        }
        if let Some(end) = files.mark(source, i) {
            i = end;
            continue;
        }
        if bytes[i] == b'#' && is_delay(source, i, last) {
            places.extend(files.place());
            places.dedup();
        }
        let begin = i;
        i += 1;
        while !source.is_char_boundary(i) {
            i += 1;
        }
        files.add_lines(&source[begin..i]);
        if !bytes[begin].is_ascii_whitespace() {
            last = bytes[begin];
        }
    }
    places
}

/// Files that are open at a position of the preprocessed text, each with its present line.
#[derive(Default)]
struct OpenFiles(Vec<(String, usize)>);

impl OpenFiles {
    /// Returns the present place.
    fn place(&self) -> Option<String> {
        let (file, line) = self.0.last()?;
        Some(format!("{file}:{line}"))
    }

    fn add_lines(&mut self, text: &str) {
        if let Some((_, line)) = self.0.last_mut() {
            *line += text.matches('\n').count();
        }
    }

    /// Opens or closes a file if yosys marks it here. Returns the position after the line of the
    /// mark.
    fn mark(&mut self, source: &str, start: usize) -> Option<usize> {
        let rest = &source[start..];
        if let Some(rest) = rest.strip_prefix("`file_push \"") {
            let (file, _) = rest.split_once('"')?;
            self.0.push((file.to_owned(), 1));
        } else if rest.starts_with("`file_pop") {
            self.0.pop();
        } else {
            return None;
        }
        Some(start + rest.find('\n').map_or(rest.len(), |length| length + 1))
    }
}

/// Returns the position after a comment or a text that begins at `start`.
fn end_of_skipped(source: &str, start: usize) -> Option<usize> {
    let rest = &source[start..];
    let length = if rest.starts_with("//") {
        rest.find('\n')
    } else if let Some(comment) = rest.strip_prefix("/*") {
        comment.find("*/").map(|length| length + 4)
    } else if rest.starts_with('"') {
        end_of_text(rest)
    } else {
        return None;
    };
    Some(start + length.unwrap_or(rest.len()))
}

/// Returns the length of a text in quotation marks.
fn end_of_text(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (i, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'\\' if !is_escaped => is_escaped = true,
            b'"' if !is_escaped => return Some(i + 1),
            _ => is_escaped = false,
        }
    }
    None
}

/// Returns whether the `#` at this position begins a delay. `last` is the byte before it that is
/// not a space.
fn is_delay(source: &str, position: usize, last: u8) -> bool {
    let next = source[position + 1..].trim_start().bytes().next();
    let before = source[..position].trim_end();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let word = &before[before.trim_end_matches(is_letter).len()..];
    // After a name stands a list of parameters.
    let is_name = !word.is_empty() && !STATEMENTS.contains(&word);
    match next {
        // A cycle delay of an assertion.
        Some(b'#') | None => false,
        Some(b'(') => !is_name,
        Some(_) => last != b'#',
    }
}

#[cfg(test)]
mod tests {
    use super::delays;

    /// Returns the places of a text in the file `m.v`.
    fn places(text: &str) -> Vec<String> {
        delays(&format!("`file_push \"m.v\"\n{text}\n`file_pop\n"))
    }

    #[test]
    fn delays_are_found_and_parameters_are_not() {
        let source = "\
module top #(parameter A = 1) (input c);
  /* #1
     #2 */ initial $display(\"#3 \\\" #4 \u{e9}\");
  counter #(.W(3)) u (.c(c));
  counter #(4) v (.c(c));
  assign #5 w = c;
  always #(6) q = 1;
  always @(c) q <= #7 d; // #8 \u{e9}
  initial begin #9; #10 q = 1; end
  property p; a ##1 b; endproperty
endmodule";
        assert_eq!(places(source), ["m.v:6", "m.v:7", "m.v:8", "m.v:9"]);
        assert!(places("// only a comment #1").is_empty());
        assert!(places("\"an open text #1").is_empty());
    }

    #[test]
    fn delays_of_included_files_are_theirs() {
        let text =
            "wire a;\n`file_push \"inc.vh\"\n\nassign #3 a = 0;\n`file_pop\n\n\nassign #1 b = a;";
        assert_eq!(places(text), ["inc.vh:2", "m.v:4"]);
    }
}
