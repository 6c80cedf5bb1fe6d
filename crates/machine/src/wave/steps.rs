//! Observed machine, and the units of its time.

use super::LinkDecoder;
use interconnect::routing::Schedule;
use interconnect::topology::Topology;
use std::sync::Arc;

/// Machine to be observed.
#[derive(Clone, Debug)]
pub struct WaveSubject {
    pub topology: Arc<dyn Topology>,
    pub steps: Steps,
    /// Output of the shared circuit that rises when a step begins.
    pub mark: &'static str,
    /// Clock cycles per step.
    pub clock_cycles: u64,
    /// Decoder of the links, or `None` in a machine whose links cannot be watched.
    pub links: Option<Arc<dyn LinkDecoder>>,
}

impl WaveSubject {
    /// Machine without a schedule, whose links cannot be watched. `mark` is the output of its
    /// shared circuit that rises at the beginning of each step.
    pub fn without_links(
        topology: Arc<dyn Topology>,
        step: &'static str,
        mark: &'static str,
        clock_cycles: u64,
    ) -> Self {
        let word = StepName {
            full: step,
            short: step,
        };
        WaveSubject {
            topology,
            steps: Steps {
                name: word,
                period: None,
            },
            mark,
            clock_cycles,
            links: None,
        }
    }
}

/// Steps of a machine, counted from 0 at the start.
#[derive(Clone, Debug)]
pub struct Steps {
    /// Name of a step: `phase`, `petit cycle`.
    pub name: StepName,
    /// Period of the steps, in a machine with a schedule.
    pub period: Option<Period>,
}

/// Period of steps that repeats.
#[derive(Clone, Debug)]
pub struct Period {
    /// Name of a period: `superframe`.
    pub name: StepName,
    pub schedule: Arc<dyn Schedule>,
}

/// Name of a step or a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepName {
    pub full: &'static str,
    /// Short form for limited space.
    pub short: &'static str,
}

impl Period {
    /// Steps in the period, at least one.
    pub fn steps(&self) -> u64 {
        self.schedule.period().max(1).into()
    }

    /// Position in its period of a step that is counted from the start.
    pub fn step(&self, t: u64) -> u32 {
        // The result fits in 32 bits.
        (t % self.steps()) as u32
    }

    /// Period of a step that is counted from the start.
    pub fn number(&self, t: u64) -> u64 {
        t / self.steps()
    }
}

impl StepName {
    /// Name of a variable in a waveform.
    pub fn variable(self) -> String {
        self.full.replace(' ', "_")
    }
}
