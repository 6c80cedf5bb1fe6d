//! `phasecube compile`: compiles a list of messages to a schedule.

use super::args::TrafficArgs;
use super::files::OutputTarget;
use super::output::Report as Place;
use super::CliError;
use anyhow::anyhow;
use clap::Args;
use interconnect::routing::compiled::{
    file, node_programs, permute_steps, schedule_messages, step_words, CompiledSchedule,
    LowerBound, SearchEffort, SweepDirection, NODE_SLOTS,
};
use interconnect::topology::{AddressSpace, Hypercube, Metacube, Topology};
use machine::flags::{parse_cube, parse_metacube, within, FlagChoice, OutputFile, OutputFlags};
use machine::text::format_count;
use machine::values::{self, ProgramValue, Values};
use serde::Serialize;
use toolchain::progress::ProgressStep;

/// Compute the routes and times of messages before the machine runs
///
/// In a compiled schedule no frame gets a NAK and none waits for another. A permutation takes one
/// or two superframes, the optimum. For other lists, the command prints the shortest schedule that
/// it finds beside the lower bound of any schedule. `run --compiled FILE` follows the schedule.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube compile --dims 12 --pattern bitrev\n  phasecube compile --dims 3 --pattern bitrev --out schedule.json"
)]
pub struct CompileArgs {
    /// Dimensions of the cube, 1 to 16
    #[arg(long = "dims", value_name = "N", default_value = "3", value_parser = parse_cube,
          help_heading = "Machine")]
    cube: Hypercube,

    /// Schedule the metacube MC(K,M) in place of the cube of --dims
    #[arg(long, value_name = "K,M", value_parser = parse_metacube, help_heading = "Machine")]
    metacube: Option<Metacube>,

    /// Order of the dimensions: up, ascending in every superframe, as published; or updown,
    /// ascending in the first and descending in the second superframe, so that any permutation
    /// passes in two
    #[arg(long, value_name = "NAME", default_value = "updown", value_parser = SweepDirection::parser(), hide_possible_values = true,
          help_heading = "Machine")]
    sweep: SweepDirection,

    #[command(flatten)]
    traffic: TrafficArgs,

    /// Random schedules that are drawn, 1 to 1000; the shortest one is used
    #[arg(long, value_name = "N", default_value = "4", value_parser = within::<u32>(1, 1000),
          help_heading = "Effort")]
    draws: u32,

    /// Negotiation rounds for a schedule with one superframe less, 0 to 10,000
    #[arg(long, value_name = "N", default_value = "40", value_parser = within::<u32>(0, 10_000),
          help_heading = "Effort")]
    rounds: u32,

    /// Write the schedule to this file, for `run --compiled FILE`; - for standard output
    #[arg(long, value_name = "FILE", help_heading = "Output", conflicts_with = "json")]
    out: Option<OutputFile>,

    /// Write the schedule of a permutation as input data of the program `permute`, with --sweep up:
    /// CSV, one line per node. Add the words of the nodes in lines at the end of the file
    #[arg(
        long,
        value_name = "FILE.csv",
        help_heading = "Output",
        conflicts_with = "json",
        conflicts_with = "out"
    )]
    data: Option<OutputFile>,

    #[command(flatten)]
    output: OutputFlags,
}

/// Output of `--json`.
#[derive(Serialize)]
struct CompileReport {
    network: String,
    pattern: String,
    sweep: &'static str,
    messages: usize,
    hops: usize,
    phase_pairs: u32,
    superframes: u32,
    /// Greatest of the four bounds below.
    lower_bound: u32,
    bound_ends: u32,
    bound_crossings: u32,
    bound_ways: u32,
    bound_distance: u32,
    /// Most messages that a node holds at once.
    places: usize,
    /// Bits that a message would need to carry the phases in which it moves.
    path_bits: u32,
}

