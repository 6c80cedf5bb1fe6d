//! Runs of programs that are given data and return results, until all programs have ended.

use super::circuit::CubeCircuit;
use super::hosts::{HostBehaviour, HostOutput, HostPorts, OutputReason, HOST_END};
use super::phases::{PhaseEvent, PhaseTracker, SentKind};
use super::run::send_phases;
use crate::format_count::format_count;
use crate::networks::tdma::PhaseTiming;
use crate::program::Symbols;
use crate::values::{ProgramValue, Values};
use crate::{
    format_percent, ratio, ChannelUse, CoreMonitor, CoreState, EndReason, JsonEntry, MachineDriver,
    PrintedText, ProgramResults, ProgramState, RunError, RunStats, RuntimeReport, StepStatus, Trap,
};
use engine::{NodeEngine, NodePortId};
use interconnect::routing::tdma::PhaseSchedule;
use interconnect::routing::Schedule;
use std::collections::VecDeque;

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
    missed_deadlines: NodePortId,
    /// Phases that have begun, and their number at the last progress.
    phases_begun: u64,
    moved_at: u64,
    /// Phases that were over when a frame was last accepted.
    taken_at: u64,
    complete: bool,
    clock_cycles: u64,
    programs: ProgramResults,
    frames: FrameCounts,
    /// Accepted frames.
    channels: ChannelUse,
    /// Outputs of the programs that the caller has not read. `None` if the caller does not read
    /// during the run.
    outputs: Option<Vec<TimedProgramOutput>>,
    /// Number of values that ends the run, if a node returns them.
    max_values: usize,
    /// Arguments of the next text of each node, its number of texts, and the lines to be printed.
    arguments: Vec<Vec<u32>>,
    printed: Vec<usize>,
    lines: Vec<String>,
    /// Nodes whose texts are printed at once; all if empty.
    shown_nodes: Vec<u32>,
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
    naks: u64,
    timeouts: u64,
    missed_deadlines: u64,
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
        let keep = engine.port("keep");
        for node in 0..nodes {
            engine.set(keep, node, (1 << links) - 1);
        }
        let (enable, divider) = (engine.shared_port("enable"), engine.shared_port("divider"));
        engine.set_shared(divider, timing.divider());
        engine.set_shared(enable, 1);
        ProgramDriver {
            hosts: match data {
                Some(data) => ProgramHosts::new(engine, data),
                None => ProgramHosts::open(engine),
            },
            outputs: data.is_none().then(Vec::new),
            tracker: PhaseTracker::new(engine, &timing, None),
            cores: CoreMonitor::new(engine).with_symbols(symbols.clone()),
            sent: engine.port("sent"),
            missed_deadlines: engine.port("missed_deadline"),
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
            channels: ChannelUse::new(nodes, links as usize, "message", "phase"),
            max_values: usize::MAX,
            arguments: vec![vec![]; nodes],
            printed: vec![0; nodes],
            lines: vec![],
            shown_nodes: vec![],
            values: vec![],
            engine,
            schedule,
            timing,
            symbols,
        }
    }
}

