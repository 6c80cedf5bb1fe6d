//! Nodes of a simulated board: the RTL of soft nodes on the lockstep engine, in its own thread.
//!
//! Messages reach the machine at the beginning of a phase. If nothing has moved for some time, the
//! clock stops until a message comes. The clock of a real board would continue, with the same
//! result.

use super::message::{About, Event, Place, State, Status};
use super::server::Nodes;
use crate::machine::{Driver, MachineCircuit, RunError, Step};
use crate::networks::tdma::cube::{
    CubeCircuit, Heard, ProgramDriver, ProgramMachine, Told, STUCK_AFTER,
};
use crate::program::{Firmware, Symbols};
use crate::routing::Schedule;
use crate::topology::Hypercube;
use lockstep::lanes::Options;
use std::collections::{BTreeSet, VecDeque};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Largest number of messages that wait for programs, and of events that wait for the host.
const WAITING_MAX: usize = 1 << 20;

/// Configuration of a simulated board.
#[derive(Clone)]
pub struct Plan {
    pub cube: Hypercube,
    /// Largest payload of a message between nodes, in bytes.
    pub payload: usize,
    /// Length of the service window in bit-times. `None` selects the window of a program with work
    /// of its own.
    pub service: Option<u32>,
    /// Number of superframes without a move after which the clock stops.
    pub rest: u64,
    /// Options of the engine.
    pub options: Options,
}

impl Plan {
    /// Uses messages of up to 8 bytes, as on the Cu.
    pub fn new(cube: Hypercube) -> Self {
        Plan {
            cube,
            payload: 8,
            service: None,
            rest: STUCK_AFTER,
            options: Options::default(),
        }
    }
}

/// Nodes of a simulated board.
pub struct Simulated {
    plan: Plan,
    about: About,
    run: Option<Run>,
}

/// A run and its thread.
struct Run {
    desk: Arc<Desk>,
    thread: JoinHandle<()>,
}

/// Queues and flags shared by board and machine.
#[derive(Default)]
struct Desk {
    papers: Mutex<Papers>,
    changed: Condvar,
}

#[derive(Default)]
struct Papers {
    /// Requests the end of the run.
    stop: bool,
    given: VecDeque<Given>,
    told: VecDeque<Event>,
    status: Status,
    /// Set while the board waits for the program states in `places`.
    asked: bool,
    places: Option<Vec<Place>>,
}

enum Given {
    Message(u32, Vec<u8>),
    /// No more messages for this node, or for any node if `None`.
    Finish(Option<u32>),
}

impl Desk {
    fn papers(&self) -> MutexGuard<'_, Papers> {
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the shared state changes.
    fn wait<'a>(&self, papers: MutexGuard<'a, Papers>) -> MutexGuard<'a, Papers> {
        let papers = self.changed.wait(papers);
        papers.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Simulated {
    /// Returns `None` if the cube has more than
    /// [`MAX_DIMS`](crate::rtl::tdma::MachineNode::MAX_DIMS) dimensions.
    pub fn new(plan: Plan) -> Option<Self> {
        let cube = plan.cube;
        CubeCircuit::new(cube, plan.payload, true)?;
        let about = About {
            payload: super::wire::PAYLOAD_MAX as u16,
            dims: cube.dims() as u8,
            nodes: cube.addresses().end,
            program: Firmware::PROGRAM as u32,
            data: Firmware::DATA as u32,
            // A routed message begins with its destination, which takes two bytes.
            message: plan.payload as u8 + 2,
            network: "tdma".into(),
            name: format!("simulated {}-cube", cube.dims()),
        };
        Some(Simulated {
            plan,
            about,
            run: None,
        })
    }

    fn with_papers(&mut self, change: impl FnOnce(&mut Papers)) {
        if let Some(run) = &self.run {
            change(&mut run.desk.papers());
            run.desk.changed.notify_all();
        }
    }
}

impl Drop for Simulated {
    fn drop(&mut self) {
        self.with_papers(|papers| papers.stop = true);
    }
}

