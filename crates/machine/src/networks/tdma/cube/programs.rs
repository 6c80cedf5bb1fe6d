//! Runs of programs that are given data and return results, until all programs have ended.

use super::circuit::CubeCircuit;
use super::core_watch::CoreWatch;
use super::driver::set_clocks;
use super::faults::{CubeFaults, FaultInjector};
use super::hosts::HostPorts;
use super::phases::{FrameCounts, PhaseEvent, PhaseReporter, PhaseTracker};
use super::program_hosts::{ProgramHosts, ProgramOutput};
use super::program_log::ProgramLog;
use super::run::{send_phases, DEADLOCK_AFTER};
use crate::networks::tdma::PhaseTiming;
use crate::program::Symbols;
use crate::text::format_count;
use crate::values::{ProgramValue, Values};
use crate::{
    data_word, format_percent, ratio, ChannelUse, CoreMonitor, DroppedMessage, EndReason,
    JsonEntry, MachineDriver, NodeEventKind, PrintedText, ProgramResults, ProgramState, RunError,
    RunStats, RuntimeReport, StepStatus, Trap,
};
use engine::{NodeEngine, NodePortId};
use interconnect::routing::tdma::PhaseSchedule;
use interconnect::routing::Schedule;
use rtl::tdma::SendResult;
use std::collections::BTreeMap;

/// Run in progress.
pub struct ProgramDriver<'a> {
    engine: &'a mut dyn NodeEngine,
    schedule: PhaseSchedule,
    timing: PhaseTiming,
    symbols: Symbols,
    hosts: HostPorts<ProgramHosts>,
    tracker: PhaseTracker,
    cores: CoreMonitor,
    injector: FaultInjector,
    reporter: PhaseReporter,
    asleep: NodePortId,
    slips: NodePortId,
    /// Cores that executed an instruction in the phase that was last watched, with their locations.
    executing: BTreeMap<u32, ProgramState>,
    /// Number of that phase, and its observation while it lasts.
    watched_at: u64,
    watch: Option<CoreWatch>,
    /// Nodes that were awake when the phase clock last rose, and the number of rises. Waiting programs
    /// are asleep then.
    awake: Vec<u32>,
    phases_risen: u64,
    /// Phases that have begun at all nodes, and their number at the last movement of a message and at
    /// the last phase that began while a program computed.
    phases_begun: u64,
    moved_at: u64,
    computed_at: u64,
    /// Phases that were over when a frame was last accepted.
    taken_at: u64,
    /// Progress of a program that repeats its frames, or `None` if an accepted frame is a movement.
    exchanges: Option<ExchangeCount>,
    complete: bool,
    clock_cycles: u64,
    programs: ProgramResults,
    frames: FrameCounts,
    /// Accepted frames.
    channels: ChannelUse,
    /// Outputs of the programs that the caller has not read. `None` if the caller does not read
    /// during the run.
    outputs: Option<Vec<TimedProgramOutput>>,
    /// Number of values, texts or dropped messages of one node that ends the run.
    max_values: usize,
    /// Arguments of the next text of each node, its number of texts, and the lines to be printed.
    arguments: Vec<Vec<u32>>,
    printed: Vec<usize>,
    /// Number of routed messages that each node dropped.
    dropped: Vec<usize>,
    lines: Vec<String>,
    /// Nodes whose texts are printed at once; all if empty.
    shown_nodes: Vec<u32>,
    /// Log of frames and nodes, if it is kept.
    log: Option<ProgramLog>,
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

/// Exchanges of a StarC program on links without answers. There each node repeats its frames while it
/// waits, so an accepted frame is not a movement.
#[derive(Clone, Copy, Debug)]
struct ExchangeCount {
    /// Address of the count of a node.
    address: u32,
    /// Sum of the counts of all nodes.
    sum: u64,
}

