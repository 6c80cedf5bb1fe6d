//! Runs of programs that are given data and return results, until all programs have ended.

use super::consoles::{Consoles, Told};
use super::pace::{Moment, Pace};
use super::phase_report::SentKind;
use super::watch::Watch;
use crate::counted::counted;
use crate::engine::{NodeEngine, NodePort};
use crate::machine::{
    percent, ratio, Account, Cores, Driver, Entry, Programs, Ran, RunError, Step, Trap, Whereabouts,
};
use crate::networks::tdma::PhaseTiming;
use crate::program::Symbols;
use crate::routing::tdma::PhaseSchedule;
use crate::routing::Schedule;
use crate::values::{Value, Values};
use std::sync::Arc;

/// Machine of programs in an engine, and the data for the programs.
pub struct ProgramMachine<'a> {
    pub engine: &'a mut dyn NodeEngine,
    pub schedule: PhaseSchedule,
    pub timing: PhaseTiming,
    /// Complete data of each node. `None` if data arrive during the run ([`ProgramDriver::give`]).
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
    consoles: Consoles,
    pace: Pace,
    cores: Cores,
    sent: NodePort,
    late: NodePort,
    /// Phases that have begun, and their number at the last progress.
    begun: u64,
    moved_at: u64,
    /// Phases that were over when a frame was last accepted.
    taken_at: u64,
    complete: bool,
    clock_cycles: u64,
    programs: Programs,
    frames: Frames,
    /// Outputs of the programs that the caller has not read. `None` if the caller does not read
    /// during the run.
    heard: Option<Vec<Heard>>,
    /// Reused allocation for the values of a port of all nodes.
    values: Vec<u64>,
}

/// Output of a program to its host, with its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    pub node: u32,
    /// Phases that were over.
    pub phase: u64,
    pub told: Told,
}

