//! The pin mux kit. Its hand-written Verilog equals the project's own circuit, its test benches
//! pass and detect faults, and its cost matches its README.

mod benches;
pub mod designs;
mod mutants;

use hdl::lower::{lower, Circuit};
use num_bigint::BigUint;
use phasecube::engine::{CircuitEngine, EnginePort, EvaluatorEngine, Stimulus};
use phasecube::kit::pin_mux;
use phasecube::report::CostTable;
use phasecube::rtl::tdma::{PhaseSequencer, PinMux};
use phasecube::toolchain::{PortSpec, ToolHandle, ToolOrigin, Toolchain};
use phasecube::traffic::SplitMix64;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;
use tempfile::TempDir;

// Writes the kit to a directory and runs its Makefile with the project's tools.

static TOOLS: LazyLock<Toolchain> = LazyLock::new(|| Toolchain::open().unwrap());

/// Returns the kit for `dims` dimensions, with its modules changed by `change`.
fn kit(dims: u32, change: impl Fn(&str) -> String) -> TempDir {
    // The pinned yosys has no access to /tmp.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for file in pin_mux::files(dims) {
        let text = match file.name.as_str() {
            pin_mux::RTL => change(&file.text),
            _ => file.text.clone(),
        };
        std::fs::write(dir.path().join(&file.name), text).unwrap();
    }
    dir
}

/// Returns a tool's command line for a shell.
fn in_shell(handle: &ToolHandle) -> String {
    let command = handle.command();
    let mut words = vec!["env".to_owned()];
    let (set, unset): (Vec<_>, Vec<_>) = command.get_envs().partition(|(_, value)| value.is_some());
    words.extend(unset.iter().map(|(name, _)| format!("-u {}", name.display())));
    for (name, value) in set {
        let value = value.unwrap_or_default();
        words.push(format!("{}='{}'", name.display(), value.display()));
    }
    words.push(format!("'{}'", command.get_program().display()));
    words.extend(command.get_args().map(|a| format!("'{}'", a.display())));
    words.join(" ")
}

/// Runs make in the kit's directory with these tools.
fn make(dir: &Path, tools: &[(&str, ToolHandle)], arguments: &[&str]) -> Output {
    let mut command = Command::new("make");
    command.current_dir(dir).args(arguments);
    for (variable, handle) in tools {
        command.arg(format!("{variable}={}", in_shell(handle)));
    }
    command.output().expect("make is needed to check the kit")
}

/// Simulator of the kit's test benches.
pub struct Simulator {
    /// Name of the make target, and prefix of its log names.
    pub name: &'static str,
    pub tools: Vec<(&'static str, ToolHandle)>,
    /// Further arguments of make.
    pub arguments: Vec<&'static str>,
}

/// Returns Icarus Verilog, or Verilator if it is not available. That is reported on standard error
/// directly, because the test harness captures output.
pub fn icarus_or_verilator() -> Simulator {
    match (TOOLS.iverilog(), TOOLS.vvp()) {
        (Ok(iverilog), Ok(vvp)) => Simulator {
            name: "icarus",
            tools: vec![("IVERILOG", iverilog), ("VVP", vvp)],
            arguments: vec![],
        },
        (Err(error), _) | (_, Err(error)) => {
            let reported = format!("the kit's benches run under Verilator alone: {error}\n");
            std::io::stderr().write_all(reported.as_bytes()).unwrap();
            verilator()
        }
    }
}

fn verilator() -> Simulator {
    let verilator = TOOLS.verilator().unwrap_or_else(|e| panic!("{e}"));
    Simulator {
        name: "verilator",
        arguments: vec![verilator_flags(&verilator)],
        tools: vec![("VERILATOR", verilator)],
    }
}

/// Returns the variable of make with the flags for g++ and Python that the pinned Verilator needs,
/// because its package was built with other versions.
pub fn verilator_flags(verilator: &ToolHandle) -> &'static str {
    match verilator.origin() {
        ToolOrigin::System(_) => "VERILATOR_FLAGS=",
        ToolOrigin::Pinned(_) => {
            "VERILATOR_FLAGS=-MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include \
             -MAKEFLAGS CFG_CXXFLAGS_COROUTINES=-fcoroutines -MAKEFLAGS CFG_CXXFLAGS_STD=-std=c++20 \
             -MAKEFLAGS PYTHON3=python3"
        }
    }
}

