//! The files that a run writes: their destination, files that must not change, and early errors.

use crate::command_line::program::{call, program, refused_in, Done};
use std::fs;
use std::path::Path;

/// Runs a small machine in a directory.
fn run(dir: &Path, args: &[&str]) -> Done {
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
    for (flag, end) in [
        ("--picture", "svg"),
        ("--wave", "vcd"),
        ("--dump-traffic", "csv"),
    ] {
        let (link, real) = (
            format!("link.{end}"),
            at("kept").join(format!("real.{end}")),
        );
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, PermissionsExt::from_mode(0o600)).unwrap();
        symlink(&real, at(&link)).unwrap();
        let done = run(dir.path(), &[flag, &link]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(
            fs::symlink_metadata(at(&link)).unwrap().is_symlink(),
            "{link}"
        );
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
        assert!(Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success());
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
    run(
        dir.path(),
        &[
            "--dump-traffic",
            "a.csv",
            "--picture",
            "a.svg",
            "--wave",
            "a.vcd",
        ],
    );
    for (flag, file) in [
        ("--dump-traffic", "a.csv"),
        ("--picture", "a.svg"),
        ("--wave", "a.vcd"),
    ] {
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
        assert_eq!(
            done.stdout,
            fs::read_to_string(dir.path().join("a.csv")).unwrap()
        );
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
    refused(
        &format!("run {long} --picture dir.svg"),
        "it is a directory",
    );
    refused(
        &format!("run {long} --wave no/w.vcd"),
        "--wave no/w.vcd cannot be written",
    );
    refused(
        &format!("run {long} --picture p.png"),
        "a picture is SVG; accepted: a name that ends in .svg",
    );
    refused(
        "run --json --dump-traffic -",
        "--json and --dump-traffic both go to standard output",
    );
    refused(
        "run --picture - --dump-traffic -",
        "--dump-traffic and --picture both go to",
    );
    refused(
        "run --wave a.vcd --dump-traffic a.vcd",
        "--dump-traffic and --wave both go to",
    );
    #[cfg(unix)]
    {
        let pipe = dir.path().join("w.fst");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        refused(
            "run --wave w.fst",
            "a FST cannot be written to a device or pipe",
        );
        fs::remove_file(&pipe).unwrap();
    }
    // These commands would fetch a compiler, which is not available here.
    refused(
        "run --firmware route --picture no/p.svg",
        "--picture no/p.svg cannot be written",
    );
    refused(
        "run --firmware route --wave w.vcd --watch node[1].nothing",
        "nothing is called",
    );
    refused("run --firmware route --from 3", "accepted: with --wave");
    refused("compare --dims 13", "accepted: 1 to 12");
    refused(
        "compare --out dir.svg/a/b --processors 16 --payload 78",
        "accepted: a payload",
    );
    fs::write(dir.path().join("file"), "").unwrap();
    refused(
        "compare --out file",
        "--out file cannot be made a directory",
    );
    refused(
        "build --design echo --out file",
        "--out file cannot be made a directory",
    );
    refused(
        "monitor --virtual none.bin --log no/log",
        "--log no/log cannot be written",
    );
    refused("bench --dims 13", "accepted: 1 to 12");
    refused("figure12 --dims 13", "accepted: 1 to 12");
    assert_eq!(names(dir.path()), ["dir.svg", "file"]);
}

/// A waveform replaces an existing file only once it has a clock cycle.
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
    let done: Done = verilator.output().unwrap().into();
    assert_eq!(done.code, Some(1), "{done:?}");
    assert_eq!(fs::read(&wave).unwrap(), b"mine");
    // The run ends before the requested time.
    for (flag, file) in [("--wave", "w.vcd"), ("--picture", "p.svg")] {
        let done = run(dir.path(), &[flag, file, "--from", "99s"]);
        assert_eq!(done.code, Some(2), "{done:?}");
        let says = "--from is phase 396, but the run ended in phase 4, of superframe 1, all \
                    counted from 0";
        assert!(done.stderr.contains(says), "{done:?}");
        assert!(done.stdout.starts_with("2-cube, acked link"), "{done:?}");
    }
    assert_eq!(fs::read(&wave).unwrap(), b"mine");
    // Signals that this engine does not show are rejected before it is compiled.
    let args = [args, "--watch node[0].node.node.frames.engine.walk.step"].join(" ");
    let words: Vec<&str> = args.split(' ').collect();
    refused_in(
        dir.path(),
        2,
        &words,
        "the verilator engine shows ports only",
    );
    assert_eq!(names(dir.path()), ["w.vcd"]);
}
