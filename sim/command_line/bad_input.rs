//! Wrong arguments and files: exit code 2, with the fault and the accepted values.

use crate::command_line::program::{assert_rejected, call, refused, refused_in};
use std::fs;

#[test]
fn unknown_commands_and_flags_are_reported() {
    refused(2, &["rout"], "unrecognized subcommand 'rout'");
    refused(2, &["route", "1"], "<D>");
    refused(2, &["route", "1", "2", "--dim", "3"], "unexpected argument '--dim'");
    refused(2, &["run", "--seed"], "a value is required for '--seed <S>'");
    refused(2, &["cost", "--design", "link"], "unexpected argument '--design'");
    refused(2, &["verilog"], "--design <NAME>");
    refused(2, &["cost", "--verilog", "a.v"], "--top <MODULE>");
    refused(2, &["cost", "--verilog", "a.v", "--top", "a"], "a.v: cannot be read");
}

#[test]
fn bad_values_are_reported_with_accepted_ones() {
    for (args, says) in [
        (&["route", "0x", "1"][..], "\"0x\" is not a number; accepted: decimal"),
        (
            &["route", "16", "0", "--dims", "4"],
            "16 (0x10) is outside the 4-cube; accepted: 0x0 to 0xF (0 to 15)",
        ),
        (&["route", "0", "0", "--dims", "0"], "0 dimensions is not possible; accepted: 1 to 16"),
        (&["route", "0", "-1"], "'-1'"),
        (
            &["run", "--dims", "-1"],
            "'-1' for '--dims <N>': \"-1\" is not a number; accepted: decimal",
        ),
        (&["run", "--noise", "-0.5"], "'-0.5' for '--noise <P>': the probability"),
        (&["sweep", "load", "--loads", "-1"], "accepted: above 0"),
        (&["run", "--pattern", "bitrevs"], "there is no pattern \"bitrevs\"; accepted: xor:C"),
        (&["run", "--pattern", "xor:"], "accepted:"),
        (
            &["run", "--engine", "fast"],
            "there is no engine \"fast\"; accepted: reference, evaluator",
        ),
        (&["run", "--link", "noisy"], "there is no link \"noisy\"; accepted: acked, raw"),
        (&["run", "--payload", "79"], "a message cannot carry 79 bytes; accepted: 0 to 78"),
        (&["run", "--seed", "1e3"], "\"1e3\" is not a number"),
        (
            &["verilog", "--design", "cpu"],
            "there is no design \"cpu\"; accepted: pin-mux, phase-clock, phase-sequencer",
        ),
        (&["verilog", "--design", "pin-mux", "--dims", "17"], "accepted: 1 to 16"),
    ] {
        refused(2, args, says);
    }
}

/// A pattern that does not fit the cube is rejected before anything runs.
#[test]
fn patterns_that_do_not_fit_the_cube_are_reported() {
    let run = |pattern: &str, says: &str| {
        let args = ["run", "--dims", "1", "--link", "raw", "--pattern", pattern];
        refused(2, &args, says);
    };
    run("xor:2", "accepted:");
    run("transpose", "accepted:");
    run("file:missing.csv", "missing.csv: cannot be read");
}

