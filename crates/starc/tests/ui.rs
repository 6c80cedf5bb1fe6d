//! Small sources and the expected text: the diagnostics (`ui/NAME.txt`), or the C without the
//! directives for its lines (`ui/NAME.c`). `PHASECUBE_BLESS=1` writes them.

use starc::{translate, Diagnostics, Options, Rule};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

fn sources() -> Vec<PathBuf> {
    let files = fs::read_dir(folder()).unwrap().map(|f| f.unwrap().path());
    let mut files: Vec<_> = files.filter(|f| f.extension().is_some_and(|e| e == "starc")).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Diagnostics of a source, and its C if there is no error.
fn result(path: &Path) -> (Diagnostics, Option<String>) {
    let source = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let strict = name.starts_with("strict");
    let options = Options { strict, ..Options::default() };
    match translate(&source, name, &options) {
        Ok(translation) => (translation.warnings, Some(translation.c)),
        Err(diagnostics) => (diagnostics, None),
    }
}

fn compare(path: &Path, text: &str) {
    if env::var_os("PHASECUBE_BLESS").is_some() {
        fs::write(path, text).unwrap();
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert!(text == expected, "{}:\n{text}\nexpected:\n{expected}", path.display());
}

/// The C text as a reader wants to see it.
fn without_lines(c: &str) -> String {
    let lines = c.lines().filter(|l| !l.starts_with("#line") && !l.trim().is_empty());
    lines.map(|l| l.to_owned() + "\n").collect()
}

#[test]
fn diagnostics_and_translations_are_as_expected() {
    for path in sources() {
        let (diagnostics, c) = result(&path);
        if !diagnostics.is_empty() {
            compare(&path.with_extension("txt"), &diagnostics.to_string());
        } else {
            let c = c.expect("a translation without diagnostics");
            compare(&path.with_extension("c"), &without_lines(&c));
        }
    }
}

/// A comment in the source marks the place of a diagnostic by its text: `// here: TEXT`, or
/// several texts separated by `|`. `@N` is a column.
#[test]
fn each_diagnostic_is_at_its_place() {
    let mut wrong = String::new();
    for path in sources() {
        let source = fs::read_to_string(&path).unwrap();
        let mut places = BTreeSet::new();
        for (number, line) in source.lines().enumerate() {
            let Some((code, marks)) = line.split_once("// here: ") else {
                continue;
            };
            for mark in marks.split('|') {
                let mark = mark.trim();
                let column = match mark.strip_prefix('@') {
                    Some(column) => column.parse().unwrap(),
                    None => code.find(mark).unwrap_or_else(|| panic!("{line}")) as u32 + 1,
                };
                places.insert((number as u32 + 1, column));
            }
        }
        let found = result(&path).0;
        let found: BTreeSet<(u32, u32)> =
            found.iter().map(|d| (d.position.line, d.position.column)).collect();
        if places != found {
            wrong += &format!("{}: marked {places:?}, found {found:?}\n", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_rule_has_an_example() {
    let lists: Vec<Diagnostics> = sources().iter().map(|path| result(path).0).collect();
    let found: BTreeSet<Rule> = lists.iter().flat_map(Diagnostics::iter).map(|d| d.rule).collect();
    let missing: Vec<_> = Rule::ALL.iter().filter(|rule| !found.contains(rule)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A frame of a link without answers has the number of the exchange, too.
#[test]
fn a_frame_without_answers_has_a_byte_less() {
    let source = "struct s { short part[39]; };\npvar<struct s> x, y;\nvoid main() {\n  x.part[0] = 1;\n  exchange { y = nbr(0, x); }\n}\n";
    let with = |has_answers| {
        let options = Options { has_answers, ..Options::default() };
        translate(source, "a.starc", &options)
    };
    let translation = with(true).unwrap();
    assert_eq!(translation.payload, Some(78));
    assert!(!translation.c.contains("STAR_RAW"));
    let error = with(false).unwrap_err().to_string();
    assert!(
        error.contains("sends 78 bytes across dimension 0; a superframe carries 77"),
        "{error}"
    );
}

/// Neighbours whose dimension is known at run time may be across the same one.
#[test]
fn late_neighbours_add_to_the_payload() {
    let payload = |calls: &str| {
        let source = format!(
            "struct s {{ int part[15]; }};\npvar<struct s> a, b;\npvar<int> x, y, z;\nvoid main() {{\n  \
             x = 1; a.part[0] = 1;\n  for (int d = 0; d < STAR_DIMENSIONS; d++) {{\n    \
             exchange {{ {calls} }}\n  }}\n}}\n"
        );
        translate(&source, "a.starc", &Options::default()).map(|t| t.payload)
    };
    for calls in [
        "int t = reduce_sum(x); y = nbr(d, x);",
        "y = nbr(d, x); int t = reduce_sum(x);",
        "y = nbr(d, x); z = nbr(d, x);",
        "y = nbr(3, x); z = nbr(d, x);",
    ] {
        assert_eq!(payload(calls).unwrap(), Some(8), "{calls}");
    }
    // Across different dimensions these fit.
    assert_eq!(payload("a = nbr(d, a); b = nbr(1 - d, b);").unwrap(), Some(78));
    let error = payload("a = nbr(d, a); b = broadcast(0, b);").unwrap_err();
    let says = "sends 120 bytes across dimension 0; a superframe carries 78";
    assert!(error.to_string().contains(says), "{error}");
}

/// Lines of the C have the numbers of the source.
#[test]
fn every_line_keeps_its_number() {
    let source = "pvar<int> x, y;\nvoid main() {\n  x = 1;\n  exchange {\n    y = nbr(0,\n      x);\n  }\n  MARK_8;\n}\nMARK_10;\n";
    let c = translate(source, "a.starc", &Options::default()).unwrap().c;
    let mut line = 0;
    let mut marks = 0;
    for text in c.lines() {
        if let Some(rest) = text.strip_prefix("#line ") {
            line = rest.split(' ').next().unwrap().parse().unwrap();
            continue;
        }
        if let Some((_, mark)) = text.split_once("MARK_") {
            assert_eq!(mark.trim_end_matches(';').parse::<u32>().unwrap(), line);
            marks += 1;
        }
        line += 1;
    }
    assert_eq!(marks, 2);
}

/// A source that ends too early, or lacks a part, is reported or translated.
#[test]
fn no_incomplete_source_panics() {
    for path in sources() {
        let source = fs::read_to_string(&path).unwrap();
        let options = Options::default();
        for (at, _) in source.char_indices().step_by(29) {
            let _ = translate(&source[..at], "a.starc", &options);
            let rest = source[at..].find([' ', '\n']).unwrap_or(0);
            let without = source[..at].to_owned() + &source[at + rest..];
            let _ = translate(&without, "a.starc", &options);
        }
    }
}

#[test]
fn a_source_without_starc_keeps_its_text_and_its_places() {
    let plain = fs::read_to_string(folder().join("plain.starc")).unwrap();
    let c = translate(&plain, "a.c", &Options::default()).unwrap().c;
    assert_eq!(c, format!("#line 1 \"a.c\"\n{plain}"));
}