/// Results of the frames that were sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Frames {
    taken: u64,
    refused: u64,
    silences: u64,
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
            consoles: match &data {
                Some(data) => Consoles::new(engine, data),
                None => Consoles::open(engine),
            },
            heard: data.is_none().then(Vec::new),
            pace: Pace::new(engine, &timing, None),
            cores: Cores::new(engine),
            sent: engine.port("sent"),
            late: engine.port("late"),
            begun: 0,
            moved_at: 0,
            taken_at: 0,
            complete: false,
            clock_cycles: 0,
            programs: Programs {
                returned: Values::none(nodes as u32),
                exits: vec![None; nodes],
                ..Programs::default()
            },
            frames: Frames::default(),
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
        let before = self.frames.taken;
        self.engine.get_all(self.sent, &mut self.values);
        for sent in &self.values {
            match SentKind::decode(*sent) {
                SentKind::Nothing => {}
                SentKind::Silent => self.frames.silences += 1,
                SentKind::Refused => self.frames.refused += 1,
                SentKind::Taken => self.frames.taken += 1,
            }
        }
        self.engine.get_all(self.late, &mut self.values);
        self.frames.late += self.values.iter().sum::<u64>();
        if before != self.frames.taken {
            self.moved_at = self.begun;
            self.taken_at = self.begun;
        }
    }

    /// Records the outputs of programs to their hosts in this clock cycle.
    fn told(&mut self, told: Vec<(usize, Told)>) {
        for (node, told) in told {
            self.programs.phases = self.begun.saturating_sub(1);
            self.moved_at = self.begun;
            // The first exit code is final.
            if let Told::Exit(code) = told {
                self.programs.exits[node].get_or_insert(code);
            }
            match (&mut self.heard, told) {
                (Some(heard), told) => heard.push(Heard {
                    node: node as u32,
                    phase: self.programs.phases,
                    told,
                }),
                (None, Told::Message { bytes, .. }) => {
                    self.programs.returned.0[node].extend(Value::of_message(&bytes));
                }
                (None, Told::Exit(_)) => {}
            }
        }
    }

    /// Adds a message for the program of a node. Must be called at the beginning of a phase.
    pub fn give(&mut self, node: u32, message: &[u8]) {
        self.consoles.give(self.engine, node as usize, message);
        self.moved_at = self.begun;
    }

    /// Ends the messages for the program of a node. Must be called at the beginning of a phase.
    pub fn finish(&mut self, node: u32) {
        self.consoles.finish(self.engine, node as usize);
        self.moved_at = self.begun;
    }

    /// Ends the messages for the programs of all nodes.
    pub fn finish_all(&mut self) {
        (0..self.programs.exits.len()).for_each(|node| self.finish(node as u32));
    }

    /// Returns the number of messages that programs have not taken.
    pub fn waiting(&self) -> usize {
        self.consoles.waiting()
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
    pub fn heard(&mut self) -> Vec<Heard> {
        self.heard.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Returns the cores that have halted, by node.
    pub fn traps(&mut self) -> Vec<Trap> {
        self.cores.traps(self.engine)
    }

    /// Returns the number of accepted frames between nodes.
    pub fn hops(&self) -> u64 {
        self.frames.taken
    }

    /// Runs one phase and returns the location of each program at its end.
    ///
    /// # Errors
    /// If the circuit does not settle, or its phase clock is late.
    pub fn watch(&mut self) -> Result<Vec<Whereabouts>, RunError> {
        let mut watch = Watch::new(self.engine);
        for _ in 0..self.timing.clock_cycles() {
            self.begins()?;
            watch.look(self.engine, &self.symbols);
            self.work()?;
            self.clock_cycles += self.pace.advance(self.engine, None, 0)?;
        }
        Ok(watch.whereabouts(&self.symbols))
    }
}

impl Driver for ProgramDriver<'_> {
    fn begins(&mut self) -> Result<Option<Step>, RunError> {
        self.engine.settle()?;
        if self.pace.look(self.engine)? != Moment::Begins {
            return Ok(None);
        }
        if self.begun > 0 {
            self.phase_over();
        }
        self.begun += 1;
        let exits = &self.programs.exits;
        let open = exits.iter().filter(|exit| exit.is_none()).count();
        self.complete = open == 0;
        let has_ended = |node: u32| exits[node as usize].is_some();
        Ok(Some(Step {
            open,
            quiet: Some(self.begun - self.moved_at),
            fruitless: None,
            halted: self.cores.are_over(self.engine, has_ended),
        }))
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn work(&mut self) -> Result<(), RunError> {
        if self.pace.in_service() {
            let exchanged = self.consoles.exchange(self.engine);
            if exchanged.taken {
                self.moved_at = self.begun;
            }
            self.told(exchanged.told);
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<u64, RunError> {
        let idle = self.consoles.idle();
        let clock_cycles = self.pace.advance(self.engine, idle, u64::MAX)?;
        self.clock_cycles += clock_cycles;
        Ok(clock_cycles)
    }

    fn news(&mut self) -> Vec<String> {
        self.cores.news()
    }

    fn account(mut self: Box<Self>, ran: &Ran) -> Account {
        let traps = self.traps();
        let (mut programs, frames) = (self.programs.clone(), self.frames);
        let clock_cycles = self.clock_cycles;
        if !self.complete {
            let mut seen = self.watch().unwrap_or_default();
            seen.retain(|place| programs.exits[place.node as usize].is_none());
            programs.whereabouts = seen;
        }
        let period = u64::from(self.schedule.period());
        // The whole run counts if some program has not ended.
        let phases = match programs.left() {
            0 => programs.phases,
            _ => ran.steps,
        };
        // Another node may have sent a frame in the phase in which the last program ended.
        let superframes = phases.max(self.taken_at).div_ceil(period);
        let bit_times = ran.steps * u64::from(self.timing.bit_times());
        let places = superframes * period * u64::from(self.schedule.shape().nodes() / 2);
        let wire_utilisation = ratio(frames.taken, places);
        let line = format!(
            "{}, {}, {}, {} clock cycles, {bit_times} bit-times; wires used {}",
            counted(phases, "phase"),
            counted(superframes, "superframe"),
            counted(frames.taken, "hop"),
            clock_cycles,
            percent(wire_utilisation)
        );
        Account {
            hops: frames.taken,
            periods: superframes,
            bit_times,
            wire_utilisation,
            entries: vec![
                Entry::new("superframes", superframes),
                Entry::count(
                    "refused",
                    frames.refused,
                    "frames refused, their register was full",
                ),
                Entry::count(
                    "silences",
                    frames.silences,
                    "frames without a proper answer",
                ),
                Entry::count(
                    "late",
                    frames.late,
                    "phases in which a node was late: it may have lost a superframe each time \
                     (--service gives programs more time)",
                ),
            ],
            lines: vec![line],
            traps,
            programs: Some(programs),
            ..Account::default()
        }
    }
}
