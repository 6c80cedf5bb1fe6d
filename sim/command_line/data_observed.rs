//! Runs of programs with data: their log, picture, profile and faults, and programs that compute
//! while nothing moves.

use super::data::{json, run_c};
use super::program::{call, CallResult};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Runs `parallel_sum` on the 3-cube. Every node has the values 1 and 2, so it returns 8 and 16.
fn sum(dir: &Path, args: &str) -> CallResult {
    fs::write(dir.join("d.csv"), "*,1,2\n").unwrap();
    let words = format!("run --firmware parallel_sum --data d.csv {args}");
    call(dir, &words.split_whitespace().collect::<Vec<_>>())
}

fn sum_json(dir: &Path, args: &str) -> Value {
    json(&sum(dir, &format!("{args} --json")))
}

/// Returns the lines of the log about one kind of event.
fn lines<'a>(result: &'a Value, what: &str) -> Vec<&'a Value> {
    let log = result["log"].as_array().unwrap();
    log.iter().filter(|line| line["what"] == what).collect()
}

/// Nodes with clocks of their own return the same values. A machine whose programs wait for ever is
/// still found, although its nodes begin a phase at different times.
#[test]
fn programs_run_on_nodes_with_their_own_clocks() {
    let dir = tempfile::tempdir().unwrap();
    let common = sum_json(dir.path(), "");
    for clocks in ["--skew 0.5", "--skew-tree 2x0.2", "--ppm 500", "--skew 0.3 --ppm 100"] {
        let own = sum_json(dir.path(), clocks);
        for key in ["nodes", "ended"] {
            assert_eq!(own["programs"][key], common["programs"][key], "{clocks}");
        }
        assert!(own["clock_cycles"].as_u64() > common["clock_cycles"].as_u64(), "{clocks}");
    }
    let lone = "run --dims 1 --firmware parallel_sum --data lone.csv --skew 0.5";
    fs::write(dir.path().join("lone.csv"), "0,1\n").unwrap();
    let done = call(dir.path(), &lone.split(' ').collect::<Vec<_>>());
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("nothing has moved for 192 superframes"), "{done:?}");
}

/// A routed message that a node drops is reported with its destination, and is no value of the
/// program. Of the messages for the dead node 3, node 1 sent one across a link that did not answer.
#[test]
fn dropped_messages_are_reported_apart_from_the_values() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("e.csv"), "*,1,2,3\n").unwrap();
    let run = |args: &str| {
        let words = format!("run --dims 2 --firmware echo --data e.csv --dead 3 {args}");
        call(dir.path(), &words.split_whitespace().collect::<Vec<_>>())
    };
    let result = json(&run("--json"));
    let programs = &result["programs"];
    let dropped = programs["dropped"].as_array().unwrap();
    let of_node_1 = dropped.iter().find(|message| message["node"] == 1).unwrap();
    assert_eq!(
        (&of_node_1["destination"], &of_node_1["may_have_arrived"]),
        (&3.into(), &true.into())
    );
    for node in programs["nodes"].as_array().unwrap() {
        let values = node["values"].as_array().unwrap();
        assert!(values.iter().all(Value::is_i64), "{node}");
    }
    let line = "  node 0x1: dropped a message for node 0x3 in phase ";
    assert!(run("").stdout.contains(line));
}

/// The nodes send to the dead node 3, so all messages are dropped. A node ends the run when it has
/// dropped as many messages as `--max-values`. Each is an event of the trace.
#[test]
fn dropped_messages_end_a_run_as_values_do() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("e.csv"), format!("*{}\n", ",3".repeat(9))).unwrap();
    let line = "run --dims 2 --firmware echo --data e.csv --dead 3 --max-values 4 --trace --json";
    let done = call(dir.path(), &line.split(' ').collect::<Vec<_>>());
    assert_eq!(done.code, Some(1), "{done:?}");
    let says = " has dropped 4 messages; --max-values N allows more";
    assert!(done.stderr.contains(says), "{done:?}");
    let result = json(&done);
    let overflow = &result["programs"]["overflow"];
    let dropped = result["programs"]["dropped"].as_array().unwrap();
    let of_node = dropped.iter().filter(|message| message["node"] == *overflow);
    assert_eq!(of_node.count(), 4, "{result}");
    assert_eq!(lines(&result, "output").len(), dropped.len());
}

