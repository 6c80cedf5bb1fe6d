//! What is looked at, and how its time is counted.

use super::LinkDecoder;
use crate::routing::Schedule;
use crate::topology::Topology;
use std::sync::Arc;

/// A machine, as it is looked at.
#[derive(Clone, Debug)]
pub struct Subject {
    pub topology: Arc<dyn Topology>,
    pub steps: Steps,
    /// The output of the shared circuit that rises when a step begins.
    pub mark: &'static str,
    /// Clock cycles from one step to the next.
    pub clock_cycles: u64,
    /// What can be read off the links; `None` in a machine whose links cannot be
    /// watched.
    pub links: Option<Arc<dyn LinkDecoder>>,
}

impl Subject {
    /// A machine without a schedule, whose links cannot be watched; `mark` is the output
    /// of its shared circuit that rises every so many clock cycles, when a step begins.
    pub fn without_links(
        topology: Arc<dyn Topology>,
        step: &'static str,
        mark: &'static str,
        clock_cycles: u64,
    ) -> Self {
        let word = Word {
            full: step,
            short: step,
        };
        Subject {
            topology,
            steps: Steps { word, period: None },
            mark,
            clock_cycles,
            links: None,
        }
    }
}

/// The steps in which a machine works, counted from 0 at the start.
#[derive(Clone, Debug)]
pub struct Steps {
    /// `phase`, `petit cycle`.
    pub word: Word,
    /// In which they come again, in a machine with a schedule.
    pub period: Option<Period>,
}

/// The steps that come again and again.
#[derive(Clone, Debug)]
pub struct Period {
    /// `superframe`.
    pub word: Word,
    pub schedule: Arc<dyn Schedule>,
}

/// What a step or a period is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub full: &'static str,
    /// Where there is little room.
    pub short: &'static str,
}

impl Period {
    /// Steps in it; one at least.
    pub fn steps(&self) -> u64 {
        self.schedule.period().max(1).into()
    }

    /// The place in its period of a step that is counted from the start.
    pub fn step(&self, t: u64) -> u32 {
        // Less than a number of 32 bits.
        (t % self.steps()) as u32
    }

    /// The period of a step that is counted from the start.
    pub fn number(&self, t: u64) -> u64 {
        t / self.steps()
    }
}

impl Word {
    /// As the name of a variable in a waveform.
    pub fn variable(self) -> String {
        self.full.replace(' ', "_")
    }
}
