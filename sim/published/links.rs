//! Links between pages have targets, and the book contains every page.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Returns the pages directly in a folder.
fn pages(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(Path::new(ROOT).join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|e| e == "md")).collect()
}

/// Returns the targets of the links and pictures in a page.
fn links(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let events = Parser::new_ext(&text, Options::ENABLE_TABLES);
    let links = events.filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.to_string())
        }
        _ => None,
    });
    links.collect()
}

/// Returns the anchors in a page, as GitHub and mdBook name them.
fn anchors(page: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let (mut found, mut heading) = (BTreeSet::new(), None::<String>);
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let words = heading.take().unwrap().to_lowercase();
                let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
                found.insert(kept.collect::<String>().replace(' ', "-"));
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn link_targets_exist() {
    let folders = ["", "docs", "examples", "firmware", "sim", "crates/hdl", "crates/lockstep"];
    let mut followed = 0;
    for page in folders.iter().flat_map(|folder| pages(folder)) {
        for link in links(&page) {
            if link.starts_with("https://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link} is not there", page.display());
            let named = anchor.is_empty() || anchors(&target).contains(anchor);
            assert!(named, "{}: {link} has no such heading", page.display());
            followed += 1;
        }
    }
    assert!(followed > 60, "{followed} links");
}

/// The table of contents lists each page of docs, and has no link twice.
#[test]
fn the_book_has_every_page() {
    let docs = Path::new(ROOT).join("docs");
    let listed = links(&docs.join("SUMMARY.md"));
    let once: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(once.len(), listed.len(), "a page is listed twice");
    for page in pages("docs") {
        let name = page.file_name().unwrap().to_str().unwrap().to_owned();
        let here = name == "SUMMARY.md" || once.contains(&name);
        assert!(here, "docs/{name} is not in docs/SUMMARY.md");
    }
}

/// A line of the table of contents is a heading or one link, which may be a list item. mdBook
/// rejects other lines.
#[test]
fn the_table_of_contents_is_one_that_mdbook_reads() {
    let docs = Path::new(ROOT).join("docs");
    let text = std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let mut deepest = 0;
    for line in text.lines().filter(|line| !line.is_empty()) {
        let item = line.trim_start();
        let indent = line.len() - item.len();
        if let Some(heading) = item.strip_prefix("# ") {
            assert!(indent == 0 && !heading.is_empty(), "{line:?}");
            deepest = 0;
            continue;
        }
        let (link, depth) = match item.strip_prefix("- ") {
            Some(link) => (link, 1 + indent / 2),
            None => (item, 0),
        };
        assert!(indent.is_multiple_of(2) && depth <= deepest + 1, "{line:?} is indented too far");
        let page = link
            .strip_prefix('[')
            .and_then(|link| link.strip_suffix(')'))
            .and_then(|link| link.split_once("]("));
        assert!(
            page.is_some_and(|(title, page)| !title.is_empty() && page.ends_with(".md")),
            "{line:?} is no link to a page"
        );
        deepest = depth;
    }
    let book = std::fs::read_to_string(docs.join("book.toml")).unwrap();
    let book: toml::Table = book.parse().unwrap();
    assert_eq!(book["book"]["src"].as_str(), Some("."));
}
