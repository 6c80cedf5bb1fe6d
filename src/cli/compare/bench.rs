//! Runs the machines of a comparison, and stops where one does what it must not.

use super::CompareArgs;
use crate::cli::{builds, Failure};
use crate::machine::{drive, Account, Control, End, Fate, Load};
use crate::networks::Machine;
use crate::report::comparison::{Carried, MachineReport, RunReport};
use crate::toolchain::progress::Activity;
use crate::topology::Hypercube;
use crate::traffic::{MessageList, Travelling};
use anyhow::anyhow;
use lockstep::lanes::Keep;
use std::sync::Arc;

/// A machine and what is known of it.
pub struct Contender {
    pub machine: Box<dyn Machine>,
    pub report: MachineReport,
}

/// All machines, to be run one after the other on the same messages.
pub struct Bench<'a> {
    pub args: &'a CompareArgs,
    pub cube: Hypercube,
    pub proc_bits: u32,
    pub machines: Vec<Contender>,
    pub activity: Activity,
}

impl Bench<'_> {
    /// What every machine does with these messages.
    pub fn all(&self, what: &str, travelling: &Travelling) -> Result<Vec<RunReport>, Failure> {
        let messages: Arc<MessageList> = Arc::new(MessageList::from(&travelling.messages[..]));
        let run = |contender: &Contender| {
            let carried = self.carry(contender, what, Load::at_once(messages.clone()))?;
            let nodes = self.cube.nodes().into();
            Ok(RunReport::new(
                &contender.report,
                what.to_owned(),
                nodes,
                travelling,
                &carried,
            ))
        };
        self.machines.iter().map(run).collect()
    }

    /// What a machine, started anew, does with a load.
    pub fn carry(&self, contender: &Contender, what: &str, load: Load) -> Result<Carried, Failure> {
        let machine = &*contender.machine;
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

/// What a machine did that it must not, in a sentence.
pub fn wrong(machine: &dyn Machine, end: End, account: &Account) -> Option<String> {
    let period = machine.timebase().period_name;
    let lost = account.count(|fate| !matches!(fate, Fate::Delivered { .. } | Fate::ToSelf));
    let wrong = account.duplicated + account.undetected;
    match end {
        End::Stuck { periods } => Some(format!("nothing moved for {periods} {period}s")),
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
