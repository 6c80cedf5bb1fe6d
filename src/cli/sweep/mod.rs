//! `phasecube sweep`: how the limits of the machine depend on its parameters.

mod grid;
mod load;

use super::file_flags::InputFiles;
use super::CliError;
use crate::cli::{build_dir, files, output};
use anyhow::anyhow;
use clap::{Args, Subcommand, ValueEnum};
use engine::EngineError;
use lab::report::{Axis, PhasePoint, PhaseSweep};
use machine::flags::{within, OutputDir, OutputFlags};
use machine::networks::tdma::skew::{
    measure, Expectation, ShortestTiming, SkewConditions, CLOCKS_PER_BIT,
};
use machine::networks::Networks;
use rayon::prelude::*;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::mpsc;
use toolchain::progress::ProgressMeter;

/// Measure the limits of a machine against its parameters
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube sweep phase --axis payload\n  phasecube sweep load --network torus --radix 8,8"
)]
pub struct SweepArgs {
    #[command(subcommand)]
    what: SweepCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum SweepCommand {
    Phase(SweepPhaseArgs),
    Load(Box<load::SweepLoadArgs>),
    Grid(grid::SweepGridArgs),
}

/// Output format of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SweepFormat {
    /// Tables and plots.
    Text,
    /// One JSON object.
    Json,
    /// Comma-separated values.
    Csv,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
struct FormatFlags {
    #[command(flatten)]
    output: OutputFlags,

    /// Print comma-separated values and nothing else
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Output directory [default: target/phasecube/load or target/phasecube/phase; none with --json
    /// or --csv]
    #[arg(long, value_name = "DIR")]
    out: Option<OutputDir>,
}

impl FormatFlags {
    fn format(&self) -> SweepFormat {
        match (self.output.json, self.csv) {
            (true, _) => SweepFormat::Json,
            (_, true) => SweepFormat::Csv,
            _ => SweepFormat::Text,
        }
    }

    /// Returns the checked directory for these files of a report. `default` is its name if the user
    /// gives none.
    fn output_dir(
        &self,
        default: &str,
        names: &[&str],
        inputs: &InputFiles,
    ) -> Result<Option<PathBuf>, CliError> {
        let dir = match (&self.out, self.format()) {
            (Some(dir), _) => dir.to_path_buf(),
            (None, SweepFormat::Text) => build_dir().join(default),
            (None, SweepFormat::Json | SweepFormat::Csv) => return Ok(None),
        };
        files::check_files("--out", &dir, names, inputs)?;
        Ok(Some(dir))
    }

    /// Writes the files of a report, and prints it in the requested format.
    fn present(
        &self,
        report: &dyn Display,
        out: Option<PathBuf>,
        contents: &[(String, String)],
        [csv, json]: [String; 2],
    ) -> Result<(), CliError> {
        let mut written = String::new();
        if let Some(dir) = out {
            written = files::write_report(&dir, contents)?;
        }
        match self.format() {
            SweepFormat::Text => {
                output::print_report(report)?;
                output::print(&written)
            }
            SweepFormat::Json => output::print(&json),
            SweepFormat::Csv => output::print(&csv),
        }
    }
}

/// Runs the sweep and prints the results.
pub fn sweep(
    args: &SweepArgs,
    networks: &Networks,
    inputs: &InputFiles,
) -> Result<Option<String>, CliError> {
    match &args.what {
        SweepCommand::Phase(args) => sweep_phase(args, inputs).map(|()| None),
        SweepCommand::Load(args) => load::sweep_load(args, networks, inputs).map(Some),
        SweepCommand::Grid(args) => grid::sweep_grid(args, networks, inputs).map(Some),
    }
}

// `phasecube sweep phase`: shortest possible phase.

/// Measure the minimum safe phase and dead time of two nodes with clocks of their own, against baud
/// rate, payload, skew of the phase clock and mismatch of the nodes' clocks
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube sweep phase --axis payload --clock 16")]
struct SweepPhaseArgs {
    /// Parameter to vary [default: each in turn]
    #[arg(long, value_name = "AXIS")]
    axis: Option<AxisArg>,

    /// Clock of the nodes in MHz, above 0
    #[arg(long, value_name = "MHZ", default_value = "8")]
    clock: f64,

    /// Clock cycles per bit where the baud rate is not varied: 4, 8, 16, 32 or 64
    #[arg(long, value_name = "N", default_value = "8")]
    clocks_per_bit: u32,

    /// Payload where it is not varied, 0 to 80 bytes
    #[arg(long, value_name = "BYTES", default_value = "10", value_parser = within::<u32>(0, 80))]
    payload: u32,

    /// Delay of the phase clock to one node against the other where it is not varied, 0 to 100
    /// microseconds
    #[arg(long, value_name = "US", default_value = "0.25")]
    skew: f64,

    /// Slowness of one node's clock against the other where it is not varied, -100000 to 100000
    /// parts per million
    #[arg(long, value_name = "PPM", default_value = "100")]
    mismatch: f64,

    /// Frames that must arrive in every phase that counts as safe, 16 to 100,000
    #[arg(long, value_name = "N", default_value = "40", value_parser = within::<u64>(16, 100_000))]
    frames: u64,

