//! Observer of a running machine: reads the LEDs, and stops the machine while it is paused.

use crate::state::{Frame, Mode, NodeView, PanelData, RunState};
use crate::{Grid, PanelState, Recorder};
use engine::{EngineError, NodeEngine, NodePortId, Observer, SharedPortId};
use machine::program::Symbols;
use machine::wave::WaveSubject;
use machine::{call_chain, data_word};
use rtl::tdma::{ReceiveResult, SendResult};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// The nodes of the machine have no LED.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the nodes of this machine have no LED")]
pub struct NoLeds;

/// Interval between two pictures while the machine runs.
const PICTURE_INTERVAL: Duration = Duration::from_millis(25);

/// Interval in which the rate of a run is measured.
const RATE_INTERVAL: Duration = Duration::from_secs(1);

/// Longest time between two checks of the stop flag.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// Machine that is shown on a panel.
#[derive(Clone, Debug)]
pub struct ShownMachine {
    pub subject: WaveSubject,
    pub symbols: Symbols,
    /// Nodes that take no part in exchanges, because they are dead from the start.
    pub dead: Vec<u32>,
    /// If set, the observer does not wait for users any more, and does not change the panel.
    pub stop: Arc<AtomicBool>,
    /// While set, the observer lets the machine run although a user has paused it.
    pub pass: Arc<AtomicBool>,
}

/// Function of the runtime that a program calls at its end, and that does not return.
const EXIT: &str = "ctrl_exit";

impl ShownMachine {
    /// Address of the variable in which a program counts its exchanges. `None` if it is not StarC.
    pub fn exchanges(&self) -> Option<u32> {
        self.symbols.exchange_count()
    }
}

/// Counters of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    accepted: u64,
    naks: u64,
    timeouts: u64,
    received: u64,
    missed_deadlines: u64,
}

/// Outputs of the nodes that the panel shows.
struct Outputs {
    led: NodePortId,
    counted: Option<[NodePortId; 3]>,
    slips: Option<NodePortId>,
    asleep: Option<NodePortId>,
    halted: Option<NodePortId>,
    program_counter: Option<NodePortId>,
}

/// Observer that shows a machine on a panel. It looks once in each phase.
pub struct PanelObserver {
    machine: ShownMachine,
    state: PanelState,
    recorder: Option<Recorder>,
    grid: Grid,
    outputs: Outputs,
    mark: SharedPortId,
    /// Clock cycle in which the first phase began.
    start: Option<u64>,
    next: u64,
    clock: u64,
    /// LEDs by place, now and at the look before.
    leds: Vec<u8>,
    leds_before: Vec<u8>,
    counters: Vec<Counters>,
    /// Exchanges that all processors whose programs run have completed, at the latest count.
    exchanges: u64,
    /// By node: true if its program is known not to run any more, or if it is dead.
    is_over: Vec<bool>,
    /// Time of the last picture for browsers.
    shown_at: Option<Instant>,
    /// Time and phase at which the rate was last measured, and the rate in superframes per second.
    rated_at: (Instant, u64),
    rate: f64,
    /// Time of the present phase if the speed of the run is limited.
    due: Option<Instant>,
    values: Vec<u64>,
}

impl PanelObserver {
    /// Shows the machine on an engine that has just been started.
    ///
    /// # Errors
    /// If its nodes have no output `led`.
    pub fn new(
        engine: &mut dyn NodeEngine,
        machine: ShownMachine,
        state: PanelState,
        recorder: Option<Recorder>,
    ) -> Result<Self, NoLeds> {
        let mut signal = |name: &str| engine.signal(name);
        let outputs = Outputs {
            led: signal("led").ok_or(NoLeds)?,
            counted: match ["sent", "received", "missed_deadline"].map(&mut signal) {
                [Some(sent), Some(received), Some(missed)] => Some([sent, received, missed]),
                _ => None,
            },
            slips: signal("slips"),
            asleep: signal("asleep"),
            halted: signal("halted"),
            program_counter: signal("program_counter"),
        };
        let nodes = engine.nodes();
        let is_dead = |node: usize| machine.dead.contains(&(node as u32));
        Ok(PanelObserver {
            is_over: (0..nodes).map(is_dead).collect(),
            mark: engine.shared_port(machine.subject.mark),
            machine,
            state,
            recorder,
            grid: Grid::of(nodes),
            outputs,
            start: None,
            next: 0,
            clock: 0,
            leds: vec![0; nodes],
            leds_before: vec![0; nodes],
            counters: vec![Counters::default(); nodes],
            exchanges: 0,
            shown_at: None,
            rated_at: (Instant::now(), 0),
            rate: 0.0,
            due: None,
            values: vec![],
        })
    }

    /// Phases of a superframe.
    fn period(&self) -> u64 {
        let period = self.machine.subject.steps.period.as_ref();
        period.map_or(1, |period| period.steps())
    }

    /// Phases that have begun, minus one.
    fn step(&self) -> u64 {
        (self.clock - self.start.unwrap_or(self.clock)) / self.machine.subject.clock_cycles
    }

