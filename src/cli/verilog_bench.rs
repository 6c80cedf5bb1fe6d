//! `phasecube bench --verilog`: lanes of the user's Verilog beside Verilator.

use super::bench::{print_row, simd};
use super::files;
use super::output;
use super::verilog_flags::VerilogFlags;
use super::{build_dir, CliError};
use anyhow::{anyhow, Context};
use clap::Args;
use lab::simulate::{parse_program, LaneBench, LaneMeasurement};
use machine::flags::within;
use machine::text::{wrapped, MarkdownTable};
use machine::verilog::{elaborate, ElaborateOptions};
use std::path::{Path, PathBuf};
use std::time::Instant;
use toolchain::progress::ProgressStep;
use toolchain::Toolchain;

/// Flags of `bench --verilog`.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Your own Verilog")]
pub struct VerilogBenchArgs {
    /// Measure copies of the top module of these Verilog files instead of a machine; can be repeated
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["network", "dims", "phases", "monolith", "engines", "sizes"])]
    pub verilog: Vec<PathBuf>,

    #[command(flatten)]
    design: VerilogFlags,

    /// Program of a lane, in the format of $readmemh; can be repeated. Lane i has the program with
    /// the number i modulo their number
    #[arg(long, value_name = "FILE", num_args = 1.., requires_all = ["verilog", "program_memory"])]
    program: Vec<PathBuf>,

    /// Memory for the programs, by its name in the source
    #[arg(long, value_name = "NAME", requires = "program")]
    program_memory: Option<String>,

    /// Numbers of lanes, separated by commas, each 1 to 65,536 [default: 1,64,1024,4096]
    #[arg(long, value_name = "N,N..", value_delimiter = ',', requires = "verilog", value_parser = within::<usize>(1, 65_536))]
    lanes: Vec<usize>,

    /// Clock cycles of each lane [default: 20 million divided by the lanes, 1,000 to
    /// 2 million]
    #[arg(long, value_name = "N", requires = "verilog", value_parser = within::<u64>(1, 1_000_000_000))]
    clocks: Option<u64>,

    /// Seed of the constant random inputs of each lane [default: all inputs are 0]
    #[arg(long, value_name = "N", requires = "verilog")]
    seed: Option<u64>,
}

/// Numbers of lanes that are measured by default.
const LANES: [usize; 4] = [1, 64, 1024, 4096];

/// Clock cycles of all lanes together, and the limits of each lane.
const LANE_CYCLES: u64 = 20_000_000;
const CYCLES_MIN: u64 = 1000;
const CYCLES_MAX: u64 = 2_000_000;

/// Largest file of a program, in bytes.
const PROGRAM_MAX: u64 = 4 << 20;

/// Measures both engines at each number of lanes. Returns the explanation of the result.
pub fn bench(args: &VerilogBenchArgs, json: bool) -> Result<String, CliError> {
    let tools = Toolchain::open()?;
    let work_dir = build_dir().join("bench");
    let programs = args.program.iter().map(|path| program(path));
    let programs = programs.collect::<Result<Vec<_>, _>>()?;
    let job = args.design.job(&args.verilog)?;
    let start = Instant::now();
    let step = ProgressStep::quiet("yosys: reading the design");
    let options = ElaborateOptions { delays: args.design.delays(), has_signature: true };
    let elaborated = elaborate(&job, options, &tools, &work_dir)?;
    drop(step);
    if elaborated.imported.clock.is_none() {
        return Err(CliError::BadInput(anyhow!(
            "{} has no clock; accepted: a design with registers",
            elaborated.imported.top
        )));
    }
    let bench = LaneBench {
        imported: &elaborated.imported,
        job: &job,
        elaboration_seconds: start.elapsed().as_secs_f64(),
        programs,
        memory: args.program_memory.clone(),
        seed: args.seed,
    };
    bench.check_programs()?;
    if !json {
        output::print(&description(&bench, &tools)?)?;
    }
    let lanes = match &args.lanes[..] {
        [] => &LANES[..],
        lanes => lanes,
    };
    let mut rows: Vec<LaneMeasurement> = vec![];
    for &lanes in lanes {
        let default = (LANE_CYCLES / lanes as u64).clamp(CYCLES_MIN, CYCLES_MAX);
        let clocks = args.clocks.unwrap_or(default);
        let first = rows.len();
        for engine in ["verilator", "lockstep"] {
            for threads in [1, 2].into_iter().filter(|threads| *threads <= lanes) {
                let step = ProgressStep::quiet(&format!("{lanes} lanes: {engine}:{threads}"));
                let row = match engine {
                    "verilator" => bench.verilator(lanes, threads, clocks, &tools, &work_dir)?,
                    _ => bench.lockstep(lanes, threads, clocks)?,
                };
                drop(step);
                let verilator = rows.get(first).unwrap_or(&row);
                if row.fingerprint != verilator.fingerprint {
                    return Err(CliError::Failed(anyhow!(
                        "{engine} and Verilator differ in {lanes} lanes: fingerprints {} and {}",
                        row.fingerprint,
                        verilator.fingerprint
                    )));
                }
                if !json {
                    print_row(&table(&row, verilator), rows.is_empty())?;
                }
                rows.push(row);
            }
        }
    }
    if json {
        output::print(&(serde_json::to_string(&rows).expect("numbers are JSON") + "\n"))?;
        return Ok(String::new());
    }
    Ok(meaning(&rows))
}

