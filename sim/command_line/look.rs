//! Observing a run: `--wave`, `--watch`, `--from`, `--to`, `--logic-analyzer`.

use crate::command_line::program::{call, program, refused_in, stdout, with_tools, CallResult};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;
use std::{fs, thread};
use wellen::simple::{self, Waveform};

fn open(path: &Path) -> Waveform {
    simple::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Returns the names of all variables.
fn names(wave: &Waveform) -> Vec<String> {
    let hierarchy = wave.hierarchy();
    hierarchy.iter_vars().map(|v| v.full_name(hierarchy)).collect()
}

/// Three simulators, including `rust-hdl`'s own, write the same file.
#[test]
#[ignore = "thorough: compiles with Verilator"]
fn three_engines_write_the_same_file() {
    let dir = tempfile::tempdir().unwrap();
    let [first, second, third] = ["lockstep", "evaluator", "reference"].map(|engine| {
        let file = format!("{engine}.vcd");
        let args = ["run", "--dims", "2", "--pattern", "complement", "--to", "3"];
        let args = [&args[..], &["--engine", engine, "--wave", &file]].concat();
        let done = call(dir.path(), &args);
        assert_eq!(done.code, Some(0), "{done:?}");
        fs::read_to_string(dir.path().join(file)).unwrap()
    });
    assert!(first.lines().count() > 500);
    assert!(first == second && first == third);
}

/// Two simulators write the same file for all chips of a CM-1.
#[test]
fn two_engines_write_the_same_file_of_a_cm1() {
    let dir = tempfile::tempdir().unwrap();
    let [first, second] = ["lockstep", "evaluator"].map(|engine| {
        let file = format!("{engine}.vcd");
        let args = ["run", "--network", "cm1", "--dims", "2", "--processors", "2"];
        let watch = ["--watch", "node[*].*", "shared.*", "--from", "1", "--to", "3"];
        let args = [&args[..], &watch, &["--engine", engine, "--wave", &file]].concat();
        let done = call(dir.path(), &args);
        assert_eq!(done.code, Some(0), "{done:?}");
        fs::read_to_string(dir.path().join(file)).unwrap()
    });
    assert!(first.lines().count() > 2_000);
    assert!(first == second);
}

#[test]
fn only_watched_signals_are_in_the_file() {
    let dir = tempfile::tempdir().unwrap();
    for file in ["a.vcd", "a.fst"] {
        let args = [
            "run",
            "--dims",
            "3",
            "--to",
            "1s",
            "--wave",
            file,
            "--watch",
            "node[0x5].uart.?x",
            "node[3].received",
            "link[3-7].wire",
            "--json",
        ];
        let done = call(dir.path(), &args);
        assert_eq!(done.code, Some(0), "{done:?}");
        let wave = open(&dir.path().join(file));
        let mut names = names(&wave);
        names.sort();
        let wanted = [
            "cube.link[0x3-0x7].wire",
            "cube.node[0x3].node.node.frames.received",
            "cube.node[0x3].node.node.frames.received_text",
            "cube.node[0x3].node.node.received",
            "cube.node[0x3].node.node.received_text",
            "cube.node[0x3].node.received",
            "cube.node[0x3].node.received_text",
            "cube.node[0x3].received",
            "cube.node[0x3].received_text",
            "cube.node[0x5].node.node.frames.uart.rx",
            "cube.node[0x5].node.node.frames.uart.tx",
            "cube.schedule.dimension",
            "cube.schedule.phase",
            "cube.schedule.sending",
            "cube.schedule.superframe",
            "cube.schedule.t",
        ];
        assert_eq!(names, wanted, "{file}");
    }
}

#[test]
fn soft_nodes_and_the_cm1_can_be_watched() {
    let dir = tempfile::tempdir().unwrap();
    let soft = ["run", "--dims", "2", "--firmware", "route", "--wave", "soft.fst"];
    let soft = [&soft[..], &["--watch", "node[1].core.*", "--to", "2"]].concat();
    let cm1 = ["run", "--network", "cm1", "--dims", "2", "--wave", "cm1.vcd"];
    let cm1 = [&cm1[..], &["--from", "1", "--to", "2"]].concat();
    for (args, file, name) in [
        (soft, "soft.fst", "cube.node[0x1].node.core."),
        (cm1, "cm1.vcd", "cm1.node[0x0].router.heart."),
    ] {
        // The program is compiled with the pinned tools.
        let done: CallResult = with_tools(dir.path()).args(args).output().unwrap().into();
        assert_eq!(done.code, Some(0), "{done:?}");
        let wave = open(&dir.path().join(file));
        let names = names(&wave);
        assert!(names.iter().any(|n| n.starts_with(name)), "{names:?}");
        assert!(wave.time_table().len() > 30);
    }
}

#[test]
fn invalid_watches_are_rejected_and_leave_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |args: &[&str], says: &str| {
        refused_in(dir.path(), 2, &[&["run"], args].concat(), says);
    };
    let watch = |glob: &str, says: &str| refused(&["--wave", "a.vcd", "--watch", glob], says);
    watch("node[3].uart.txx", "names there are uart.tx, ");
    watch("node[3].uart", "names there are uart.");
    watch("uart.tx", "accepted: node[ADDRESS].SIGNAL, link[A-B].SIGNAL");
    watch("node[9].uart.tx", "accepted: 0x0 to 0x7");
    watch("link[3-4].wire", "0x3 has links to 0x2, 0x1, 0x7");
    watch("link[3-7].wires", "there are wire, ");
    watch("shared.fase", "phase, ");
    refused(&["--wave", "a.txt"], "accepted: a name that ends in .vcd or .fst");
    refused(&["--watch", "link[*].wire"], "--wave <FILE>");
    refused(&["--from", "3"], "accepted: with --wave, --logic-analyzer");
    refused(&["--wave", "a.vcd", "--from", "12", "--to", "1s"], "--from 12 is not before --to 6");
    refused(&["--wave", "a.vcd", "--from", "3p"], "accepted: decimal");
    refused(
        &["--engine", "reference", "--wave", "a.vcd", "--watch", "node[1].uart.tx"],
        "the reference engine shows ports only, not `node.node.frames.uart.tx`; accepted: --engine evaluator or \
         lockstep",
    );
    refused(&["--logic-analyzer", "3"], "accepted: two of them, as in 3-*");
    refused(&["--logic-analyzer", "3-7", "--json"], "cannot be used with");
    let cm1 = ["--network", "cm1"];
    refused(
        &[&cm1[..], &["--logic-analyzer", "0-1"]].concat(),
        "--logic-analyzer is a flag of tdma or torus or metacube; accepted: --network tdma or torus",
    );
    refused(
        &[&cm1[..], &["--wave", "a.vcd", "--to", "2s"]].concat(),
        "accepted: --from and --to in petit cycles",
    );
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_cannot_be_written_fails_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let done = call(dir.path(), &["run", "--wave", "no/a.vcd"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("no/a.vcd cannot be written"), "{done:?}");
}

#[test]
fn a_link_is_printed_as_by_a_logic_analyzer() {
    let args = ["run", "--dims", "3", "--pattern", "complement", "--to", "1s"];
    let text = stdout(&[&args[..], &["--logic-analyzer", "3-7"]].concat());
    for says in [
        "Link 0x3-0x7, dimension 2. Of the 6 phases of a superframe 0x3 sends in 4 and 0x7 in 5.",
        "Phase 4: node 0x3 drives the wire, node 0x7 listens. One bit-time is 8 clock cycles.",
        "AA  sync",
        "80  header: a routed message",
        "07  destination, low byte",
        "The CRC fits a frame of node 0x3 in its phase.",
        "Node 0x7 answers ACK: it has the frame.",
        "3-cube, acked link, lockstep engine: 8 of 8 messages delivered",
    ] {
        assert!(text.contains(says), "{text}");
    }
}

#[test]
fn a_superframe_and_a_route_are_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["run", "--dims", "3", "--pattern", "relation:9", "--from", "2s"];
    let args = [&args[..], &["--picture", "p.svg", "--message", "8"]].concat();
    let done = call(dir.path(), &args);
    assert_eq!(done.code, Some(0), "{done:?}");
    let svg = fs::read_to_string(dir.path().join("p.svg")).unwrap();
    for says in ["3-cube, superframe 2: ", "phase 5", "Message 8 from 0x"] {
        assert!(svg.contains(says), "{svg}");
    }
    let refused = |args: &[&str], says: &str| {
        refused_in(dir.path(), 2, &[&["run"], args].concat(), says);
    };
    refused(&["--picture", "q.svg", "--message", "8"], "there are 8 messages; accepted: 0 to 7");
    refused(&["--message", "1"], "--picture <FILE.svg>");
    refused(
        &["--network", "cm1", "--picture", "q.svg", "--message", "1"],
        "a machine without a schedule; accepted: no --from and no --message",
    );
    assert!(!dir.path().join("q.svg").exists());
}

