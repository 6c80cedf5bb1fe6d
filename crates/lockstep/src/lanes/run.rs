//! Divides the work of a run among threads and synchronises them.

use super::chunk::Chunk;
use super::engine::{FrameProgram, LaneEngine};
use super::helper::Helper;
use super::links::{Blackboard, ClockCycle};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Clock cycles that several threads run together.
///
/// A clock cycle has up to three phases ([`Round`]). A phase has one unit of work for each chunk
/// and one for the helper. Each phase begins when the previous one is done. Each thread claims the
/// chunks of its own share, because a chunk computed by another thread must be fetched from its
/// cache. If a thread gets no processor, the others claim its chunks after a while.
#[derive(Debug)]
pub struct ParallelRun {
    pub engine: Arc<LaneEngine>,
    pub blackboard: Arc<Blackboard>,
    /// First clock cycle of the task.
    time: ClockCycle,
    clock_cycles: u64,
    /// Condition that stops the run before a clock edge if it holds in some lane.
    until: Option<Arc<FrameProgram>>,
    phases: Vec<CyclePhase>,
    chunks: Vec<Mutex<Option<Chunk>>>,
    helper: Mutex<Option<Helper>>,
    /// By unit: the number of phases in which it has been claimed.
    claims: Vec<Claim>,
    /// Number of units done in all phases.
    done: AtomicU64,
    /// Phase that found the stop condition, or [`NEVER`].
    stop: AtomicU64,
    /// True after a thread has panicked.
    has_panicked: AtomicBool,
}

/// Claims of a unit, in a cache line of their own. A thread that claims its own units then does not
/// fetch the line from the cache of another processor.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Claim(AtomicU64);

const NEVER: u64 = u64::MAX;

/// Number of polls without progress, for each unit of a thread, after which another thread is
/// assumed to have no processor.
const MAX_IDLE_POLLS: u32 = 1_000;

/// Number of phases for which this assumption holds.
const TAKEOVER_PHASES: u64 = 1_000;

impl ParallelRun {
    pub fn new(
        (engine, blackboard): (Arc<LaneEngine>, Arc<Blackboard>),
        time: ClockCycle,
        clock_cycles: u64,
        until: Option<Arc<FrameProgram>>,
        chunks: Vec<Chunk>,
        helper: Option<Helper>,
    ) -> Self {
        let round = Round { engine: &engine, blackboard: &blackboard, until: until.as_deref() };
        ParallelRun {
            phases: round.phases(),
            claims: (0..=chunks.len()).map(|_| Claim::default()).collect(),
            chunks: chunks.into_iter().map(Some).map(Mutex::new).collect(),
            helper: Mutex::new(helper),
            done: AtomicU64::new(0),
            stop: AtomicU64::new(NEVER),
            has_panicked: AtomicBool::new(false),
            engine,
            blackboard,
            time,
            clock_cycles,
            until,
        }
    }

    /// Runs the task together with other threads that have other shares of the chunks. Returns the
    /// number of clock cycles done by all.
    ///
    /// # Panics
    /// If another thread has panicked.
    pub fn run(&self, share: Range<usize>) -> u64 {
        let guard = PanicGuard(self);
        let (chunks, phases) = (self.chunks.len(), self.phases.len() as u64);
        let (mut phase, mut patient_from) = (0, 0);
        while phase < phases * self.clock_cycles && !self.is_stopped(phase) {
            self.claim(share.clone(), phase);
            self.claim(chunks..chunks + 1, phase);
            if phase < patient_from {
                self.claim(0..chunks, phase);
            } else if !self.is_done_soon(phase, share.len()) && self.claim(0..chunks, phase) {
                patient_from = phase + TAKEOVER_PHASES;
            }
            phase = self.wait_for(phase + 1);
        }
        std::mem::forget(guard);
        phase / phases
    }

    /// Runs the unclaimed units among these in this phase. Returns true if there were any.
    fn claim(&self, units: Range<usize>, phase: u64) -> bool {
        let mut done = 0;
        for unit in units {
            let order = Ordering::Relaxed;
            let claim = self.claims[unit].0.compare_exchange(phase, phase + 1, order, order);
            if claim.is_ok() {
                self.run_unit(unit, phase);
                done += 1;
            }
        }
        if done > 0 {
            // A thread that sees the new count also sees the results of the units.
            self.done.fetch_add(done, Ordering::AcqRel);
        }
        done > 0
    }