impl<'a> ProgramDriver<'a> {
    /// Creates the driver for an engine that has just been started with this machine. `data` are the
    /// complete data of each node, or `None` if data arrive during the run
    /// ([`push_message`](Self::push_message)). `symbols` are the functions of the program.
    pub fn new(
        engine: &'a mut dyn NodeEngine,
        circuit: &CubeCircuit,
        data: Option<&Values>,
        symbols: Symbols,
    ) -> Self {
        let (schedule, timing) = (circuit.schedule().clone(), circuit.timing());
        let (nodes, links) = (engine.nodes(), schedule.shape().links());
        let injector = FaultInjector::new(engine, schedule.shape(), &CubeFaults::default());
        let delay = set_clocks(engine, circuit);
        let (enable, divider) = (engine.shared_port("enable"), engine.shared_port("divider"));
        engine.set_shared(divider, timing.divider());
        engine.set_shared(enable, 1);
        ProgramDriver {
            hosts: match data {
                Some(data) => HostPorts::with_values(engine, data),
                None => HostPorts::open(engine),
            },
            outputs: data.is_none().then(Vec::new),
            tracker: PhaseTracker::new(engine, &timing, delay),
            cores: CoreMonitor::new(engine).with_symbols(symbols.clone()),
            injector,
            reporter: PhaseReporter::new(engine),
            asleep: engine.port("asleep"),
            slips: engine.port("slips"),
            executing: BTreeMap::new(),
            watched_at: 0,
            watch: None,
            awake: vec![],
            phases_risen: 0,
            phases_begun: 0,
            moved_at: 0,
            computed_at: 0,
            taken_at: 0,
            exchanges: match timing.acked {
                true => None,
                false => {
                    let address = symbols.exchange_count();
                    address.map(|address| ExchangeCount { address, sum: 0 })
                }
            },
            complete: false,
            clock_cycles: 0,
            programs: ProgramResults {
                returned: Values::none(nodes as u32),
                exits: vec![None; nodes],
                ..ProgramResults::default()
            },
            frames: FrameCounts::default(),
            channels: ChannelUse::new(nodes, links as usize, "message", "phase"),
            max_values: usize::MAX,
            arguments: vec![vec![]; nodes],
            printed: vec![0; nodes],
            dropped: vec![0; nodes],
            lines: vec![],
            shown_nodes: vec![],
            log: None,
            values: vec![],
            engine,
            schedule,
            timing,
            symbols,
        }
    }
}

