//! Public interface of a machine: create it, set inputs, clock it, and run it until a condition
//! holds.

use super::blackboard::{Blackboard, Time};
use super::chunk::Chunk;
use super::crew::Crew;
use super::engine::Engine;
use super::helper::Helper;
use super::program::Program;
use super::round::Round;
use super::run::Task;
use super::segmented::Segmented;
use super::tuning::Tuning;
use super::{Backend, LanesError, Options, Probe, Wiring};
use crate::netlist::Netlist;
use std::sync::Arc;

/// One circuit in many lanes.
///
/// A clock cycle has the same meaning as in the [evaluator](crate::eval). Inputs are set,
/// everything combinational settles, and signals can be read. The clock edge then changes all
/// registers and memories of all lanes at once. A value read after an input was set has settled.
#[derive(Debug)]
pub struct Machine {
    pub(super) netlist: Arc<Netlist>,
    pub(super) engine: Arc<Engine>,
    pub(super) blackboard: Arc<Blackboard>,
    pub(super) chunks: Vec<Chunk>,
    pub(super) helper: Option<Helper>,
    crew: Crew,
    tuning: Tuning,
    /// Number of clock edges so far.
    pub(super) time: Time,
    /// The lanes have received the current published values of other lanes.
    pub(super) exchanged: bool,
    /// By position in [`Plan::looks`](super::plan::Plan::looks): computed since the last change.
    looked: Vec<bool>,
}

/// Stop condition, returned by [`Machine::watch`].
#[derive(Clone, Debug)]
pub struct Watch(Arc<Program>);

/// Result of [`Machine::run`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// Number of clock edges.
    pub clock_cycles: u64,
    /// The condition holds now in at least one lane.
    pub stopped: bool,
}

impl Machine {
    /// Creates a machine with `lanes` copies of the circuit, connected by `wiring`. All inputs that
    /// the host sets are zero. Registers and memories have their initial values.
    ///
    /// # Errors
    /// If the wiring does not fit the circuit, or if the options cannot be met.
    pub fn new(
        netlist: impl Into<Arc<Netlist>>,
        lanes: usize,
        wiring: &Wiring,
        options: &Options,
    ) -> Result<Self, LanesError> {
        if !(2..=65_536).contains(&lanes) {
            return Err(LanesError::Lanes(lanes));
        }
        let threads = options.threads.max(1);
        if threads > 256 {
            return Err(LanesError::Threads(threads));
        }
        let netlist = netlist.into();
        let engine = Engine::new(&netlist, lanes, wiring, &options.keep, options.backend)?;
        let threads = threads.min(engine.chunks());
        let segmented = Segmented::new(&engine, None)?;
        let blackboard = Blackboard::new(
            engine.plan.broadcasts.len(),
            engine.plan.published.len(),
            engine.words,
        );
        let tuning = Tuning::new(options.tune_after);
        let helper = wiring.helper.clone();
        let helper = helper.map(|h| Helper::new(h, &engine.plan.helped, engine.backend, tuning));
        let helper = helper.transpose()?;
        let mut machine = Machine {
            chunks: (0..engine.chunks())
                .map(|number| Chunk::new(&engine, segmented.clone(), number))
                .collect(),
            looked: vec![false; engine.looks.len()],
            crew: Crew::new(threads, engine.chunks()),
            tuning,
            time: 0,
            exchanged: false,
            blackboard: Arc::new(blackboard),
            engine: Arc::new(engine),
            helper,
            netlist,
        };
        machine.show_all();
        Ok(machine)
    }

    pub fn netlist(&self) -> &Arc<Netlist> {
        &self.netlist
    }

    pub fn lanes(&self) -> usize {
        self.engine.plan.lanes
    }

