//! Finds a short list of messages that deadlocks a circuit.

use super::lists::lists;
use super::Ends;
use crate::cli::{builds, interrupt, Failure};
use crate::flags::EngineFlags;
use crate::machine::{drive, Account, Control, End, Load, Ran};
use crate::networks::{Job, Machine};
use crate::routing::{Channel, Relation};
use crate::toolchain::progress::Activity;
use crate::traffic::{Message, MessageList};
use lockstep::lanes::Keep;

/// Periods without a move after which the search assumes a deadlock. By then a link has tried each
/// of its registers, and no timeout of an undisturbed machine is pending. The final list runs again
/// until the machine itself reports the deadlock.
const STILL: u64 = 64;

/// Most runs spent on shortening a list.
const SHORTENINGS: usize = 200;

/// Result of running a list on the circuit.
pub struct Outcome {
    pub list: Vec<Ends>,
    pub ran: Ran,
    pub account: Account,
}

/// Extent of a search: the lists that ran on the circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    pub lists: usize,
    /// Messages in the longest list.
    pub longest: usize,
}

/// Runs lists on a machine.
pub struct Bench<'a> {
    machine: &'a dyn Machine,
    engine: &'a EngineFlags,
    /// Periods after which a run always ends.
    limit: u64,
    stop: interrupt::Stop,
    activity: Activity,
    pub extent: Extent,
}

impl Outcome {
    pub fn is_deadlock(&self) -> bool {
        matches!(self.ran.end, End::Stuck { .. })
    }
}

impl<'a> Bench<'a> {
    /// Creates the runner of a job whose machine is prepared.
    pub fn new(job: &'a Job, engine: &'a EngineFlags) -> Self {
        Bench {
            machine: &*job.machine,
            engine,
            limit: job.limit.unwrap_or(u64::MAX),
            stop: interrupt::listen(),
            activity: Activity::quiet("running lists of messages"),
            extent: Extent::default(),
        }
    }

    /// Runs a list until all messages have arrived or the machine stops because of a stall.
    ///
    /// # Errors
    /// If the circuit cannot run, or a signal requests a stop.
    pub fn run(&mut self, list: &[Ends]) -> Result<Outcome, Failure> {
        self.run_until_still(list, self.machine.stuck_after())
    }

    fn run_until_still(
        &mut self,
        list: &[Ends],
        stuck_after: Option<u64>,
    ) -> Result<Outcome, Failure> {
        self.extent.lists += 1;
        self.extent.longest = self.extent.longest.max(list.len());
        let what = format!("list {}, {} messages", self.extent.lists, list.len());
        self.activity.step(&what);
        let circuit = self.machine.circuit();
        let mut engine = self.engine.start(circuit, Keep::Outputs, &builds())?;
        let mut driver = self
            .machine
            .driver(&mut *engine, Load::at_once(message_list(list)))?;
        let control = Control {
            period: self.machine.timebase().steps(),
            stuck_after,
            limit: self.limit,
            stop: self.stop.flag(),
            progress: &mut |_, _| {},
            tell: &mut |_| {},
        };
        let ran = drive(&mut *driver, control).map_err(|e| Failure::Failed(e.into()))?;
        if let End::Stopped { .. } = ran.end {
            return Err(self.stop.failure(format!("in {what}")));
        }
        let account = driver.account(&ran);
        Ok(Outcome {
            list: list.to_vec(),
            ran,
            account,
        })
    }

    /// Searches for a list that deadlocks the machine, and shortens it. Returns `None` if no tried
    /// list deadlocks.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn search(
        &mut self,
        relation: &dyn Relation,
        cycle: &[Channel],
        filling: &[Ends],
    ) -> Result<Option<Outcome>, Failure> {
        for list in lists(relation, cycle, filling) {
            if !self.deadlocks(&list)? {
                continue;
            }
            let tried = self.extent;
            let short = self.shortened(list)?;
            let outcome = self.run(&short)?;
            self.extent = tried;
            if outcome.is_deadlock() {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    fn deadlocks(&mut self, list: &[Ends]) -> Result<bool, Failure> {
        let still = self.machine.stuck_after().map(|after| after.min(STILL));
        Ok(self.run_until_still(list, still)?.is_deadlock())
    }

    /// Removes messages while the rest still deadlocks, first in large groups, then one by one.
    fn shortened(&mut self, mut list: Vec<Ends>) -> Result<Vec<Ends>, Failure> {
        let mut runs = 0;
        let mut part = list.len().div_ceil(2);
        while part > 0 && runs < SHORTENINGS {
            let mut at = 0;
            let before = list.len();
            while at < list.len() && runs < SHORTENINGS {
                let mut rest = list.clone();
                rest.drain(at..(at + part).min(list.len()));
                runs += 1;
                match !rest.is_empty() && self.deadlocks(&rest)? {
                    true => list = rest,
                    false => at += part,
                }
            }
            // Single messages are tried until none can be removed.
            part = match part {
                1 if list.len() < before => 1,
                part => part / 2,
            };
        }
        Ok(list)
    }
}

/// Returns messages between these nodes, each with a different payload.
pub fn message_list(ends: &[Ends]) -> MessageList {
    let mut messages = MessageList::default();
    for (number, [source, destination]) in (0u32..).zip(ends) {
        messages.push(Message {
            source: *source,
            destination: *destination,
            payload: &number.to_le_bytes(),
        });
    }
    messages
}