/// The frames of the log are the ones that the channels counted. In phase p the nodes send across
/// dimension p / 2.
#[test]
fn the_log_has_every_frame_and_every_value() {
    let dir = tempfile::tempdir().unwrap();
    let result = sum_json(dir.path(), "--trace");
    let frames = lines(&result, "fwd");
    assert_eq!(result["hops"], frames.len());
    let mut counts = BTreeMap::<(u64, u64), u64>::new();
    for frame in &frames {
        let number = |key: &str| frame[key].as_u64().unwrap();
        let dim = number("phase") / 2;
        assert_eq!(number("t") % 6, number("phase"), "{frame}");
        assert_eq!(number("node") ^ number("to"), 1 << dim, "{frame}");
        *counts.entry((number("node"), dim)).or_default() += 1;
    }
    for (node, ports) in (0..).zip(result["channel_loads"]["counts"].as_array().unwrap()) {
        for (dim, count) in (0..).zip(ports.as_array().unwrap()) {
            let logged = counts.get(&(node, dim)).copied().unwrap_or(0);
            assert_eq!(count, logged, "{node} {dim}");
        }
    }
    for (what, count) in [("input", 16), ("output", 16), ("exit", 8)] {
        assert_eq!(lines(&result, what).len(), count, "{what}");
    }
    let done = sum(dir.path(), "--trace");
    assert!(done.stdout.contains("  fwd          0x"), "{done:?}");
    let line = |line: &str| line.contains("  exit         0x");
    let exits = done.stdout.lines().filter(|l| line(l)).count();
    assert_eq!(exits, 8, "{done:?}");
    assert!(!sum(dir.path(), "").stdout.contains("fwd"));
}

#[test]
fn the_picture_has_the_frames_of_a_superframe() {
    let dir = tempfile::tempdir().unwrap();
    let result = sum_json(dir.path(), "--trace --picture p.svg --from 1s");
    let drawn = |frame: &&&Value| frame["t"].as_u64().unwrap() / 6 == 1;
    let frames = lines(&result, "fwd");
    let count = frames.iter().filter(drawn).count();
    assert!(count > 0, "{result}");
    let picture = fs::read_to_string(dir.path().join("p.svg")).unwrap();
    let title = format!("3-cube, superframe 1: {count} frames in 24 places");
    assert!(picture.contains(&title), "{picture}");
    assert!(!picture.contains("Message "), "{picture}");
}

#[test]
fn the_profile_adds_up_in_json() {
    let dir = tempfile::tempdir().unwrap();
    let result = sum_json(dir.path(), "--profile");
    let profile = &result["profile"];
    let nodes = profile["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 8);
    let number = |of: &Value, key: &str| of[key].as_u64().unwrap();
    for node in nodes {
        let all: u64 = ["awake", "asleep", "stopped"].iter().map(|k| number(node, k)).sum();
        assert_eq!(result["clock_cycles"], all, "{node}");
        let awake = number(node, "awake");
        assert!((1..awake).contains(&number(node, "instructions")), "{node}");
        assert!(number(node, "service_min") <= number(node, "service_median"));
    }
    let longest = nodes.iter().map(|node| number(node, "service_max")).max();
    let by_phase = profile["longest_service"].as_array().unwrap();
    assert_eq!(by_phase.iter().filter_map(Value::as_u64).max(), longest);
    assert!(number(profile, "window") > 0);

    // Each sample stands for 61 clock cycles of an awake core.
    let awake: u64 = nodes.iter().map(|node| number(node, "awake")).sum();
    let lines = profile["lines"].as_array().unwrap();
    let samples: u64 = lines.iter().map(|line| number(line, "samples")).sum();
    let sampled = 61 * samples;
    assert!((awake * 3 / 4..awake * 5 / 4).contains(&sampled), "{sampled} of {awake}");
    let main = |line: &&Value| line["function"] == "main";
    let main = lines.iter().find(main).expect("main is sampled");
    assert!((1..samples).contains(&number(main, "samples")), "{main}");
}

/// Answers and repetitions hide the noise from the programs. It costs frames.
#[test]
fn noise_costs_frames_and_no_values() {
    let dir = tempfile::tempdir().unwrap();
    let result = sum_json(dir.path(), "--noise 0.003 --seed 5 --trace");
    assert!(result["silences"].as_u64() > Some(0), "{result}");
    assert_eq!(result["silences"], lines(&result, "silent").len());
    for node in result["programs"]["nodes"].as_array().unwrap() {
        assert_eq!(node["values"], serde_json::json!([8, 16]), "{node}");
        assert_eq!(node["exit"], 0);
    }
    let again = sum_json(dir.path(), "--noise 0.003 --seed 5 --trace");
    assert_eq!(again["log"], result["log"]);
    assert_eq!(sum_json(dir.path(), "")["silences"], 0);
}

#[test]
fn a_slip_is_logged_and_costs_no_values() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("e.csv"), "*,8,16\n").unwrap();
    let result = sum_json(dir.path(), "--slip 5@2 --trace --check e.csv");
    assert_eq!(result["slips"], 1);
    let slips = lines(&result, "slip");
    assert_eq!((slips.len(), &slips[0]["node"]), (1, &5.into()));
    assert_eq!(result["check"]["holds"], true, "{result}");
    let done = sum(dir.path(), "--slip 5@2000");
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("so this slip did not happen"), "{done:?}");
}