/// Reads the program of a lane.
fn program(path: &Path) -> Result<Vec<u64>, CliError> {
    let text = files::read(path, PROGRAM_MAX)?;
    parse_program(&String::from_utf8_lossy(&text))
        .map_err(|what| anyhow!("{}: {what}", path.display()))
        .context("--program")
        .map_err(CliError::BadInput)
}

/// Describes the measurement and the tools.
fn description(bench: &LaneBench, tools: &Toolchain) -> Result<String, CliError> {
    let lines = [
        format!(
            "{}: {} registers, {} memories; {}.",
            bench.imported.top,
            // The register of the signature is not the user's.
            bench.imported.netlist.registers.len() - 1,
            bench.imported.netlist.memories.len(),
            match bench.programs.len() {
                0 => "no programs".to_owned(),
                1 => "the same program in all lanes".to_owned(),
                n => format!("{n} programs, one after the other in the lanes"),
            }
        ),
        format!(
            "verilator: {}, an object for each lane; {}, -O3 -march=native.",
            tools.verilator()?,
            tools.cpp_version()?
        ),
        format!("lockstep: {}; SIMD of this CPU: {}.", tools.yosys()?, simd()),
        "start: from the sources to the first clock cycle; Verilator's with its compilation, \
         lockstep's with yosys."
            .to_owned(),
    ];
    let width = output::text_width();
    Ok(lines.iter().map(|line| wrapped(line, width)).collect())
}

/// Returns the table with one row. `verilator` is the row of Verilator on one thread.
fn table(row: &LaneMeasurement, verilator: &LaneMeasurement) -> MarkdownTable {
    let headings = [
        "lanes",
        "engine   ",
        "threads",
        "start, s",
        "clock cycles",
        "million lane-cycles/s",
        "times Verilator",
        "fingerprint     ",
    ];
    let rank = &["million lane-cycles/s", "times Verilator", "threads", "start, s"];
    let mut table = MarkdownTable::new(2, headings).ranked(2, rank, "--json");
    table.row([
        row.lanes.to_string(),
        row.engine.to_string(),
        row.threads.to_string(),
        format!("{:.2}", row.start_seconds),
        row.clock_cycles.to_string(),
        format!("{:.2}", row.rate),
        format!("{:.2}", row.rate / verilator.rate),
        row.fingerprint.clone(),
    ]);
    table
}

/// Explains the fastest row of lockstep.
fn meaning(rows: &[LaneMeasurement]) -> String {
    let lockstep = rows.iter().filter(|row| row.engine == "lockstep");
    let fastest = lockstep.max_by(|a, b| a.rate.total_cmp(&b.rate));
    let of_lanes = |row: &LaneMeasurement| rows.iter().find(|first| first.lanes == row.lanes);
    let Some((row, verilator)) = fastest.and_then(|row| Some((row, of_lanes(row)?))) else {
        return String::new();
    };
    format!(
        "{} ran {} lanes at {:.1} million clock cycles of a lane per second, {:.2} times as fast as \
         Verilator on one thread. Both engines had the same outputs in each lane and clock cycle.",
        row.engine,
        row.lanes,
        row.rate,
        row.rate / verilator.rate
    )
}
