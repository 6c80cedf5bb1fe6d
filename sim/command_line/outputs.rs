//! The files that a run writes: their destination, files that must not change, and early errors.

use super::program::{assert_rejected, call, program, refused_in, stdout, CallResult};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

/// Runs a small machine in a directory.
fn run(dir: &Path, args: &[&str]) -> CallResult {
    let small = ["run", "--dims", "2", "--pattern", "complement"];
    call(dir, &[&small[..], args].concat())
}

fn names(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// A symbolic link remains one, and the file mode is kept.
#[cfg(unix)]
#[test]
fn links_are_written_through_and_modes_are_kept() {
    use std::os::unix::fs::{symlink, PermissionsExt};
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("kept")).unwrap();
    for (flag, end) in [("--picture", "svg"), ("--wave", "vcd"), ("--dump-traffic", "csv")] {
        let (link, real) = (format!("link.{end}"), at("kept").join(format!("real.{end}")));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, PermissionsExt::from_mode(0o600)).unwrap();
        symlink(&real, at(&link)).unwrap();
        let done = run(dir.path(), &[flag, &link]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(fs::symlink_metadata(at(&link)).unwrap().is_symlink(), "{link}");
        assert!(fs::read(&real).unwrap().len() > 30, "{link}");
        let mode = fs::metadata(&real).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{link}");
    }
    assert_eq!(names(&at("kept")).len(), 3, "nothing else is left there");
}

/// A pipe is written to, and remains a pipe.
#[cfg(unix)]
#[test]
fn a_pipe_is_written_to() {
    use std::os::unix::fs::FileTypeExt;
    use std::process::Command;
    let dir = tempfile::tempdir().unwrap();
    for (flag, pipe, first) in [
        ("--picture", "pipe.svg", "<svg"),
        ("--wave", "pipe.vcd", "$version"),
        ("--dump-traffic", "pipe.csv", "source,destination,payload\n"),
    ] {
        let path = dir.path().join(pipe);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let reader = path.clone();
        let reader = std::thread::spawn(move || fs::read_to_string(reader).unwrap());
        let done = run(dir.path(), &[flag, pipe]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
        let text = reader.join().unwrap();
        assert!(text.starts_with(first), "{pipe}: {text}");
    }
}

/// `-` and the system's names for standard output. The report does not mix with the file.
#[test]
fn standard_output_holds_the_file_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["--dump-traffic", "a.csv", "--picture", "a.svg", "--wave", "a.vcd"]);
    for (flag, file) in [("--dump-traffic", "a.csv"), ("--picture", "a.svg"), ("--wave", "a.vcd")] {
        let done = run(dir.path(), &[flag, "-"]);
        assert_eq!(done.code, Some(0), "{done:?}");
        let written = fs::read_to_string(dir.path().join(file)).unwrap();
        assert!(done.stdout == written, "{flag}: {}", done.stdout);
        assert!(done.stderr.starts_with("2-cube, acked link"), "{done:?}");
    }
    assert_eq!(names(dir.path()), ["a.csv", "a.svg", "a.vcd"]);
    #[cfg(target_os = "linux")]
    {
        let done = run(dir.path(), &["--dump-traffic", "/dev/stdout"]);
        assert_eq!(done.stdout, fs::read_to_string(dir.path().join("a.csv")).unwrap());
    }
}

/// Impossible outputs are rejected before anything is simulated, fetched or written.
#[test]
fn outputs_are_checked_first() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("dir.svg")).unwrap();
    let refused = |args: &str, says: &str| {
        let words: Vec<&str> = args.split(' ').collect();
        refused_in(dir.path(), 2, &words, says);
    };
    // These commands would run for hours.
    let long = "--dims 12 --pattern total-exchange --payload 0 --dump-traffic list.csv";
    refused(
        &format!("run {long} --picture no/p.svg"),
        "--picture no/p.svg cannot be written: No such file or directory",
    );
    refused(&format!("run {long} --picture dir.svg"), "it is a directory");
    refused(&format!("run {long} --wave no/w.vcd"), "--wave no/w.vcd cannot be written");
    refused(
        &format!("run {long} --picture p.png"),
        "a picture is SVG; accepted: a name that ends in .svg",
    );
    refused("run --json --dump-traffic -", "--json and --dump-traffic both go to standard output");
    refused("run --picture - --dump-traffic -", "--dump-traffic and --picture both go to");
    refused("run --wave a.vcd --dump-traffic a.vcd", "--dump-traffic and --wave both go to");
    #[cfg(unix)]
    {
        let pipe = dir.path().join("w.fst");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        refused("run --wave w.fst", "a FST cannot be written to a device or pipe");
        fs::remove_file(&pipe).unwrap();
    }
    // These commands would fetch a compiler, which is not available here.
    refused("run --firmware route --picture no/p.svg", "--picture no/p.svg cannot be written");
    refused("run --firmware route --wave w.vcd --watch node[1].nothing", "no signal has the name");
    refused("run --firmware route --from 3", "accepted: with --wave");
    refused("compare --dims 17", "accepted: 1 to 16");
    refused("compare --out dir.svg/a/b --processors 16 --payload 78", "accepted: a payload");
    fs::write(dir.path().join("file"), "").unwrap();
    refused("compare --out file", "--out file cannot be created");
    refused("build --design echo --out file", "--out file cannot be created");
    refused("monitor --virtual none.bin --log no/log", "--log no/log cannot be written");
    refused("bench --dims 17", "accepted: 1 to 16");
    refused("figure12 --dims 17", "accepted: 1 to 16");
    refused("figure12 --dims 13", "accepted: up to 65536 in all, such as --processors 8");
    assert_eq!(names(dir.path()), ["dir.svg", "file"]);
}

