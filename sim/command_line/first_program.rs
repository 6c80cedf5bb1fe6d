//! Every command of `docs/first-program.md` does what stands under it.

use crate::program::{with_tools, Done};
use std::fs;
use std::path::Path;
use std::process::Command;

const PAGE: &str = include_str!("../../docs/first-program.md");

/// The blocks of the page: what stands behind the fence, and the lines.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let mut blocks = vec![];
    let mut rest = PAGE;
    while let Some((_, after)) = rest.split_once("\n```") {
        let (head, after) = after.split_once('\n').unwrap();
        let (body, after) = after.split_once("```").unwrap();
        blocks.push((head, body));
        rest = after;
    }
    blocks
}

fn run(dir: &Path, command: &str) -> Done {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[0] {
        "phasecube" => with_tools(dir).args(&words[1..]).output().unwrap().into(),
        "python3" => {
            let mut python = Command::new("python3");
            python.current_dir(dir).args(&words[1..]);
            python.output().unwrap().into()
        }
        other => panic!("no test runs {other}"),
    }
}

/// A command whose last line is an error fails, all others succeed; the lines are the
/// beginnings of lines that it prints, in this order.
fn does_what_it_says(dir: &Path, command: &str, says: &[&str]) {
    let done = run(dir, command);
    let fails = says.last().is_some_and(|line| line.starts_with("error: "));
    assert_eq!(done.code == Some(0), !fails, "{command}: {done:?}");
    let printed = done.stdout.clone() + &done.stderr;
    let mut lines = printed.lines();
    for line in says {
        let found = lines.any(|printed| printed.starts_with(line));
        assert!(
            found,
            "{command} does not print {line:?}, or not there:\n{printed}"
        );
    }
}

#[test]
fn every_command_of_the_page_does_what_it_says() {
    let dir = tempfile::tempdir().unwrap();
    let mut commands = 0;
    for (head, body) in blocks() {
        match head.split_once(' ') {
            Some((_, file)) => fs::write(dir.path().join(file), body).unwrap(),
            None => {
                assert_eq!(head, "console");
                for session in body.split("$ ").skip(1) {
                    let lines: Vec<&str> = session.lines().collect();
                    does_what_it_says(dir.path(), lines[0], &lines[1..]);
                    commands += 1;
                }
            }
        }
    }
    assert_eq!(commands, PAGE.matches("\n$ ").count());
    assert!(commands >= 7);
}