/// For a machine without a schedule, the picture shows each message as a bar over its time in the
/// network. The last bar ends with the run, and the shortest route has one link.
#[test]
fn messages_are_drawn_over_time() {
    let dir = tempfile::tempdir().unwrap();
    let args = "run --network torus --radix 4,4 --pattern permutation --picture - --quiet";
    let printed = |args: &str| {
        let words: Vec<&str> = args.split(" ").collect();
        call(dir.path(), &words).stdout
    };
    let svg = printed(args);
    let bars = svg.matches("class=\"taken\"").count();
    let json = printed(&args.replace("--picture -", "--json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let number = |name: &str| json[name].as_u64().unwrap();
    // The legend has one more bar, and messages to their own source have no bar.
    assert_eq!(number("delivered") - number("to_self"), bars as u64 - 1);
    let last = json["latency"]["max"].as_u64().unwrap();
    for says in [&*format!("messages arrived in {last} "), "1 link", "in flight"] {
        assert!(svg.contains(says), "{says}: {svg}");
    }
}

/// Long runs with a waveform.
const TDMA: &str = "--pattern relation:20000 --payload 2 --watch node[1].* link[*].*";
const CM1: &str = "--network cm1 --processors 2 --pattern relation:20000 --watch node[*].*";

fn long_run(dir: &Path, file: &str, args: &str) -> Child {
    let mut program = program(dir);
    program.args(["run", "--dims", "3", "--wave", file]);
    program.args(args.split(' '));
    let child = program.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    // It has begun when there is a file, and is far when the file is large.
    while fs::metadata(dir.join(file)).map_or(0, |file| file.len()) < 600_000 {
        thread::sleep(Duration::from_millis(20));
    }
    child
}

/// Ctrl-C and SIGTERM end the file as the end of the run would; even one that is killed has
/// a file that opens.
#[cfg(unix)]
#[test]
#[ignore = "thorough: long runs"]
fn a_stopped_run_leaves_a_readable_file() {
    use std::process::Command;
    let dir = tempfile::tempdir().unwrap();
    for (file, args, signal) in [
        ("int.fst", TDMA, "INT"),
        ("int.vcd", TDMA, "INT"),
        ("kill.vcd", TDMA, "KILL"),
        ("kill.fst", TDMA, "KILL"),
        ("cm1.fst", CM1, "INT"),
        ("term.fst", TDMA, "TERM"),
        ("cm1_term.fst", CM1, "TERM"),
    ] {
        let child = long_run(dir.path(), file, args);
        let kill = format!("kill -{signal} {}", child.id());
        let done = Command::new("sh").args(["-c", &kill]).status();
        assert!(done.unwrap().success());
        let output = child.wait_with_output().unwrap();
        let code = match signal {
            "INT" => Some(130),
            "TERM" => Some(143),
            _ => None,
        };
        assert_eq!(output.status.code(), code, "{output:?}");
        let mut wave = open(&dir.path().join(file));
        let times = wave.time_table();
        assert!(times.len() > 500, "{file}: {} times", times.len());
        let hierarchy = wave.hierarchy();
        let wires = hierarchy.iter_vars();
        let wires = wires.filter(|v| ["wire", "cube_out"].contains(&v.name(hierarchy)));
        let wires: Vec<_> = wires.map(|var| var.signal_ref()).collect();
        wave.load_signals(&wires);
        let changes = |wire| wave.get_signal(wire).unwrap().iter_changes().count();
        let changes: usize = wires.into_iter().map(changes).sum();
        assert!(changes > 50, "{file}: {changes} changes");
    }
}
