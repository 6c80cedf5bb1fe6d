//! `phasecube simulate`: runs the user's Verilog in many lanes.

mod run;

use super::files::{self, OutputTarget};
use super::output::Report;
use super::verilog_flags::{assignment, VerilogFlags};
use super::{build_dir, interrupt, CliError};
use anyhow::{anyhow, Context};
use clap::Args;
use import::{ClockEdge, Imported, YosysJob};
use lab::simulate::{self, Check, Stimulus, CHECK_WORDS};
use machine::flags::{within, LockstepFlags, OutputFile};
use machine::text::format_count;
use machine::verilog::{self, ElaborateOptions};
use run::Run;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;
use toolchain::progress::{self, ProgressStep};
use toolchain::Toolchain;

/// Run your own Verilog, up to 65,536 copies at a time
///
/// yosys elaborates the files, and the lockstep engine runs the lanes, which are independent copies
/// of the top module. The design has one clock port. An input is constant (--set), a column of a CSV
/// file (--in), or random (--seed), and otherwise 0. Undefined values (x) are 0. The signature of a lane
/// depends on all outputs in all clock cycles: lanes with equal outputs have equal signatures.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube simulate counter.v --clocks 100 --set en=1\n  phasecube simulate core.v bus.v --top core --lanes 1024 --seed 7 --check\n  phasecube simulate core.v --in stimulus.csv --out outputs.csv --wave core.vcd"
)]
pub struct SimulateArgs {
    /// Verilog and SystemVerilog files, in the order in which they are read
    #[arg(id = "verilog", required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten, next_help_heading = "Design")]
    design: VerilogFlags,

    /// Copies of the design, 1 to 65,536
    #[arg(long, value_name = "N", default_value = "1", value_parser = within::<u32>(1, 65_536), help_heading = "Run")]
    lanes: u32,

    /// Clock cycles, 1 to 1,000,000,000
    #[arg(long, value_name = "N", default_value = "1000", value_parser = within::<u64>(1, 1_000_000_000), help_heading = "Run")]
    clocks: u64,

    /// End when this signal has been other than 0 in each lane
    #[arg(long, value_name = "SIGNAL", help_heading = "Run")]
    until: Option<String>,

    #[command(flatten, next_help_heading = "Run")]
    lockstep: LockstepFlags,

    /// Constant value of an input; can be repeated
    #[arg(long = "set", value_name = "INPUT=VALUE", value_parser = assignment, help_heading = "Inputs")]
    constants: Vec<(String, String)>,

    /// CSV file with the columns clock, lane (optional) and names of inputs; a value holds until the
    /// next row that changes it
    #[arg(long = "in", value_name = "FILE", help_heading = "Inputs")]
    input: Option<PathBuf>,

    /// Give all other inputs random values, different in each lane and clock cycle
    #[arg(long, value_name = "N", help_heading = "Inputs")]
    seed: Option<u64>,

    /// Lanes of --out and --wave; can be repeated
    #[arg(long = "lane", value_name = "N", default_value = "0", help_heading = "Output")]
    shown: Vec<u32>,

    /// Write the outputs of the lanes of --lane in each clock cycle to this CSV file; - for standard
    /// output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out: Option<OutputFile>,

    /// Write all signals of the lanes of --lane to this file, whose name ends in .vcd or .fst
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    wave: Option<OutputFile>,

    /// Write the signature of each lane to this CSV file; - for standard output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    signatures: Option<OutputFile>,

    /// Also run Verilator, and compare every output in every clock cycle of every lane
    #[arg(long, conflicts_with = "until", help_heading = "Output")]
    check: bool,

