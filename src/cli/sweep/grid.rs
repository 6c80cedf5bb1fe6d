//! `phasecube sweep grid`: a grid of runs, whole or in shards for batch systems.

use crate::cli::file_flags::InputFiles;
use crate::cli::interface::ArgumentEntry;
use crate::cli::{build_dir, check_command_line, command, files, output, CliError};
use anyhow::{anyhow, Context};
use clap::Args;
use lab::grid::{
    parse_grid, results_table, GridCounts, OpenPoints, ParameterValue, Parameters, PointResult,
    PointResults, Shard,
};
use machine::flags::OutputDir;
use machine::networks::Networks;
use machine::text::format_count;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use toolchain::progress::ProgressMeter;

/// Table of all results.
const TABLE: &str = "points.csv";

/// Most failed points that are listed.
const LISTED: usize = 10;

/// Run each point of a grid of parameters, whole or in shards
///
/// A point is a `run`. Its result is a file in the output directory, named by its parameters and the
/// program. A point with a file does not run again. A point that fails costs only itself.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube sweep grid grid.toml --out results --shard 3/16\n  phasecube sweep grid grid.toml --out results --merge"
)]
pub struct SweepGridArgs {
    /// Grid: a TOML file with flags of `run`, such as network = "torus" and seed = [1, 2, 3]. A list
    /// is an axis. A list in an axis is one value of several parts: radix = [[4, 4], [8, 8]]
    #[arg(value_name = "GRID.toml")]
    grid: PathBuf,

    /// Run only shard I of N, each with every N-th point; I from 1 to N
    #[arg(long, value_name = "I/N", conflicts_with = "merge")]
    shard: Option<Shard>,

    /// Run nothing, and write points.csv with the results of all shards
    #[arg(long)]
    merge: bool,

    /// Directory of the results, also a cache for the Python package [default:
    /// target/phasecube/grid]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<OutputDir>,
}

/// Point with the arguments that run it.
struct GridPoint {
    parameters: Parameters,
    line: Vec<String>,
}

/// Runs the points, or merges their results. Returns what the result means.
pub fn sweep_grid(
    args: &SweepGridArgs,
    networks: &Networks,
    inputs: &InputFiles,
) -> Result<String, CliError> {
    let default = || build_dir().join("grid");
    let dir = args.out.as_ref().map_or_else(default, |dir| dir.to_path_buf());
    files::check_files("--out", &dir, &[TABLE], inputs)?;
    let points = points(args, networks)?;
    let program = env::current_exe().context("the program does not know its own file");
    let program = program.map_err(CliError::Failed)?;
    let results = PointResults::new(dir.clone(), env!("CARGO_PKG_VERSION"), &program);
    let results = results.map_err(|e| CliError::Failed(e.into()))?;
    if args.merge {
        merge(points, &results, &dir)?;
        return Ok("each row of the table is a run, with its flags first.".to_owned());
    }
    let write_error = || format!("--out {} cannot be written", dir.display());
    if let Some(shard) = args.shard {
        let put = results.put_shards(shard.shards);
        put.with_context(write_error).map_err(CliError::Failed)?;
    }
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let points = points.into_iter().enumerate();
    let own: Vec<GridPoint> =
        points.filter_map(|(number, point)| shard.has(number).then_some(point)).collect();
    let bar = ProgressMeter::new(own.len() as u64);
    let mut counts = GridCounts { points: own.len(), ..GridCounts::default() };
    let mut failures = String::new();
    for (number, point) in own.iter().enumerate() {
        bar.at(number as u64, "points");
        if let Some(PointResult::Report(_)) = results.get(&point.line) {
            counts.cached += 1;
            continue;
        }
        let ended = run_point(&program, &point.line)?;
        let put = match &ended {
            Ok(report) => results.put_report(&point.line, report),
            Err(text) => results.put_error(&point.line, text),
        };
        put.with_context(write_error).map_err(CliError::Failed)?;
        if let Err(text) = ended {
            counts.failed += 1;
            if counts.failed <= LISTED {
                failures += &format!("  {}: {text}\n", point.line.join(" "));
            }
        }
    }
    drop(bar);
    output::print(&summary(shard, counts, &failures))?;
    match counts.failed {
        0 => Ok("each file is the result of a run. --merge writes the table.".to_owned()),
        failed => Err(CliError::Failed(anyhow!("{} failed", format_count(failed, "point")))),
    }
}

/// Formats the numbers of points, and the failed ones.
fn summary(shard: Shard, counts: GridCounts, failures: &str) -> String {
    let of = match shard {
        Shard::WHOLE => "grid".to_owned(),
        Shard { number, shards } => format!("shard {number} of {shards}"),
    };
    let run = counts.points - counts.cached - counts.failed;
    format!(
        "{of}: {}, {run} run, {} there already, {} failed\n{failures}",
        format_count(counts.points, "point"),
        counts.cached,
        counts.failed
    )
}

