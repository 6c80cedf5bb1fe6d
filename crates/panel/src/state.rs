//! State that the simulation and the server share.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Next action of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Run,
    Pause,
    /// Run until this phase begins, counted from the start.
    UntilStep(u64),
    /// Run until an LED changes.
    UntilChange,
    /// Run until all processors whose programs run have completed this number of exchanges.
    UntilExchange(u64),
}

/// Limit on the speed of a run, in superframes per second. `None` for full speed.
pub type Speed = Option<f64>;

/// Limits of a speed, in superframes per second.
const SPEED_MIN: f64 = 0.001;
const SPEED_MAX: f64 = 1e6;

/// Request of a user. A step pauses the machine when it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(tag = "action", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum PanelCommand {
    Run,
    Pause,
    Step { unit: StepUnit },
    Speed { superframes_per_second: Option<f64> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StepUnit {
    Phase,
    Superframe,
    /// Until an LED changes.
    Change,
    /// Until all processors whose programs run have completed another exchange.
    Exchange,
}

/// State of the run, as the page shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RunState {
    Starting,
    Running,
    Paused,
    /// The clock stops until a message comes. The nodes do not answer.
    Resting,
    Ended,
    /// The run was stopped or has failed. The nodes do not answer.
    Stopped,
}

impl RunState {
    /// True if an observer answers requests for the state of a node.
    pub(crate) fn answers(self) -> bool {
        !matches!(self, RunState::Resting | RunState::Stopped)
    }
}

/// Picture of the panel at the start of a phase.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Frame {
    /// Number of the picture. A later picture has a higher number.
    pub sequence: u64,
    pub state: RunState,
    /// Phases that have begun, minus one.
    pub step: u64,
    pub superframe: u64,
    pub phase: u64,
    /// Links that are open in this phase: `dim 2, bit 0`.
    pub label: String,
    pub clock_cycles: u64,
    /// Superframes per second of wall time, over the last second or so.
    pub rate: f64,
    /// Exchanges that all processors whose programs run have completed. `None` if the program does
    /// not count them.
    pub exchanges: Option<u64>,
    pub speed: Speed,
    /// How the run ended. Empty until then.
    pub message: String,
    /// Brightness by place, row after row.
    #[serde(skip)]
    pub leds: Vec<u8>,
}

/// State of a node, as the page shows it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct NodeView {
    pub node: u32,
    pub row: usize,
    pub column: usize,
    pub led: u8,
    pub core: &'static str,
    /// Last instruction, and the calls that led there, innermost first.
    pub program: Vec<String>,
    /// Names and values of counters.
    pub counters: Vec<(&'static str, u64)>,
}

impl Frame {
    /// Picture of a run that has not begun, with all LEDs off.
    fn first(sequence: u64, speed: Speed, leds: usize) -> Self {
        Frame {
            sequence,
            state: RunState::Starting,
            step: 0,
            superframe: 0,
            phase: 0,
            label: String::new(),
            clock_cycles: 0,
            rate: 0.0,
            exchanges: None,
            speed,
            message: String::new(),
            leds: vec![0; leds],
        }
    }
}

#[derive(Debug)]
pub(crate) struct PanelData {
    pub frame: Frame,
    pub mode: Mode,
    pub speed: Speed,
    /// Nodes that a browser asked for.
    pub wanted: BTreeSet<u32>,
    pub views: BTreeMap<u32, NodeView>,
    /// Nothing answers any more: the program ends.
    pub closed: bool,
}

/// Shared state. Clones share it, too.
#[derive(Clone, Debug)]
pub struct PanelState(Arc<(Mutex<PanelData>, Condvar)>);

impl PanelState {
    /// State of a run that has not begun.
    pub fn new(speed: Speed, is_paused: bool) -> Self {
        let inner = PanelData {
            frame: Frame::first(1, speed, 0),
            mode: if is_paused { Mode::Pause } else { Mode::Run },
            speed,
            wanted: BTreeSet::new(),
            views: BTreeMap::new(),
            closed: false,
        };
        PanelState(Arc::new((Mutex::new(inner), Condvar::new())))
    }

    /// Begins another run with a new picture and at the speed of the run before. The stop flag of the
    /// run before is set, so its observer does not change the state any more. The same holds for
    /// this run if `stop` is set.
    pub fn begin(&self, stop: &AtomicBool) {
        let mut inner = self.lock();
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let old = &inner.frame;
        inner.frame = Frame::first(old.sequence + 1, old.speed, old.leds.len());
        inner.mode = Mode::Run;
        inner.views.clear();
        drop(inner);
        self.changed();
    }

    /// Shows that the clock stops until a message comes.
    pub fn show_rest(&self) {
        self.show_state(RunState::Resting, None);
    }

    /// Shows that the run was stopped. Keeps the message of a run that had ended before.
    pub fn show_stop(&self, message: &str) {
        let is_over = matches!(self.lock().frame.state, RunState::Ended | RunState::Stopped);
        self.show_state(RunState::Stopped, (!is_over).then_some(message));
    }