impl Nodes for Simulated {
    fn about(&self) -> &About {
        &self.about
    }

    fn start(&mut self, program: &[u8]) {
        self.stop();
        let desk = Arc::<Desk>::default();
        desk.papers().status.state = State::Starting;
        let (plan, program, machine_desk) = (self.plan.clone(), program.to_vec(), desk.clone());
        let thread = thread::spawn(move || {
            let desk = machine_desk;
            let ran = catch_unwind(AssertUnwindSafe(|| run(&plan, &program, &desk)));
            let failed = match ran {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error.to_string(),
                Err(_) => "the simulator broke off".to_owned(),
            };
            let mut papers = desk.papers();
            papers.status.state = State::Failed;
            papers.status.text = failed;
            desk.changed.notify_all();
        });
        self.run = Some(Run { desk, thread });
    }

    fn stop(&mut self) {
        self.with_papers(|papers| papers.stop = true);
        self.run = None;
    }

    fn room(&self) -> usize {
        let given = self.status().given as usize;
        WAITING_MAX.saturating_sub(given)
    }

    fn give(&mut self, messages: Vec<(u32, Vec<u8>)>) {
        self.with_papers(|papers| {
            papers.status.given += messages.len() as u32;
            let messages = messages.into_iter();
            papers
                .given
                .extend(messages.map(|(node, bytes)| Given::Message(node, bytes)));
            papers.wake();
        });
    }

    fn finish(&mut self, node: Option<u32>) {
        self.with_papers(|papers| {
            papers.given.push_back(Given::Finish(node));
            papers.wake();
        });
    }

    fn collect(&mut self, room: usize) -> (Vec<Event>, usize) {
        let (mut events, mut left) = (vec![], 0);
        self.with_papers(|papers| {
            let mut used = 0;
            while let Some(event) = papers.told.front() {
                used += event.length();
                if used > room {
                    break;
                }
                events.extend(papers.told.pop_front());
            }
            left = papers.told.len();
        });
        (events, left)
    }

    fn status(&self) -> Status {
        match &self.run {
            Some(run) => {
                let papers = run.desk.papers();
                Status {
                    told: papers.told.len() as u32,
                    ..papers.status.clone()
                }
            }
            None => Status {
                state: State::Loaded,
                ..Status::default()
            },
        }
    }

    fn whereabouts(&mut self, first: u32, most: usize) -> Vec<Place> {
        let Some(run) = &self.run else {
            return vec![];
        };
        let mut papers = run.desk.papers();
        // One snapshot serves all pieces of a reply.
        if first == 0 || papers.places.is_none() {
            papers.places = None;
            papers.asked = true;
            run.desk.changed.notify_all();
            while papers.places.is_none() && papers.is_alive() && !run.thread.is_finished() {
                papers = run.desk.wait(papers);
            }
        }
        let places = papers.places.iter().flatten();
        let places = places.filter(|place| place.node >= first);
        places.take(most).copied().collect()
    }
}

impl Papers {
    /// Resumes a resting machine after a message.
    fn wake(&mut self) {
        if self.status.state == State::Resting {
            self.status.state = State::Running;
        }
    }

    /// True if the machine still accepts requests.
    fn is_alive(&self) -> bool {
        let state = self.status.state;
        state.is_at_work() || state == State::Resting
    }
}

/// Action at the beginning of a phase.
enum Next {
    /// Run the phase.
    Phase,
    /// Decide again, because locating the programs has run a phase.
    Again,
    /// End the run.
    End,
}