impl ProgramDriver<'_> {
    /// Ends the run when a node has returned this number of values, printed this number of texts, or
    /// dropped this number of messages.
    #[must_use]
    pub fn with_max_values(mut self, max_values: usize) -> Self {
        self.max_values = max_values;
        self
    }

    /// Prints the texts of these nodes at once, instead of those of all nodes.
    #[must_use]
    pub fn with_shown_nodes(mut self, nodes: Vec<u32>) -> Self {
        self.shown_nodes = nodes;
        self
    }

    /// Injects these faults. The programs of dead nodes are not waited for, and their outputs are
    /// ignored. Must be called before the first step.
    #[must_use]
    pub fn with_faults(mut self, faults: &CubeFaults) -> Self {
        self.injector = FaultInjector::new(self.engine, self.schedule.shape(), faults);
        self.programs.dead = faults.dead.iter().map(|dead| dead.node).collect();
        self
    }

    /// Keeps a log of the frames, and of the events of nodes and hosts.
    #[must_use]
    pub fn with_log(mut self) -> Self {
        self.log = Some(ProgramLog::default());
        self
    }

    /// Counts the frames of the phase before the one that begins.
    fn phase_over(&mut self) {
        let before = self.hops();
        let reports = self.reporter.reports(self.engine, &self.schedule);
        for (node, report) in reports.iter().enumerate() {
            match report.sent {
                SendResult::Nothing => {}
                SendResult::Timeout => self.frames.timeouts += 1,
                SendResult::Nak => self.frames.naks += 1,
                SendResult::Accepted => self.channels.record(node, report.dim as usize),
            }
            self.frames.missed_deadlines += u64::from(report.missed_deadline);
        }
        if let Some(log) = &mut self.log {
            self.engine.get_all(self.slips, &mut self.values);
            log.record_phase(&self.schedule, self.phases_begun - 1, &reports, &self.values);
        }
        if before != self.hops() {
            self.taken_at = self.phases_begun;
            if self.exchanges.is_none() {
                self.moved_at = self.phases_begun;
            }
        }
        self.note_exchanges();
    }

    /// Counts the completed exchanges once per superframe, if they are the measure of movement.
    fn note_exchanges(&mut self) {
        let Some(before) = self.exchanges else { return };
        let period = u64::from(self.schedule.period());
        if !self.phases_begun.is_multiple_of(period) {
            return;
        }
        let mut count = |node| data_word(self.engine, node, before.address);
        let counts: Option<Vec<u32>> = (0..self.programs.exits.len()).map(&mut count).collect();
        // Without access to the memory, accepted frames are the only measure.
        self.exchanges = counts
            .map(|counts| ExchangeCount { sum: counts.into_iter().map(u64::from).sum(), ..before });
        if self.exchanges.is_none_or(|after| after.sum != before.sum) {
            self.moved_at = self.phases_begun;
        }
    }

    /// Logs an event of a node or its host in the current phase.
    fn note(&mut self, node: usize, what: NodeEventKind) {
        let t = self.phases_begun.saturating_sub(1);
        if let Some(log) = &mut self.log {
            log.note(&self.schedule, t, node as u32, what);
        }
    }

    /// Time in superframes without a movement after which programs that compute are sought.
    const QUIET: u64 = DEADLOCK_AFTER / 8;

    /// Phases without a movement of a message.
    fn quiet(&self) -> u64 {
        self.phases_begun - self.moved_at
    }

    /// Notes which cores are awake when the phase clock rises, if nothing moves.
    fn note_awake(&mut self) {
        self.awake.clear();
        // The phase that begins counts, too.
        if self.quiet() + 1 < Self::QUIET * u64::from(self.schedule.period()) {
            return;
        }
        self.engine.get_all(self.asleep, &mut self.values);
        let (asleep, programs, cores) = (&self.values, &self.programs, &self.cores);
        let is_awake = |node: &u32| {
            asleep[*node as usize] == 0 && programs.is_open(*node) && !cores.has_halted(*node)
        };
        let nodes = 0..asleep.len() as u32;
        self.awake.extend(nodes.filter(is_awake));
    }

    /// Notes whether some program computes at the beginning of a phase: its core is awake, and
    /// executes instructions. Instructions are observed in one phase of each eighth of the time after
    /// which a machine counts as stopped. Reports a program that computes while nothing moves, each
    /// time that this time has passed.
    fn note_computing(&mut self) {
        if let Some(watch) = self.watch.take() {
            self.executing = watch.executing(&self.symbols);
        }
        let period = u64::from(self.schedule.period());
        if self.awake.is_empty() || self.quiet() < Self::QUIET * period {
            return;
        }
        let computing = self.awake.iter();
        let computing = computing.filter_map(|node| self.executing.get(node));
        let computing: Vec<&ProgramState> = computing.collect();
        if let Some(first) = computing.first() {
            self.computed_at = self.phases_begun;
            let quiet = self.quiet();
            if quiet.is_multiple_of(DEADLOCK_AFTER * period) {
                let line = computing_line(first, computing.len(), quiet / period);
                self.lines.push(line);
            }
        }
        if self.phases_begun - self.watched_at >= Self::QUIET * period {
            self.watch = Some(CoreWatch::new(self.engine));
            self.watched_at = self.phases_begun;
        }
    }

    /// Records the outputs of programs to their hosts in this clock cycle.
    fn record_outputs(&mut self, reported: Vec<(usize, ProgramOutput)>) {
        for (node, reported) in reported {
            if self.programs.dead.contains(&(node as u32)) {
                continue;
            }
            self.programs.phases = self.phases_begun.saturating_sub(1);
            self.moved_at = self.phases_begun;
            // The first exit code is final.
            if let ProgramOutput::Exit(code) = reported {
                self.programs.exits[node].get_or_insert(code);
                self.note(node, NodeEventKind::Exit);
            }
            match (&mut self.outputs, reported) {
                (Some(received), reported) => received.push(TimedProgramOutput {
                    node: node as u32,
                    phase: self.programs.phases,
                    output: reported,
                }),
                (None, ProgramOutput::Message { bytes, reason }) => {
                    let phase = self.programs.phases;
                    match DroppedMessage::read(node as u32, phase, &bytes, reason) {
                        Some(dropped) => self.record_dropped(node, dropped),
                        None => self.record_message(node, &bytes),
                    }
                }
                (None, ProgramOutput::Exit(_)) => {}
            }
        }
    }

    /// Records a message of a program, or a report of its runtime.
    fn record_message(&mut self, node: usize, bytes: &[u8]) {
        match RuntimeReport::decode(bytes) {
            None => {}
            Some(RuntimeReport::Refused(bytes)) => {
                return self.programs.record_refused(node as u32, bytes)
            }
            Some(RuntimeReport::Argument(word)) => return self.arguments[node].push(word),
            Some(RuntimeReport::Format(format)) => return self.record_text(node, format),
        }
        self.note(node, NodeEventKind::Output);
        let returned = &mut self.programs.returned.0[node];
        returned.extend(ProgramValue::of_message(bytes));
        if returned.len() >= self.max_values {
            returned.truncate(self.max_values);
            self.programs.overflow.get_or_insert(node as u32);
        }
    }

    /// Records a message between nodes that a node dropped.
    fn record_dropped(&mut self, node: usize, dropped: DroppedMessage) {
        self.note(node, NodeEventKind::Output);
        self.programs.dropped.push(dropped);
        self.dropped[node] += 1;
        if self.dropped[node] >= self.max_values {
            self.programs.overflow.get_or_insert(node as u32);
        }
    }

    /// Records a text of a program.
    fn record_text(&mut self, node: usize, format: u32) {
        self.note(node, NodeEventKind::Print);
        let words = std::mem::take(&mut self.arguments[node]);
        let text = self.symbols.text(format, &words);
        let (node, phase) = (node as u32, self.programs.phases);
        if self.shown_nodes.is_empty() || self.shown_nodes.contains(&node) {
            self.lines.push(format!("node 0x{node:X}, phase {phase}: {text}"));
        }
        self.programs.prints.push(PrintedText { node, phase, text });
        self.printed[node as usize] += 1;
        if self.printed[node as usize] >= self.max_values {
            self.programs.overflow.get_or_insert(node);
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
        self.hosts.hosts.waiting
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
        self.outputs.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Returns the cores that have halted, by node.
    pub fn traps(&mut self) -> Vec<Trap> {
        self.cores.traps(self.engine)
    }

    /// Returns the number of accepted frames between nodes.
    pub fn hops(&self) -> u64 {
        self.channels.total()
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

    /// Returns the clock cycles until the next bit-time if wires are noisy, otherwise `u64::MAX`.
    fn clocks_until_noise(&self) -> u64 {
        match self.injector.faults.noise > 0.0 {
            true => self.timing.clocks_until_bit(self.clock_cycles),
            false => u64::MAX,
        }
    }
}

/// Formats that programs compute while nothing moves.
fn computing_line(first: &ProgramState, count: usize, superframes: u64) -> String {
    let function = first.function.as_ref();
    let place = function.map_or(String::new(), |function| format!(" in {function}"));
    let line = first.line.as_ref();
    let line = line.map_or(String::new(), |line| format!(" ({line})"));
    let programs = match count {
        1 => "1 program is computing".to_owned(),
        _ => format!("{count} programs are computing, the first of them"),
    };
    format!(
        "nothing has moved for {superframes} superframes, but {programs}: node 0x{:X} at \
         0x{:08X}{place}{line}; --superframes N ends the run",
        first.node, first.pc
    )
}

impl MachineDriver for ProgramDriver<'_> {
    fn begin_step(&mut self) -> Result<Option<StepStatus>, RunError> {
        self.engine.settle()?;
        let event = self.tracker.poll_event(self.engine)?;
        if event != PhaseEvent::Nothing && self.phases_risen == self.phases_begun {
            self.phases_risen += 1;
            self.injector.apply_slips(self.engine, self.phases_begun);
            self.note_awake();
        }
        if event != PhaseEvent::Begins {
            return Ok(None);
        }
        if self.phases_begun > 0 {
            self.phase_over();
        }
        self.phases_begun += 1;
        let programs = &self.programs;
        let open = programs.unfinished_count() as usize;
        self.complete = open == 0;
        let halted = self.cores.check_all_halted(self.engine, |node| !programs.is_open(node));
        self.note_computing();
        let moved_at = self.moved_at.max(self.computed_at);
        Ok(Some(StepStatus {
            open,
            steps_since_move: Some(self.phases_begun - moved_at),
            steps_since_outcome: None,
            halted: halted || self.programs.overflow.is_some(),
        }))
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn work(&mut self) -> Result<(), RunError> {
        if self.tracker.in_service() {
            let exchanged = self.hosts.exchange(self.engine);
            for node in exchanged.taken {
                self.moved_at = self.phases_begun;
                self.note(node, NodeEventKind::Input);
            }
            self.record_outputs(exchanged.outputs);
        }
        if let Some(watch) = &mut self.watch {
            watch.look(self.engine, &self.symbols);
        }
        if self.clocks_until_noise() == u64::from(self.timing.clocks_per_bit) {
            self.injector.inject_noise(self.engine);
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<u64, RunError> {
        let idle = self.hosts.idle();
        let at_most = match self.watch.is_some() {
            true => 1,
            false => self.clocks_until_noise(),
        };
        let clock_cycles = self.tracker.advance(self.engine, idle, at_most)?;
        self.clock_cycles += clock_cycles;
        Ok(clock_cycles)
    }

    fn take_lines(&mut self) -> Vec<String> {
        let lines = std::mem::take(&mut self.lines);
        [lines, self.cores.take_lines()].concat()
    }

    fn run_stats(&mut self, _: EndReason) -> RunStats {
        let log = self.log.take().unwrap_or_default();
        let traps = self.cores.located_traps(self.engine);
        self.engine.get_all(self.slips, &mut self.values);
        let slips: u64 = self.values.iter().sum();
        let steps = self.phases_begun.saturating_sub(1);
        let (mut programs, frames) = (self.programs.clone(), self.frames);
        let channels = self.channels.clone();
        let clock_cycles = self.clock_cycles;
        if !self.complete {
            let mut seen = self.watch_phase().unwrap_or_default();
            seen.retain(|place| programs.is_open(place.node));
            programs.unfinished = seen;
        }
        let period = u64::from(self.schedule.period());
        // The whole run counts if some program has not ended.
        let phases = match programs.unfinished_count() {
            0 => programs.phases,
            _ => steps,
        };
        // Another node may have sent a frame in the phase in which the last program ended.
        let superframes = phases.max(self.taken_at).div_ceil(period);
        let bit_times = steps * u64::from(self.timing.bit_times());
        let places = superframes * period * u64::from(self.schedule.shape().nodes() / 2);
        let hops = channels.total();
        let wire_utilisation = ratio(hops, places);
        let send_phases = send_phases(&self.schedule, superframes * period);
        let line = format!(
            "{}, {}, {}, {} clock cycles, {bit_times} bit-times; wires used {}",
            format_count(phases, "phase"),
            format_count(superframes, "superframe"),
            format_count(hops, "hop"),
            clock_cycles,
            format_percent(wire_utilisation)
        );
        RunStats {
            hops,
            channel_use: Some(channels.with_slots(send_phases)),
            periods: superframes,
            bit_times,
            wire_utilisation,
            entries: vec![
                JsonEntry::new("superframes", superframes),
                JsonEntry::count("refused", frames.naks, "frames with a NAK (full buffer)"),
                JsonEntry::count("silences", frames.timeouts, "frames with a timeout"),
                late_entry(&frames, self.hops()),
                JsonEntry::count("slips", slips, "slips of a node"),
            ],
            summary_lines: vec![line],
            traps,
            events: log.frames,
            notes: log.notes,
            programs: Some(programs),
            ..RunStats::default()
        }
    }
}

/// Phases in which a node was late. If no node sends anything, they cost nothing, and the summary
/// does not mention them.
fn late_entry(frames: &FrameCounts, hops: u64) -> JsonEntry {
    match hops + frames.naks + frames.timeouts {
        0 => JsonEntry::new("late", frames.missed_deadlines),
        _ => JsonEntry::count(
            "late",
            frames.missed_deadlines,
            "phases in which a node missed its deadline and may have lost a superframe (--service \
             gives programs more time, tdma_background decides while they compute)",
        ),
    }
}
