//! Runs the machines of a comparison, and stops where one does what it must not.

use super::CompareArgs;
use crate::cli::args::Link;
use crate::cli::run::engine;
use crate::cli::Failure;
use crate::machine::networks::{Arrival, Carried, CarryError, Contender, Load, Travelling};
use crate::report::comparison::{MachineReport, RunReport};
use crate::toolchain::progress::Activity;
use crate::topology::Hypercube;
use anyhow::anyhow;

/// A machine and what is known of it.
pub struct Machine {
    pub contender: Box<dyn Contender>,
    pub report: MachineReport,
}

/// All machines, to be run one after the other on the same messages.
pub struct Bench<'a> {
    pub args: &'a CompareArgs,
    pub cube: Hypercube,
    pub proc_bits: u32,
    pub machines: Vec<Machine>,
    pub activity: Activity,
}

impl Bench<'_> {
    /// What every machine does with these messages.
    pub fn all(&self, what: &str, travelling: &Travelling) -> Result<Vec<RunReport>, Failure> {
        let run = |machine: &Machine| {
            let carried = self.carry(machine, what, Load::at_once(&travelling.messages))?;
            Ok(RunReport::new(
                &machine.report,
                what.to_owned(),
                self.cube.nodes().into(),
                travelling,
                &carried,
            ))
        };
        self.machines.iter().map(run).collect()
    }

    /// What a machine, started anew, does with a load.
    pub fn carry(&self, machine: &Machine, what: &str, load: Load) -> Result<Carried, Failure> {
        let contender = &machine.contender;
        let (label, period) = (contender.label(), contender.beat().period_name);
        let title = format!("{label}, {what}");
        self.activity.step(&title);
        let mut engine = engine(&self.args.engine, contender.circuit())?;
        let all = load.messages.len();
        let carried = contender.carry(&mut *engine, load, &mut |periods, open| {
            self.activity.step(&format!(
                "{title}: {period} {periods}, {} of {all} messages over",
                all - open
            ));
        })?;
        let lost = carried.arrivals.contains(&Arrival::Lost);
        let may_lose = contender.network() == "tdma" && self.args.link.link() == Link::Raw;
        let wrong = match (&carried.cut_short, carried.wrong) {
            (Some(why), _) => why.clone(),
            (None, 0) if lost && !may_lose => "messages were lost".into(),
            (None, 0) => return Ok(carried),
            (None, n) => format!("{n} messages were doubled or not what was sent"),
        };
        Err(Failure::Failed(anyhow!("{title}: {wrong}")))
    }
}

impl From<CarryError> for Failure {
    fn from(error: CarryError) -> Self {
        match error {
            CarryError::Traffic(_) => Failure::BadInput(error.into()),
            _ => Failure::Failed(error.into()),
        }
    }
}
