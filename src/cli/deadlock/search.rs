//! Finds a short list of messages that deadlocks a circuit.

use super::lists::lists;
use super::Ends;
use crate::cli::{build_dir, interrupt, CliError};
use interconnect::routing::{Channel, Relation};
use interconnect::traffic::{Message, MessageList};
use lockstep::lanes::Keep;
use machine::flags::EngineFlags;
use machine::networks::{Machine, MachineJob};
use machine::{drive, EndReason, Load, RunControl, RunEnd, RunStats};
use toolchain::progress::ProgressStep;

/// Periods without a move after which the search assumes a deadlock. By then a link has tried each
/// of its registers, and no timeout of an undisturbed machine is pending. The final list runs again
/// until the machine itself reports the deadlock.
const STALL_PERIODS: u64 = 64;

/// Most runs spent on shortening a list.
const SHORTEN_RUNS_MAX: usize = 200;

/// Result of running a list on the circuit.
pub struct ListRun {
    pub list: Vec<Ends>,
    pub ran: RunEnd,
    pub stats: RunStats,
}

/// Extent of a search: the lists that ran on the circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchExtent {
    pub lists: usize,
    /// Messages in the longest list.
    pub longest: usize,
}

/// Runs lists on a machine.
pub struct DeadlockSearch<'a> {
    machine: &'a dyn Machine,
    engine: &'a EngineFlags,
    /// Periods after which a run always ends.
    limit: u64,
    stop: interrupt::Stop,
    activity: ProgressStep,
    pub extent: SearchExtent,
}

impl ListRun {
    pub fn is_deadlock(&self) -> bool {
        matches!(self.ran.end, EndReason::Deadlock { .. })
    }
}

impl<'a> DeadlockSearch<'a> {
    /// Creates the runner of a job whose machine is prepared.
    pub fn new(job: &'a MachineJob, engine: &'a EngineFlags) -> Self {
        DeadlockSearch {
            machine: &*job.machine,
            engine,
            limit: job.limit.unwrap_or(u64::MAX),
            stop: interrupt::listen(),
            activity: ProgressStep::quiet("running lists of messages"),
            extent: SearchExtent::default(),
        }
    }

    /// Runs a list until all messages have arrived or the machine stops because of a stall.
    ///
    /// # Errors
    /// If the circuit cannot run, or a signal requests a stop.
    pub fn run(&mut self, list: &[Ends]) -> Result<ListRun, CliError> {
        self.run_until_stall(list, self.machine.deadlock_after())
    }

    fn run_until_stall(
        &mut self,
        list: &[Ends],
        stuck_after: Option<u64>,
    ) -> Result<ListRun, CliError> {
        self.extent.lists += 1;
        self.extent.longest = self.extent.longest.max(list.len());
        let what = format!("list {}, {} messages", self.extent.lists, list.len());
        self.activity.step(&what);
        let circuit = self.machine.circuit();
        let mut engine = self.engine.start(circuit, Keep::Outputs, &build_dir())?;
        let mut driver = self
            .machine
            .driver(&mut *engine, Load::at_once(message_list(list)))?;
        let control = RunControl {
            period: self.machine.timebase().steps(),
            deadlock_after: stuck_after,
            limit: self.limit,
            stop: self.stop.flag(),
            progress: &mut |_, _| {},
            print_line: &mut |_| {},
        };
        let ran = drive(&mut *driver, control).map_err(|e| CliError::Failed(e.into()))?;
        if let EndReason::Stopped { .. } = ran.end {
            return Err(self.stop.error(format!("in {what}")));
        }
        let account = driver.run_stats(&ran);
        Ok(ListRun {
            list: list.to_vec(),
            ran,
            stats: account,
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
    ) -> Result<Option<ListRun>, CliError> {
        for list in lists(relation, cycle, filling) {
            if !self.deadlocks(&list)? {
                continue;
            }
            let tried = self.extent;
            let short = self.shorten(list)?;
            let outcome = self.run(&short)?;
            self.extent = tried;
            if outcome.is_deadlock() {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    fn deadlocks(&mut self, list: &[Ends]) -> Result<bool, CliError> {
        let still = self
            .machine
            .deadlock_after()
            .map(|after| after.min(STALL_PERIODS));
        Ok(self.run_until_stall(list, still)?.is_deadlock())
    }

    /// Removes messages while the rest still deadlocks, first in large groups, then one by one.
    fn shorten(&mut self, mut list: Vec<Ends>) -> Result<Vec<Ends>, CliError> {
        let mut runs = 0;
        let mut part = list.len().div_ceil(2);
        while part > 0 && runs < SHORTEN_RUNS_MAX {
            let mut at = 0;
            let before = list.len();
            while at < list.len() && runs < SHORTEN_RUNS_MAX {
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
