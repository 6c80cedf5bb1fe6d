//! Public interface of a machine: create it, set inputs, clock it, and run it until a condition
//! holds. The options, the backends and the errors are here too.

use super::activity::Tuning;
use super::chunk::{Chunk, SegmentedCode};
use super::engine::{FrameProgram, LaneEngine};
use super::helper::Helper;
use super::jit::Isa;
use super::links::{Blackboard, ClockCycle};
use super::run::{ParallelRun, Round, ThreadPool};
use super::thread_choice::ThreadChoice;
use super::{LaneProbe, LaneWiring};
use crate::netlist::Netlist;
use std::sync::Arc;
use std::time::Instant;
use thiserror::Error;

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
    thread_choice: ThreadChoice,
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
            thread_choice: ThreadChoice::default(),
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
        LaneRunResult { clock_cycles, stopped }
    }

    /// Creates a condition for [`run`](Self::run): one of these signals has a bit set.
    ///
    /// # Errors
    /// If memory for its code cannot be allocated.
    pub fn stop_condition(&self, signals: &[LaneProbe]) -> Result<StopCondition, LanesError> {
        let engine = &self.engine;
        let mut graph = engine.plan.graph.clone();
        let bits: Vec<_> = signals.iter().flat_map(|s| self.bits(*s)).copied().collect();
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
            let part = match self.thread_pool.has_workers() {
                true => part.min(self.thread_choice.clock_cycles()),
                false => part,
            };
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
        let is_shared = self.thread_pool.is_worth_waking(clock_cycles, self.chunks.len());
        let begin = is_shared.then(Instant::now);
        let done = match is_shared && self.thread_choice.all() {
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
            false => self.run_single_threaded(clock_cycles, until),
        };
        if let Some(begin) = begin {
            self.thread_choice.record(done, begin.elapsed());
        }
        self.time += done;
        self.mark_changed();
        done
    }

    fn run_single_threaded(&mut self, clock_cycles: u64, until: Option<&StopCondition>) -> u64 {
        let round = Round {
            engine: &self.engine,
            blackboard: &self.blackboard,
            until: until.map(|watch| &*watch.0),
        };
        let (chunks, helper) = (&mut self.chunks, &mut self.helper);
        round.run_single_threaded(self.time, clock_cycles, chunks, helper)
    }

    /// Runs clock cycles in the calling thread. The code does not change.
    pub(super) fn clock_alone(&mut self, clock_cycles: u64) {
        self.time += self.run_single_threaded(clock_cycles, None);
        self.mark_changed();
    }

    /// Publishes the values of lanes and helper after the host has changed them.
    pub(super) fn publish_all(&mut self) {
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

/// Options that control how a machine runs and which signals can be read.
#[derive(Clone, Debug)]
pub struct LaneOptions {
    pub backend: Backend,
    /// Number of threads, including the calling thread. Zero counts as one.
    pub threads: usize,
    pub keep: Keep,
    /// Clock cycles before the machine first measures which gates are busy and regenerates its
    /// code. Each later measurement starts at four times the clock cycle in which the previous one
    /// ended. Results are the same.
    pub tune_after: u64,
}

impl Default for LaneOptions {
    fn default() -> Self {
        LaneOptions {
            backend: Backend::default(),
            threads: 0,
            keep: Keep::default(),
            tune_after: 16_384,
        }
    }
}

/// Implementation that runs the gates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// The fastest backend that the processor supports.
    #[default]
    Auto,
    /// Portable interpreter.
    Tape,
    /// Machine code for x86-64 with AVX2.
    Avx2,
    /// Machine code for x86-64 with AVX-512 (F, BW, DQ and VL).
    Avx512,
    /// Machine code for AArch64.
    Neon,
    /// Machine code for AArch64 with the instructions of SHA3.
    NeonSha3,
}

/// Signals that can be read besides the outputs. Unused signals are not computed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Keep {
    /// No other signals.
    #[default]
    Outputs,
    /// Signals with these hierarchical names.
    Named(Vec<String>),
    /// All named signals.
    All,
}

// Selects the backend for the processor and the size of its chunks.

impl Backend {
    /// All backends except for `Auto`, the slowest first.
    pub const ALL: [Backend; 5] =
        [Backend::Tape, Backend::Neon, Backend::NeonSha3, Backend::Avx2, Backend::Avx512];

    /// Returns true if this processor can run the backend.
    pub fn is_available(self) -> bool {
        self.resolve().is_ok()
    }