/// Returns all output of a process.
fn process_output(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

// The kit's Verilog equals the project's own circuit: the same outputs in every clock cycle, for
// the parameter DIMS at 1, 2, 4 and 12.

const CYCLES: usize = 10_000;

/// Returns the inputs and outputs, named as in the project's circuits.
fn ports(dims: usize) -> Vec<PortSpec> {
    vec![
        PortSpec::input("clock", 1),
        PortSpec::input("dim", 4),
        PortSpec::input("drive", 1),
        PortSpec::input("tx", 1),
        PortSpec::input("level", dims),
        PortSpec::input("phase_clock", 1),
        PortSpec::input("sync", 1),
        PortSpec::input("sides", dims),
        PortSpec::output("rx", 1),
        PortSpec::output("pull", dims),
        PortSpec::output("begin_out", 1),
        PortSpec::output("phase", 5),
        PortSpec::output("dim_out", 4),
        PortSpec::output("transmit", 1),
        PortSpec::output("muted", 1),
    ]
}

/// Returns mux and counter side by side, with DIMS set from outside.
fn both(dims: usize) -> String {
    let top = dims - 1;
    format!(
        "module kit_{dims} (input clock, input [3:0] dim, input drive, input tx, input [{top}:0] level,
            input phase_clock, input sync, input [{top}:0] sides, output rx, output [{top}:0] pull,
            output begin_out, output [4:0] phase, output [3:0] dim_out, output transmit, output muted);
            wire [{top}:0] pin_tx;
            tdma_pin_mux #(.DIMS({dims})) mux (.clock(clock), .dim(dim), .drive(drive), .tx(tx),
                .rx(rx), .pin_tx(pin_tx), .pin_rx(level));
            assign pull = ~pin_tx;
            tdma_phase_counter #(.DIMS({dims})) counter (.clock(clock), .phase_clock(phase_clock),
                .sync(sync), .address(sides), .phase_begin(begin_out), .phase(phase),
                .dim(dim_out), .transmit(transmit), .muted(muted));
        endmodule\n"
    )
}

/// Returns phase clock and sync of a schedule of `phases` phases. One tick in 30 is lost, and one
/// in 30 is doubled.
fn schedule(phases: u64) -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
    let (mut phase, mut level, mut left) = (phases - 2, 0, 1);
    move |random| {
        left -= 1;
        if left == 0 {
            left = 1 + random.below(4);
            level = 1 - level;
            if level == 1 {
                let step = [0, 2].get(random.below(60) as usize).copied();
                phase = (phase + step.unwrap_or(1)) % phases;
            }
        }
        vec![level, u64::from(phase == 0)]
    }
}

fn evaluator(block: &impl Circuit) -> EvaluatorEngine {
    EvaluatorEngine::new(&lower(block).unwrap()).unwrap()
}

/// Runs one clock cycle of a circuit. Returns its outputs in this order.
fn cycle(
    engine: &mut dyn CircuitEngine,
    inputs: &[(&str, &BigUint)],
    outputs: &[&str],
) -> Vec<BigUint> {
    for (name, value) in inputs {
        engine.set(engine.port(name), value);
    }
    engine.settle().unwrap();
    let values = outputs.iter().map(|name| engine.get(engine.port(name)));
    let values = values.collect();
    engine.clock().unwrap();
    values
}