/// A list is rejected at its first fault, with line and column.
#[test]
fn faults_in_a_list_are_reported_with_line_and_column() {
    let dir = tempfile::tempdir().unwrap();
    for (list, says) in [
        (&b"0,1\n0,2\n"[..], "list.csv:2:3: the destination 2 (0x2) is outside the 1-cube; accepted: 0x0 to 0x1 (0 to 1)"),
        (b"source,destination\n\n0\n", "list.csv:3:2: the destination is missing"),
        (b"0,1,ABC\n", "list.csv:1:5: the payload \"ABC\" has 3 hex digits"),
        (b"0,1, 0G\n", "list.csv:1:6: 'G' in the payload \"0G\" is not a hex digit"),
        (b"0,1,00,5\n", "list.csv:1:8: \"5\" is one field too many"),
        (b"0,1\n1,\"0\n", "list.csv:2:3: the quote is not closed"),
        (b"0,1\n1,\xFF\n", "list.csv:2:3: the byte 0xFF is not UTF-8"),
        (b"from,to\n0,1\n", "list.csv:1:1: the first line begins with \"from\"; accepted: a node"),
        (b"0,one\n", "list.csv:1:3: the destination \"one\" is not a number"),
        (b"# nothing\n", "list.csv: holds no message; accepted: lines of source,destination[,payload in hex]"),
    ] {
        fs::write(dir.path().join("list.csv"), list).unwrap();
        let args = ["run", "--dims", "1", "--link", "raw", "--pattern", "file:list.csv"];
        refused_in(dir.path(), 2, &args, says);
    }
    // The payload is two bytes too long. None of these lists leaves an output file.
    let list = format!("0,1,{}\n", "00".repeat(80));
    fs::write(dir.path().join("list.csv"), list).unwrap();
    let args = [
        "run",
        "--dims",
        "1",
        "--link",
        "raw",
        "--pattern",
        "file:list.csv",
        "--dump-traffic",
        "dump.csv",
    ];
    refused_in(dir.path(), 2, &args, "list.csv:1:5: the payload has 80 bytes; accepted: 0 to 78");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

/// Error of `--threads` with an engine that has one thread.
const NO_THREADS: &str =
    "--threads: only the lockstep engine has threads; accepted: --engine lockstep, or no --threads";

/// Limits are checked before anything is built or read completely.
#[cfg(unix)]
#[test]
fn limits_are_checked_first() {
    for (args, says) in [
        (
            "run --pattern file:/dev/zero",
            "/dev/zero:1:1: this line is too long",
        ),
        (
            "run --network cm1 --dims 12 --data-bits 4294967295",
            "accepted: 0 to 640",
        ),
        (
            "run --network cm1 --vp-ratio 4294967295",
            "accepted: 1 to 65536",
        ),
        (
            "run --network cm1 --processors 4294967295",
            "accepted: 1, 2, 4, 8 or 16",
        ),
        ("run --network cm1 --rows 0", "accepted: 2 to 16"),
        ("run --threads 0", "'--threads <N>': accepted: 1 to 256"),
        ("run --threads 2 --engine evaluator", NO_THREADS),
        ("panel --firmware route --threads 2 --engine functional", NO_THREADS),
        ("compare --threads 2 --engine reference", NO_THREADS),
        ("sweep load --threads 2 --engine verilator", NO_THREADS),
        ("deadlock --confirm --threads 2 --engine evaluator", NO_THREADS),
        ("figure12 --threads 2 --engine evaluator", NO_THREADS),
        (
            "run --dead 1:hung --dead 2 --dead 0x1:silent",
            "--dead names 0x1 twice; accepted: once",
        ),
        ("run --slip 1@5 --slip 1@6 --slip 1@5", "--slip names 0x1@5 twice; accepted: once"),
        ("run --network metacube --dead 1 --dead 1", "--dead names 0x1 twice"),
        (
            "run --network metacube --exchange lockstep --pattern random",
            "--exchange lockstep is a total exchange, but the pattern is random; accepted: ",
        ),
        (
            "run --network metacube --exchange cyclic --pattern total-exchange --schedule xor",
            "--exchange cyclic has an order of its own; accepted: no --schedule",
        ),
        (
            "run --network metacube --exchange lockstep --firmware route",
            "--exchange lockstep is a plan for nodes without a core; accepted: no --firmware",
        ),
        (
            "run --network metacube --exchange greedy",
            "there is no exchange \"greedy\"; accepted: lockstep, cyclic, pipelined",
        ),
        (
            "run --compiled /nowhere/s.json",
            "--compiled /nowhere/s.json cannot be read",
        ),
        (
            "run --compiled /nowhere/s.json --pattern bitrev",
            "--compiled is a schedule with its messages, which --pattern would change; accepted: \
             no --pattern",
        ),
        ("compile --sweep down", "accepted: up, updown"),
        (
            "compile --dims 4 --pattern bitrev --data -",
            "--data: pair 4 of the order has link 3; accepted: an order that ascends in every superframe",
        ),
        (
            "compile --metacube 1,1 --pattern bitrev --sweep up --data -",
            "--data: the machine has links that are no dimensions; accepted: a cube",
        ),
        (
            "compile --pattern hotspot --sweep up --data -",
            "has two messages to receive; accepted: one",
        ),
        ("compile --metacube 3,1", "accepted: MC(1,1) to MC(1,7)"),
        (
            "run --network metacube --metacube 2,3 --exchange lockstep",
            "accepted: up to 16777216",
        ),
        (
            "run --superframes 0",
            "'--superframes <N>': accepted: 1 to ",
        ),
        (
            "run --picture p.svg --message x",
            "\"x\" is not a number; accepted: ",
        ),
        (
            "run --dims 17",
            "a cube of 17 dimensions is not possible; accepted: 1 to 16",
        ),
        ("figure12 --ratios 0", "'--ratios <V>': accepted: 1 to 64"),
        ("figure12 --seeds 0", "'--seeds <N>': accepted: 1 to 1000"),
        ("bench --phases 0", "'--phases <N>': accepted: 1 to "),
        ("bench --dims 0", "accepted: 1 to 16"),
        ("monitor --baud 4294967295", "accepted: 300 to 12000000"),
        (
            "monitor --virtual /dev/zero",
            "/dev/zero: it is too long; accepted: up to ",
        ),
        (
            "cost --verilog /dev/zero --top a",
            "/dev/zero: it is too long; accepted: up to ",
        ),
    ] {
        refused(2, &args.split(' ').collect::<Vec<_>>(), says);
    }
}

/// A disturbance that did not occur is an error, because the run does not test it.
#[test]
fn a_slip_after_the_end_of_the_run_is_reported() {
    let run = "run --dims 2 --pattern complement --slip";
    for (slip, code) in [("0@3", 0), ("0x1@5", 2), ("3@99999", 2)] {
        let words: Vec<&str> = run.split(' ').chain([slip]).collect();
        let dir = tempfile::tempdir().unwrap();
        let done = crate::command_line::program::call(dir.path(), &words);
        if code == 2 {
            assert_eq!(done.code, Some(2), "{done:?}");
            let says = "the run ended after 5 phases, so this slip did not happen; accepted: ";
            assert!(done.stderr.contains(says), "{done:?}");
            assert!(done.stdout.contains("4 of 4 messages delivered"), "{done:?}");
        } else {
            assert!(done.stdout.contains("1 slip of a node"), "{done:?}");
        }
    }
}

/// An error states a cause once, and names no temporary file.
#[test]
fn errors_are_printed_without_repetition() {
    let dir = tempfile::tempdir().unwrap();
    for args in [
        "run --pattern file:nothing.csv",
        "run --firmware nothing.elf",
        "run --picture no/p.svg",
        "flash nothing.bin",
        "monitor --virtual nothing.bin",
        "core-test nothing",
        "core-test /dev/zero",
        "run --firmware /dev/zero",
        "flash /dev/zero",
    ] {
        let done =
            crate::command_line::program::call(dir.path(), &args.split(' ').collect::<Vec<_>>());
        assert_eq!(done.code, Some(2), "{done:?}");
        assert!(!done.stderr.contains(".tmp"), "{done:?}");
        assert!(done.stderr.matches("(os error 2)").count() <= 1, "{done:?}");
    }
}

#[test]
fn adaptive_routing_rejects_conflicting_flags() {
    for (more, says) in [
        (
            &["--link", "raw"][..],
            "--routing adaptive does not go with --link raw; accepted: --link acked",
        ),
        (
            &["--firmware", "echo"],
            "does not go with a program other than route; accepted: --firmware route, or no --firmware",
        ),
        (
            &["--service-order", "turns"],
            "does not go with --service-order; accepted: no --service-order",
        ),
        (
            &["--network", "metacube"],
            "--routing is a flag of tdma; accepted: --network tdma",
        ),
    ] {
        let args = [&["run", "--dims", "3", "--routing", "adaptive"], more].concat();
        refused(2, &args, says);
    }
    refused(2, &["run", "--routing", "minimal"], "accepted: ecube, adaptive");
}

/// A misspelt word of a list is rejected with the word that is meant. A word that is unlike all of
/// them gets no suggestion.
#[test]
fn misspelt_words_get_suggestions() {
    for (args, word) in [
        ("compil", "compile"),
        ("help rnu", "run"),
        ("sweep lod", "load"),
        ("board --lsten", "--listen"),
        ("run --dism 2", "--dims"),
        ("run --pattern relatoin:3", "relation:H"),
        ("cost crc61", "Crc16"),
        ("run --schedule xro", "xor"),
        ("run --network tors", "torus"),
        ("compare --networks tdma,metcube", "metacube"),
        ("run --engine lockstop", "lockstep"),
        ("run --pattern bit-rev", "bitrev"),
        ("compare --pattern bitrev,complment", "complement"),
        ("run --routing adaptve", "adaptive"),
        ("run --firmware parallel-sum", "parallel_sum"),
        ("load bitonic-sort --image a", "bitonic_sort"),
        ("build --design program", "programs"),
        ("boards --jsn", "--json"),
        ("monitor --board alchitry", "alchitry-cu"),
        ("verilog --design frame-engin", "frame-engine"),
        ("cost Node<9>", "Node<4>"),
        ("prove pin-mx", "pin-mux"),
        ("equivalence urt", "uart"),
        ("sweep phase --axis bauds", "baud"),
        ("sweep load --network ciubes", ""),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let done = call(dir.path(), &args.split(' ').collect::<Vec<_>>());
        assert_rejected(&done, 2, "");
        let tip = done.stderr.lines().find(|line| line.contains("tip: "));
        match word {
            "" => assert_eq!(tip, None, "{args}"),
            word => assert!(tip.unwrap().contains(&format!("'{word}'")), "{args}: {done:?}"),
        }
    }
}
