//! The generated program's own code: runs kernels in `rust-hdl`'s simulator and
//! in the evaluator of what they were lowered to, and compares every output in
//! every clock cycle. One line for every kernel:
//!
//! * `ok <kernel> <outputs> <outputs that changed>`
//! * `FAIL <kernel>: <what is wrong>`
//!
//! With a folder as its argument it writes for every kernel `<kernel>.v`, its
//! Verilog, and `<kernel>.trace`, what the simulator of `rust-hdl` did: a line
//! `in <name> <width>` or `out <name> <width>` for every port, a line `--`, and
//! then a line for every clock cycle with the settled values of the ports, in
//! the same order, in hexadecimal.

use num_bigint::BigUint;
use phasecube::engine::agree::{all_alive, compare, trace, Trace};
use phasecube::engine::{Engine, EvaluatorEngine, Port, Reference, Stimulus};
use phasecube::lower::{lower, Circuit};
use std::fmt::Write as _;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A stimulus changes its temper rarely: a kernel gets several, one after the
/// other.
const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];
const CYCLES: usize = 40;

pub struct Runner {
    out: Option<PathBuf>,
    failures: usize,
}

impl Runner {
    pub fn from_args() -> Self {
        // A panic is reported with the kernel it happened in.
        std::panic::set_hook(Box::new(|_| {}));
        Runner {
            out: std::env::args_os().nth(1).map(PathBuf::from),
            failures: 0,
        }
    }

    pub fn run<C: Circuit + Default + 'static>(&mut self, name: &str) {
        let out = self.out.as_deref();
        let result = catch_unwind(AssertUnwindSafe(|| check::<C>(name, out)));
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

/// The number of outputs, and of those that changed.
fn check<C: Circuit + Default + 'static>(
    name: &str,
    out: Option<&Path>,
) -> Result<(usize, usize), String> {
    let text = |e: &dyn std::fmt::Display| e.to_string();
    let design = lower(&C::default()).map_err(|e| format!("refused: {e}"))?;
    let mut reference = Reference::new(C::default()).map_err(|e| text(&e))?;
    let mut evaluator = EvaluatorEngine::new(&design).map_err(|e| text(&e))?;
    let expected = run(&mut reference)?;
    let found = run(&mut evaluator)?;
    let ports = reference.ports().to_vec();
    let outputs = ports.iter().filter(|p| !p.input).map(|p| p.name.clone());
    let outputs: Vec<String> = outputs.collect();
    let (a, b) = ((reference.name(), &expected), (evaluator.name(), &found));
    compare(&outputs, a, b).map_err(|e| text(&e))?;
    if let Some(out) = out {
        let verilog = phasecube::verilog::emit(&design).to_string();
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
        all_alive(&outputs[i..=i], &column).is_ok()
    };
    let alive = (0..outputs.len()).filter(|i| alive(*i)).count();
    Ok((outputs.len(), alive))
}

fn run(engine: &mut dyn Engine) -> Result<Trace, String> {
    let mut all = vec![];
    for seed in SEEDS {
        all.extend(trace(engine, seed, CYCLES).map_err(|e| format!("{}: {e}", engine.name()))?);
    }
    Ok(all)
}

fn trace_text(ports: &[Port], outputs: &Trace) -> String {
    let mut text = String::new();
    for port in ports {
        let direction = if port.input { "in" } else { "out" };
        let _ = writeln!(text, "{direction} {} {}", port.name, port.width);
    }
    text += "--\n";
    let inputs = SEEDS.iter().flat_map(|seed| {
        let mut stimulus = Stimulus::new(ports, *seed);
        (0..CYCLES).map(move |_| stimulus.next_cycle().to_vec())
    });
    for (inputs, outputs) in inputs.zip(outputs) {
        let (mut inputs, mut outputs) = (inputs.iter(), outputs.iter());
        let values = ports.iter().map(|port| {
            let value: Option<&BigUint> = if port.input {
                inputs.next()
            } else {
                outputs.next()
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