    /// Shows that the run has failed.
    pub fn show_failure(&self, message: &str) {
        self.show_state(RunState::Stopped, Some(message));
    }

    fn show_state(&self, state: RunState, message: Option<&str>) {
        let mut inner = self.lock();
        inner.frame.state = state;
        inner.frame.sequence += 1;
        if let Some(message) = message {
            message.clone_into(&mut inner.frame.message);
        }
        drop(inner);
        self.changed();
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, PanelData> {
        self.0 .0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn changed(&self) {
        self.0 .1.notify_all();
    }

    /// Waits for a change, at most this long.
    pub(crate) fn wait<'a>(
        &self,
        guard: MutexGuard<'a, PanelData>,
        time: Duration,
    ) -> MutexGuard<'a, PanelData> {
        let waited = self.0 .1.wait_timeout(guard, time);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits until `found` returns a value. `None` after this time, or if nothing answers any more.
    pub(crate) fn wait_for<T>(
        &self,
        time: Duration,
        mut found: impl FnMut(&mut PanelData) -> Option<T>,
    ) -> Option<T> {
        let end = Instant::now() + time;
        let mut inner = self.lock();
        loop {
            if let Some(value) = found(&mut inner) {
                return Some(value);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || inner.closed {
                return None;
            }
            inner = self.wait(inner, left);
        }
    }

    /// Carries out a request. `period` is the number of phases of a superframe.
    pub(crate) fn command(&self, command: PanelCommand, period: u64) {
        let mut inner = self.lock();
        let step = inner.frame.step;
        match command {
            PanelCommand::Run => inner.mode = Mode::Run,
            PanelCommand::Pause => inner.mode = Mode::Pause,
            PanelCommand::Step { unit } => {
                inner.mode = match unit {
                    StepUnit::Phase => Mode::UntilStep(step + 1),
                    StepUnit::Superframe => Mode::UntilStep((step / period + 1) * period),
                    StepUnit::Change => Mode::UntilChange,
                    StepUnit::Exchange => {
                        Mode::UntilExchange(inner.frame.exchanges.unwrap_or(0) + 1)
                    }
                }
            }
            PanelCommand::Speed { superframes_per_second } => {
                inner.speed = superframes_per_second
                    .filter(|speed| *speed > 0.0)
                    .map(|speed| speed.clamp(SPEED_MIN, SPEED_MAX));
                inner.frame.speed = inner.speed;
                inner.frame.sequence += 1;
            }
        }
        drop(inner);
        self.changed();
    }

    /// Ends all waiting.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_kept_within_limits() {
        let state = PanelState::new(None, false);
        for (given, expected) in [
            (Some(2.5), Some(2.5)),
            (Some(1e-300), Some(SPEED_MIN)),
            (Some(1e300), Some(SPEED_MAX)),
            (Some(0.0), None),
            (Some(-1.0), None),
            (None, None),
        ] {
            let command = PanelCommand::Speed { superframes_per_second: given };
            state.command(command, 8);
            assert_eq!(state.lock().speed, expected, "{given:?}");
        }
    }

    #[test]
    fn a_run_begins_without_the_state_of_the_run_before() {
        let state = PanelState::new(Some(2.0), false);
        {
            let mut inner = state.lock();
            inner.mode = Mode::UntilChange;
            inner.frame.step = 7;
            inner.frame.exchanges = Some(3);
            inner.frame.leds = vec![1, 2];
        }
        state.show_failure("It broke off.");
        state.show_stop("It was stopped.");
        let shown = state.lock().frame.clone();
        assert_eq!((&*shown.message, shown.state), ("It broke off.", RunState::Stopped));
        // A run that was stopped before it began changes nothing.
        state.begin(&AtomicBool::new(true));
        assert_eq!(state.lock().frame.state, RunState::Stopped);
        state.begin(&AtomicBool::new(false));
        let inner = state.lock();
        let frame = &inner.frame;
        assert_eq!((inner.mode, inner.speed), (Mode::Run, Some(2.0)));
        assert_eq!((frame.state, frame.step), (RunState::Starting, 0));
        assert_eq!((&*frame.message, frame.exchanges), ("", None));
        assert_eq!((frame.speed, &*frame.leds), (Some(2.0), &[0, 0][..]));
        assert!(frame.sequence > shown.sequence);
    }

    #[test]
    fn a_step_ends_at_the_next_phase_or_superframe() {
        let state = PanelState::new(None, true);
        for (step, unit, expected) in [
            (0, StepUnit::Phase, Mode::UntilStep(1)),
            (0, StepUnit::Superframe, Mode::UntilStep(8)),
            (7, StepUnit::Superframe, Mode::UntilStep(8)),
            (8, StepUnit::Superframe, Mode::UntilStep(16)),
            (8, StepUnit::Change, Mode::UntilChange),
        ] {
            state.lock().frame.step = step;
            state.command(PanelCommand::Step { unit }, 8);
            assert_eq!(state.lock().mode, expected);
        }
    }
}
