//! The table that `phasecube bench` prints.

use super::measured::{Measurement, EVALUATOR_NODES};
use super::{BenchArgs, CliError};
use engine::REFERENCE_NODES;
use lab::report::EngineMeasurement;
use toolchain::Toolchain;

/// Formats the description of the measurement, the tools, and the head of the table.
pub fn head(
    tools: &Toolchain,
    measurement: &Measurement,
    args: &BenchArgs,
) -> Result<String, CliError> {
    let machine = &*measurement.job.machine;
    let timebase = machine.timebase();
    let nodes = machine.describe_nodes();
    Ok(format!(
        "{nodes}\n\
         Traffic: relation:32, 4 bytes of payload{}.\n\
         verilator: {}, an object for each node, links exchanged each clock cycle; monolith: the \
         whole machine as one object, up to {} nodes; {}, -O3 -march=native.\n\
         evaluator: up to {EVALUATOR_NODES} nodes; reference: up to {} (rust-hdl's simulator).\n\
         SIMD of this CPU: {}.\n\
         start: from the circuit's source to the first clock cycle; Verilator's with its \
         compilation.\n\
         memory: peak resident memory (VmHWM) of the process of this engine.\n\n{HEAD}",
        match timebase.clock_cycles() {
            1 => String::new(),
            more => format!("; {more} clock cycles a {}", timebase.step_name),
        },
        tools.verilator()?,
        args.monolith,
        tools.cpp_version()?,
        REFERENCE_NODES,
        simd(),
    ))
}

const HEAD: &str = "\
| nodes | engine    | threads | start, s | memory, MB | clock cycles | million node-cycles/s | times Verilator | fingerprint      |
| ----: | --------- | ------: | -------: | ---------: | -----------: | --------------------: | --------------: | ---------------- |
";

/// Formats a row. `first` is the row of Verilator on one thread.
pub fn row(row: &EngineMeasurement, first: &EngineMeasurement) -> String {
    format!(
        "| {:5} | {:9} | {:7} | {:8.2} | {:10.0} | {:12} | {:21.2} | {:15.2} | {} |\n",
        row.nodes,
        row.engine,
        row.threads,
        row.start_seconds,
        row.memory as f64 / 1e6,
        row.clock_cycles,
        row.rate,
        row.rate / first.rate,
        row.fingerprint
    )
}

/// Names the SIMD extension of the CPU that the lockstep engine can use.
fn simd() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        let avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        if avx512 && is_x86_feature_detected!("avx512vl") {
            return "AVX-512";
        }
        if is_x86_feature_detected!("avx2") {
            return "AVX2";
        }
    }
    "none that the lockstep engine uses"
}
