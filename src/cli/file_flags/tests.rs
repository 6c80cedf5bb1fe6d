//! Tests every output of every command against every input and every other output.

use super::*;
use crate::cli::command;
use crate::cli::command_lines::{leaf_commands, parse_words};
use clap::error::ErrorKind;
use machine::networks;
use std::any::TypeId;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

fn has_value_type<T: Any>(argument: &Arg) -> bool {
    argument.get_value_parser().type_id() == TypeId::of::<T>()
}

/// Builds the words that pass a file to an argument.
fn argument_words(argument: &Arg, file: &Path) -> Vec<OsString> {
    let mut value = OsString::new();
    if has_value_type::<TrafficPattern>(argument) {
        value.push("file:");
    }
    value.push(file);
    match argument.get_long() {
        Some(long) => vec![format!("--{long}").into(), value],
        None => vec![value],
    }
}

/// Returns pairs of names: different names of the file `mine`, and of one file that does not exist.
fn aliased_paths(dir: &Path) -> Vec<[std::path::PathBuf; 2]> {
    let at = |name: &str| dir.join(name);
    fs::write(at("mine"), "mine").unwrap();
    fs::create_dir(at("sub")).unwrap();
    fs::hard_link(at("mine"), at("hard")).unwrap();
    let mut pairs = vec![
        [at("mine"), at("mine")],
        [at("mine"), at("sub/../mine")],
        [at("mine"), at("hard")],
        [at("hard"), at("mine")],
        [at("new"), at("new")],
        [at("new"), at("sub/../new")],
    ];
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("mine", at("link")).unwrap();
        symlink(".", at("here")).unwrap();
        symlink("new", at("dangling")).unwrap();
        pairs.extend([
            [at("mine"), at("link")],
            [at("link"), at("mine")],
            [at("mine"), at("here/mine")],
            [at("new"), at("here/new")],
            [at("new"), at("dangling")],
            [at("dangling"), at("new")],
        ]);
    }
    pairs
}

#[test]
fn an_output_may_not_be_an_input_or_another_output() {
    let dir = tempfile::tempdir().unwrap();
    let pairs = aliased_paths(dir.path());
    let root = command(&networks::standard());
    let mut met = vec![];
    for (words, command) in leaf_commands(&root) {
        let arguments: Vec<&Arg> = command.get_arguments().collect();
        let outputs = arguments.iter().filter(|a| has_value_type::<OutputFile>(a));
        for output in outputs {
            for other in &arguments {
                let also = has_value_type::<OutputFile>(other);
                let reads = has_value_type::<PathBuf>(other)
                    || has_value_type::<ProgramName>(other)
                    || has_value_type::<PortName>(other);
                if other.get_id() == output.get_id()
                    || !(also || reads || has_value_type::<TrafficPattern>(other))
                {
                    continue;
                }
                for [first, second] in &pairs {
                    // A missing file cannot be an input.
                    if !also && !second.exists() {
                        continue;
                    }
                    let mut line: Vec<OsString> = words.iter().map(OsString::from).collect();
                    line.extend(argument_words(output, first));
                    line.extend(argument_words(other, second));
                    let matches = match parse_words(&root, line.clone()) {
                        Ok(matches) => matches,
                        Err(error) => {
                            assert_eq!(error.kind(), ErrorKind::ArgumentConflict, "{error}");
                            continue;
                        }
                    };
                    let error = check_files(&root, &matches).map(drop).expect_err(&words.join(" "));
                    assert_eq!(error.exit_code(), 2);
                    let says = error.to_string();
                    let named = |argument: &Arg| match argument.get_long() {
                        Some(long) => says.contains(&format!("--{long}")),
                        None => says.contains(&*second.to_string_lossy()),
                    };
                    assert!(named(output) && named(other), "{line:?}: {says}");
                    assert!(says.contains("accepted: another file for --"), "{says}");
                    let name = |argument: &Arg| argument.get_id().to_string();
                    met.push([words[1..].join(" "), name(output), name(other)]);
                }
            }
        }
    }
    // The conflicts of the first bug report, and one of each kind.
    for [command, output, other] in [
        ["run", "results", "firmware"],
        ["run", "results", "data"],
        ["run", "results", "check"],
        ["run", "wave", "pattern"],
        ["run", "picture", "compiled"],
        ["run", "wave", "dump_traffic"],
        ["compile", "out", "pattern"],
        ["compile", "data", "dump_traffic"],
        ["deadlock", "dump_traffic", "firmware"],
        ["load", "image", "program"],
        ["core-test", "signature", "files"],
        ["monitor", "log", "image"],
        ["monitor", "log", "port"],
        ["collect", "out", "port"],
    ] {
        let known = met.iter().any(|met| met == &[command, output, other]);
        assert!(known, "{command} {output} {other}");
    }
    assert_eq!(fs::read(dir.path().join("mine")).unwrap(), b"mine");
}

/// Different files and devices are accepted.
#[test]
fn distinct_files_and_devices_are_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("a.csv"), "0,1\n").unwrap();
    fs::write(at("b.csv"), "0,1\n").unwrap();
    let root = command(&networks::standard());
    let accepted = |input: &Path, output: &Path| {
        let words = ["phasecube", "run", "--data"].map(OsString::from);
        let files = [input.into(), "--results".into(), output.into()];
        let matches = root.clone().try_get_matches_from(words.into_iter().chain(files));
        check_files(&root, &matches.unwrap()).is_ok()
    };
    assert!(accepted(&at("a.csv"), &at("b.csv")));
    assert!(accepted(&at("a.csv"), &at("new.csv")));
    assert!(accepted(&at("a.csv"), Path::new("-")));
    assert!(!accepted(&at("a.csv"), &at("a.csv")));
    #[cfg(target_os = "linux")]
    assert!(accepted(Path::new("/dev/null"), Path::new("/dev/null")));
}

/// Value names of the flags whose values are files or devices.
const FILES: [&str; 7] = ["FILE", "DIR", "IMAGE", "PROGRAM", "PATTERN", "DEVICE", "PORT"];

#[cfg(unix)]
#[test]
fn paths_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let root = command(&networks::standard());
    let path = Path::new(std::ffi::OsStr::from_bytes(b"/a/\xFF.csv"));
    let mut met = 0;
    for (words, command) in leaf_commands(&root) {
        for argument in command.get_arguments() {
            let names = argument.get_value_names().unwrap_or_default();
            // Sizes such as PROGRAM,DATA are no file.
            let is_file =
                |name: &str| !name.contains(',') && FILES.iter().any(|file| name.starts_with(file));
            let takes_value = argument.get_action().takes_values();
            let list = names.iter().any(|name| name.ends_with(".csv"));
            if !takes_value || !(list || names.iter().any(|name| is_file(name))) {
                continue;
            }
            let mut line: Vec<OsString> = words.iter().map(OsString::from).collect();
            line.extend(argument_words(argument, path));
            let error = parse_words(&root, line).err();
            let kind = error.as_ref().map(clap::Error::kind);
            let shown = format!("{words:?} {}", argument.get_id());
            assert_ne!(kind, Some(ErrorKind::InvalidUtf8), "{shown}");
            met += 1;
        }
    }
    assert!(met > 25, "{met}");
}
