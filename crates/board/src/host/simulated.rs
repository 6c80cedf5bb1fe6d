//! Nodes of a simulated board: the RTL of soft nodes on the lockstep engine, in its own thread.
//!
//! Messages reach the machine at the beginning of a phase. If nothing has moved for some time, the
//! clock stops until a message comes. The clock of a real board would continue, with the same
//! result.

use super::message::{About, NodeProgramState, ProgramEvent, State, Status};
use super::server::Nodes;
use engine::{NodeEngine, ObservedEngine, Observer};
use interconnect::routing::Schedule;
use interconnect::topology::Hypercube;
use lockstep::lanes::LaneOptions;
use machine::networks::tdma::cube::{
    CubeCircuit, ProgramDriver, ProgramOutput, TimedProgramOutput, DEADLOCK_AFTER,
};
use machine::program::{Firmware, NodeMemory, Symbols};
use machine::{MachineCircuit, MachineDriver, RunError, StepStatus};
use std::collections::{BTreeSet, VecDeque};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Largest number of messages that wait for programs, and of events that wait for the host.
const WAITING_MAX: usize = 1 << 20;

/// Configuration of a simulated board.
#[derive(Clone)]
pub struct SimulatedBoardConfig {
    pub cube: Hypercube,
    /// Largest payload of a message between nodes, in bytes.
    pub payload: usize,
    /// Length of the service window in bit-times. `None` selects the window of a program with work
    /// of its own.
    pub service: Option<u32>,
    /// Memories of each node.
    pub memory: NodeMemory,
    /// Number of superframes without a move after which the clock stops.
    pub rest_superframes: u64,
    /// Options of the engine.
    pub options: LaneOptions,
    /// Watches each run, whose nodes then have an LED.
    pub watcher: Option<Arc<dyn RunWatcher>>,
}

/// Watches the runs of a simulated board.
pub trait RunWatcher: Send + Sync {
    /// Begins to watch a run on an engine that has just been started.
    fn begin(
        &self,
        engine: &mut dyn NodeEngine,
        circuit: &CubeCircuit,
        flags: &RunFlags,
    ) -> Box<dyn WatchedRun>;

    /// The clock stops until a message comes.
    fn rests(&self);

    /// The host has stopped the run, or starts another one.
    fn stopped(&self);

    /// The run has failed for this reason.
    fn failed(&self, why: &str);
}

/// Flags of a run for its watcher.
#[derive(Clone, Default)]
pub struct RunFlags {
    /// Set to end the run. The watcher then lets it continue to its end.
    pub stop: Arc<AtomicBool>,
    /// Set while the host waits for the states of the programs, which takes a phase. The watcher then
    /// lets a paused run continue.
    pub pass: Arc<AtomicBool>,
}

/// Watched run.
pub trait WatchedRun {
    fn observer(&mut self) -> &mut dyn Observer;

    /// The programs have ended without an error. May wait until the run is stopped.
    fn end(&mut self, engine: &mut dyn NodeEngine);
}

impl SimulatedBoardConfig {
    /// Uses messages of up to 8 bytes, as on the Cu.
    pub fn new(cube: Hypercube) -> Self {
        SimulatedBoardConfig {
            cube,
            payload: 8,
            service: None,
            memory: NodeMemory::BOARD,
            rest_superframes: DEADLOCK_AFTER,
            options: LaneOptions::default(),
            watcher: None,
        }
    }
}

/// Nodes of a simulated board.
pub struct SimulatedNodes {
    plan: SimulatedBoardConfig,
    about: About,
    run: Option<SimulatedRun>,
}

/// A run and its thread.
struct SimulatedRun {
    queues: Arc<BoardQueues>,
    thread: JoinHandle<()>,
}

/// Queues and flags shared by board and machine.
#[derive(Default)]
struct BoardQueues {
    shared: Mutex<SharedState>,
    changed: Condvar,
    /// Flags that a watcher of the run reads, too. They are set with `shared` locked.
    flags: RunFlags,
}