    /// Returns the chunks and the helper after the task is done.
    pub fn finish(&self) -> (Vec<Chunk>, Option<Helper>) {
        let chunk =
            |chunk: &Mutex<Option<Chunk>>| lock_unit(chunk).take().expect("handed over once");
        let chunks = self.chunks.iter().map(chunk).collect();
        (chunks, lock_unit(&self.helper).take())
    }

    /// Returns true if an earlier phase found the stop condition. A thread that is some phases
    /// ahead may have found it in a later phase, which does not count.
    fn is_stopped(&self, phase: u64) -> bool {
        self.stop.load(Ordering::Relaxed) < phase
    }

    fn kind(&self, phase: u64) -> CyclePhase {
        self.phases[(phase % self.phases.len() as u64) as usize]
    }

    /// Returns the number of complete phases after `units_done` units.
    fn phases_in(&self, units_done: u64) -> u64 {
        units_done / self.claims.len() as u64
    }

    /// Waits for a phase while other threads, each with about `units` units, make progress. Returns
    /// true if the phase is done.
    fn is_done_soon(&self, phase: u64, units: usize) -> bool {
        let (mut looks, mut before) = (0, 0);
        let most = MAX_IDLE_POLLS.saturating_mul(units as u32);
        while looks < most {
            let done = self.done.load(Ordering::Acquire);
            if self.phases_in(done) > phase {
                return true;
            }
            looks = if done == before { looks + 1 } else { 0 };
            before = done;
            std::hint::spin_loop();
        }
        false
    }

    /// Waits until this many phases are done. Returns the number of phases done.
    fn wait_for(&self, phases: u64) -> u64 {
        let mut looks = 0;
        loop {
            let done = self.phases_in(self.done.load(Ordering::Acquire));
            if done >= phases {
                return done;
            }
            assert!(
                !self.has_panicked.load(Ordering::Relaxed),
                "another thread of the machine has panicked"
            );
            looks += 1;
            match looks < MAX_IDLE_POLLS {
                true => std::hint::spin_loop(),
                false => std::thread::yield_now(),
            }
        }
    }

    fn run_unit(&self, unit: usize, phase: u64) {
        let round = Round {
            engine: &self.engine,
            blackboard: &self.blackboard,
            until: self.until.as_deref(),
        };
        let time = self.time + phase / self.phases.len() as u64;
        let kind = self.kind(phase);
        if let Some(chunk) = self.chunks.get(unit) {
            let mut chunk = lock_unit(chunk);
            if round.chunk(kind, chunk.as_mut().expect("until all is done"), time) {
                self.stop.store(phase, Ordering::Relaxed);
            }
        } else if let Some(helper) = lock_unit(&self.helper).as_mut() {
            round.helper(kind, helper, time);
        }
    }
}

/// Locks a unit. The claim guarantees that no other thread uses it.
fn lock_unit<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Marks the task as broken if the thread panics.
struct PanicGuard<'a>(&'a ParallelRun);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        self.0.has_panicked.store(true, Ordering::Relaxed);
    }
}

/// Runs clock cycles phase by phase.
#[derive(Clone, Copy)]
pub struct Round<'a> {
    pub engine: &'a LaneEngine,
    pub blackboard: &'a Blackboard,
    /// Condition that stops the run before a clock edge if it holds in some lane.
    pub until: Option<&'a FrameProgram>,
}

/// Part of a clock cycle. All chunks finish it before the next part begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CyclePhase {
    /// Publishes values for other lanes that are unknown at the previous clock edge.
    Publish,
    /// Evaluates the stop condition.
    CheckStop,
    /// Performs the clock edge.
    Step,
}