fn equal<const DIMS: usize>() {
    let specs = ports(DIMS);
    let inputs = specs[1..].iter().filter(|spec| spec.input);
    let inputs: Vec<EnginePort> = inputs
        .map(|spec| EnginePort { name: spec.name.clone(), width: spec.width as u32, input: true })
        .collect();
    let mut stimulus = Stimulus::new(&inputs, DIMS as u64)
        .script(&["phase_clock", "sync"], schedule(2 * DIMS as u64));
    let stimulus: Vec<Vec<BigUint>> = (0..CYCLES).map(|_| stimulus.next_cycle().to_vec()).collect();

    let kit = pin_mux::files(4);
    let rtl = &kit.iter().find(|file| file.name == pin_mux::RTL).unwrap().text;
    let top = format!("kit_{DIMS}");
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let text = both(DIMS) + rtl;
    let model = TOOLS.verilate(&text, &top, &specs, Some("clock"), models.as_ref());
    let found = model.unwrap().run(&stimulus).unwrap();

    let mut mux = evaluator(&PinMux::<DIMS>::default());
    let mut sequencer = evaluator(&PhaseSequencer::<DIMS>::default());
    let mut seen = vec![BTreeSet::new(); specs.iter().filter(|spec| !spec.input).count()];
    let (mut was_muted, mut slips) = (BigUint::from(1u32), 0u32);
    for (time, (values, found)) in stimulus.iter().zip(&found).enumerate() {
        let named = |names: &[&'static str]| -> Vec<(&'static str, &BigUint)> {
            let value = |name: &str| inputs.iter().position(|port| port.name == name).unwrap();
            names.iter().map(|name| (*name, &values[value(name)])).collect()
        };
        let mut expected =
            cycle(&mut mux, &named(&["dim", "drive", "tx", "level"]), &["rx", "pull"]);
        expected.extend(cycle(
            &mut sequencer,
            &named(&["phase_clock", "sync", "sides"]),
            &["begin", "phase", "dim", "transmit", "muted", "slips"],
        ));
        // The kit does not count slips. A rising edge of `muted` is one.
        let expected_slips = expected.pop().unwrap();
        assert_eq!(found, &expected, "clock cycle {time} of {DIMS} dimensions");
        let muted = found.last().unwrap().clone();
        slips += u32::from(muted > was_muted);
        was_muted = muted;
        assert_eq!(BigUint::from(slips), expected_slips);
        for (seen, value) in seen.iter_mut().zip(found) {
            seen.insert(value.clone());
        }
    }
    // Agreement on constants proves little. With one dimension, `dim` is constant.
    let outputs = specs.iter().filter(|spec| !spec.input);
    for (spec, seen) in outputs.zip(seen) {
        let constant = DIMS == 1 && spec.name == "dim_out";
        assert_eq!(seen.len() < 2, constant, "{}", spec.name);
    }
    assert!(slips > 10, "{slips} slips");
}

#[test]
fn for_one_dimension() {
    equal::<1>();
}

#[test]
fn for_two_dimensions() {
    equal::<2>();
}

#[test]
fn for_four_dimensions() {
    equal::<4>();
}

#[test]
fn for_twelve_dimensions() {
    equal::<12>();
}

// The timing diagram matches the circuit.

/// Returns a signal of the diagram, one value for each clock cycle.
fn wave(diagram: &Value, name: &str) -> Vec<u64> {
    let groups = diagram["signal"].as_array().unwrap().iter();
    let signals = groups.flat_map(|group| match group.as_array() {
        Some(signals) => signals.as_slice(),
        None => std::slice::from_ref(group),
    });
    let signal = signals.into_iter().find(|signal| signal["name"] == name).unwrap();
    let (mut value, mut words) = (0, signal["data"].as_array().into_iter().flatten());
    let waves = signal["wave"].as_str().unwrap().chars();
    waves
        .map(|sign| {
            value = match sign {
                '.' => value,
                '0' => 0,
                '1' => 1,
                _ => words.next().unwrap().as_str().unwrap().parse().unwrap(),
            };
            value
        })
        .collect()
}

