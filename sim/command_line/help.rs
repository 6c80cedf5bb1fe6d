//! `--help` at the width of the terminal.

use crate::program::{program, Done};

#[test]
fn help_is_no_wider_than_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let commands = [
        "",
        "bench",
        "build",
        "claims",
        "compare",
        "core-test",
        "cost",
        "figure12",
        "flash",
        "monitor",
        "prove",
        "route",
        "run",
        "sweep phase",
        "verilog",
    ];
    for command in commands {
        let mut help = program(dir.path());
        help.args(command.split_whitespace()).arg("--help");
        let done: Done = help.env("COLUMNS", "80").output().unwrap().into();
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
        for line in done.stdout.lines() {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
        // An example stands on one line, so that it can be copied.
        let example = format!("\n  phasecube {command}");
        assert!(done.stdout.contains(example.trim_end()), "{}", done.stdout);
    }
}