#[derive(Default)]
struct SharedState {
    inputs: VecDeque<HostInput>,
    events: VecDeque<ProgramEvent>,
    status: Status,
    /// States for the host, while it reads them.
    program_states: Option<Vec<NodeProgramState>>,
}

enum HostInput {
    Message(u32, Vec<u8>),
    /// No more messages for this node, or for any node if `None`.
    Finish(Option<u32>),
}

impl BoardQueues {
    fn lock(&self) -> MutexGuard<'_, SharedState> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if the host has stopped the run, or the board ends.
    fn is_stopped(&self) -> bool {
        self.flags.stop.load(Ordering::Relaxed)
    }

    /// Waits until the shared state changes.
    fn wait<'a>(&self, shared: MutexGuard<'a, SharedState>) -> MutexGuard<'a, SharedState> {
        let shared = self.changed.wait(shared);
        shared.unwrap_or_else(PoisonError::into_inner)
    }
}

impl SimulatedNodes {
    /// Returns `None` if the cube has more than
    /// [`MAX_DIMS`](rtl::tdma::MachineNode::MAX_DIMS) dimensions.
    pub fn new(plan: SimulatedBoardConfig) -> Option<Self> {
        let cube = plan.cube;
        CubeCircuit::new(cube, plan.payload, true)?;
        let about = About {
            payload: super::wire::PAYLOAD_MAX as u16,
            dims: cube.dims() as u8,
            nodes: cube.addresses().end,
            program: plan.memory.program() as u32,
            data: plan.memory.data() as u32,
            // A routed message begins with its destination, which takes two bytes.
            message: plan.payload as u8 + 2,
            network: "tdma".into(),
            name: format!("simulated {}-cube", cube.dims()),
        };
        Some(SimulatedNodes { plan, about, run: None })
    }

    fn with_shared(&mut self, change: impl FnOnce(&mut SharedState)) {
        if let Some(run) = &self.run {
            change(&mut run.queues.lock());
            run.queues.changed.notify_all();
        }
    }

    /// Requests the end of the run.
    fn request_end(&mut self) {
        if let Some(run) = &self.run {
            // With the lock, so that the run cannot begin to wait in between.
            let _shared = run.queues.lock();
            run.queues.flags.stop.store(true, Ordering::Relaxed);
            run.queues.changed.notify_all();
        }
    }
}

impl Drop for SimulatedNodes {
    fn drop(&mut self) {
        self.request_end();
    }
}

impl Nodes for SimulatedNodes {
    fn about(&self) -> &About {
        &self.about
    }

    fn start(&mut self, program: &[u8]) {
        self.stop();
        let queues = Arc::<BoardQueues>::default();
        queues.lock().status.state = State::Starting;
        let (plan, program, machine_queues) = (self.plan.clone(), program.to_vec(), queues.clone());
        let thread = thread::spawn(move || {
            let queues = machine_queues;
            let ran = catch_unwind(AssertUnwindSafe(|| run(&plan, &program, &queues)));
            let failed = match ran {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error.to_string(),
                Err(_) => "the simulator broke off".to_owned(),
            };
            let mut shared = queues.lock();
            // After a stop the watcher belongs to the next run.
            if let Some(watcher) = plan.watcher.as_ref().filter(|_| !queues.is_stopped()) {
                watcher.failed(&failed);
            }
            shared.status.state = State::Failed;
            shared.status.text = failed;
            queues.changed.notify_all();
        });
        self.run = Some(SimulatedRun { queues, thread });
    }

    fn stop(&mut self) {
        self.request_end();
        if let (Some(_), Some(watcher)) = (self.run.take(), &self.plan.watcher) {
            watcher.stopped();
        }
    }

    fn room(&self) -> usize {
        let given = self.status().waiting as usize;
        WAITING_MAX.saturating_sub(given)
    }

    fn deliver(&mut self, messages: Vec<(u32, Vec<u8>)>) {
        self.with_shared(|shared| {
            shared.status.waiting += messages.len() as u32;
            let messages = messages.into_iter();
            shared.inputs.extend(messages.map(|(node, bytes)| HostInput::Message(node, bytes)));
            shared.wake();
        });
    }

