//! `phasecube figure12`: the curve of the paper's Figure 12.

use super::figure12_table::{Figure12, Figure12Row};
use super::flags::{parse_processors, parse_rows};
use super::job::Cm1Params;
use crate::flags::{parse_machine, within, EngineFlags, FlagChoice, OutputFlags};
use crate::networks::cm1::{Cm1Machine, Cm1Run};
use crate::networks::{NetworkCommand, NetworkError};
use crate::{EndReason, MachineCircuit};
use clap::{Args, Command, FromArgMatches};
use engine::NodeEngine;
use interconnect::topology::Hypercube;
use interconnect::traffic::{ExchangeOrder, Recipe, TrafficPattern};
use lockstep::lanes::Keep;
use rtl::cm1::EjectMode;
use std::path::{Path, PathBuf};
use toolchain::progress::ProgressStep;

/// Definition of the command.
pub const COMMAND: NetworkCommand = NetworkCommand {
    command: || Figure12Args::augment_args(Command::new("figure12")),
    meaning: "petit cycles until all messages have arrived, against messages per processor. No \
              router with these wires is faster than the bound.",
    run: |flags, work_dir| figure12(&Figure12Args::from_arg_matches(flags)?, work_dir),
};

/// Measure the CM-1's petit cycles against messages per processor, as in the paper's Figure 12
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube figure12 --dims 6 --ratios 4")]
pub struct Figure12Args {
    /// Dimensions of the cube, 1 to 12
    #[arg(long = "dims", value_name = "N", default_value = "6", value_parser = parse_machine)]
    cube: Hypercube,

    /// Maximum messages per processor, 1 to 64; the command measures each number up to it
    #[arg(long, value_name = "V", default_value = "8", value_parser = within::<u32>(1, 64))]
    ratios: u32,

    /// Runs of each kind, with seeds from 1, 1 to 1,000
    #[arg(long, value_name = "N", default_value = "3", value_parser = within::<u64>(1, 1000))]
    seeds: u64,

    /// Rows of a chip's heart, 2 to 16
    #[arg(long, value_name = "B", default_value = "7", value_parser = parse_rows)]
    rows: usize,

    /// Processors on a chip: 1, 2, 4, 8 or 16
    #[arg(long, value_name = "P", default_value = "16", value_parser = parse_processors)]
    processors: usize,

    #[command(flatten)]
    engine: EngineFlags,

    #[command(flatten)]
    output: OutputFlags,
}

/// Runs the machine repeatedly and returns the printed figure.
fn figure12(args: &Figure12Args, work_dir: &Path) -> Result<String, NetworkError> {
    let fits = args.engine.engine.check(&args.cube);
    fits.map_err(|e| NetworkError::BadInput(e.into()))?;
    let mut runs = Figure12Runs {
        args,
        work_dir: work_dir.into(),
        engines: vec![],
        activity: ProgressStep::quiet("building the machine"),
    };
    let points = (1..=args.ratios).map(|ratio| runs.point(ratio));
    let points = points.collect::<Result<Vec<_>, _>>()?;
    drop(runs);
    let figure = Figure12 {
        dims: args.cube.dims(),
        rows: args.rows as u64,
        processors: args.processors as u64,
        engine: args.engine.engine.name(),
        seeds: (1..=args.seeds).collect(),
        points,
    };
    Ok(match args.output.json {
        true => serde_json::to_string(&figure).expect("numbers and names are JSON") + "\n",
        false => figure.to_string(),
    })
}

/// All runs, and the machines that they share.
struct Figure12Runs<'a> {
    args: &'a Figure12Args,
    work_dir: PathBuf,
    engines: Vec<(EjectMode, Box<dyn NodeEngine>)>,
    activity: ProgressStep,
}

impl Figure12Runs<'_> {
    fn point(&mut self, ratio: u32) -> Result<Figure12Row, NetworkError> {
        let mut random = vec![];
        let mut permutation = vec![];
        let (mut hops, mut productive, mut places) = (0, 0, 0);
        for seed in 1..=self.args.seeds {
            let run = self.run(EjectMode::Or, TrafficPattern::Random, ratio, seed)?;
            let wires = u64::from(self.args.cube.nodes() * self.args.cube.dims());
            hops += run.counters.hops;
            productive += run.counters.productive_hops;
            places += run.petit_cycles * wires;
            random.push(run.petit_cycles);
            let run = self.run(EjectMode::Or, TrafficPattern::Permutation, ratio, seed)?;
            permutation.push(run.petit_cycles);
        }
        let per_chip = self.run(EjectMode::PerChip, TrafficPattern::Random, ratio, 1)?;
        Ok(Figure12Row {
            ratio,
            bound: self.args.processors as f64 * f64::from(ratio) / 2.0,
            random,
            permutation,
            per_chip: per_chip.petit_cycles,
            utilisation: hops as f64 / places as f64,
            utilisation_productive: productive as f64 / places as f64,
        })
    }

    fn run(
        &mut self,
        eject: EjectMode,
        pattern: TrafficPattern,
        ratio: u32,
        seed: u64,
    ) -> Result<Cm1Run, NetworkError> {
        let what = format!("{ratio} messages per processor, {pattern}, seed {seed}");
        let args = self.args;
        let wanted = Cm1Params {
            rows: args.rows,
            proc_bits: args.processors.ilog2(),
            // One machine serves all ratios.
            vp_bits: args.ratios.next_power_of_two().ilog2(),
            vp_ratio: ratio,
            data_bits: None,
            eject,
        };
        let recipe = Recipe {
            pattern,
            seed,
            payload: 2,
            order: ExchangeOrder::default(),
        };
        let messages = wanted.messages(args.cube, &recipe)?;
        let machine = wanted.machine(args.cube, &messages)?;
        self.activity.step(&what);
        let sent = machine.messages(&messages)?;
        let (shape, plan) = (machine.circuit.shape(), machine.circuit.plan());
        let engine = self.engine(eject, &machine.circuit)?;
        let run = Cm1Machine::new(engine, shape, plan).run(&sent)?;
        let wrong = run.counters.undetected + run.counters.duplicated;
        match run.end {
            EndReason::Complete if wrong == 0 => Ok(run),
            _ => Err(NetworkError::failed(format!(
                "{what}: messages were lost or doubled"
            ))),
        }
    }

    /// Returns the machine with this ejector. A machine that has completed its job can run another.
    fn engine(
        &mut self,
        eject: EjectMode,
        circuit: &dyn MachineCircuit,
    ) -> Result<&mut dyn NodeEngine, NetworkError> {
        let found = self.engines.iter().position(|(mode, _)| *mode == eject);
        let place = match found {
            Some(place) => place,
            None => {
                let keep = Keep::Outputs;
                let engine = self.args.engine.start(circuit, keep, &self.work_dir)?;
                self.engines.push((eject, engine));
                self.engines.len() - 1
            }
        };
        Ok(&mut *self.engines[place].1)
    }
}