    /// Returns the backend itself, or the fastest available one for `Auto`.
    ///
    /// # Errors
    /// If the processor cannot run it.
    pub(super) fn resolve(self) -> Result<Backend, LanesError> {
        let (isa, name) = match self {
            Backend::Auto => {
                let mut fastest = Backend::ALL.into_iter().rev();
                let available = fastest.find(|backend| backend.is_available());
                return Ok(available.unwrap_or(Backend::Tape));
            }
            Backend::Tape => return Ok(self),
            Backend::Avx2 => (Isa::Avx2, "AVX2"),
            Backend::Avx512 => (Isa::Avx512, "AVX-512"),
            Backend::Neon => (Isa::Neon, "AArch64"),
            Backend::NeonSha3 => (Isa::NeonSha3, "AArch64 with SHA3"),
        };
        match isa.is_available() {
            true => Ok(self),
            false => Err(LanesError::Backend(name)),
        }
    }

    /// Returns the instruction set for chunks of `width` words, or `None` without machine code.
    pub(super) fn isa(self, width: usize) -> Option<Isa> {
        match self {
            Backend::Auto | Backend::Tape => None,
            Backend::Avx2 => Some(Isa::Avx2),
            Backend::Avx512 if width == 2 => Some(Isa::Avx512Quarter),
            Backend::Avx512 if width == 4 => Some(Isa::Avx512Half),
            Backend::Avx512 => Some(Isa::Avx512),
            Backend::Neon => Some(Isa::Neon),
            Backend::NeonSha3 => Some(Isa::NeonSha3),
        }
    }

    /// Returns the number of 64-lane words in a chunk of a machine with this many lanes.
    pub(super) fn chunk_words(self, lanes: usize) -> usize {
        match self {
            Backend::Neon | Backend::NeonSha3 => 2,
            Backend::Avx512 if lanes <= 128 => 2,
            Backend::Avx2 => 4,
            _ if lanes <= 256 => 4,
            _ => 8,
        }
    }
}

/// Reason why a machine cannot be created or cannot perform a request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LanesError {
    #[error("{0} lanes are not possible; accepted: 2 to 65,536")]
    Lanes(usize),
    #[error("{0} threads are not possible; accepted: 1 to 256")]
    Threads(usize),
    #[error("the circuit has no input `{0}`")]
    NoInput(String),
    #[error("the circuit has no output `{0}`")]
    NoOutput(String),
    #[error("the helper circuit has no input `{0}`")]
    NoHelperInput(String),
    #[error("the helper circuit has no output `{0}`")]
    NoHelperOutput(String),
    #[error("the helper circuit has no signal `{0}`")]
    NoHelperSignal(String),
    #[error("the machine has no helper circuit")]
    NoHelper,
    /// The similar names say which of them are not kept.
    #[error("the circuit has no signal `{name}`; similar names are {near}")]
    NoSignal { name: String, near: String },
    #[error(
        "`{name}` is not kept; kept signals are {kept}, and those that `LaneOptions::keep` names, \
         all of them with `Keep::All`"
    )]
    NotKept { name: String, kept: String },
    #[error("`{port}` has no bit {bit}; it has {width} bits")]
    NoBit { port: String, bit: u32, width: u32 },
    #[error("{value} doesn't fit `{port}`, which has {width} bits")]
    TooLarge { port: String, value: String, width: u32 },
    #[error("bit {bit} of the input `{port}` is {found}, so it can't be set {wanted}")]
    NotSettable { port: String, bit: u32, found: &'static str, wanted: &'static str },
    #[error("lane {0} takes its input from lane {1}; accepted: lanes below {2}")]
    NoLane(usize, usize, usize),
    #[error("the table has {found} lanes; accepted: {lanes}, as in the machine")]
    TableLength { found: usize, lanes: usize },
    #[error("{found} values for {lanes} lanes; accepted: one for each lane")]
    LaneValues { found: usize, lanes: usize },
    #[error("{found} words for a bit of {lanes} lanes; accepted: {wanted} words")]
    PlaneLength { found: usize, wanted: usize, lanes: usize },
    #[error(
        "bit {bit} of the output `{output}` is linked to other lanes and depends on the linked \
         input `{input}` without a register in between"
    )]
    LinkedLoop { output: String, bit: u32, input: String },
    #[error("the circuit has no memory `{0}`")]
    NoMemory(String),
    #[error("memory `{0}` is shared by all lanes and cannot be written in one")]
    SharedMemory(String),
    #[error("memory `{memory}` has no word {address}; it has {words} words")]
    NoWord { memory: String, words: usize, address: usize },
    /// The lanes find words at the clock edge.
    #[error(
        "the memory `{memory}` has {bits} bits and is read asynchronously at an address that depends \
         on {cause}; accepted: an address of registers only, or up to 65536 bits; use a memory with \
         a clocked read port"
    )]
    AsynchronousRead { memory: String, bits: usize, cause: String },
    #[error("this processor can't run {0} code")]
    Backend(&'static str),
    #[error("an instruction has no encoding: {0}")]
    Encoding(String),
    #[error("no memory for machine code: {0}")]
    CodeMemory(String),
}
