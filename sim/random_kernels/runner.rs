//! The generated program's fixed code. It runs kernels in `rust-hdl`'s simulator and in the
//! evaluator of the lowered circuit, and compares every output in every clock cycle. It prints one
//! line for each kernel:
//!
//! * `ok <kernel> <outputs> <outputs that changed>`
//! * `FAIL <kernel>: <what is wrong>`
//!
//! With a folder as its argument, it writes two files for each kernel. `<kernel>.v` is its Verilog.
//! `<kernel>.trace` is the trace of the `rust-hdl` simulator. It has a line `in <name> <width>` or
//! `out <name> <width>` for each port and a line `--`. Then one line for each clock cycle gives the
//! settled values of the ports in the same order, in hexadecimal.

use lockstep::design::Design;
use num_bigint::BigUint;
use phasecube::engine::agree::{check_all_outputs_change, compare, Trace};
use phasecube::engine::{CircuitEngine, EnginePort, EvaluatorEngine, PortId, ReferenceEngine};
use hdl::lower::{lower, Circuit};
use phasecube::traffic::SplitMix64;
use std::fmt::Write as _;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use testbench::{BenchError, TestBench};

const CYCLES: usize = 120;

pub struct KernelRunner {
    out: Option<PathBuf>,
    failures: usize,
}

impl KernelRunner {
    pub fn from_args() -> Self {
        // A panic is reported with the kernel in which it occurred.
        std::panic::set_hook(Box::new(|_| {}));
        KernelRunner {
            out: std::env::args_os().nth(1).map(PathBuf::from),
            failures: 0,
        }
    }

    pub fn run<C: Circuit + Default + 'static>(&mut self, name: &str) {
        self.report(name, &circuit::<C>);
    }

    fn report(&mut self, name: &str, circuit: &dyn Fn() -> Result<LoweredAndReference, String>) {
        let out = self.out.as_deref();
        let check = || check(name, circuit()?, out);
        let result = catch_unwind(AssertUnwindSafe(check));
        match result.unwrap_or_else(|panic| Err(message(&*panic))) {
            Ok((outputs, alive)) => println!("ok {name} {outputs} {alive}"),
            Err(what) => {
                self.failures += 1;
                println!("FAIL {name}: {}", what.replace('\n', "; "));
            }
        }
    }

    pub fn finish(self) -> ExitCode {
        match self.failures {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        }
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
    format!("panic: {}", text.unwrap_or_default())
}

/// A lowered circuit, and the same circuit in the simulator of `rust-hdl`.
struct LoweredAndReference {
    design: Design,
    reference: Box<dyn CircuitEngine>,
}

/// The only code that is compiled separately for each kernel.
fn circuit<C: Circuit + Default + 'static>() -> Result<LoweredAndReference, String> {
    Ok(LoweredAndReference {
        design: lower(&C::default()).map_err(|e| format!("refused: {e}"))?,
        reference: Box::new(ReferenceEngine::new(C::default()).map_err(|e| e.to_string())?),
    })
}

/// Returns the number of outputs, and of those that changed.
fn check(name: &str, circuit: LoweredAndReference, out: Option<&Path>) -> Result<(usize, usize), String> {
    let LoweredAndReference {
        design,
        mut reference,
    } = circuit;
    let text = |e: &dyn std::fmt::Display| e.to_string();
    let mut evaluator = EvaluatorEngine::new(&design).map_err(|e| text(&e))?;
    let expected = run(&mut *reference)?;
    let found = run(&mut evaluator)?;
    let ports = reference.ports().to_vec();
    let outputs = ports.iter().filter(|p| !p.input).map(|p| p.name.clone());
    let outputs: Vec<String> = outputs.collect();
    let (a, b) = ((reference.name(), &expected), (evaluator.name(), &found));
    compare(&outputs, a, b).map_err(|e| text(&e))?;
    check_observers(&design, &ports, &expected)?;
    if let Some(out) = out {
        let verilog = hdl::verilog::emit(&design).to_string();
        write(&out.join(format!("{name}.v")), &verilog)?;
        write(
            &out.join(format!("{name}.trace")),
            &trace_text(&ports, &expected),
        )?;
    }
    let alive = |i: usize| {
        let column: Trace = expected
            .iter()
            .map(|cycle| vec![cycle[i].clone()])
            .collect();
        check_all_outputs_change(&outputs[i..=i], &column).is_ok()
    };
    let alive = (0..outputs.len()).filter(|i| alive(*i)).count();
    Ok((outputs.len(), alive))
}

