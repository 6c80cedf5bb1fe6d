//! The one loop that runs a machine: step by step, until every message is accounted
//! for or nothing can move any more.

use super::{Account, End, Ran};
use crate::engine::EngineError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use thiserror::Error;

/// Why a machine could not be run to an end.
#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// What should keep time in the machine does not; in a sentence.
    #[error("{0}")]
    OutOfStep(&'static str),
}

/// What a driver knows when a step begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Messages whose fate is open.
    pub open: usize,
    /// Steps since a message moved, or `None` if messages are still to come, so that
    /// nothing is stuck.
    pub quiet: Option<u64>,
    /// Steps since the fate of a message was decided; `None` as for [`quiet`](Self::quiet), and in a
    /// machine in which every move brings a message nearer.
    pub fruitless: Option<u64>,
    /// All programs have halted.
    pub halted: bool,
}

/// Plays what is around a machine: hands it messages, takes what comes, and follows
/// where every message is.
///
/// The loop asks in each clock cycle that it does not skip: does a step begin
/// ([`begins`](Self::begins)), what is to be done in this clock cycle
/// ([`work`](Self::work)), and then how far to go ([`advance`](Self::advance)).
pub trait Driver {
    /// Lets the machine settle. If a step begins in this clock cycle, accounts for the
    /// one before and says how things stand.
    ///
    /// # Errors
    /// If the circuit does not settle, or does not keep time.
    fn begins(&mut self) -> Result<Option<Step>, RunError>;

    /// Whether every message is accounted for.
    fn is_complete(&self) -> bool;

    /// Everything around the machine in this clock cycle.
    ///
    /// # Errors
    /// As [`begins`](Self::begins).
    fn work(&mut self) -> Result<(), RunError>;

    /// Goes on to the next clock cycle in which there is something to do; how many
    /// clock cycles that was, at least one.
    ///
    /// # Errors
    /// As [`begins`](Self::begins).
    fn advance(&mut self) -> Result<u64, RunError>;

    /// What people are to be told at once, a line each: after a step has begun.
    fn news(&mut self) -> Vec<String> {
        vec![]
    }

    /// What has gone over the channels between nodes since the start, in periods of a channel:
    /// one that is never idle carries 1 in each. `None` if nobody counts it.
    fn carried(&self) -> Option<f64> {
        None
    }

    /// What it has seen of the run, which is over.
    fn account(self: Box<Self>, ran: &Ran) -> Account;
}

/// When a run is ended, and who is told of it meanwhile.
pub struct Control<'a> {
    /// Steps in a period.
    pub period: u64,
    /// Periods without a move after which the machine is stuck; `None` for a machine
    /// that cannot be.
    pub stuck_after: Option<u64>,
    /// The run ends in any case when the last step of so many periods begins; 2^32
    /// steps at most.
    pub limit: u64,
    /// The run ends at the beginning of the next step when somebody sets this.
    pub stop: Arc<AtomicBool>,
    /// Is told after each step how many are over, and how many messages are open.
    pub progress: &'a mut dyn FnMut(u64, usize),
    /// Is told at once what there is to be told.
    pub tell: &'a mut dyn FnMut(&str),
}

/// After so many times [`stuck_after`](Control::stuck_after) moves that lead nowhere are a livelock. A
/// link of a cube takes a third of that time to go down, in which a frame is repeated on it, and the
/// longest way goes over twelve.
const LIVELOCK: u64 = 16;

/// Runs a machine that has just been started.
///
/// # Errors
/// If the circuit does not settle, or does not keep time.
pub fn drive(driver: &mut dyn Driver, control: Control) -> Result<Ran, RunError> {
    let (mut begun, mut clock_cycles) = (0u64, 0);
    let end = loop {
        if driver.is_complete() {
            break End::Complete;
        }
        if let Some(step) = driver.begins()? {
            if begun > 0 {
                (control.progress)(begun, step.open);
            }
            begun += 1;
            for line in driver.news() {
                (control.tell)(&line);
            }
            if driver.is_complete() {
                break End::Complete;
            }
            if let Some(end) = control.end(begun, step) {
                break end;
            }
        }
        driver.work()?;
        clock_cycles += driver.advance()?;
    };
    Ok(Ran {
        end,
        steps: begun.saturating_sub(1),
        clock_cycles,
    })
}

/// Runs a machine that has just been started for so many clock cycles, or a few more,
/// whatever becomes of its messages.
///
/// # Errors
/// As [`drive`].
pub fn drive_for(driver: &mut dyn Driver, clock_cycles: u64) -> Result<(), RunError> {
    let mut done = 0;
    while done < clock_cycles {
        driver.begins()?;
        driver.work()?;
        done += driver.advance()?;
    }
    Ok(())
}

impl Control<'_> {
    /// Whether the run is over, at the beginning of a step that is one of so many.
    fn end(&self, begun: u64, step: Step) -> Option<End> {
        let periods = begun / self.period;
        let limit = self.limit.min(u64::from(u32::MAX) / self.period);
        let for_more_than = |periods: u64, steps: Option<u64>| {
            steps.is_some_and(|steps| steps > periods * self.period)
        };
        let bounds = self.stuck_after.map(|after| (after, LIVELOCK * after));
        match bounds {
            Some((periods, _)) if for_more_than(periods, step.quiet) => {
                Some(End::Stuck { periods })
            }
            Some((_, periods)) if for_more_than(periods, step.fruitless) => {
                Some(End::Livelock { periods })
            }
            _ if self.stop.load(Ordering::Relaxed) => Some(End::Stopped { periods }),
            _ if periods >= limit => Some(End::Limit { periods: limit }),
            _ if step.halted => Some(End::Halted { periods }),
            _ => None,
        }
    }
}