    /// Reads the LEDs, by place.
    fn read_leds(&mut self, engine: &mut dyn NodeEngine) -> Vec<u8> {
        engine.get_all(self.outputs.led, &mut self.values);
        let by_node: Vec<u8> = self.values.iter().map(|led| *led as u8).collect();
        self.grid.arrange(&by_node)
    }

    /// Reads the LEDs of all nodes, and the outcome of the phase before.
    fn read(&mut self, engine: &mut dyn NodeEngine) {
        let leds = self.read_leds(engine);
        self.leds_before = std::mem::replace(&mut self.leds, leds);
        let Some([sent, received, missed]) = self.outputs.counted else {
            return;
        };
        let is = |value: u64, result: SendResult| value == result as u64;
        engine.get_all(sent, &mut self.values);
        for (counters, sent) in self.counters.iter_mut().zip(&self.values) {
            counters.accepted += u64::from(is(*sent, SendResult::Accepted));
            counters.naks += u64::from(is(*sent, SendResult::Nak));
            counters.timeouts += u64::from(is(*sent, SendResult::Timeout));
        }
        engine.get_all(received, &mut self.values);
        let stored = [ReceiveResult::Stored as u64, ReceiveResult::Overwrote as u64];
        for (counters, received) in self.counters.iter_mut().zip(&self.values) {
            counters.received += u64::from(stored.contains(received));
        }
        engine.get_all(missed, &mut self.values);
        for (counters, missed) in self.counters.iter_mut().zip(&self.values) {
            counters.missed_deadlines += missed;
        }
    }

    /// Counts the exchanges that all processors whose programs run have completed. Usually the first
    /// processor that has not completed another one ends the search.
    fn count_exchanges(&mut self, engine: &mut dyn NodeEngine) {
        let Some(address) = self.machine.exchanges() else {
            return;
        };
        let mut least: Option<u64> = None;
        for node in 0..engine.nodes() {
            if self.is_over[node] {
                continue;
            }
            let count = data_word(engine, node, address).unwrap_or(0).into();
            if count > self.exchanges {
                least = Some(least.map_or(count, |least| least.min(count)));
                continue;
            }
            self.is_over[node] = self.has_ended(engine, node);
            if !self.is_over[node] {
                return;
            }
        }
        self.exchanges = least.unwrap_or(self.exchanges);
    }

    /// True if the core of this node has halted, or its program has ended.
    fn has_ended(&self, engine: &mut dyn NodeEngine, node: usize) -> bool {
        let mut get = |port: Option<NodePortId>| port.map(|port| engine.get(port, node));
        if get(self.outputs.halted) == Some(1) {
            return true;
        }
        let Some(pc) = get(self.outputs.program_counter) else {
            return false;
        };
        let calls = call_chain(engine, node, pc as u32, &self.machine.symbols);
        let mut functions = calls.iter().filter_map(|call| call.split(' ').next());
        functions.any(|function| function == EXIT)
    }

    /// Gives browsers the present picture.
    fn show(&mut self, engine: &mut dyn NodeEngine, inner: &mut PanelData, state: RunState) {
        self.count_exchanges(engine);
        let now = Instant::now();
        let (rated_at, rated_step) = self.rated_at;
        let seconds = now.duration_since(rated_at);
        if seconds >= RATE_INTERVAL {
            let step = self.step();
            let superframes = (step - rated_step) as f64 / self.period() as f64;
            self.rate = superframes / seconds.as_secs_f64();
            self.rated_at = (now, step);
        }
        self.shown_at = Some(now);
        self.update(&mut inner.frame);
        let frame = &mut inner.frame;
        frame.sequence += 1;
        frame.state = state;
        frame.rate = self.rate;
        frame.exchanges = self.machine.exchanges().map(|_| self.exchanges);
        self.state.changed();
    }

    /// Brings the picture up to date. Browsers get it with the next number.
    fn update(&self, frame: &mut Frame) {
        let (step, period) = (self.step(), self.period());
        let label = self.machine.subject.steps.period.as_ref();
        let label = label.map(|period| period.schedule.step_label(period.step(step)));
        frame.step = step;
        frame.superframe = step / period;
        frame.phase = step % period;
        frame.label = label.unwrap_or_default();
        frame.clock_cycles = self.clock;
        frame.leds.clone_from(&self.leds);
    }

    /// Describes the nodes that browsers asked for.
    fn answer(&self, engine: &mut dyn NodeEngine, inner: &mut PanelData) {
        if inner.wanted.is_empty() {
            return;
        }
        for node in std::mem::take(&mut inner.wanted) {
            if (node as usize) < self.counters.len() {
                inner.views.insert(node, self.view(engine, node));
            }
        }
        self.state.changed();
    }