    fn finish(&mut self, node: Option<u32>) {
        self.with_shared(|shared| {
            shared.inputs.push_back(HostInput::Finish(node));
            shared.wake();
        });
    }

    fn collect(&mut self, room: usize) -> (Vec<ProgramEvent>, usize) {
        let (mut events, mut left) = (vec![], 0);
        self.with_shared(|shared| {
            let mut used = 0;
            while let Some(event) = shared.events.front() {
                used += event.encoded_length();
                if used > room {
                    break;
                }
                events.extend(shared.events.pop_front());
            }
            left = shared.events.len();
        });
        (events, left)
    }

    fn status(&self) -> Status {
        match &self.run {
            Some(run) => {
                let shared = run.queues.lock();
                Status { uncollected: shared.events.len() as u32, ..shared.status.clone() }
            }
            None => Status { state: State::Loaded, ..Status::default() },
        }
    }

    fn program_states(&mut self, first: u32, most: usize) -> Vec<NodeProgramState> {
        let Some(run) = &self.run else {
            return vec![];
        };
        let mut shared = run.queues.lock();
        // One snapshot serves all pieces of a reply.
        if first == 0 || shared.program_states.is_none() {
            shared.program_states = None;
            run.queues.flags.pass.store(true, Ordering::Relaxed);
            run.queues.changed.notify_all();
            while shared.program_states.is_none() && shared.is_alive() && !run.thread.is_finished()
            {
                shared = run.queues.wait(shared);
            }
        }
        let places = shared.program_states.iter().flatten();
        let places = places.filter(|place| place.node >= first);
        places.take(most).copied().collect()
    }
}

impl SharedState {
    /// Resumes a resting machine after a message.
    fn wake(&mut self) {
        if self.status.state == State::Resting {
            self.status.state = State::Running;
        }
    }

    /// True if the machine still accepts requests.
    fn is_alive(&self) -> bool {
        let state = self.status.state;
        state.is_active() || state == State::Resting
    }
}

/// Action at the beginning of a phase.
enum PhaseAction {
    /// Run the phase.
    Phase,
    /// Decide again, because locating the programs has run a phase.
    Retry,
    /// End the run.
    End,
}

/// Executes a run from reset to its end.
fn run(plan: &SimulatedBoardConfig, program: &[u8], queues: &BoardQueues) -> anyhow::Result<()> {
    let firmware = Firmware { memory: plan.memory, ..Firmware::from_bytes(program) };
    let circuit = CubeCircuit::new(plan.cube, plan.payload, true);
    let circuit = circuit.expect("the size was checked");
    let circuit = circuit.with_program(&firmware).with_background();
    let service = plan.service.unwrap_or(circuit.timing().with_work().service);
    let circuit = circuit.with_service(service);
    let circuit = match plan.watcher {
        Some(_) => circuit.with_led(),
        None => circuit,
    };
    let mut engine = circuit.array()?.lockstep(&plan.options)?;
    let Some(watcher) = &plan.watcher else {
        return serve_run(plan, &mut engine, &circuit, queues);
    };
    let mut watched = watcher.begin(&mut engine, &circuit, &queues.flags);
    let mut observed = ObservedEngine::new(&mut engine, vec![watched.observer()]);
    serve_run(plan, &mut observed, &circuit, queues)?;
    watched.end(&mut engine);
    Ok(())
}

/// Runs the programs until they end or the run is stopped.
fn serve_run(
    plan: &SimulatedBoardConfig,
    engine: &mut dyn NodeEngine,
    circuit: &CubeCircuit,
    queues: &BoardQueues,
) -> anyhow::Result<()> {
    let mut driver = ProgramDriver::new(engine, circuit, None, Symbols::default());
    let mut clerk = HostBridge {
        queues,
        watcher: plan.watcher.as_deref(),
        rest_phases: plan.rest_superframes * u64::from(circuit.schedule().period()),
        phases: 0,
        halted: BTreeSet::new(),
    };
    loop {
        if let Some(step) = driver.begin_step()? {
            match clerk.phase_begins(&mut driver, step)? {
                PhaseAction::Phase => {}
                PhaseAction::Retry => continue,
                PhaseAction::End => return Ok(()),
            }
        }
        driver.work()?;
        driver.advance()?;
    }
}