impl ProgramDriver<'_> {
    /// Ends the run when a node has returned this number of values.
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

    /// Counts the frames of the phase before the one that begins.
    fn phase_over(&mut self) {
        let phase = (self.phases_begun - 1) % u64::from(self.schedule.period());
        let link = self.schedule.link(phase as u32) as usize;
        let before = self.hops();
        self.engine.get_all(self.sent, &mut self.values);
        for (node, sent) in self.values.iter().enumerate() {
            match SentKind::decode(*sent) {
                SentKind::Nothing => {}
                SentKind::Timeout => self.frames.timeouts += 1,
                SentKind::Nak => self.frames.naks += 1,
                SentKind::Taken => self.channels.record(node, link),
            }
        }
        self.engine.get_all(self.missed_deadlines, &mut self.values);
        self.frames.missed_deadlines += self.values.iter().sum::<u64>();
        if before != self.hops() {
            self.moved_at = self.phases_begun;
            self.taken_at = self.phases_begun;
        }
    }

    /// Records the outputs of programs to their hosts in this clock cycle.
    fn record_outputs(&mut self, reported: Vec<(usize, ProgramOutput)>) {
        for (node, reported) in reported {
            self.programs.phases = self.phases_begun.saturating_sub(1);
            self.moved_at = self.phases_begun;
            // The first exit code is final.
            if let ProgramOutput::Exit(code) = reported {
                self.programs.exits[node].get_or_insert(code);
            }
            match (&mut self.outputs, reported) {
                (Some(received), reported) => received.push(TimedProgramOutput {
                    node: node as u32,
                    phase: self.programs.phases,
                    output: reported,
                }),
                (None, ProgramOutput::Message { bytes, .. }) => self.record_message(node, &bytes),
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
        let returned = &mut self.programs.returned.0[node];
        returned.extend(ProgramValue::of_message(bytes));
        if returned.len() >= self.max_values {
            returned.truncate(self.max_values);
            self.programs.overflow.get_or_insert(node as u32);
        }
    }

    /// Records a text of a program. The text of an unknown format shows its number.
    fn record_text(&mut self, node: usize, format: u32) {
        let words = std::mem::take(&mut self.arguments[node]);
        let text = self.symbols.printed(format, &words);
        let text = text.unwrap_or_else(|| format!("text {format:#x} {words:?}"));
        let text = text.trim_end_matches('\n').to_owned();
        let (node, phase) = (node as u32, self.programs.phases);
        if self.shown_nodes.is_empty() || self.shown_nodes.contains(&node) {
            self.lines
                .push(format!("node 0x{node:X}, phase {phase}: {text}"));
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
            halted: self.cores.check_all_halted(self.engine, has_ended)
                || self.programs.overflow.is_some(),
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
        let lines = std::mem::take(&mut self.lines);
        [lines, self.cores.take_lines()].concat()
    }

    fn run_stats(&mut self, _: EndReason) -> RunStats {
        let traps = self.cores.located_traps(self.engine);
        let steps = self.phases_begun.saturating_sub(1);
        let (mut programs, frames) = (self.programs.clone(), self.frames);
        let channels = self.channels.clone();
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
            ],
            summary_lines: vec![line],
            traps,
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

// Hosts of nodes whose programs do other work than routing. They supply data to their nodes and
// receive the outputs of the programs.

/// Output of a program to its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramOutput {
    Message {
        bytes: Vec<u8>,
        reason: OutputReason,
    },
    /// End of the program, with its exit code.
    Exit(u8),
}

/// Actions of the hosts in a clock cycle.
#[derive(Default)]
pub(super) struct HostActivity {
    /// Outputs of programs, each with its node.
    pub outputs: Vec<(usize, ProgramOutput)>,
    /// True if a program took a message.
    pub message_taken: bool,
}

/// Hosts of all nodes. Each supplies its messages in order. Afterwards it reports the end of its
/// data each time the program asks.
pub(super) struct ProgramHosts {
    port: HostPorts,
    queues: ProgramHostQueues,
}

/// Queues of the hosts, and their received outputs.
struct ProgramHostQueues {
    /// For each node, its remaining messages, with their length bytes.
    queues: Vec<VecDeque<Vec<u8>>>,
    /// Number of messages in the queues.
    waiting: usize,
    /// For each node, true while more messages may follow. Its host then does not report the end.
    open: Vec<bool>,
    activity: HostActivity,
}

impl ProgramHosts {
    /// Creates hosts that supply these values and then report the end.
    pub fn new(engine: &mut dyn NodeEngine, brings: &Values) -> Self {
        let mut consoles = ProgramHosts::open(engine);
        for node in 0..consoles.queues.queues.len() {
            for value in brings.0.get(node).into_iter().flatten() {
                consoles.push_message(engine, node, &value.message());
            }
            consoles.finish(engine, node);
        }
        consoles
    }

    /// Creates hosts without messages. More can be added.
    pub fn open(engine: &mut dyn NodeEngine) -> Self {
        let nodes = engine.nodes();
        let port = HostPorts::new(engine);
        for node in 0..nodes {
            port.offer(engine, node, false);
        }
        ProgramHosts {
            port,
            queues: ProgramHostQueues {
                queues: vec![VecDeque::new(); nodes],
                waiting: 0,
                open: vec![true; nodes],
                activity: HostActivity::default(),
            },
        }
    }

    /// Adds a message for a node.
    pub fn push_message(&mut self, engine: &mut dyn NodeEngine, node: usize, message: &[u8]) {
        let with_length = [&[message.len() as u8], message].concat();
        self.queues.queues[node].push_back(with_length);
        self.queues.waiting += 1;
        self.wake_host(engine, node);
    }

    /// Marks the end of the messages for a node.
    pub fn finish(&mut self, engine: &mut dyn NodeEngine, node: usize) {
        self.queues.open[node] = false;
        self.wake_host(engine, node);
    }

    /// Returns the number of messages that programs have not taken.
    pub fn waiting(&self) -> usize {
        self.queues.waiting
    }

    fn wake_host(&mut self, engine: &mut dyn NodeEngine, node: usize) {
        self.port.offer(engine, node, true);
        self.port.wake();
    }

    /// As [`HostPorts::exchange`].
    pub fn exchange(&mut self, engine: &mut dyn NodeEngine) -> HostActivity {
        self.port.exchange(engine, &mut self.queues);
        std::mem::take(&mut self.queues.activity)
    }

    /// As [`HostPorts::idle`].
    pub fn idle(&self) -> Option<[NodePortId; 3]> {
        self.port.idle()
    }
}

impl HostBehaviour for ProgramHostQueues {
    fn byte(&mut self, node: usize, index: u64) -> Option<u8> {
        const END: [u8; 2] = [HOST_END | 1, 0];
        let message = self.queues[node].front().map_or(&END[..], Vec::as_slice);
        Some(message.get(index as usize).copied().unwrap_or(0))
    }

    fn on_taken(&mut self, node: usize, _: usize) -> bool {
        if self.queues[node].pop_front().is_some() {
            self.waiting -= 1;
            self.activity.message_taken = true;
        }
        !(self.open[node] && self.queues[node].is_empty())
    }

    fn on_output(&mut self, output: HostOutput) {
        let printed = decode_output(&output.bytes, output.reason);
        self.activity.outputs.push((output.node, printed));
    }
}

/// Decodes an output of a program with its length byte.
fn decode_output(bytes: &[u8], why: OutputReason) -> ProgramOutput {
    match bytes.split_first() {
        Some((length, rest)) if length & HOST_END != 0 => {
            ProgramOutput::Exit(rest.first().copied().unwrap_or(0))
        }
        rest => ProgramOutput::Message {
            bytes: rest.map_or(vec![], |(_, rest)| rest.to_vec()),
            reason: why,
        },
    }
}

// Location of the programs: observes the cores for a phase.

/// Observed state of a core.
#[derive(Clone, Copy, Default)]
struct CoreObservation {
    /// True if the core retired an instruction in the previous clock cycle.
    retired: bool,
    asleep: bool,
    halted: bool,
    pc: u32,
    /// Last program counter in the program's own code.
    program_pc: Option<u32>,
}

struct WatchedOutput {
    port: NodePortId,
    values: Vec<u64>,
}

impl WatchedOutput {
    fn new(engine: &mut dyn NodeEngine, name: &str) -> Self {
        WatchedOutput {
            port: engine.port(name),
            values: vec![],
        }
    }

    fn look(&mut self, engine: &mut dyn NodeEngine) {
        engine.get_all(self.port, &mut self.values);
    }
}

/// Observes the cores in every clock cycle.
pub(super) struct CoreWatch {
    asleep: WatchedOutput,
    halted: WatchedOutput,
    retired: WatchedOutput,
    counter: WatchedOutput,
    cores: Vec<CoreObservation>,
}

impl CoreWatch {
    pub fn new(engine: &mut dyn NodeEngine) -> Self {
        let mut port = |name| WatchedOutput::new(engine, name);
        CoreWatch {
            asleep: port("asleep"),
            halted: port("halted"),
            retired: port("retired"),
            counter: port("program_counter"),
            cores: vec![CoreObservation::default(); engine.nodes()],
        }
    }

    /// Samples the cores of a circuit that has settled.
    pub fn look(&mut self, engine: &mut dyn NodeEngine, symbols: &Symbols) {
        let ports = [
            &mut self.asleep,
            &mut self.halted,
            &mut self.retired,
            &mut self.counter,
        ];
        for port in ports {
            port.look(engine);
        }
        for (node, core) in self.cores.iter_mut().enumerate() {
            core.halted = self.halted.values[node] == 1;
            core.asleep = self.asleep.values[node] == 1;
            // In the first clock cycle of an instruction the port shows the address of the previous
            // one. The address stays the same while the core does nothing.
            if core.retired || core.asleep || core.halted {
                core.pc = self.counter.values[node] as u32;
                let place = symbols.at(core.pc);
                if place.is_some_and(|place| !place.is_runtime()) {
                    core.program_pc = Some(core.pc);
                }
            }
            core.retired = self.retired.values[node] == 1;
        }
    }

    /// Returns the location of each core, by node.
    pub fn program_states(self, symbols: &Symbols) -> Vec<ProgramState> {
        let place = |pc: u32| symbols.at(pc).map(|place| place.to_string());
        let line = |pc: u32| symbols.line(pc).map(|line| line.to_string());
        let cores = (0..).zip(self.cores);
        let program_state = cores.map(|(node, core)| ProgramState {
            node,
            state: match core {
                CoreObservation { halted: true, .. } => CoreState::Halted,
                CoreObservation { asleep: true, .. } => CoreState::Asleep,
                _ => CoreState::Awake,
            },
            pc: core.pc,
            function: place(core.pc),
            line: line(core.pc),
            from: core.program_pc.and_then(place),
            from_line: core.program_pc.and_then(line),
        });
        program_state.collect()
    }
}