    #[command(flatten)]
    format: FormatFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AxisArg {
    Baud,
    Payload,
    Skew,
    Mismatch,
}

/// Values of each axis. The baud rate is given as clock cycles per bit.
const PAYLOADS: &[u32] = &[0, 2, 10, 20, 40, 80];
const SKEWS_US: &[f64] = &[0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
const MISMATCHES_PPM: &[f64] = &[0.0, 100.0, 1e3, 5e3, 1e4, 2e4, 3e4, 4e4, 5e4, 6e4];

/// Runs the sweep and prints the results.
fn sweep_phase(args: &SweepPhaseArgs, inputs: &InputFiles) -> Result<(), CliError> {
    check_arguments(args)?;
    let out = args.format.output_dir("phase", &PhaseSweep::FILES, inputs)?;
    let mut sweep = PhaseSweep {
        command: args.command(),
        version: env!("CARGO_PKG_VERSION"),
        clock_mhz: args.clock,
        frames: args.frames,
        points: vec![],
    };
    let points = points(args);
    // The axes share a point, which is measured once.
    let mut different: Vec<SkewConditions> = vec![];
    for (.., conditions) in &points {
        if !different.contains(conditions) {
            different.push(*conditions);
        }
    }
    let measured = measure_all(&different, args.frames)?;
    for (axis, value, conditions) in points {
        let kbaud = args.clock * 1000.0 / f64::from(conditions.clocks_per_bit);
        let same = different.iter().position(|other| *other == conditions);
        let measured = same.and_then(|i| measured[i]);
        let point = PhasePoint::new((axis, value), &conditions, kbaud, measured);
        sweep.points.push(point);
    }
    let texts = [sweep.csv(), sweep.json()];
    args.format.present(&sweep, out, &sweep.files(), texts)
}

impl SweepPhaseArgs {
    /// Returns the command line that repeats this sweep.
    fn command(&self) -> String {
        let axis = self.axis.and_then(|axis| axis.to_possible_value());
        let axis = axis.map_or(String::new(), |axis| format!(" --axis {}", axis.get_name()));
        format!(
            "phasecube sweep phase{axis} --clock {} --clocks-per-bit {} --payload {} --skew {} \
             --mismatch {} --frames {}",
            self.clock, self.clocks_per_bit, self.payload, self.skew, self.mismatch, self.frames
        )
    }
}

/// Runs [`measure`] on all points with one thread per processor, and shows a progress bar.
fn measure_all(
    all: &[SkewConditions],
    frames: u64,
) -> Result<Vec<Option<ShortestTiming>>, CliError> {
    // The work grows with the clock cycles of a phase.
    let work = |conditions: &SkewConditions| {
        let clocks_per_bit = f64::from(conditions.clocks_per_bit);
        (Expectation::of(conditions).phase() * clocks_per_bit) as u64
    };
    let bar = ProgressMeter::new(all.iter().map(work).sum());
    let mut found = vec![None; all.len()];
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let points = all.par_iter().enumerate();
            // After an error the receiver has been dropped. The remaining points are skipped.
            let _ = points.try_for_each_with(sender, |sender, (i, conditions)| {
                sender.send((i, measure(conditions, frames)))
            });
        });
        let (mut done, mut points) = (0, 0);
        bar.at(0, &format!("0 of {} points", all.len()));
        for (i, measured) in results {
            found[i] = measured?;
            done += work(&all[i]);
            points += 1;
            bar.at(done, &format!("{points} of {} points", all.len()));
        }
        Ok::<_, EngineError>(())
    })?;
    Ok(found)
}

fn check_arguments(args: &SweepPhaseArgs) -> Result<(), CliError> {
    let refuse = |what: String| Err(CliError::BadInput(anyhow!(what)));
    if !CLOCKS_PER_BIT.contains(&args.clocks_per_bit) {
        return refuse(format!(
            "{} clock cycles per bit are not possible; accepted: 4, 8, 16, 32, 64",
            args.clocks_per_bit
        ));
    }
    if !(args.clock.is_finite() && args.clock > 0.0) {
        return refuse(format!("a clock of {} MHz is not possible; accepted: above 0", args.clock));
    }
    if !(0.0..=100.0).contains(&args.skew) {
        return refuse(format!("a skew of {} us is not possible; accepted: 0 to 100", args.skew));
    }
    if !(-1e5..=1e5).contains(&args.mismatch) {
        return refuse(format!(
            "a mismatch of {} ppm is not possible; accepted: -100000 to 100000",
            args.mismatch
        ));
    }
    Ok(())
}

/// Returns the points to measure, axis by axis.
fn points(args: &SweepPhaseArgs) -> Vec<(Axis, f64, SkewConditions)> {
    let at = |clocks_per_bit: u32, payload: u32, skew_us: f64, mismatch: f64| SkewConditions {
        clocks_per_bit,
        payload,
        skew: skew_us * args.clock / f64::from(clocks_per_bit),
        mismatch,
    };
    let (clocks, payload, skew, mismatch) =
        (args.clocks_per_bit, args.payload, args.skew, args.mismatch);
    let wanted = |axis| args.axis.is_none_or(|only| only == axis);
    let mut points = vec![];
    if wanted(AxisArg::Baud) {
        points.extend(CLOCKS_PER_BIT.iter().map(|&clocks| {
            let kbaud = args.clock * 1000.0 / f64::from(clocks);
            (Axis::Baud, kbaud, at(clocks, payload, skew, mismatch))
        }));
    }
    if wanted(AxisArg::Payload) {
        let value = |&payload: &u32| {
            let conditions = at(clocks, payload, skew, mismatch);
            (Axis::Payload, payload.into(), conditions)
        };
        points.extend(PAYLOADS.iter().map(value));
    }
    if wanted(AxisArg::Skew) {
        let value = |&skew: &f64| (Axis::Skew, skew, at(clocks, payload, skew, mismatch));
        points.extend(SKEWS_US.iter().map(value));
    }
    if wanted(AxisArg::Mismatch) {
        let value = |&ppm: &f64| (Axis::Mismatch, ppm, at(clocks, payload, skew, ppm));
        points.extend(MISMATCHES_PPM.iter().map(value));
    }
    points
}
