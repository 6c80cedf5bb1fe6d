//! Public interface of a machine: create it, set inputs, clock it, and run it until a condition
//! holds.

use super::blackboard::{Blackboard, ClockCycle};
use super::chunk::Chunk;
use super::engine::LaneEngine;
use super::helper::Helper;
use super::program::FrameProgram;
use super::round::Round;
use super::run::ParallelRun;
use super::segmented::SegmentedCode;
use super::thread_pool::ThreadPool;
use super::tuning::Tuning;
use super::{Backend, LaneOptions, LaneProbe, LaneWiring, LanesError};
use crate::netlist::Netlist;
use std::sync::Arc;

/// One circuit in many lanes.
///
/// A clock cycle has the same meaning as in the [evaluator](crate::eval). Inputs are set,
/// everything combinational settles, and signals can be read. The clock edge then changes all
/// registers and memories of all lanes at once. A value read after an input was set has settled.
#[derive(Debug)]
pub struct LaneMachine {
    pub(super) netlist: Arc<Netlist>,
    pub(super) engine: Arc<LaneEngine>,
    pub(super) blackboard: Arc<Blackboard>,
    pub(super) chunks: Vec<Chunk>,
    pub(super) helper: Option<Helper>,
    thread_pool: ThreadPool,
    tuning: Tuning,
    /// Number of clock edges so far.
    pub(super) time: ClockCycle,
    /// The lanes have received the current published values of other lanes.
    pub(super) exchanged: bool,
    /// By position in [`LanePlan::looks`](super::plan::LanePlan::looks): computed since the last change.
    looks_done: Vec<bool>,
}

/// Stop condition, returned by [`LaneMachine::stop_condition`].
#[derive(Clone, Debug)]
pub struct StopCondition(Arc<FrameProgram>);

/// Result of [`LaneMachine::run`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneRunResult {
    /// Number of clock edges.
    pub clock_cycles: u64,
    /// The condition holds now in at least one lane.
    pub stopped: bool,
}

impl LaneMachine {
    /// Creates a machine with `lanes` copies of the circuit, connected by `wiring`. All inputs that
    /// the host sets are zero. Registers and memories have their initial values.
    ///
    /// # Errors
    /// If the wiring does not fit the circuit, or if the options cannot be met.
    pub fn new(
        netlist: impl Into<Arc<Netlist>>,
        lanes: usize,
        wiring: &LaneWiring,
        options: &LaneOptions,
    ) -> Result<Self, LanesError> {
        if !(2..=65_536).contains(&lanes) {
            return Err(LanesError::Lanes(lanes));
        }
        let threads = options.threads.max(1);
        if threads > 256 {
            return Err(LanesError::Threads(threads));
        }
        let netlist = netlist.into();
        let engine = LaneEngine::new(&netlist, lanes, wiring, &options.keep, options.backend)?;
        let threads = threads.min(engine.chunks());
        let segmented = SegmentedCode::new(&engine, None)?;
        let blackboard = Blackboard::new(
            engine.plan.broadcasts.len(),
            engine.plan.published.len(),
            engine.words,
        );
        let tuning = Tuning::new(options.tune_after);
        let helper = wiring.helper.clone();
        let helper =
            helper.map(|h| Helper::new(h, &engine.plan.helper_bits, engine.backend, tuning));
        let helper = helper.transpose()?;
        let mut machine = LaneMachine {
            chunks: (0..engine.chunks())
                .map(|number| Chunk::new(&engine, segmented.clone(), number))
                .collect(),
            looks_done: vec![false; engine.looks.len()],
            thread_pool: ThreadPool::new(threads, engine.chunks()),
            tuning,
            time: 0,
            exchanged: false,
            blackboard: Arc::new(blackboard),
            engine: Arc::new(engine),
            helper,
            netlist,
        };
        machine.publish_all();
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
        self.publish_all();
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
    pub fn run(&mut self, at_most: u64, until: &StopCondition) -> LaneRunResult {
        let clock_cycles = self.clock_until(at_most, Some(until));
        let stopped = clock_cycles < at_most || self.holds(until);
        LaneRunResult {
            clock_cycles,
            stopped,
        }
    }

    /// Creates a condition for [`run`](Self::run): one of these signals has a bit set.
    ///
    /// # Errors
    /// If memory for its code cannot be allocated.
    pub fn stop_condition(&self, signals: &[LaneProbe]) -> Result<StopCondition, LanesError> {
        let engine = &self.engine;
        let mut graph = engine.plan.graph.clone();
        let bits: Vec<_> = signals
            .iter()
            .flat_map(|s| self.bits(*s))
            .copied()
            .collect();
        let any = engine.plan.any(&mut graph, &bits);
        let roots = [(any, engine.plan.stop_slot)];
        let slots = engine.slots;
        let program = FrameProgram::for_roots(&graph, slots, &roots, engine.backend, engine.width)?;
        Ok(StopCondition(Arc::new(program)))
    }

    /// Returns true if a condition holds in some lane.
    pub fn holds(&mut self, condition: &StopCondition) -> bool {
        self.settle();
        let engine = &self.engine;
        let mut chunks = self.chunks.iter_mut();
        chunks.any(|chunk| chunk.holds(engine, &condition.0))
    }

    fn clock_until(&mut self, clock_cycles: u64, until: Option<&StopCondition>) -> u64 {
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
    fn clock_part(&mut self, clock_cycles: u64, until: Option<&StopCondition>) -> u64 {
        let done = match self.thread_pool.is_worth_waking(clock_cycles) {
            true => {
                let task = Arc::new(ParallelRun::new(
                    (self.engine.clone(), self.blackboard.clone()),
                    self.time,
                    clock_cycles,
                    until.map(|watch| watch.0.clone()),
                    std::mem::take(&mut self.chunks),
                    self.helper.take(),
                ));
                let done = self.thread_pool.run(&task);
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
                round.run_single_threaded(self.time, clock_cycles, chunks, helper)
            }
        };
        self.time += done;
        self.mark_changed();
        done
    }

    /// Publishes the values of lanes and helper after the host has changed them.
    fn publish_all(&mut self) {
        if let Some(helper) = &mut self.helper {
            helper.publish(&self.blackboard, self.time);
        }
        for chunk in &mut self.chunks {
            chunk.publish(&self.engine, &self.blackboard, self.time);
        }
        self.mark_changed();
    }

    /// Records that inputs or state have changed.
    pub(super) fn mark_changed(&mut self) {
        self.exchanged = false;
        self.looks_done.fill(false);
    }

    /// Computes kept signals before they are read.
    pub(super) fn compute_look(&mut self, look: usize) {
        self.settle();
        if !std::mem::replace(&mut self.looks_done[look], true) {
            for chunk in &mut self.chunks {
                self.engine.looks[look].run(&mut chunk.frame);
            }
        }
    }
}