/// Runs a test bench. All assertions must hold. Goals and printed lines of the top block must be
/// those that the outputs of the reference show.
fn check_observers(design: &Design, ports: &[EnginePort], expected: &Trace) -> Result<(), String> {
    let text = |e: BenchError| format!("test bench: {e}");
    let mut bench = TestBench::evaluator(design).map_err(text)?;
    bench.echo(false);
    let column = |name: &str| {
        let paths = ["", "bus_", "deep_", "bus_deep_"].map(|bundle| format!("{bundle}{name}"));
        let mut outputs = ports.iter().filter(|port| !port.input);
        outputs.position(|output| paths.contains(&output.name))
    };
    for (inputs, row) in stimulus(ports).iter().zip(expected) {
        for (port, value) in ports.iter().filter(|port| port.input).zip(inputs) {
            bench.set_big(&port.name, value).map_err(text)?;
        }
        if let Some(goal) = column("goal_holds") {
            let found = bench.get("goal.holds", 0).map_err(text)?;
            if found != row[goal] {
                return Err(format!("the goal is {found}, expected {}", row[goal]));
            }
        }
        bench.clock().map_err(text)?;
        let lines = bench.take_printed().into_iter();
        let lines: Vec<String> = lines
            .filter(|line| line.print == "print_1")
            .map(|line| line.text)
            .collect();
        let wanted: Vec<String> = match (column("prints"), column("printed")) {
            (Some(prints), Some(word)) if row[prints] != BigUint::ZERO => {
                let word = &row[word];
                vec![format!("{word}% \"{word:x}\" {word:b}")]
            }
            _ => vec![],
        };
        if lines != wanted {
            return Err(format!("printed {lines:?}, expected {wanted:?}"));
        }
    }
    Ok(())
}

/// Returns inputs for every clock cycle. Each changes in every other clock cycle, half of the times
/// to a corner case.
fn stimulus(ports: &[EnginePort]) -> Trace {
    let mut random = SplitMix64::new(CYCLES as u64);
    let widths: Vec<u32> = ports.iter().filter(|p| p.input).map(|p| p.width).collect();
    let mut values = vec![BigUint::ZERO; widths.len()];
    let mut cycle = || {
        for (value, width) in values.iter_mut().zip(&widths) {
            let all = (BigUint::from(1u32) << *width) - 1u32;
            let noise = (0..width.div_ceil(32)).map(|_| random.next_u64() as u32);
            let noise = BigUint::new(noise.collect());
            *value = match random.below(12) {
                0..=5 => continue,
                6 | 7 => BigUint::from(random.below(12)) & all,
                8 => all,
                _ => noise & all,
            };
        }
        values.clone()
    };
    (0..CYCLES).map(|_| cycle()).collect()
}

fn run(engine: &mut dyn CircuitEngine) -> Result<Trace, String> {
    let ports = engine.ports().to_vec();
    let ids = |input: bool| -> Vec<PortId> {
        let ids = (0..ports.len()).filter(|i| ports[*i].input == input);
        ids.map(PortId).collect()
    };
    let (inputs, outputs) = (ids(true), ids(false));
    let text =
        |engine: &dyn CircuitEngine, e: phasecube::engine::EngineError| format!("{}: {e}", engine.name());
    let mut trace = vec![];
    for values in stimulus(&ports) {
        for (input, value) in inputs.iter().zip(&values) {
            engine.set(*input, value);
        }
        engine.settle().map_err(|e| text(engine, e))?;
        trace.push(outputs.iter().map(|id| engine.get(*id)).collect());
        engine.clock().map_err(|e| text(engine, e))?;
    }
    Ok(trace)
}

fn trace_text(ports: &[EnginePort], outputs: &Trace) -> String {
    let mut text = String::new();
    for port in ports {
        let direction = if port.input { "in" } else { "out" };
        let _ = writeln!(text, "{direction} {} {}", port.name, port.width);
    }
    text += "--\n";
    for (inputs, outputs) in stimulus(ports).iter().zip(outputs) {
        let (mut inputs, mut outputs) = (inputs.iter(), outputs.iter());
        let values = ports.iter().map(|port| {
            let value = match port.input {
                true => inputs.next(),
                false => outputs.next(),
            };
            format!("{:x}", value.expect("a value for every port"))
        });
        text += &values.collect::<Vec<_>>().join(" ");
        text.push('\n');
    }
    text
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