/// The others wait for a dead node, unless the program works without it.
#[test]
#[ignore = "thorough: compiles firmware"]
fn dead_nodes_are_not_waited_for() {
    let alone = "#include \"ctrl.h\"\n#include \"tdma.h\"\n\
        int main(void)\n{\n\
            uint32_t here = tdma_strapped_address();\n\
            tdma_init((uint16_t)here, tdma_strapped_dims());\n\
            ctrl_send(&here, sizeof here);\n\
            return 0;\n}\n";
    for mode in ["silent", "hung"] {
        let dead = format!("--dims 2 --data none --check addresses.csv --dead 3:{mode}");
        let done = run_c(alone, &dead);
        assert_eq!(done.code, Some(0), "{done:?}");
        for line in [
            "p.c has ended on 3 of 4 nodes",
            "\n0x2        0  2\n0x3     dead\n",
            "check: 3 of 3 nodes returned the expected values",
        ] {
            assert!(done.stdout.contains(line), "{line}: {done:?}");
        }
        let result = json(&run_c(alone, &format!("{dead} --json")));
        assert_eq!(result["programs"]["dead"], serde_json::json!([3]));
    }
    let dir = tempfile::tempdir().unwrap();
    let done = sum(dir.path(), "--dead 5 --superframes 4");
    assert_eq!(done.code, Some(1), "{done:?}");
    let says = "error: 7 of 8 programs have not ended after 4 superframes";
    assert!(done.stderr.contains(says), "{done:?}");
}

/// A machine is stopped if all programs wait. One that computes is not, however long nothing moves.
#[test]
#[ignore = "thorough: compiles firmware, and computes for 192 superframes"]
fn a_program_that_computes_is_not_stopped() {
    let source = "#include \"ctrl.h\"\n#include \"tdma.h\"\n\
        int main(void)\n{\n\
            tdma_init(tdma_strapped_address(), tdma_strapped_dims());\n\
            volatile uint32_t spin = 0;\n\
            while (STOPS)\n\
                tdma_next_phase();\n\
            if (tdma_strapped_address() == 1)\n\
                for (unsigned i = 0; i < 50000; i++)\n\
                    spin += i;\n\
            return 0;\n}\n";
    let args = "--dims 1 --data none --service 300 --json";
    let done = run_c(&source.replace("STOPS", "0"), args);
    assert_eq!(done.code, Some(0), "{done:?}");
    let result = json(&done);
    assert!(result["programs"]["phases"].as_u64() > Some(2 * 192), "{result}");
    let note = "nothing has moved for 192 superframes, but 1 program is computing: node 0x1 at 0x";
    assert!(done.stderr.contains(note), "{done:?}");
    let place = done.stderr.split_once(note).unwrap().1;
    assert!(place.contains(" in main + 0x"), "{done:?}");
    assert!(place.contains(" (p.c:"), "{done:?}");

    let done = run_c(&source.replace("STOPS", "1"), args);
    assert_eq!(done.code, Some(1), "{done:?}");
    let says = "error: 2 of 2 programs have not ended, and nothing has moved for 192 superframes\n";
    assert!(done.stderr.ends_with(says), "{done:?}");
    assert!(!done.stderr.contains("computing"), "{done:?}");
}