    /// Returns the backend that runs the gates. The result is never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        self.engine.backend
    }

    /// Resets registers and memories, including those of the helper, to their initial values. The
    /// inputs do not change.
    pub fn reset(&mut self) {
        for chunk in &mut self.chunks {
            chunk.reset(&self.engine);
        }
        if let Some(helper) = &mut self.helper {
            helper.reset();
        }
        self.show_all();
    }

    /// Settles all combinational logic. Reading a signal does this automatically.
    pub fn settle(&mut self) {
        if self.exchanged {
            return;
        }
        for chunk in &mut self.chunks {
            chunk.refresh(&self.engine, &self.blackboard, self.time);
            if self.engine.plan.publish_late {
                chunk.publish(&self.engine, &self.blackboard, self.time);
            }
        }
        for chunk in &mut self.chunks {
            chunk.exchange(&self.engine, &self.blackboard, self.time);
        }
        self.exchanged = true;
    }

    /// Performs the rising edge of the clock.
    pub fn clock(&mut self) {
        self.clock_until(1, None);
    }

    /// Runs this many clock cycles without reading any signal.
    pub fn clocks(&mut self, clock_cycles: u64) {
        self.clock_until(clock_cycles, None);
    }

    /// Runs until a condition holds in some lane, for at most `at_most` clock cycles. The run stops
    /// before the clock edge, so the signals of the condition can be read. If the condition already
    /// holds, the run ends at once.
    pub fn run(&mut self, at_most: u64, until: &Watch) -> Run {
        let clock_cycles = self.clock_until(at_most, Some(until));
        let stopped = clock_cycles < at_most || self.holds(until);
        Run {
            clock_cycles,
            stopped,
        }
    }

    /// Creates a condition for [`run`](Self::run): one of these signals has a bit set.
    ///
    /// # Errors
    /// If memory for its code cannot be allocated.
    pub fn watch(&self, signals: &[Probe]) -> Result<Watch, LanesError> {
        let engine = &self.engine;
        let mut graph = engine.plan.graph.clone();
        let bits: Vec<_> = signals
            .iter()
            .flat_map(|s| self.bits(*s))
            .copied()
            .collect();
        let any = engine.plan.any(&mut graph, &bits);
        let roots = [(any, engine.plan.watch)];
        let slots = engine.slots;
        let program = Program::of_roots(&graph, slots, &roots, engine.backend, engine.width)?;
        Ok(Watch(Arc::new(program)))
    }

    /// Returns true if a condition holds in some lane.
    pub fn holds(&mut self, condition: &Watch) -> bool {
        self.settle();
        let engine = &self.engine;
        let mut chunks = self.chunks.iter_mut();
        chunks.any(|chunk| chunk.holds(engine, &condition.0))
    }

    fn clock_until(&mut self, clock_cycles: u64, until: Option<&Watch>) -> u64 {
        let mut done = 0;
        while done < clock_cycles {
            let part = (clock_cycles - done).min(self.tuning.left(self.time));
            let of_part = self.clock_part(part, until);
            done += of_part;
            if of_part < part {
                break;
            }
            self.tuning.tune(&self.engine, &mut self.chunks, self.time);
        }
        done
    }

    /// Runs clock cycles during which the code does not change.
    fn clock_part(&mut self, clock_cycles: u64, until: Option<&Watch>) -> u64 {
        let done = match self.crew.helps(clock_cycles) {
            true => {
                let task = Arc::new(Task::new(
                    (self.engine.clone(), self.blackboard.clone()),
                    self.time,
                    clock_cycles,
                    until.map(|watch| watch.0.clone()),
                    std::mem::take(&mut self.chunks),
                    self.helper.take(),
                ));
                let done = self.crew.run(&task);
                (self.chunks, self.helper) = task.finish();
                done
            }
            false => {
                let round = Round {
                    engine: &self.engine,
                    blackboard: &self.blackboard,
                    until: until.map(|watch| &*watch.0),
                };
                let (chunks, helper) = (&mut self.chunks, &mut self.helper);
                round.alone(self.time, clock_cycles, chunks, helper)
            }
        };
        self.time += done;
        self.changed();
        done
    }

    /// Publishes the values of lanes and helper after the host has changed them.
    fn show_all(&mut self) {
        if let Some(helper) = &mut self.helper {
            helper.show(&self.blackboard, self.time);
        }
        for chunk in &mut self.chunks {
            chunk.publish(&self.engine, &self.blackboard, self.time);
        }
        self.changed();
    }

    /// Records that inputs or state have changed.
    pub(super) fn changed(&mut self) {
        self.exchanged = false;
        self.looked.fill(false);
    }

    /// Computes kept signals before they are read.
    pub(super) fn look(&mut self, look: usize) {
        self.settle();
        if !std::mem::replace(&mut self.looked[look], true) {
            for chunk in &mut self.chunks {
                self.engine.looks[look].run(&mut chunk.frame);
            }
        }
    }
}