/// Compiles the messages and prints the result.
pub fn compile(args: &CompileArgs) -> Result<(), CliError> {
    let shape = args.metacube.unwrap_or_else(|| args.cube.into());
    let addresses = AddressSpace::from(shape);
    let dump = args.traffic.dump_target()?;
    let target = OutputTarget::from_flag("--out", args.out.as_ref())?;
    let data = OutputTarget::from_flag("--data", args.data.as_ref())?;
    let place = Place::avoiding([&dump, &target, &data]);
    let messages = args.traffic.recipe()?.list(addresses)?;
    if let Some(dump) = &dump {
        super::args::write_messages(dump, &messages, addresses)?;
    }
    let ends: Vec<[u32; 2]> = messages.iter().map(|m| [m.source, m.destination]).collect();
    let effort = SearchEffort { draws: args.draws, rounds: args.rounds, seed: args.traffic.seed };
    let activity = ProgressStep::quiet(&format!("scheduling {} messages", ends.len()));
    let schedule = schedule_messages(shape, args.sweep, &ends, effort, &mut |what| {
        activity.step(&what);
    });
    drop(activity);
    // A schedule that a machine cannot follow must not leave this command.
    schedule.check(&ends).map_err(|fault| CliError::Failed(fault.into()))?;
    let report = report(args, &schedule, &ends)?;
    if let Some(target) = &target {
        let written = target.write(|out| Ok(file::write(out, &schedule, &messages)?));
        written.map_err(CliError::Failed)?;
    }
    if let Some(data) = &data {
        let steps = permute_steps(&schedule, &ends);
        let steps = steps.map_err(|error| CliError::BadInput(anyhow!("--data: {error}")))?;
        let words = steps.iter().map(|steps| step_words(steps));
        let rows = words.map(|words| words.into_iter().map(ProgramValue::Word).collect());
        let values = Values(rows.collect());
        let written = data.write(|out| Ok(values::write(out, &values, addresses)?));
        written.map_err(CliError::Failed)?;
    }
    place.print_json_or(args.output.json, &report, || text(&report))
}

fn report(
    args: &CompileArgs,
    schedule: &CompiledSchedule,
    ends: &[[u32; 2]],
) -> Result<CompileReport, CliError> {
    let sources: Vec<u32> = ends.iter().map(|ends| ends[0]).collect();
    let programs = node_programs(schedule, &sources).map_err(|e| CliError::Failed(e.into()))?;
    let places = programs.iter().flatten().map(|word| usize::from(word.slot) + 1);
    let bound = LowerBound::of(schedule.shape, args.sweep, ends);
    Ok(CompileReport {
        network: schedule.shape.name(),
        pattern: args.traffic.pattern.to_string(),
        sweep: args.sweep.name(),
        messages: ends.len(),
        hops: schedule.hops(),
        phase_pairs: schedule.length(),
        superframes: schedule.superframes(),
        lower_bound: bound.superframes(),
        bound_ends: bound.ends,
        bound_crossings: bound.crossings,
        bound_ways: bound.conflicts,
        bound_distance: bound.distance,
        places: places.max().unwrap_or(0),
        path_bits: schedule.length(),
    })
}

fn text(report: &CompileReport) -> String {
    let CompileReport { superframes, lower_bound, .. } = *report;
    let ratio = match lower_bound {
        0 => String::new(),
        _ => format!(", ratio {:.2}", f64::from(superframes) / f64::from(lower_bound)),
    };
    format!(
        "{} on the {}, sweeps {}: {}, {} of phases, {}\n\
         Lower bound of any schedule: {}{ratio}; by ends of nodes {}, crossings {}, routes {}, \
         distance {}.\n\
         Messages in a node at once: up to {} of {NODE_SLOTS}.\n",
        format_count(report.messages, "message"),
        report.network,
        report.sweep,
        format_count(superframes, "superframe"),
        format_count(report.phase_pairs, "pair"),
        format_count(report.hops, "hop"),
        format_count(lower_bound, "superframe"),
        report.bound_ends,
        report.bound_crossings,
        report.bound_ways,
        report.bound_distance,
        report.places,
    )
}
