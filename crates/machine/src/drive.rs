//! Runs a machine step by step, until every message is accounted for or nothing can move any more.
//! All machines use this loop.

use super::{EndReason, RunEnd, RunStats};
use engine::EngineError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use thiserror::Error;

/// Reason why a run could not be completed.
#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A part of the machine has lost sync. Contains a sentence for the user.
    #[error("{0}")]
    LostSync(&'static str),
}

/// State of the run at the beginning of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepStatus {
    /// Number of messages without a final outcome.
    pub open: usize,
    /// Steps since the last move of a message. `None` if messages are still to come, which is not a
    /// deadlock.
    pub steps_since_move: Option<u64>,
    /// Steps since the last final outcome of a message. `None` if [`steps_since_move`](Self::steps_since_move) is `None`.
    /// Also `None` in a machine in which every move brings a message nearer to its destination.
    pub steps_since_outcome: Option<u64>,
    /// True if all programs have halted.
    pub halted: bool,
}

/// Environment of a machine: sends messages, receives deliveries, and follows the position of every
/// message.
///
/// The loop calls it in each clock cycle that it does not skip. [`begin_step`](Self::begin_step) detects
/// the beginning of a step, [`work`](Self::work) does the work of the clock cycle, and
/// [`advance`](Self::advance) skips to the next one.
pub trait MachineDriver {
    /// Lets the machine settle. If a step begins in this clock cycle, accounts for the previous
    /// step and returns the state of the run.
    ///
    /// # Errors
    /// If the circuit does not settle, or loses sync.
    fn begin_step(&mut self) -> Result<Option<StepStatus>, RunError>;

    /// True if every message is accounted for.
    fn is_complete(&self) -> bool;

    /// Does the work of the environment in this clock cycle.
    ///
    /// # Errors
    /// As [`begin_step`](Self::begin_step).
    fn work(&mut self) -> Result<(), RunError>;

    /// Advances to the next clock cycle in which there is work. Returns the number of clock cycles,
    /// at least one.
    ///
    /// # Errors
    /// As [`begin_step`](Self::begin_step).
    fn advance(&mut self) -> Result<u64, RunError>;

    /// Lines for immediate output, called after a step has begun.
    fn take_lines(&mut self) -> Vec<String> {
        vec![]
    }

    /// Traffic over the channels between nodes since the start, in periods of a channel. A channel
    /// that is never idle carries 1 per period. `None` if it is not counted.
    fn carried_traffic(&self) -> Option<f64> {
        None
    }

    /// Final account of the run.
    fn run_stats(self: Box<Self>, ran: &RunEnd) -> RunStats;
}

/// End conditions of a run, and its callbacks.
pub struct RunControl<'a> {
    /// Steps in a period.
    pub period: u64,
    /// Periods without a move after which the machine counts as deadlocked. `None` for a machine
    /// that cannot deadlock.
    pub deadlock_after: Option<u64>,
    /// The run ends when the last step of this number of periods begins, and after at most 2^32
    /// steps.
    pub limit: u64,
    /// If set, the run ends at the beginning of the next step.
    pub stop: Arc<AtomicBool>,
    /// Called after each step with the number of finished steps and of open messages.
    pub progress: &'a mut dyn FnMut(u64, usize),
    /// Called with each line for immediate output.
    pub print_line: &'a mut dyn FnMut(&str),
}

/// Multiple of [`deadlock_after`](RunControl::deadlock_after) after which moves without progress count as a
/// livelock. A link of a cube repeats a frame for a third of `deadlock_after` before it goes down. The
/// longest route has twelve links.
const LIVELOCK_FACTOR: u64 = 16;

/// Runs a machine that has just been started.
///
/// # Errors
/// If the circuit does not settle, or loses sync.
pub fn drive(driver: &mut dyn MachineDriver, control: RunControl) -> Result<RunEnd, RunError> {
    let (mut begun, mut clock_cycles) = (0u64, 0);
    let end = loop {
        if driver.is_complete() {
            break EndReason::Complete;
        }
        if let Some(step) = driver.begin_step()? {
            if begun > 0 {
                (control.progress)(begun, step.open);
            }
            begun += 1;
            for line in driver.take_lines() {
                (control.print_line)(&line);
            }
            if driver.is_complete() {
                break EndReason::Complete;
            }
            if let Some(end) = control.end_reason(begun, step) {
                break end;
            }
        }
        driver.work()?;
        clock_cycles += driver.advance()?;
    };
    Ok(RunEnd {
        end,
        steps: begun.saturating_sub(1),
        clock_cycles,
    })
}

/// Runs a machine that has just been started for at least this number of clock cycles, even if its
/// messages are all accounted for.
///
/// # Errors
/// As [`drive`].
pub fn drive_for(driver: &mut dyn MachineDriver, clock_cycles: u64) -> Result<(), RunError> {
    let mut done = 0;
    while done < clock_cycles {
        driver.begin_step()?;
        driver.work()?;
        done += driver.advance()?;
    }
    Ok(())
}

impl RunControl<'_> {
    /// Checks the end conditions at the beginning of step `begun`.
    fn end_reason(&self, begun: u64, step: StepStatus) -> Option<EndReason> {
        let periods = begun / self.period;
        let limit = self.limit.min(u64::from(u32::MAX) / self.period);
        let for_more_than = |periods: u64, steps: Option<u64>| {
            steps.is_some_and(|steps| steps > periods * self.period)
        };
        let bounds = self
            .deadlock_after
            .map(|after| (after, LIVELOCK_FACTOR * after));
        match bounds {
            Some((periods, _)) if for_more_than(periods, step.steps_since_move) => {
                Some(EndReason::Deadlock { periods })
            }
            Some((_, periods)) if for_more_than(periods, step.steps_since_outcome) => {
                Some(EndReason::Livelock { periods })
            }
            _ if self.stop.load(Ordering::Relaxed) => Some(EndReason::Stopped { periods }),
            _ if periods >= limit => Some(EndReason::Limit { periods: limit }),
            _ if step.halted => Some(EndReason::Halted { periods }),
            _ => None,
        }
    }
}