    /// Print one JSON object and nothing else
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// Result of a simulation, for `--json`.
#[derive(Debug, Serialize)]
struct SimulationReport {
    top: String,
    /// Clock port and its active edge, if the design has one.
    clock: Option<String>,
    lanes: usize,
    /// Number of clock edges.
    clocks: u64,
    registers: usize,
    memories: usize,
    warnings: Vec<String>,
    /// Seconds of yosys and of the import, and seconds of the run.
    elaboration_seconds: f64,
    run_seconds: f64,
    /// Clock cycle in which the signal of `--until` was first other than 0, by lane.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Vec<Option<u64>>>,
    /// Values that Verilator confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    checked: Option<u64>,
    /// Last outputs of the lanes of `--lane`, in hexadecimal.
    outputs: Vec<LaneOutputs>,
    /// By lane, in hexadecimal.
    signatures: Vec<String>,
}

#[derive(Debug, Serialize)]
struct LaneOutputs {
    lane: usize,
    values: Vec<(String, String)>,
}

/// Elaborates the design, runs it and reports the result.
pub fn simulate(args: &SimulateArgs) -> Result<(), CliError> {
    let out = OutputTarget::from_flag("--out", args.out.as_ref())?;
    let wave = OutputTarget::from_flag("--wave", args.wave.as_ref())?;
    let signatures = OutputTarget::from_flag("--signatures", args.signatures.as_ref())?;
    let report_to = Report::avoiding([&out, &wave, &signatures]);
    if let Some(lane) = args.shown.iter().find(|lane| **lane >= args.lanes) {
        return Err(CliError::BadInput(anyhow!(
            "--lane {lane} does not exist; accepted: 0 to {}",
            args.lanes - 1
        )));
    }
    let tools = Toolchain::open()?;
    let work_dir = build_dir().join("simulate");
    let job = args.design.job(&args.files)?;
    let options = ElaborateOptions { delays: args.design.delays(), has_signature: true };
    let started = Instant::now();
    let step = ProgressStep::quiet("yosys: reading the design");
    let elaborated = verilog::elaborate(&job, options, &tools, &work_dir)?;
    drop(step);
    let imported = &elaborated.imported;
    let elaboration_seconds = started.elapsed().as_secs_f64();
    let stimulus = stimulus(args, imported)?;
    let warnings = [&elaborated.warnings[..], &imported.notes].concat();
    if !args.json {
        warnings.iter().for_each(|line| progress::note(line));
    }

    let mut run = Run::new(args, imported, &stimulus, &out, &wave)?;
    let stop = interrupt::listen();
    let started = Instant::now();
    let step = ProgressStep::quiet("simulating");
    while run.simulation.clock() < args.clocks && !run.is_done() && !stop.is_requested() {
        run.cycle(args.clocks)?;
    }
    drop(step);
    let run_seconds = started.elapsed().as_secs_f64();
    let clocks = run.simulation.clock();
    let lane_signatures = run.simulation.signatures()?.into_iter();
    let lane_signatures = lane_signatures.map(|signature| format!("{signature:016x}"));
    let lane_signatures: Vec<String> = lane_signatures.take(args.lanes as usize).collect();
    let outputs = run.finish()?;
    if let Some(target) = &signatures {
        write_signatures(target, &lane_signatures)?;
    }
    let checked = match args.check && !stop.is_requested() {
        true => Some(check(args, &job, imported, &stimulus, &tools)?),
        false => None,
    };
    let report = SimulationReport {
        top: imported.top.clone(),
        clock: imported.clock.as_ref().map(clock_text),
        lanes: args.lanes as usize,
        clocks,
        // The register of the signature is not the user's.
        registers: imported.netlist.registers.len() - 1,
        memories: imported.netlist.memories.len(),
        warnings,
        elaboration_seconds,
        run_seconds,
        until: args.until.as_ref().map(|_| run.until.clone()),
        checked,
        outputs,
        signatures: lane_signatures,
    };
    report_to.print_json_or(args.json, &report, || text(&report, args))?;
    if stop.is_requested() {
        return Err(stop.error("while simulating"));
    }
    Ok(())
}

fn clock_text((name, edge): &(String, ClockEdge)) -> String {
    match edge {
        ClockEdge::Rising => format!("posedge {name}"),
        ClockEdge::Falling => format!("negedge {name}"),
    }
}

fn write_signatures(target: &OutputTarget, signatures: &[String]) -> Result<(), CliError> {
    let mut text = "lane,signature\n".to_owned();
    for (lane, signature) in signatures.iter().enumerate() {
        let _ = writeln!(text, "{lane},{signature}");
    }
    target.write(|file| Ok(file.write_all(text.as_bytes())?)).map_err(CliError::Failed)
}

/// Largest CSV file of inputs, in bytes.
const INPUT_MAX: u64 = 256 << 20;

fn stimulus(args: &SimulateArgs, imported: &Imported) -> Result<Stimulus, CliError> {
    let bad = |error: simulate::StimulusError| CliError::BadInput(error.into());
    let mut stimulus = Stimulus::new(&imported.netlist, args.lanes as usize, args.seed);
    for (port, value) in &args.constants {
        stimulus.set_constant(port, value).map_err(bad)?;
    }
    if let Some(path) = &args.input {
        let text = files::read(path, INPUT_MAX)?;
        let text = String::from_utf8(text).map_err(|_| {
            CliError::BadInput(anyhow!("{} is not UTF-8; accepted: a CSV file", path.display()))
        })?;
        stimulus
            .add_csv(&text)
            .with_context(|| format!("--in {}", path.display()))
            .map_err(CliError::BadInput)?;
    }
    Ok(stimulus)
}

fn check(
    args: &SimulateArgs,
    job: &YosysJob,
    imported: &Imported,
    stimulus: &Stimulus,
    tools: &Toolchain,
) -> Result<u64, CliError> {
    let outputs = imported.netlist.outputs.iter();
    let words: u64 = outputs.map(|o| u64::from(imported.netlist.width(o.net).div_ceil(64))).sum();
    let all = words.saturating_mul(args.clocks).saturating_mul(args.lanes.into());
    if all > CHECK_WORDS as u64 {
        return Err(CliError::BadInput(anyhow!(
            "--check would compare {all} words of outputs; accepted: up to {CHECK_WORDS}, with fewer \
             --lanes or --clocks"
        )));
    }
    let step = ProgressStep::quiet("comparing with Verilator");
    let work_dir = build_dir().join("simulate");
    let subject =
        Check { job, imported, stimulus, lanes: args.lanes as usize, clocks: args.clocks };
    let checked = simulate::check(&subject, tools, &work_dir)?;
    drop(step);
    checked.map_err(|difference| {
        CliError::Failed(anyhow!(
            "{} differs in lane {}, clock cycle {}: {:#x} here, {:#x} in Verilator",
            difference.output,
            difference.lane,
            difference.clock,
            difference.lockstep,
            difference.verilator
        ))
    })
}

/// Describes the result for a reader.
fn text(report: &SimulationReport, args: &SimulateArgs) -> String {
    let mut text = String::new();
    let clock = report.clock.as_deref().unwrap_or("no clock");
    let _ = writeln!(
        text,
        "{}: {clock}, {}, {}; elaborated in {:.2} s",
        report.top,
        format_count(report.registers as u64, "register"),
        format_count(report.memories as u64, "memory port"),
        report.elaboration_seconds
    );
    let cycles = report.clocks as f64 * report.lanes as f64;
    let _ = writeln!(
        text,
        "{} of {}: {:.3} s, {:.1} million clock cycles of a lane per second",
        format_count(report.clocks, "clock cycle"),
        format_count(report.lanes as u64, "lane"),
        report.run_seconds,
        cycles / report.run_seconds.max(1e-9) / 1e6
    );
    if let (Some(until), Some(signal)) = (&report.until, &args.until) {
        let reached: Vec<u64> = until.iter().flatten().copied().collect();
        let _ = match (reached.iter().min(), reached.iter().max()) {
            (Some(first), Some(last)) => writeln!(
                text,
                "{signal} was other than 0 in {} of {} lanes, first in clock cycles {first} to {last}",
                reached.len(),
                until.len()
            ),
            _ => writeln!(text, "{signal} was 0 in each lane and clock cycle"),
        };
    }
    if let Some(values) = report.checked {
        let _ = writeln!(text, "Verilator has the same {}", format_count(values, "value"));
    }
    let different: BTreeSet<&String> = report.signatures.iter().collect();
    let _ = writeln!(
        text,
        "signature of lane 0: {}; {}",
        report.signatures[0],
        format_count(different.len() as u64, "different signature")
    );
    for lane in &report.outputs {
        let values = lane.values.iter().map(|(name, value)| format!("{name} = {value}"));
        let values = values.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "lane {}, after the last clock edge: {values}", lane.lane);
    }
    text
}