#[test]
fn every_drawn_output_matches_the_circuit() {
    let kit = pin_mux::files(4);
    let file = kit.iter().find(|file| file.name == "timing.json").unwrap();
    let diagram: Value = serde_json::from_str(&file.text).unwrap();
    let design = lower(&PinMux::<2>::default()).unwrap();
    let mut mux = EvaluatorEngine::new(&design).unwrap();
    let [dim, drive, tx, rx0, rx1] =
        ["dim", "drive", "tx", "pin_rx[0]", "pin_rx[1]"].map(|name| wave(&diagram, name));
    let [pin0, pin1, rx] = ["pin_tx[0]", "pin_tx[1]", "rx"].map(|name| wave(&diagram, name));
    assert!(dim.len() > 20);
    for i in 0..dim.len() {
        let drawn = (pin0[i], pin1[i], rx[i]);
        let pull = mux.get_u64(mux.port("pull"));
        let is = (1 - (pull & 1), 1 - (pull >> 1), mux.get_u64(mux.port("rx")));
        assert_eq!(drawn, is, "column {i}");
        let level = rx0[i] | rx1[i] << 1;
        for (name, value) in [("dim", dim[i]), ("drive", drive[i]), ("tx", tx[i]), ("level", level)]
        {
            mux.set_u64(mux.port(name), value);
        }
        mux.clock().unwrap();
    }
}

/// Returns a line of the drawing, with two characters for each clock cycle.
fn drawn(name: &str, values: &[u64]) -> String {
    let mut line = format!("    {name:<11} ");
    let mut before = values[0];
    for &value in values {
        line += match (before, value) {
            (1, 1) => "--",
            (1, 0) => "\\_",
            (0, 0) => "__",
            _ => "/-",
        };
        before = value;
    }
    line + "\n"
}

/// The README contains the same diagram as text.
#[test]
fn the_drawing_in_the_readme_is_the_diagram() {
    let kit = pin_mux::files(4);
    let text = |name| &kit.iter().find(|file| file.name == name).unwrap().text;
    let diagram: Value = serde_json::from_str(text("timing.json")).unwrap();
    for name in ["drive", "tx", "pin_rx[0]", "pin_rx[1]", "pin_tx[0]", "pin_tx[1]", "rx"] {
        let line = drawn(name, &wave(&diagram, name));
        assert!(text("README.md").contains(&line), "{line}");
    }
}

// The kit is synthesised for three targets, and its cost matches its README.

#[test]
#[ignore = "thorough: synthesises with yosys"]
fn for_ice40_ecp5_and_generic_luts() {
    let dir = kit(4, str::to_owned);
    let yosys = TOOLS.yosys().unwrap();
    let output = make(dir.path(), &[("YOSYS", yosys)], &["synth"]);
    let printed = process_output(&output);
    assert!(output.status.success(), "{printed}");
    for target in ["ice40", "ecp5", "generic"] {
        let log = dir.path().join(format!("build/synth-{target}.log"));
        let log = std::fs::read_to_string(log).unwrap();
        for latch in ["DLATCH", "$_DLATCH", "SB_LATCH"] {
            assert!(!log.contains(latch), "{target}: {log}");
        }
        // Open-drain wires become tristate buffers instead of constant pads.
        assert!(log.contains("$_TBUF_"), "{target}: {log}");
        let cell = match target {
            "ice40" => "SB_DFF",
            "ecp5" => "TRELLIS_FF",
            _ => "$_DFF_P_",
        };
        assert!(log.matches(cell).count() >= 5, "{target}: {log}");
    }
}

/// Measures the table in the README as the README describes.
#[test]
#[ignore = "thorough: synthesises with yosys"]
fn the_readme_states_the_cost() {
    let kit = pin_mux::files(4);
    let text = |name| &kit.iter().find(|file| file.name == name).unwrap().text;
    let dir = concat!(env!("CARGO_TARGET_TMPDIR"), "/kit-cost");
    for top in ["tdma_pin_mux", "tdma_phase_counter", "tdma_clocked_pins", "tdma_selected_pins"] {
        let table = CostTable::of_verilog(&TOOLS, text(pin_mux::RTL), top, dir.as_ref()).unwrap();
        let cost = &table.blocks[0];
        let row = format!("| `{top}` | {} | {} |", cost.logic_cells, cost.flip_flops);
        assert!(text("README.md").contains(&row), "the README lacks {row}");
    }
}
