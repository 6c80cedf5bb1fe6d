//! Each kernel has at most 120 lines, so that a circuit can be read in one sitting.

use crate::published::headers::rust_files;
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Maximum lines of a kernel, from its `fn` to its last brace.
const LINES: usize = 120;

/// Returns the kernels of a file formatted by rustfmt: the line of the `fn`, and the number of
/// lines.
fn kernels(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let marks = (0..lines.len()).filter(|i| lines[*i].trim_start().starts_with("#[kernel]"));
    let found = marks.map(|mark| {
        let indent = lines[mark].len() - lines[mark].trim_start().len();
        let end = format!("{:indent$}}}", "");
        let is_fn = |i: &usize| lines[*i].split_whitespace().any(|word| word == "fn");
        let first = (mark..lines.len()).find(is_fn).expect("a fn");
        let last = (first..lines.len()).find(|i| lines[*i].trim_end() == end);
        (first + 1, last.expect("its end") + 1 - first)
    });
    found.collect()
}

#[test]
fn no_kernel_is_longer_than_120_lines() {
    let (mut count, mut long) = (0, vec![]);
    for path in rust_files(&Path::new(ROOT).join("crates/rtl/src")) {
        let name = path.strip_prefix(ROOT).unwrap().display().to_string();
        for (line, lines) in kernels(&fs::read_to_string(&path).unwrap()) {
            count += 1;
            if lines > LINES {
                long.push(format!("{name}:{line}: a kernel of {lines} lines"));
            }
        }
    }
    assert!(count > 100, "{count} kernels");
    long.sort();
    assert!(long.is_empty(), "at most {LINES} lines:\n{}", long.join("\n"));
}

#[test]
fn the_lines_of_a_kernel_are_counted() {
    let text = "impl Logic for A {\n    #[kernel]\n    fn update(&mut self) {\n        if a {\n        }\n    }\n}\n\n\
                #[kernel]\npub fn f() -> Bit {\n    a\n}\n";
    assert_eq!(kernels(text), [(3, 4), (10, 3)]);
}