    fn view(&self, engine: &mut dyn NodeEngine, node: u32) -> NodeView {
        let index = node as usize;
        let (row, column) = self.grid.place(index);
        let mut get = |port: Option<NodePortId>| port.map(|port| engine.get(port, index));
        let (asleep, halted) = (get(self.outputs.asleep), get(self.outputs.halted));
        let (slips, pc) = (get(self.outputs.slips), get(self.outputs.program_counter));
        let counters = self.counters[index];
        NodeView {
            node,
            row,
            column,
            led: self.leds[row * self.grid.columns + column],
            core: match (halted, asleep) {
                (Some(1), _) => "halted",
                (_, Some(1)) => "asleep",
                (_, Some(_)) => "awake",
                _ => "none",
            },
            program: pc
                .map_or(vec![], |pc| call_chain(engine, index, pc as u32, &self.machine.symbols)),
            counters: vec![
                ("frames accepted by neighbours", counters.accepted),
                ("frames with a NAK", counters.naks),
                ("frames with a timeout", counters.timeouts),
                ("messages received", counters.received),
                ("missed deadlines", counters.missed_deadlines),
                ("slips", slips.unwrap_or(0)),
            ],
        }
    }

    /// Time until which the machine waits, if its speed is limited.
    fn due(&mut self, superframes_per_second: Option<f64>) -> Option<Instant> {
        let Some(speed) = superframes_per_second else {
            self.due = None;
            return None;
        };
        let phase = Duration::from_secs_f64(1.0 / (speed * self.period() as f64));
        let now = Instant::now();
        // A machine that is slower than the limit does not catch up later.
        self.due = Some((self.due.unwrap_or(now) + phase).max(now));
        self.due
    }

    /// True if the machine must not be held. Read while the state is locked: after `stop` another
    /// run owns the panel.
    fn is_released(&self) -> bool {
        let flags = [&self.machine.stop, &self.machine.pass];
        flags.iter().any(|flag| flag.load(Ordering::Relaxed))
    }

    /// Waits while the machine is paused or too fast, and answers browsers.
    fn wait(&mut self, engine: &mut dyn NodeEngine) {
        let state = self.state.clone();
        let mut inner = state.lock();
        if self.is_released() {
            return;
        }
        if let Mode::UntilExchange(_) = inner.mode {
            self.count_exchanges(engine);
        }
        let (step, changed) = (self.step(), self.leds != self.leds_before);
        match inner.mode {
            Mode::UntilStep(end) if step >= end => inner.mode = Mode::Pause,
            Mode::UntilChange if changed => inner.mode = Mode::Pause,
            Mode::UntilExchange(end) if self.exchanges >= end => inner.mode = Mode::Pause,
            _ => {}
        }
        let recent = self.shown_at.is_some_and(|at| at.elapsed() < PICTURE_INTERVAL);
        if !recent && inner.mode != Mode::Pause {
            self.show(engine, &mut inner, RunState::Running);
        } else if changed {
            // The machine may rest before the next picture is due.
            self.update(&mut inner.frame);
        }
        let mut due = None;
        if inner.mode == Mode::Run {
            due = self.due(inner.speed);
        }
        let mut is_shown = false;
        loop {
            if self.is_released() {
                return;
            }
            self.answer(engine, &mut inner);
            let time = match inner.mode {
                Mode::Pause => {
                    if !is_shown {
                        self.show(engine, &mut inner, RunState::Paused);
                        (is_shown, self.due) = (true, None);
                    }
                    STOP_CHECK
                }
                Mode::Run if inner.speed.is_some() => {
                    let left = due.map(|due| due.saturating_duration_since(Instant::now()));
                    match left {
                        Some(left) if !left.is_zero() => left.min(STOP_CHECK),
                        _ => return,
                    }
                }
                _ => return,
            };
            inner = state.wait(inner, time);
        }
    }

    /// Shows the end of the run, and answers browsers until the stop flag is set. `message` says how
    /// the run ended.
    pub fn after_end(&mut self, engine: &mut dyn NodeEngine, message: &str) {
        self.read(engine);
        let state = self.state.clone();
        let mut inner = state.lock();
        if self.machine.stop.load(Ordering::Relaxed) {
            return;
        }
        message.clone_into(&mut inner.frame.message);
        self.show(engine, &mut inner, RunState::Ended);
        while !self.machine.stop.load(Ordering::Relaxed) {
            self.answer(engine, &mut inner);
            inner = state.wait(inner, STOP_CHECK);
        }
    }

    /// Ends the observation: returns the recorded pictures, with the LEDs at the end as the last one.
    pub fn finish(&mut self, engine: &mut dyn NodeEngine) -> Option<(Recorder, Grid)> {
        let mut recorder = self.recorder.take()?;
        recorder.record(self.step() / self.period(), &self.read_leds(engine));
        Some((recorder, self.grid))
    }
}

impl Observer for PanelObserver {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock.max(self.next))
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        self.clock = clock;
        if self.start.is_none() {
            if engine.get_shared(self.mark) == 0 {
                return Ok(());
            }
            self.start = Some(clock);
            self.rated_at = (Instant::now(), 0);
        }
        self.next = clock + self.machine.subject.clock_cycles;
        self.read(engine);
        let (step, period) = (self.step(), self.period());
        if let Some(recorder) = self.recorder.as_mut().filter(|_| step % period == 0) {
            recorder.record(step / period, &self.leds);
        }
        self.wait(engine);
        Ok(())
    }
}
