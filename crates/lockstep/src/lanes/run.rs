//! How threads share the work of a run and wait for each other.

use super::blackboard::{Blackboard, Time};
use super::chunk::Chunk;
use super::engine::Engine;
use super::helper::Helper;
use super::program::Program;
use super::round::{Phase, Round};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Clock cycles that some threads do together.
///
/// A clock cycle has up to three phases ([`Round`]), a phase a unit of work for each
/// chunk and one for the helper; it begins when the one before is done. Each thread
/// claims the chunks of its own share, for one that is computed elsewhere than before
/// must be fetched from there first. What a thread leaves because it gets no processor,
/// the others claim after a while.
#[derive(Debug)]
pub struct Task {
    pub engine: Arc<Engine>,
    pub blackboard: Arc<Blackboard>,
    /// The present clock cycle.
    time: Time,
    clock_cycles: u64,
    /// Stops before a clock edge at which this holds in some lane.
    until: Option<Arc<Program>>,
    phases: Vec<Phase>,
    chunks: Vec<Mutex<Option<Chunk>>>,
    helper: Mutex<Option<Helper>>,
    /// By unit: the phases, counted from the start, in which it was claimed.
    claims: Vec<AtomicU64>,
    /// Units done, in all phases.
    done: AtomicU64,
    /// The phase that has found that it is time to stop; [`NEVER`] if none has.
    stop: AtomicU64,
    /// A thread has panicked.
    broken: AtomicBool,
}

const NEVER: u64 = u64::MAX;

/// Looks at what is done until another thread, if nothing happens, is taken to have no
/// processor.
const PATIENCE: u32 = 1_000;

/// Phases for which that is taken to stay so.
const ABSENCE: u64 = 1_000;

impl Task {
    pub fn new(
        (engine, blackboard): (Arc<Engine>, Arc<Blackboard>),
        time: Time,
        clock_cycles: u64,
        until: Option<Arc<Program>>,
        chunks: Vec<Chunk>,
        helper: Option<Helper>,
    ) -> Self {
        let round = Round {
            engine: &engine,
            blackboard: &blackboard,
            until: until.as_deref(),
        };
        Task {
            phases: round.phases(),
            claims: (0..=chunks.len()).map(|_| AtomicU64::new(0)).collect(),
            chunks: chunks.into_iter().map(Some).map(Mutex::new).collect(),
            helper: Mutex::new(helper),
            done: AtomicU64::new(0),
            stop: AtomicU64::new(NEVER),
            broken: AtomicBool::new(false),
            engine,
            blackboard,
            time,
            clock_cycles,
            until,
        }
    }

    /// Does what is to be done, together with other threads that have other shares of
    /// the chunks; how many clock cycles were done by all.
    ///
    /// # Panics
    /// If another thread has panicked.
    pub fn run(&self, share: Range<usize>) -> u64 {
        let guard = Guard(self);
        let (chunks, phases) = (self.chunks.len(), self.phases.len() as u64);
        let (mut phase, mut patient_from) = (0, 0);
        while phase < phases * self.clock_cycles && !self.is_stopped(phase) {
            self.claim(share.clone(), phase);
            self.claim(chunks..chunks + 1, phase);
            if phase < patient_from {
                self.claim(0..chunks, phase);
            } else if !self.is_done_soon(phase) && self.claim(0..chunks, phase) {
                patient_from = phase + ABSENCE;
            }
            phase = self.wait_for(phase + 1);
        }
        std::mem::forget(guard);
        phase / phases
    }

    /// Does those of these units that no thread has claimed in this phase; whether there
    /// were any.
    fn claim(&self, units: Range<usize>, phase: u64) -> bool {
        let mut any = false;
        for unit in units {
            let order = Ordering::Relaxed;
            let claim = self.claims[unit].compare_exchange(phase, phase + 1, order, order);
            if claim.is_ok() {
                self.unit(unit, phase);
                // What was done here, whoever sees the sum sees too.
                self.done.fetch_add(1, Ordering::AcqRel);
                any = true;
            }
        }
        any
    }

    /// What was handed over, when all is done.
    pub fn finish(&self) -> (Vec<Chunk>, Option<Helper>) {
        let chunk = |chunk: &Mutex<Option<Chunk>>| take(chunk).take().expect("handed over once");
        let chunks = self.chunks.iter().map(chunk).collect();
        (chunks, take(&self.helper).take())
    }

    /// Whether a phase before this one has found that it is time to stop. Another thread
    /// may be some phases ahead, and what it has found there does not count here.
    fn is_stopped(&self, phase: u64) -> bool {
        self.stop.load(Ordering::Relaxed) < phase
    }

    fn kind(&self, phase: u64) -> Phase {
        self.phases[(phase % self.phases.len() as u64) as usize]
    }

    /// The phases that are done when so many units are.
    fn phases_in(&self, units_done: u64) -> u64 {
        units_done / self.claims.len() as u64
    }

    /// Waits for a phase to be done, as long as other threads do something; whether it
    /// is.
    fn is_done_soon(&self, phase: u64) -> bool {
        let (mut looks, mut before) = (0, 0);
        while looks < PATIENCE {
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

    /// Waits until so many phases are done; how many are.
    fn wait_for(&self, phases: u64) -> u64 {
        let mut looks = 0;
        loop {
            let done = self.phases_in(self.done.load(Ordering::Acquire));
            if done >= phases {
                return done;
            }
            assert!(
                !self.broken.load(Ordering::Relaxed),
                "another thread of the machine has panicked"
            );
            looks += 1;
            match looks < PATIENCE {
                true => std::hint::spin_loop(),
                false => std::thread::yield_now(),
            }
        }
    }

    fn unit(&self, unit: usize, phase: u64) {
        let round = Round {
            engine: &self.engine,
            blackboard: &self.blackboard,
            until: self.until.as_deref(),
        };
        let time = self.time + phase / self.phases.len() as u64;
        let kind = self.kind(phase);
        if let Some(chunk) = self.chunks.get(unit) {
            let mut chunk = take(chunk);
            if round.chunk(kind, chunk.as_mut().expect("until all is done"), time) {
                self.stop.store(phase, Ordering::Relaxed);
            }
        } else if let Some(helper) = take(&self.helper).as_mut() {
            round.helper(kind, helper, time);
        }
    }
}

/// Nobody else wants it: units are claimed.
fn take<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells the others when the thread panics.
struct Guard<'a>(&'a Task);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.broken.store(true, Ordering::Relaxed);
    }
}
