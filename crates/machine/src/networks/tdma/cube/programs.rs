//! Runs of programs that are given data and return results, until all programs have ended.

use super::core_watch::CoreWatch;
use super::phase_report::SentKind;
use super::phase_tracker::{PhaseEvent, PhaseTracker};
use super::program_hosts::{ProgramHosts, ProgramOutput};
use crate::format_count::format_count;
use crate::networks::tdma::PhaseTiming;
use crate::program::Symbols;
use crate::values::{ProgramValue, Values};
use crate::{
    format_percent, ratio, CoreMonitor, JsonEntry, MachineDriver, ProgramResults, ProgramState,
    RunEnd, RunError, RunStats, StepStatus, Trap,
};
use engine::{NodeEngine, NodePortId};
use interconnect::routing::tdma::PhaseSchedule;
use interconnect::routing::Schedule;
use std::sync::Arc;

/// Machine of programs in an engine, and the data for the programs.
pub struct ProgramMachine<'a> {
    pub engine: &'a mut dyn NodeEngine,
    pub schedule: PhaseSchedule,
    pub timing: PhaseTiming,
    /// Complete data of each node. `None` if data arrive during the run ([`ProgramDriver::push_message`]).
    pub data: Option<Arc<Values>>,
    /// Functions of the program.
    pub symbols: Symbols,
}

/// Run in progress.
pub struct ProgramDriver<'a> {
    engine: &'a mut dyn NodeEngine,
    schedule: PhaseSchedule,
    timing: PhaseTiming,
    symbols: Symbols,
    hosts: ProgramHosts,
    tracker: PhaseTracker,
    cores: CoreMonitor,
    sent: NodePortId,
    late: NodePortId,
    /// Phases that have begun, and their number at the last progress.
    phases_begun: u64,
    moved_at: u64,
    /// Phases that were over when a frame was last accepted.
    taken_at: u64,
    complete: bool,
    clock_cycles: u64,
    programs: ProgramResults,
    frames: FrameCounts,
    /// Outputs of the programs that the caller has not read. `None` if the caller does not read
    /// during the run.
    outputs: Option<Vec<TimedProgramOutput>>,
    /// Reused allocation for the values of a port of all nodes.
    values: Vec<u64>,
}

/// Output of a program to its host, with its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedProgramOutput {
    pub node: u32,
    /// Phases that were over.
    pub phase: u64,
    pub output: ProgramOutput,
}

/// Results of the frames that were sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FrameCounts {
    acked: u64,
    naks: u64,
    timeouts: u64,
    late: u64,
}

impl<'a> ProgramMachine<'a> {
    /// Returns the driver of the machine.
    pub fn driver(self) -> ProgramDriver<'a> {
        let ProgramMachine {
            engine,
            schedule,
            timing,
            data,
            symbols,
        } = self;
        let nodes = engine.nodes();
        let keep = engine.port("keep");
        for node in 0..nodes {
            engine.set(keep, node, (1 << schedule.shape().links()) - 1);
        }
        let (enable, divider) = (engine.shared_port("enable"), engine.shared_port("divider"));
        engine.set_shared(divider, timing.divider());
        engine.set_shared(enable, 1);
        ProgramDriver {
            hosts: match &data {
                Some(data) => ProgramHosts::new(engine, data),
                None => ProgramHosts::open(engine),
            },
            outputs: data.is_none().then(Vec::new),
            tracker: PhaseTracker::new(engine, &timing, None),
            cores: CoreMonitor::new(engine),
            sent: engine.port("sent"),
            late: engine.port("late"),
            phases_begun: 0,
            moved_at: 0,
            taken_at: 0,
            complete: false,
            clock_cycles: 0,
            programs: ProgramResults {
                returned: Values::none(nodes as u32),
                exits: vec![None; nodes],
                ..ProgramResults::default()
            },
            frames: FrameCounts::default(),
            values: vec![],
            engine,
            schedule,
            timing,
            symbols,
        }
    }
}

