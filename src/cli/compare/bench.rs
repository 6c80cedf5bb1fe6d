//! Runs the machines of a comparison, and stops at the first machine that misbehaves.

use super::CompareArgs;
use crate::cli::{builds, Failure};
use crate::machine::{drive, Account, Control, End, Fate, Load};
use crate::networks::{Machine, Refusal};
use crate::report::comparison::{Carried, MachineReport, NoRun, RunReport};
use crate::toolchain::progress::Activity;
use crate::topology::Hypercube;
use crate::traffic::{MessageList, Travelling};
use anyhow::anyhow;
use lockstep::lanes::Keep;
use std::sync::Arc;

/// Machine with its report.
pub struct Contender {
    pub machine: Box<dyn Machine>,
    pub report: MachineReport,
}

/// Context for running all machines one after the other on the same messages.
pub struct Bench<'a> {
    pub args: &'a CompareArgs,
    pub cube: Hypercube,
    pub proc_bits: u32,
    pub machines: Vec<Contender>,
    pub activity: Activity,
}

/// Results of the machines on some lists of messages.
#[derive(Default)]
pub struct Runs {
    pub runs: Vec<RunReport>,
    pub no_runs: Vec<NoRun>,
}

impl Bench<'_> {
    /// Runs every machine on these messages and adds the results to `runs`.
    pub fn all(&self, what: &str, travelling: &Travelling, runs: &mut Runs) -> Result<(), Failure> {
        let messages: Arc<MessageList> = Arc::new(MessageList::from(&travelling.messages[..]));
        for contender in &self.machines {
            match self.carry_all(contender, what, &messages)? {
                Ok(carried) => runs.runs.push(RunReport::new(
                    &contender.report,
                    what.to_owned(),
                    self.cube.nodes().into(),
                    travelling,
                    &carried,
                )),
                Err(why) => runs.no_runs.push(NoRun {
                    machine: contender.machine.label(),
                    pattern: what.to_owned(),
                    why,
                }),
            }
        }
        Ok(())
    }

    /// Runs a machine on messages that are all ready at the start. A machine that is made for its
    /// messages is built first. If none can be built for this number of messages, returns the
    /// reason.
    fn carry_all(
        &self,
        contender: &Contender,
        what: &str,
        messages: &Arc<MessageList>,
    ) -> Result<Result<Carried, String>, Failure> {
        let machine = &*contender.machine;
        let Some(maker) = machine.made_for() else {
            let load = Load::at_once(messages.clone());
            return self.carry(machine, what, load).map(Ok);
        };
        let label = machine.label();
        self.activity
            .step(&format!("{label}, {what}: its schedule"));
        let job = match maker.job(messages) {
            Err(Refusal::Size(why)) => return Ok(Err(why.to_string())),
            job => job?,
        };
        let load = Load {
            created: job.created,
            ..Load::at_once(job.messages)
        };
        let carried = self.carry(&*job.machine, what, load)?;
        Ok(Ok(carried.in_periods(contender.report.timebase)))
    }

    /// Starts a new run of a machine on a load, and checks the outcome.
    pub fn carry(&self, machine: &dyn Machine, what: &str, load: Load) -> Result<Carried, Failure> {
        let timebase = machine.timebase();
        let (label, period) = (machine.label(), timebase.period_name);
        let title = format!("{label}, {what}");
        self.activity.step(&title);
        let engine = &self.args.engine;
        let mut engine = engine.start(machine.circuit(), Keep::Outputs, &builds())?;
        let all = load.messages.len();
        let mut driver = machine.driver(&mut *engine, load)?;
        let mut progress = |steps: u64, open: usize| {
            if steps.is_multiple_of(timebase.steps()) {
                self.activity.step(&format!(
                    "{title}: {period} {}, {} of {all} messages over",
                    steps / timebase.steps(),
                    all - open
                ));
            }
        };
        let control = Control {
            period: timebase.steps(),
            stuck_after: machine.stuck_after(),
            limit: u64::MAX,
            stop: Arc::default(),
            progress: &mut progress,
            tell: &mut |_| {},
        };
        let ran = drive(&mut *driver, control).map_err(|e| Failure::Failed(e.into()))?;
        let account = driver.account(&ran);
        match wrong(machine, ran.end, &account) {
            None => Ok(Carried::new(&account, timebase)),
            Some(wrong) => Err(Failure::Failed(anyhow!("{title}: {wrong}"))),
        }
    }
}

/// Describes in one sentence a failure of the machine; `None` if it ran correctly.
pub fn wrong(machine: &dyn Machine, end: End, account: &Account) -> Option<String> {
    let period = machine.timebase().period_name;
    let lost = account.count(|fate| !matches!(fate, Fate::Delivered { .. } | Fate::ToSelf));
    let wrong = account.duplicated + account.undetected;
    match end {
        End::Stuck { periods } => Some(format!("nothing moved for {periods} {period}s")),
        End::Livelock { periods } => Some(format!("nothing arrived for {periods} {period}s")),
        End::Limit { periods } | End::Halted { periods } | End::Stopped { periods } => {
            Some(format!("it was stopped after {periods} {period}s"))
        }
        End::Complete if wrong > 0 => Some(format!(
            "{wrong} messages were doubled or not what was sent"
        )),
        End::Complete if lost > 0 && !machine.may_lose() => Some("messages were lost".into()),
        End::Complete => None,
    }
}
