//! `phasecube figure12`: the curve of the paper's Figure 12.

use super::args::{
    parse_machine, parse_processors, parse_rows, within, Choice, Cm1Args, Cm1Job, EngineArgs,
    OutputArgs, TrafficArgs,
};
use super::run::{cm1_rounds, engine};
use super::{output, Failure};
use crate::engine::NodeEngine;
use crate::machine::cm1::{Cm1End, Cm1Machine, Cm1Run};
use crate::report::{Figure12, Figure12Row};
use crate::rtl::cm1::EjectMode;
use crate::toolchain::progress::Activity;
use crate::topology::Hypercube;
use crate::traffic::Pattern;
use anyhow::anyhow;
use clap::Args;

/// Measure the CM-1's petit cycles against messages per processor, as in the paper's Figure 12
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube figure12 --dims 6 --ratios 4")]
pub struct Figure12Args {
    /// Dimensions of the cube, 1 to 12
    #[arg(long = "dims", value_name = "N", default_value = "6", value_parser = parse_machine)]
    cube: Hypercube,

    /// Messages per processor, from 1 to so many, 64 at most
    #[arg(long, value_name = "V", default_value = "8", value_parser = within::<u32>(1, 64))]
    ratios: u32,

    /// Runs of each kind, with seeds from 1, 1,000 at most
    #[arg(long, value_name = "N", default_value = "3", value_parser = within::<u64>(1, 1000))]
    seeds: u64,

    /// Rows of a chip's heart, 2 to 16
    #[arg(long, value_name = "B", default_value = "7", value_parser = parse_rows)]
    rows: usize,

    /// Processors on a chip: 1, 2, 4, 8 or 16
    #[arg(long, value_name = "P", default_value = "16", value_parser = parse_processors)]
    processors: usize,

    #[command(flatten)]
    engine: EngineArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the machine again and again, and prints the figure.
pub fn figure12(args: &Figure12Args) -> Result<(), Failure> {
    args.engine.check(args.cube.dims())?;
    let mut runs = Runs {
        args,
        engines: vec![],
        activity: Activity::quiet("building the machine"),
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
    output::print(&match args.output.json {
        true => serde_json::to_string(&figure).expect("numbers and names are JSON") + "\n",
        false => figure.to_string(),
    })
}

/// The runs, and the machines that they share.
struct Runs<'a> {
    args: &'a Figure12Args,
    engines: Vec<(EjectMode, Box<dyn NodeEngine>)>,
    activity: Activity,
}

impl Runs<'_> {
    fn point(&mut self, ratio: u32) -> Result<Figure12Row, Failure> {
        let seeds = 1..=self.args.seeds;
        let mut random = vec![];
        let mut permutation = vec![];
        let (mut hops, mut productive, mut places) = (0, 0, 0);
        for seed in seeds {
            let run = self.run(EjectMode::Or, Pattern::Random, ratio, seed)?;
            let wires = u64::from(self.args.cube.nodes() * self.args.cube.dims());
            hops += run.counters.hops;
            productive += run.counters.productive_hops;
            places += run.petit_cycles * wires;
            random.push(run.petit_cycles);
            let run = self.run(EjectMode::Or, Pattern::Permutation, ratio, seed)?;
            permutation.push(run.petit_cycles);
        }
        let per_chip = self.run(EjectMode::PerChip, Pattern::Random, ratio, 1)?;
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
        pattern: Pattern,
        ratio: u32,
        seed: u64,
    ) -> Result<Cm1Run, Failure> {
        let what = format!("{ratio} messages per processor, {pattern}, seed {seed}");
        let job = self.job(eject, pattern, ratio, seed)?;
        self.activity.step(&what);
        let engine = self.engine(&job)?;
        let machine = Cm1Machine::new(engine, job.circuit.shape(), job.circuit.plan());
        let run = machine.run(&job.messages);
        let run = run.map_err(|e| Failure::Failed(e.into()))?;
        let wrong = run.counters.undetected + run.counters.duplicated;
        match run.end {
            Cm1End::Complete if wrong == 0 => Ok(run),
            _ => Err(Failure::Failed(anyhow!(
                "{what}: messages were lost or doubled"
            ))),
        }
    }

    fn job(
        &self,
        eject: EjectMode,
        pattern: Pattern,
        ratio: u32,
        seed: u64,
    ) -> Result<Cm1Job, Failure> {
        let args = self.args;
        let cm1 = Cm1Args {
            rows: Some(args.rows),
            processors: Some(args.processors),
            // One machine for all.
            vp_bits: Some(args.ratios.next_power_of_two().ilog2()),
            vp_ratio: Some(ratio),
            data_bits: None,
            eject: Some(eject),
        };
        let traffic = TrafficArgs {
            pattern,
            seed,
            payload: 2,
            schedule: None,
            dump_traffic: None,
        };
        let processors = cm1.processors(args.cube);
        cm1.job(args.cube, &cm1_rounds(&traffic, processors, ratio)?)
    }

    /// The machine with the job's ejector: a machine that has done its job can do
    /// another.
    fn engine(&mut self, job: &Cm1Job) -> Result<&mut dyn NodeEngine, Failure> {
        let found = self.engines.iter().position(|(mode, _)| *mode == job.eject);
        let place = match found {
            Some(place) => place,
            None => {
                let engine = engine(&self.args.engine, &job.circuit)?;
                self.engines.push((job.eject, engine));
                self.engines.len() - 1
            }
        };
        Ok(&mut *self.engines[place].1)
    }
}