impl ProgramDriver<'_> {
    /// Counts the frames of the phase before the one that begins.
    fn phase_over(&mut self) {
        let before = self.frames.acked;
        self.engine.get_all(self.sent, &mut self.values);
        for sent in &self.values {
            match SentKind::decode(*sent) {
                SentKind::Nothing => {}
                SentKind::Timeout => self.frames.timeouts += 1,
                SentKind::Nak => self.frames.naks += 1,
                SentKind::Taken => self.frames.acked += 1,
            }
        }
        self.engine.get_all(self.late, &mut self.values);
        self.frames.late += self.values.iter().sum::<u64>();
        if before != self.frames.acked {
            self.moved_at = self.phases_begun;
            self.taken_at = self.phases_begun;
        }
    }

    /// Records the outputs of programs to their hosts in this clock cycle.
    fn record_outputs(&mut self, told: Vec<(usize, ProgramOutput)>) {
        for (node, told) in told {
            self.programs.phases = self.phases_begun.saturating_sub(1);
            self.moved_at = self.phases_begun;
            // The first exit code is final.
            if let ProgramOutput::Exit(code) = told {
                self.programs.exits[node].get_or_insert(code);
            }
            match (&mut self.outputs, told) {
                (Some(heard), told) => heard.push(TimedProgramOutput {
                    node: node as u32,
                    phase: self.programs.phases,
                    output: told,
                }),
                (None, ProgramOutput::Message { bytes, .. }) => {
                    self.programs.returned.0[node].extend(ProgramValue::of_message(&bytes));
                }
                (None, ProgramOutput::Exit(_)) => {}
            }
        }
    }

    /// Adds a message for the program of a node. Must be called at the beginning of a phase.
    pub fn push_message(&mut self, node: u32, message: &[u8]) {
        self.hosts.push_message(self.engine, node as usize, message);
        self.moved_at = self.phases_begun;
    }

    /// Ends the messages for the program of a node. Must be called at the beginning of a phase.
    pub fn finish(&mut self, node: u32) {
        self.hosts.finish(self.engine, node as usize);
        self.moved_at = self.phases_begun;
    }

    /// Ends the messages for the programs of all nodes.
    pub fn finish_all(&mut self) {
        (0..self.programs.exits.len()).for_each(|node| self.finish(node as u32));
    }

    /// Returns the number of messages that programs have not taken.
    pub fn waiting(&self) -> usize {
        self.hosts.waiting()
    }

    /// Returns the number of programs that have ended.
    pub fn ended(&self) -> u64 {
        self.programs.ended()
    }

    /// Returns the clock cycles since the start.
    pub fn clock_cycles(&self) -> u64 {
        self.clock_cycles
    }

    /// Returns the outputs of programs to their hosts since the last call. They are recorded only
    /// in a machine that is given its data during the run.
    pub fn take_outputs(&mut self) -> Vec<TimedProgramOutput> {
        self.outputs
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Returns the cores that have halted, by node.
    pub fn traps(&mut self) -> Vec<Trap> {
        self.cores.traps(self.engine)
    }

    /// Returns the number of accepted frames between nodes.
    pub fn hops(&self) -> u64 {
        self.frames.acked
    }

    /// Runs one phase and returns the location of each program at its end.
    ///
    /// # Errors
    /// If the circuit does not settle, or its phase clock is late.
    pub fn watch_phase(&mut self) -> Result<Vec<ProgramState>, RunError> {
        let mut watch = CoreWatch::new(self.engine);
        for _ in 0..self.timing.clock_cycles() {
            self.begin_step()?;
            watch.look(self.engine, &self.symbols);
            self.work()?;
            self.clock_cycles += self.tracker.advance(self.engine, None, 0)?;
        }
        Ok(watch.program_states(&self.symbols))
    }
}

impl MachineDriver for ProgramDriver<'_> {
    fn begin_step(&mut self) -> Result<Option<StepStatus>, RunError> {
        self.engine.settle()?;
        if self.tracker.poll_event(self.engine)? != PhaseEvent::Begins {
            return Ok(None);
        }
        if self.phases_begun > 0 {
            self.phase_over();
        }
        self.phases_begun += 1;
        let exits = &self.programs.exits;
        let open = exits.iter().filter(|exit| exit.is_none()).count();
        self.complete = open == 0;
        let has_ended = |node: u32| exits[node as usize].is_some();
        Ok(Some(StepStatus {
            open,
            steps_since_move: Some(self.phases_begun - self.moved_at),
            steps_since_outcome: None,
            halted: self.cores.check_all_halted(self.engine, has_ended),
        }))
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn work(&mut self) -> Result<(), RunError> {
        if self.tracker.in_service() {
            let exchanged = self.hosts.exchange(self.engine);
            if exchanged.message_taken {
                self.moved_at = self.phases_begun;
            }
            self.record_outputs(exchanged.outputs);
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<u64, RunError> {
        let idle = self.hosts.idle();
        let clock_cycles = self.tracker.advance(self.engine, idle, u64::MAX)?;
        self.clock_cycles += clock_cycles;
        Ok(clock_cycles)
    }

    fn take_lines(&mut self) -> Vec<String> {
        self.cores.take_lines()
    }

    fn run_stats(mut self: Box<Self>, ran: &RunEnd) -> RunStats {
        let traps = self.traps();
        let (mut programs, frames) = (self.programs.clone(), self.frames);
        let clock_cycles = self.clock_cycles;
        if !self.complete {
            let mut seen = self.watch_phase().unwrap_or_default();
            seen.retain(|place| programs.exits[place.node as usize].is_none());
            programs.unfinished = seen;
        }
        let period = u64::from(self.schedule.period());
        // The whole run counts if some program has not ended.
        let phases = match programs.unfinished_count() {
            0 => programs.phases,
            _ => ran.steps,
        };
        // Another node may have sent a frame in the phase in which the last program ended.
        let superframes = phases.max(self.taken_at).div_ceil(period);
        let bit_times = ran.steps * u64::from(self.timing.bit_times());
        let places = superframes * period * u64::from(self.schedule.shape().nodes() / 2);
        let wire_utilisation = ratio(frames.acked, places);
        let line = format!(
            "{}, {}, {}, {} clock cycles, {bit_times} bit-times; wires used {}",
            format_count(phases, "phase"),
            format_count(superframes, "superframe"),
            format_count(frames.acked, "hop"),
            clock_cycles,
            format_percent(wire_utilisation)
        );
        RunStats {
            hops: frames.acked,
            periods: superframes,
            bit_times,
            wire_utilisation,
            entries: vec![
                JsonEntry::new("superframes", superframes),
                JsonEntry::count("refused", frames.naks, "frames with a NAK (full buffer)"),
                JsonEntry::count("silences", frames.timeouts, "frames with a timeout"),
                JsonEntry::count(
                    "late",
                    frames.late,
                    "phases in which a node missed its deadline and may have lost a superframe \
                     (--service gives programs more time)",
                ),
            ],
            summary_lines: vec![line],
            traps,
            programs: Some(programs),
            ..RunStats::default()
        }
    }
}
