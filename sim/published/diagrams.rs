//! The block diagrams of the book equal the ones in the module documentation.

use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Beginning of the line in front of a diagram; the path of a source file follows.
const MARK: &str = "<!-- diagram: ";

/// Longest line of a diagram, in characters.
const WIDTH_MAX: usize = 78;

/// Returns the fenced `text` blocks of a text: the line in front of the fence, and the block.
fn text_blocks(text: &str) -> Vec<(&str, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let fences = (0..lines.len()).filter(|line| lines[*line] == "```text");
    let blocks = fences.map(|fence| {
        let body = lines[fence + 1..].iter();
        let body: Vec<&str> = body.copied().take_while(|line| *line != "```").collect();
        let before = fence.checked_sub(1).map_or("", |line| lines[line]);
        (before, body.join("\n"))
    });
    blocks.collect()
}

/// Returns the module documentation in a source file, without comment markers.
fn documentation(source: &str) -> String {
    let lines = source.lines().filter_map(|line| line.strip_prefix("//!"));
    let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn diagrams_of_the_book_match_the_module_documentation() {
    let mut pages = vec![];
    for entry in fs::read_dir(Path::new(ROOT).join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "md") {
            pages.push(path);
        }
    }
    let mut diagrams = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let page = page.strip_prefix(ROOT).unwrap().display();
        let blocks = text_blocks(&text).into_iter();
        let marked: Vec<_> = blocks
            .filter_map(|(before, block)| Some((before.strip_prefix(MARK)?, block)))
            .collect();
        let marks = text.lines().filter(|line| line.starts_with(MARK)).count();
        assert_eq!(marks, marked.len(), "{page}: a mark without a text block");
        for (mark, block) in marked {
            let path = mark.strip_suffix(" -->");
            let path = path.unwrap_or_else(|| panic!("{page}: {MARK}{mark}"));
            let source = fs::read_to_string(Path::new(ROOT).join(path))
                .unwrap_or_else(|error| panic!("{page}: {path}: {error}"));
            let drawn =
                text_blocks(&documentation(&source)).into_iter().any(|(_, other)| other == block);
            assert!(drawn, "{path} does not have this diagram of {page}:\n{block}");
            for line in block.lines() {
                let width = line.chars().count();
                assert!(width <= WIDTH_MAX, "{page}: {width} characters: {line}");
                assert!(line.is_ascii(), "{page}: not ASCII: {line}");
            }
            diagrams += 1;
        }
    }
    assert!(diagrams >= 10, "{diagrams} diagrams");
}

#[test]
fn a_marked_block_is_found() {
    let page = "Text.\n\n<!-- diagram: a.rs -->\n```text\n+-+\n\n+-+\n```\n\n```text\nother\n```\n";
    let source = "//! A.\n//!\n//! ```text\n//! +-+\n//!\n//! +-+\n//! ```\n\nmod a;\n";
    let found = text_blocks(page);
    assert_eq!(found[0].0, "<!-- diagram: a.rs -->");
    assert_eq!((found.len(), found[1].0), (2, ""));
    assert_eq!(text_blocks(&documentation(source))[0].1, found[0].1);
}