/// Executes a run from reset to its end.
fn run(plan: &Plan, program: &[u8], desk: &Desk) -> anyhow::Result<()> {
    let firmware = Firmware::of_bytes(program);
    let circuit = CubeCircuit::new(plan.cube, plan.payload, true);
    let circuit = circuit.expect("the size was checked");
    let circuit = circuit.with_program(&firmware);
    let service = plan.service.unwrap_or(circuit.timing().with_work().service);
    let circuit = circuit.with_service(service);
    let mut engine = circuit.lockstep(&plan.options)?;
    let machine = ProgramMachine {
        engine: &mut engine,
        schedule: circuit.schedule().clone(),
        timing: circuit.timing(),
        data: None,
        symbols: Symbols::default(),
    };
    let mut driver = machine.driver();
    let mut clerk = Clerk {
        desk,
        rest: plan.rest * u64::from(circuit.schedule().period()),
        phases: 0,
        halted: BTreeSet::new(),
    };
    loop {
        if let Some(step) = driver.begins()? {
            match clerk.phase_begins(&mut driver, step)? {
                Next::Phase => {}
                Next::Again => continue,
                Next::End => return Ok(()),
            }
        }
        driver.work()?;
        driver.advance()?;
    }
}

/// Transfers messages and events between `Desk` and machine at the beginning of each phase.
struct Clerk<'a> {
    desk: &'a Desk,
    /// Phases without a move after which the clock stops.
    rest: u64,
    /// Number of phases that have begun.
    phases: u64,
    /// Cores whose halt was reported.
    halted: BTreeSet<u32>,
}

impl Clerk<'_> {
    fn phase_begins(&mut self, driver: &mut ProgramDriver, step: Step) -> Result<Next, RunError> {
        self.phases += 1;
        let events = self.events(driver);
        let mut papers = self.desk.papers();
        papers.told.extend(events);
        let status = &mut papers.status;
        status.phases = self.phases - 1;
        status.clock_cycles = driver.clock_cycles();
        status.hops = driver.hops();
        status.halted = self.halted.len() as u32;
        status.ended = driver.ended() as u32;
        let over = driver.is_complete() || step.halted;
        let rests = step.quiet.is_some_and(|quiet| quiet > self.rest);
        papers.status.state = match over {
            true => State::Ended,
            false => State::Running,
        };
        self.desk.changed.notify_all();
        if over {
            return Ok(Next::End);
        }
        loop {
            if papers.stop {
                return Ok(Next::End);
            }
            let full = papers.told.len() >= WAITING_MAX;
            let has_work = !papers.given.is_empty() || papers.asked;
            if !full && (!rests || has_work) {
                break;
            }
            if !full && papers.status.state != State::Resting {
                papers.status.state = State::Resting;
                self.desk.changed.notify_all();
            }
            papers = self.desk.wait(papers);
        }
        let asked = std::mem::take(&mut papers.asked);
        for given in papers.given.drain(..) {
            match given {
                Given::Message(node, bytes) => driver.give(node, &bytes),
                Given::Finish(Some(node)) => driver.finish(node),
                Given::Finish(None) => driver.finish_all(),
            }
        }
        papers.status.given = driver.waiting() as u32;
        drop(papers);
        if !asked {
            return Ok(Next::Phase);
        }
        let places = driver.watch()?.into_iter().map(|place| Place {
            node: place.node,
            state: place.state,
            pc: place.pc,
        });
        self.desk.papers().places = Some(places.collect());
        self.desk.changed.notify_all();
        Ok(Next::Again)
    }

    /// Returns the program events of the phase that has ended, and the cores that halted.
    fn events(&mut self, driver: &mut ProgramDriver) -> Vec<Event> {
        let short = |phase: u64| u32::try_from(phase).unwrap_or(u32::MAX);
        let heard = driver.heard().into_iter().map(|heard| {
            let Heard { node, phase, told } = heard;
            let phase = short(phase);
            match told {
                Told::Message { bytes, why } => Event::Message {
                    node,
                    phase,
                    why,
                    bytes,
                },
                Told::Exit(code) => Event::Ended { node, phase, code },
            }
        });
        let mut events: Vec<Event> = heard.collect();
        let phase = short(self.phases - 1);
        for trap in driver.traps() {
            if self.halted.insert(trap.node) {
                events.push(Event::Trap { phase, trap });
            }
        }
        events
    }
}