/// Transfers messages and events between `BoardQueues` and machine at the beginning of each phase.
struct HostBridge<'a> {
    queues: &'a BoardQueues,
    watcher: Option<&'a dyn RunWatcher>,
    /// Phases without a move after which the clock stops.
    rest_phases: u64,
    /// Number of phases that have begun.
    phases: u64,
    /// Cores whose halt was reported.
    halted: BTreeSet<u32>,
}

impl HostBridge<'_> {
    fn phase_begins(
        &mut self,
        driver: &mut ProgramDriver,
        step: StepStatus,
    ) -> Result<PhaseAction, RunError> {
        self.phases += 1;
        let events = self.take_events(driver);
        let mut shared = self.queues.lock();
        shared.events.extend(events);
        let status = &mut shared.status;
        status.phases = self.phases - 1;
        status.clock_cycles = driver.clock_cycles();
        status.hops = driver.hops();
        status.halted = self.halted.len() as u32;
        status.ended = driver.ended() as u32;
        let over = driver.is_complete() || step.halted;
        let rests = step.steps_since_move.is_some_and(|quiet| quiet > self.rest_phases);
        shared.status.state = match over {
            true => State::Ended,
            false => State::Running,
        };
        self.queues.changed.notify_all();
        if over {
            return Ok(PhaseAction::End);
        }
        loop {
            if self.queues.is_stopped() {
                return Ok(PhaseAction::End);
            }
            let full = shared.events.len() >= WAITING_MAX;
            let has_work = !rests || !shared.inputs.is_empty();
            // The host waits for states, and collects no events meanwhile.
            if self.queues.flags.pass.load(Ordering::Relaxed) || !full && has_work {
                break;
            }
            if !full && shared.status.state != State::Resting {
                shared.status.state = State::Resting;
                self.queues.changed.notify_all();
                if let Some(watcher) = self.watcher {
                    watcher.rests();
                }
            }
            shared = self.queues.wait(shared);
        }
        let requested = self.queues.flags.pass.load(Ordering::Relaxed);
        for given in shared.inputs.drain(..) {
            match given {
                HostInput::Message(node, bytes) => driver.push_message(node, &bytes),
                HostInput::Finish(Some(node)) => driver.finish(node),
                HostInput::Finish(None) => driver.finish_all(),
            }
        }
        shared.status.waiting = driver.waiting() as u32;
        drop(shared);
        if !requested {
            return Ok(PhaseAction::Phase);
        }
        let places = driver.watch_phase()?.into_iter().map(|place| NodeProgramState {
            node: place.node,
            state: place.state,
            pc: place.pc,
        });
        let mut shared = self.queues.lock();
        self.queues.flags.pass.store(false, Ordering::Relaxed);
        shared.program_states = Some(places.collect());
        self.queues.changed.notify_all();
        Ok(PhaseAction::Retry)
    }

    /// Returns the program events of the phase that has ended, and the cores that halted.
    fn take_events(&mut self, driver: &mut ProgramDriver) -> Vec<ProgramEvent> {
        let short = |phase: u64| u32::try_from(phase).unwrap_or(u32::MAX);
        let received = driver.take_outputs().into_iter().map(|received| {
            let TimedProgramOutput { node, phase, output: reported } = received;
            let phase = short(phase);
            match reported {
                ProgramOutput::Message { bytes, reason: why } => {
                    ProgramEvent::Message { node, phase, why, bytes }
                }
                ProgramOutput::Exit(code) => ProgramEvent::Ended { node, phase, code },
            }
        });
        let mut events: Vec<ProgramEvent> = received.collect();
        let phase = short(self.phases - 1);
        for trap in driver.traps() {
            if self.halted.insert(trap.node) {
                events.push(ProgramEvent::Trap { phase, trap });
            }
        }
        events
    }
}