/// An output that is an input, or another output, is refused before anything is read or run.
#[test]
fn no_output_replaces_an_input() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    let before = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    put("me.c", "int main(void) { return 0; }\n");
    put("in.csv", "0,1\n1,2\n2,3\n3,4\n");
    put("want.csv", "0,10,1,4\n1,10,1,4\n2,10,1,4\n3,10,1,4\n");
    put("list.csv", "0,1\n1,2\n");
    put("list.vcd", "0,1\n1,2\n");
    fs::create_dir(dir.path().join("out")).unwrap();
    put("out/runs.csv", "0,1\n1,2\n");
    fs::hard_link(dir.path().join("list.csv"), dir.path().join("other.csv")).unwrap();
    for (args, file, input) in [
        ("run --dims 1 --firmware me.c --data none --results me.c", "me.c", "--firmware me.c"),
        (
            "run --dims 2 --firmware all_reduce --data in.csv --results out/../in.csv",
            "in.csv",
            "--data in.csv",
        ),
        (
            "run --dims 2 --firmware all_reduce --data in.csv --check want.csv --results want.csv",
            "want.csv",
            "--check want.csv",
        ),
        (
            "compile --dims 2 --pattern file:list.csv --out other.csv",
            "list.csv",
            "--pattern file:list.csv",
        ),
        (
            "run --dims 2 --pattern file:list.vcd --wave list.vcd",
            "list.vcd",
            "--pattern file:list.vcd",
        ),
        ("load me.c --image me.c", "me.c", "the file of me.c"),
        (
            "compare --dims 2 --pattern file:out/runs.csv --no-synthesis --no-sweeps --out out",
            "out/runs.csv",
            "--pattern file:out/runs.csv",
        ),
    ] {
        let kept = before(file);
        let words: Vec<&str> = args.split(' ').collect();
        refused_in(dir.path(), 2, &words, input);
        assert_eq!(before(file), kept, "{args}");
    }
    // A file that the shell opened as standard output counts, too.
    let list = dir.path().join("list.csv");
    for args in ["run --dims 2 --pattern file:list.csv", "route 1 2 --json"] {
        let kept = before("list.csv");
        let stdout = fs::File::options().append(true).open(&list).unwrap();
        let mut command = program(dir.path());
        let done: CallResult =
            command.args(args.split(' ')).stdout(stdout).output().unwrap().into();
        let is_read = args.contains("list.csv");
        assert_eq!(done.code, Some(if is_read { 2 } else { 0 }), "{done:?}");
        assert_eq!(before("list.csv") == kept, is_read);
    }
    let stdout = fs::File::create(dir.path().join("new.vcd")).unwrap();
    let mut command = program(dir.path());
    command.args(["run", "--dims", "2", "--wave", "new.vcd"]).stdout(stdout);
    let done: CallResult = command.output().unwrap().into();
    assert_rejected(&done, 2, "--wave new.vcd is standard output");
}

/// A waveform takes the place of another when there is a clock cycle in it.
#[test]
fn an_existing_waveform_survives_a_run_that_does_not_begin() {
    let dir = tempfile::tempdir().unwrap();
    let wave = dir.path().join("w.vcd");
    fs::write(&wave, "mine").unwrap();
    // Verilator is not available, so the run fails when it creates its engine.
    let mut verilator = program(dir.path());
    let args = "run --dims 2 --engine verilator --wave w.vcd";
    verilator.args(args.split(' '));
    verilator.env("PATH", "").env("PHASECUBE_TOOLS", "system");
    let done: CallResult = verilator.output().unwrap().into();
    assert_eq!(done.code, Some(1), "{done:?}");
    assert_eq!(fs::read(&wave).unwrap(), b"mine");
    // The run ends before the requested time.
    for (flag, file) in [("--wave", "w.vcd"), ("--picture", "p.svg")] {
        let done = run(dir.path(), &[flag, file, "--from", "99s"]);
        assert_eq!(done.code, Some(2), "{done:?}");
        let says = "--from is phase 396, but the run ended in phase 4, of superframe 1 (counted \
                    from 0)";
        assert!(done.stderr.contains(says), "{done:?}");
        assert!(done.stdout.starts_with("2-cube, acked link"), "{done:?}");
    }
    assert_eq!(fs::read(&wave).unwrap(), b"mine");
    // Signals that this engine does not show are rejected before it is compiled.
    let args = [args, "--watch node[0].node.node.frames.engine.walk.step"].join(" ");
    let words: Vec<&str> = args.split(' ').collect();
    refused_in(dir.path(), 2, &words, "the verilator engine shows ports only");
    assert_eq!(names(dir.path()), ["w.vcd"]);
}