impl Round<'_> {
    /// Returns the required phases, in order.
    pub fn phases(&self) -> Vec<CyclePhase> {
        let mut phases = vec![];
        if self.engine.plan.publish_late {
            phases.push(CyclePhase::Publish);
        }
        if self.until.is_some() {
            phases.push(CyclePhase::CheckStop);
        }
        phases.push(CyclePhase::Step);
        phases
    }

    /// Performs a chunk's part of a phase. Returns true if the run must stop.
    pub fn chunk(&self, phase: CyclePhase, chunk: &mut Chunk, time: ClockCycle) -> bool {
        let (engine, blackboard) = (self.engine, self.blackboard);
        match phase {
            CyclePhase::Publish => {
                chunk.refresh(engine, blackboard, time);
                chunk.publish(engine, blackboard, time);
            }
            CyclePhase::CheckStop => {
                chunk.refresh(engine, blackboard, time);
                chunk.exchange(engine, blackboard, time);
                return self.until.is_some_and(|until| chunk.holds(engine, until));
            }
            CyclePhase::Step => {
                if self.until.is_none() {
                    chunk.refresh(engine, blackboard, time);
                    chunk.exchange(engine, blackboard, time);
                }
                chunk.step(engine, time);
                if !engine.plan.publish_late {
                    chunk.publish(engine, blackboard, time + 1);
                }
            }
        }
        false
    }

    /// Performs the helper's part of a phase.
    pub fn helper(&self, phase: CyclePhase, helper: &mut Helper, time: ClockCycle) {
        if phase == CyclePhase::Step {
            helper.clock(self.blackboard, time + 1);
        }
    }

    /// Runs clock cycles from `time` in one thread. Returns the number of clock cycles done.
    pub fn run_single_threaded(
        &self,
        time: ClockCycle,
        clock_cycles: u64,
        chunks: &mut [Chunk],
        helper: &mut Option<Helper>,
    ) -> u64 {
        let phases = self.phases();
        for done in 0..clock_cycles {
            for &phase in &phases {
                let mut stop = false;
                for chunk in &mut *chunks {
                    stop |= self.chunk(phase, chunk, time + done);
                }
                if stop {
                    return done;
                }
                if let Some(helper) = helper {
                    self.helper(phase, helper, time + done);
                }
            }
        }
        clock_cycles
    }
}

/// Worker threads that wait for tasks. The calling thread does a share of the work too.
#[derive(Debug)]
pub struct ThreadPool {
    /// Chunks of the calling thread.
    share: Range<usize>,
    workers: Vec<Worker>,
}

#[derive(Debug)]
struct Worker {
    /// Dropping the sender ends the thread.
    tasks: Option<Sender<Arc<ParallelRun>>>,
    thread: Option<JoinHandle<()>>,
}

/// Number of clock cycles of a chunk from which waking the workers pays off.
pub const MIN_POOLED_WORK: u64 = 8;

/// Number of polls for a task before a worker sleeps. A driver often stops the machine for less than
/// the time that it takes to wake a thread.
const TASK_POLLS: u32 = 2_000;

impl ThreadPool {
    /// Divides `chunks` chunks among `threads` threads, including the calling thread.
    pub fn new(threads: usize, chunks: usize) -> Self {
        let share = |i: usize| i * chunks / threads..(i + 1) * chunks / threads;
        ThreadPool {
            share: share(0),
            workers: (1..threads).map(|i| Worker::new(share(i))).collect(),
        }
    }

    /// Returns true if there are threads beside the calling one.
    pub fn has_workers(&self) -> bool {
        !self.workers.is_empty()
    }

    /// Returns true if this many clock cycles of all chunks are worth waking the workers.
    pub fn is_worth_waking(&self, clock_cycles: u64, chunks: usize) -> bool {
        self.has_workers() && clock_cycles.saturating_mul(chunks as u64) >= MIN_POOLED_WORK
    }

    /// Runs a task to its end and returns the number of clock cycles done.
    pub fn run(&self, task: &Arc<ParallelRun>) -> u64 {
        for worker in &self.workers {
            let tasks = worker.tasks.as_ref().expect("dropped with the worker");
            // A worker thread ends only by a panic. The calling thread then does all the work.
            let _ = tasks.send(task.clone());
        }
        task.run(self.share.clone())
    }
}

impl Worker {
    fn new(share: Range<usize>) -> Self {
        let (tasks, queue) = channel::<Arc<ParallelRun>>();
        let work = move || {
            while let Some(task) = next_task(&queue) {
                task.run(share.clone());
            }
        };
        Worker { tasks: Some(tasks), thread: Some(thread::spawn(work)) }
    }
}

/// Waits for a task. Returns `None` if there will be none.
fn next_task(queue: &Receiver<Arc<ParallelRun>>) -> Option<Arc<ParallelRun>> {
    for _ in 0..TASK_POLLS {
        match queue.try_recv() {
            Ok(task) => return Some(task),
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
            Err(TryRecvError::Disconnected) => return None,
        }
    }
    queue.recv().ok()
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            // The panic was reported when it happened.
            let _ = thread.join();
        }
    }
}
