//! Nodes with a core of the user: the examples run `route` as the soft core does, on lockstep and
//! Verilator, and cores with another bus are refused.

use crate::command_line::flags::IDLE;
use crate::command_line::program::{assert_rejected, refused_in, with_tools, CallResult};
use crate::firmware::{builds, firmware, traffic};
use crate::support::cube_runs::{self, same_run};
use lockstep::lanes::LaneOptions;
use phasecube::engine::NodeEngine;
use phasecube::machine::flags::CoreFlags;
use phasecube::machine::user_core::UserCore;
use phasecube::machine::{EndReason, MachineCircuit, RunStats};
use phasecube::networks::tdma::cube::{CubeCircuit, CubeFaults};
use phasecube::toolchain::Toolchain;
use phasecube::topology::Hypercube;
use phasecube::traffic::{Message, TrafficPattern};
use std::path::{Path, PathBuf};

/// Wrappers of the example core.
const WRAPPERS: [&str; 2] = ["node_native", "node_wishbone"];

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/verilog/{name}.v"))
}

fn core(wrapper: &str) -> UserCore {
    let flags = CoreFlags {
        core: vec![example(wrapper), example("rv32i")],
        core_top: Some(wrapper.into()),
    };
    let tools = Toolchain::open().unwrap();
    UserCore::open(&flags, &tools, &builds().join("user-core")).unwrap()
}

/// Runs `route` on the 3-cube.
fn run(core: Option<&UserCore>, is_verilator: bool, messages: &[Message]) -> RunStats {
    let circuit = CubeCircuit::new(Hypercube::of(3), 4, true).unwrap();
    let mut circuit = circuit.with_program(&firmware("route"));
    if let Some(core) = core {
        circuit = circuit.with_core(core.clone());
    }
    let array = circuit.array().unwrap();
    let mut engine: Box<dyn NodeEngine> = match is_verilator {
        true => Box::new(array.verilator(builds()).unwrap()),
        false => Box::new(array.lockstep(&LaneOptions::default()).unwrap()),
    };
    let none = CubeFaults::default();
    cube_runs::run(&mut *engine, &circuit, &none, messages)
}

#[test]
#[ignore = "thorough: yosys"]
fn the_example_cores_route_as_the_soft_core() {
    let cores = WRAPPERS.map(core);
    for pattern in [
        TrafficPattern::Complement,
        TrafficPattern::Bitrev,
        TrafficPattern::Random,
        TrafficPattern::Hotspot,
        TrafficPattern::Relation(3),
    ] {
        let messages = traffic(3, pattern.clone(), 5);
        let own = run(None, false, &messages);
        assert_eq!((own.end, own.figure("late")), (EndReason::Complete, 0));
        for core in &cores {
            let found = run(Some(core), false, &messages);
            same_run(&found, &own, &format!("{pattern} on {}", core.top()));
        }
    }
}

#[test]
#[ignore = "thorough: yosys and Verilator"]
fn verilator_has_the_same_events() {
    let messages = traffic(3, TrafficPattern::Relation(2), 5);
    let own = run(None, false, &messages);
    for core in WRAPPERS.map(core) {
        let found = run(Some(&core), true, &messages);
        same_run(&found, &own, core.top());
    }
}

#[test]
#[ignore = "thorough: yosys"]
fn other_buses_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let said = |changes: &[[&str; 2]], flags: &str| {
        let change = |source: String, [from, to]: &[&str; 2]| {
            assert!(source.contains(from), "{from}");
            source.replace(from, to)
        };
        let source = changes.iter().fold(IDLE.to_owned(), change);
        std::fs::write(dir.path().join("idle.v"), source).unwrap();
        let mut command = with_tools(dir.path());
        let run = "run --dims 2 --pattern complement --firmware route --core idle.v";
        command.args(run.split(' ')).args(flags.split_whitespace());
        let done: CallResult = command.output().unwrap().into();
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{done:?}");
        done.stderr
    };
    let without_sleep = [["output sleep, ", ""], ["assign sleep = 0;", ""]];
    for (changes, expected) in [
        (
            &without_sleep[..],
            "the core idle: it has no port sleep; accepted: output sleep",
        ),
        (
            &[["output [31:0] address", "output [29:0] address"]],
            "the core idle: its port is output [29:0] address; accepted: output [31:0] address",
        ),
        (
            &[["input wake,", "input wake, input irq,"]],
            "the core idle: nothing drives its input irq; accepted: the inputs clock, reset, wake",
        ),
        (
            &[["clock", "clk"]],
            "the core idle: its clock is the rising edge of clk; accepted: the rising edge of clock",
        ),
        (
            &[["posedge", "negedge"]],
            "the core idle: its clock is the falling edge of clock; accepted: the rising edge",
        ),
    ] {
        let said = said(changes, "");
        assert!(said.contains(expected), "{said}");
    }
    let said = said(&[], "--core-top other");
    assert!(said.contains("other"), "{said}");
}

/// Words of both memories and of the port pass the core: a program that is given data returns the
/// same as on the soft core.
#[test]
#[ignore = "thorough: yosys"]
fn a_program_with_data_returns_the_same() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("d.csv"), "0,3,5\n1,7,5\n2,9,5\n3,1,5\n").unwrap();
    let run = |files: &[PathBuf]| {
        let mut command = with_tools(dir.path());
        let run = "run --dims 2 --firmware parallel_sum --data d.csv --results -";
        command.args(run.split(' '));
        files.iter().for_each(|file| {
            command.arg("--core").arg(file);
        });
        let done: CallResult = command.output().unwrap().into();
        assert_eq!(done.code, Some(0), "{done:?}");
        done.stdout
    };
    let own = run(&[]);
    assert!(own.contains("0x3,20,20"), "{own}");
    for wrapper in WRAPPERS {
        assert_eq!(run(&[example(wrapper), example("rv32i")]), own, "{wrapper}");
    }
}

#[test]
#[ignore = "thorough: compiles firmware"]
fn programs_with_background_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let program = "#include \"tdma.h\"\nint main(void)\n{\n\
                   tdma_init(tdma_strapped_address(), tdma_strapped_dims());\n\
                   tdma_background();\nfor (;;)\ntdma_next_phase();\n}\n";
    std::fs::write(dir.path().join("late.c"), program).unwrap();
    std::fs::write(dir.path().join("idle.v"), IDLE).unwrap();
    for rest in ["--pattern complement", "--data none"] {
        let mut command = with_tools(dir.path());
        let run = format!("run --dims 2 --firmware late.c --core idle.v {rest}");
        command.args(run.split(' '));
        let done: CallResult = command.output().unwrap().into();
        let says =
            "late.c calls tdma_background, which needs the second context of the node's own \
                    core; accepted: a program without this call, or no --core";
        assert_rejected(&done, 2, says);
    }
}

#[test]
fn a_core_needs_a_program_and_its_files() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("idle.v"), IDLE).unwrap();
    let refuse = |line: &str, says: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        refused_in(dir.path(), 2, &words, says);
    };
    let run = "run --dims 2 --pattern complement";
    refuse(&format!("{run} --core idle.v"), "accepted: --core with --firmware");
    refuse(&format!("{run} --firmware route --core missing.v"), "missing.v");
    refuse(&format!("{run} --firmware route --core-top idle"), "--core");
}