/// Reads the grid, and checks the arguments of every point.
fn points(args: &SweepGridArgs, networks: &Networks) -> Result<Vec<GridPoint>, CliError> {
    let named = || args.grid.display().to_string();
    let text = fs::read_to_string(&args.grid)
        .with_context(|| format!("{} cannot be read", named()))
        .map_err(CliError::BadInput)?;
    let parsed = parse_grid(&text).with_context(named);
    let parsed = parsed.map_err(CliError::BadInput)?;
    let root = command(networks);
    let run = root.find_subcommand("run").expect("the program has it");
    let flags = run.get_arguments().filter(|flag| flag.get_id().as_str() != "json");
    let flags: Vec<ArgumentEntry> = flags.map(ArgumentEntry::new).collect();
    let mut points = vec![];
    for parameters in parsed {
        let line = line(&flags, &parameters).with_context(named);
        let line = line.map_err(CliError::BadInput)?;
        let words = ["phasecube".to_owned()].into_iter().chain(line.clone());
        check_command_line(networks, words).map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            let first = first.trim_start_matches("error: ");
            CliError::BadInput(anyhow!("{}: {first}", named()))
        })?;
        points.push(GridPoint { parameters, line });
    }
    Ok(points)
}

/// Returns the arguments of a point, as the Python package orders and writes them.
fn line(flags: &[ArgumentEntry], parameters: &Parameters) -> anyhow::Result<Vec<String>> {
    let mut line: Vec<String> = ["run", "--quiet", "--json"].map(str::to_owned).into();
    for (name, value) in parameters {
        let flag = flags.iter().find(|flag| flag.is_flag(name));
        let flag = flag.ok_or_else(|| {
            anyhow!("run has no flag {name}; accepted: the flags of `phasecube help run`")
        })?;
        let word = name.replace('_', "-");
        match (flag.list_separator(), value) {
            (_, ParameterValue::Switch(false)) => {}
            (_, ParameterValue::Switch(true)) => line.push(format!("--{word}")),
            (Some(separator), ParameterValue::Parts(parts)) => {
                line.push(format!("--{word}={}", parts.join(&separator.to_string())));
            }
            (None, ParameterValue::Parts(parts)) => {
                line.extend(parts.iter().map(|part| format!("--{word}={part}")));
            }
        }
    }
    Ok(line)
}

/// Runs a point in a process of its own. Returns its report, or its error message.
fn run_point(program: &Path, line: &[String]) -> Result<Result<String, String>, CliError> {
    let done = Command::new(program)
        .args(line)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{} cannot be started", program.display()))
        .map_err(CliError::Failed)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if done.status.success() {
        return Ok(Ok(text(&done.stdout)));
    }
    let error = text(&done.stderr);
    Ok(Err(match error.trim_start_matches("error: ") {
        "" => format!("the program ended with {}", done.status),
        error => error.to_owned(),
    }))
}

/// Writes the table of all points. Points without a result are an error, which names their shards.
fn merge(points: Vec<GridPoint>, results: &PointResults, dir: &Path) -> Result<(), CliError> {
    let found: Vec<Option<PointResult>> = points.iter().map(|p| results.get(&p.line)).collect();
    let lines = points.iter().map(|point| point.line.as_slice());
    let open = OpenPoints::of(lines.zip(found.iter().map(Option::as_ref)), results.shards());
    let parameters = points.into_iter().map(|point| point.parameters);
    let rows: Vec<_> = parameters.zip(found).collect();
    let table = results_table(&rows).map_err(|e| CliError::Failed(e.into()))?;
    let written = files::write_report(dir, &[(TABLE.to_owned(), table)])?;
    let failed = |result: &Option<PointResult>| matches!(result, Some(PointResult::Error(_)));
    let failed = rows.iter().filter(|(_, result)| failed(result)).count();
    let listed: String = open
        .texts
        .iter()
        .take(LISTED)
        .fold(String::new(), |text, point| text + "  " + point + "\n");
    output::print(&format!(
        "grid: {}, {} without a result, {failed} failed\n{listed}{written}",
        format_count(rows.len(), "point"),
        open.texts.len()
    ))?;
    if open.texts.is_empty() {
        return Ok(());
    }
    let accepted = match &open.shards[..] {
        [] => "run the sweep again first".to_owned(),
        shards => {
            let shards: Vec<String> = shards.iter().map(|s| format!("--shard {s}")).collect();
            format!("run {} again first", shards.join(", "))
        }
    };
    Err(CliError::Failed(anyhow!(
        "{} of {} have no result; accepted: {accepted}",
        open.texts.len(),
        format_count(rows.len(), "point")
    )))
}