/// A list is read back from the path that it was written to, whatever its bytes are.
#[cfg(target_os = "linux")]
#[test]
fn paths_need_not_be_utf_8() {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let list = OsStr::from_bytes(b"l\xFFst.csv");
    let pattern = OsString::from_iter([OsStr::new("file:"), list]);
    let schedule = OsStr::from_bytes(b"s\xFF.json");
    let source = OsStr::from_bytes(b"\xFF.c");
    let call = |args: &str, path: &OsStr| -> CallResult {
        let mut command = program(dir.path());
        let command = command.args(args.split(' ')).arg(path);
        command.output().unwrap().into()
    };
    let first = call("run --dims 3 --pattern bitrev --dump-traffic", list);
    let again = call("run --dims 3 --pattern", &pattern);
    assert_eq!((first.code, again.code), (Some(0), Some(0)), "{again:?}");
    assert_eq!(first.stdout.lines().next(), again.stdout.lines().next());
    for (args, path) in [
        ("compile --dims 3 --pattern bitrev --out", schedule),
        ("run --dims 3 --compiled", schedule),
        ("compare --dims 3 --no-synthesis --no-sweeps --json --pattern", &pattern),
    ] {
        let done = call(args, path);
        assert_eq!(done.code, Some(0), "{args}: {done:?}");
    }
    for args in ["run --dims 2 --firmware", "load --image i.bin"] {
        assert_rejected(&call(args, source), 2, "\u{FFFD}.c: No such file or directory");
    }
    assert!(dir.path().join(list).exists() && dir.path().join(schedule).exists());
}

// Where standard output goes.

/// A reader that closes standard output early, as `head` does, causes no failure.
#[test]
fn a_closed_pipe_is_no_error() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = program(dir.path())
        .args(["verilog", "--design", "link"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let stdout = child.stdout.take().unwrap();
    BufReader::with_capacity(64, stdout).read_line(&mut line).unwrap();
    assert!(!line.is_empty());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

/// A full disk causes a failure.
#[cfg(target_os = "linux")]
#[test]
fn a_failed_write_to_standard_output_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = program(dir.path()).args(["route", "1", "2"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("error: cannot write to standard output: "), "{error}");
}

/// A note on standard error that cannot be written does not end a run, whose results are elsewhere.
#[cfg(target_os = "linux")]
#[test]
fn notes_that_cannot_be_written_do_not_end_a_run() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in.csv"), "*,1\n").unwrap();
    let words =
        "run --dims 2 --firmware all_reduce --data in.csv --engine functional --results out.csv";
    let mut command = program(dir.path());
    let noted = command.args(words.split(' ')).output().unwrap();
    let noted = String::from_utf8(noted.stderr).unwrap();
    assert!(noted.starts_with("phasecube: all_reduce: "), "{noted}");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = command.arg("--quiet").stderr(full).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(String::from_utf8(output.stdout)
        .unwrap()
        .contains("all_reduce has ended on 4 of 4 nodes"));
}

/// Help, version and lists are printed by clap or by a command. To a full device all of them fail.
#[cfg(target_os = "linux")]
#[test]
fn help_and_version_to_a_full_device_are_failures() {
    let help = stdout(&["--help"]);
    // The commands are listed with two spaces before their names.
    let commands = help.lines().filter_map(|line| line.strip_prefix("  "));
    let commands = commands.filter_map(|line| line.split(' ').next());
    let is_one = |name: &&str| {
        name.starts_with(char::is_alphabetic) && !["help", "phasecube"].contains(name)
    };
    let commands: Vec<&str> = commands.filter(is_one).collect();
    assert!(commands.contains(&"run") && commands.contains(&"figure12"), "{help}");
    let mut lines: Vec<Vec<&str>> = [
        "--help",
        "-h",
        "--version",
        "-V",
        "help",
        "man",
        "boards",
        "claims",
        "verilog --list",
        "prove --list",
        "equivalence --list",
        "sweep load --help",
        "help sweep load",
        "completions bash",
        "completions elvish",
        "completions fish",
        "completions zsh",
    ]
    .map(|line| line.split(' ').collect())
    .into();
    for command in commands {
        lines.push(vec![command, "--help"]);
        lines.push(vec!["help", command]);
    }
    let dir = tempfile::tempdir().unwrap();
    for line in lines {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = program(dir.path()).args(&line).stdout(full).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        let says = "error: cannot write to standard output: No space left on device";
        assert!(error.starts_with(says), "{line:?}: {error}");
        assert_eq!(output.status.code(), Some(1), "{line:?}");
    }
}
