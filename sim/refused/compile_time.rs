//! The blocks in `cases/` do not compile, and every error is on a marked line.
//!
//! `//~ text` marks a line on which the compiler must report an error with this text in its
//! message, a label or a note. If a line has several marks, all are required. Other lines must have
//! no error.
//!
//! The cases in one folder become the modules of one program, because each compiler stage hides the
//! errors of later stages. The proc macros reject `macros`, name resolution rejects `names`, and
//! the type checker rejects `types`. `legal` compiles and runs.

use crate::support::scratch::{messages, run_all, Scratch};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const GROUPS: [&str; 4] = ["macros", "names", "types", "legal"];

/// Runs a legal block in two engines.
const LEGAL_MAIN: &str = r#"
use phasecube::engine::{agree, CircuitEngine};

fn agree(mut first: impl CircuitEngine, mut second: impl CircuitEngine) {
    let outputs: Vec<String> = first.ports().iter().filter(|p| !p.input).map(|p| p.name.clone()).collect();
    let a = agree::trace(&mut first, 1, 2000).expect("it settles");
    let b = agree::trace(&mut second, 1, 2000).expect("it settles");
    agree::compare(&outputs, ("first", &a), ("second", &b)).expect("they agree");
    agree::check_all_outputs_change(&outputs, &a).expect("the stimulus shows something");
}
"#;

/// A file and a line in it.
type CaseLine = (String, u64);

#[test]
fn every_case_is_refused_at_its_mark() {
    let scratch = Scratch::new("refused-cases");
    let mut marks = vec![];
    for group in GROUPS {
        write_group(&scratch, group, &mut marks);
    }
    let printed = build(&scratch);
    let errors = texts_by_place(&printed, "error");

    let mut wrong = vec![];
    for (place, text) in &marks {
        let found = errors.get(place).map_or(&[][..], |e| e);
        if !found.iter().any(|e| e.contains(text)) {
            wrong.push(format!("{place:?}: no error `{text}`, but {found:#?}"));
        }
    }
    for (place, texts) in &errors {
        if !marks.iter().any(|(marked, _)| marked == place) {
            wrong.push(format!("{place:?} is not marked, but has {texts:#?}"));
        }
    }
    wrong.extend(mismatches(&printed));
    for (place, texts) in &errors {
        if place.0.ends_with("types/fields.rs") && texts.len() != 1 {
            wrong.push(format!("{place:?} has not one error, but {texts:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(marks.len() > 110, "only {} marks were found", marks.len());

    let output = scratch.program("legal").output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "all lowered\n");
}

/// Creates a program from the cases in one folder and collects their marks.
fn write_group(scratch: &Scratch, group: &str, marks: &mut Vec<(CaseLine, String)>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sim/refused/cases");
    let mut files: Vec<_> = fs::read_dir(folder.join(group))
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let mut program = String::from("#![allow(dead_code, unused)]\n");
    let mut calls = String::new();
    for file in files {
        let name = file.file_stem().expect("a name").to_string_lossy();
        let text = fs::read_to_string(&file).expect("a case");
        let path = format!("src/{group}/{name}.rs");
        scratch.write(&path, &text);
        program.push_str(&format!("mod {name};\n"));
        calls.push_str(&format!("    {name}::run();\n"));
        let before = marks.len();
        collect_marks(&path, &text, marks);
        assert_eq!(
            before == marks.len(),
            group == "legal",
            "a case has a mark, a legal block has none: {path}"
        );
    }
    program.push_str(match group {
        "legal" => LEGAL_MAIN,
        _ => "fn main() {}\n",
    });
    if group == "legal" {
        program.push_str(&format!("fn main() {{\n{calls}    println!(\"all lowered\");\n}}\n"));
    }
    scratch.write(&format!("src/{group}/main.rs"), &program);
}

fn collect_marks(path: &str, text: &str, marks: &mut Vec<(CaseLine, String)>) {
    for (number, line) in (1..).zip(text.lines()) {
        for mark in line.split("//~").skip(1) {
            marks.push(((path.into(), number), mark.trim().into()));
        }
    }
}

/// Compiles all programs. Returns the compiler's messages.
fn build(scratch: &Scratch) -> Vec<Value> {
    let outputs = run_all(GROUPS.map(|group| {
        let mut rustc = scratch.rustc(group, "bin", &format!("src/{group}/main.rs"));
        rustc.arg("--error-format=json");
        rustc
    }));
    for (group, output) in GROUPS.iter().zip(&outputs) {
        let printed = String::from_utf8_lossy(&output.stderr);
        let compiles = *group == "legal";
        assert_eq!(output.status.success(), compiles, "{group}: {printed}");
    }
    outputs.iter().flat_map(|o| messages(&o.stderr)).collect()
}

/// Returns what is wrong with the messages about `types/mismatches.rs`. Each line must have one
/// error, without symbolic words, and a warning with the cure.
fn mismatches(messages: &[Value]) -> Vec<String> {
    let of_case = |level| {
        let all = texts_by_place(messages, level).into_iter();
        all.filter(|((file, _), _)| file.ends_with("types/mismatches.rs"))
    };
    let warnings: BTreeMap<CaseLine, Vec<String>> = of_case("warning").collect();
    let mut wrong = vec![];
    for (place, texts) in of_case("error") {
        if texts.len() != 1 || texts[0].contains("Lift") || texts[0].starts_with("Sym<") {
            wrong.push(format!("{place:?}: not one error without `Sym`: {texts:#?}"));
        }
        let cure = warnings.get(&place).map_or(&[][..], |texts| texts);
        if !cure.iter().any(|text| text.contains("`.resized()`")) {
            wrong.push(format!("{place:?}: no warning with the cure, but {cure:#?}"));
        }
    }
    wrong
}

/// Returns all texts of each error or warning, by its location.
fn texts_by_place(messages: &[Value], level: &str) -> BTreeMap<CaseLine, Vec<String>> {
    let mut errors: BTreeMap<CaseLine, Vec<String>> = BTreeMap::new();
    let messages = messages.iter().filter(|message| message["level"] == level);
    for message in messages {
        // "aborting due to .." has no location.
        if let Some(place) = place(message) {
            errors.entry(place).or_default().push(all_text(message));
        }
    }
    errors
}

/// Returns the location of an error. Inside a macro, that is the place of the call.
fn place(message: &Value) -> Option<CaseLine> {
    let spans = message["spans"].as_array()?;
    let mut span = spans.iter().find(|s| s["is_primary"] == true)?;
    while span["expansion"].is_object() {
        span = &span["expansion"]["span"];
    }
    Some((span["file_name"].as_str()?.to_string(), span["line_start"].as_u64()?))
}

/// Returns the message with its code, labels and notes.
fn all_text(message: &Value) -> String {
    let mut text = String::new();
    let mut add = |part: &Value| {
        if let Some(part) = part.as_str() {
            text.push_str(part);
            text.push('\n');
        }
    };
    add(&message["code"]["code"]);
    add(&message["message"]);
    for span in message["spans"].as_array().into_iter().flatten() {
        add(&span["label"]);
    }
    for note in message["children"].as_array().into_iter().flatten() {
        add(&note["message"]);
    }
    text
}
