//! Runs a machine step by step, until every message is accounted for or nothing can move any more.
//! All machines use this loop.

use super::array::Array;
use super::networks::Machine;
use super::RunStats;
use crate::values::Values;
use engine::{EngineError, NodeEngine, TooLarge};
use functional::{FunctionalEngine, FunctionalMachine};
use hdl::lower::LowerErrors;
use interconnect::topology::Topology;
use interconnect::traffic::{to_node_messages, MessageList};
use lockstep::lanes::LaneOptions;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use thiserror::Error;

/// Reason why a run could not be completed.
#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A part of the machine has lost sync. Contains a sentence for the user.
    #[error("{0}")]
    LostSync(&'static str),
}

/// State of the run at the beginning of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepStatus {
    /// Number of messages without a final outcome.
    pub open: usize,
    /// Steps since the last move of a message. `None` if messages are still to come, which is not a
    /// deadlock.
    pub steps_since_move: Option<u64>,
    /// Steps since the last final outcome of a message. `None` if [`steps_since_move`](Self::steps_since_move) is `None`.
    /// Also `None` in a machine in which every move brings a message nearer to its destination.
    pub steps_since_outcome: Option<u64>,
    /// True if all programs have halted.
    pub halted: bool,
}

/// Environment of a machine: sends messages, receives deliveries, and follows the position of every
/// message.
///
/// The loop calls it in each clock cycle that it does not skip. [`begin_step`](Self::begin_step) detects
/// the beginning of a step, [`work`](Self::work) does the work of the clock cycle, and
/// [`advance`](Self::advance) skips to the next one.
pub trait MachineDriver {
    /// Lets the machine settle. If a step begins in this clock cycle, accounts for the previous
    /// step and returns the state of the run.
    ///
    /// # Errors
    /// If the circuit does not settle, or loses sync.
    fn begin_step(&mut self) -> Result<Option<StepStatus>, RunError>;

    /// True if every message is accounted for.
    fn is_complete(&self) -> bool;

    /// Does the work of the environment in this clock cycle.
    ///
    /// # Errors
    /// As [`begin_step`](Self::begin_step).
    fn work(&mut self) -> Result<(), RunError>;

    /// Advances to the next clock cycle in which there is work. Returns the number of clock cycles,
    /// at least one.
    ///
    /// # Errors
    /// As [`begin_step`](Self::begin_step).
    fn advance(&mut self) -> Result<u64, RunError>;

    /// Lines for immediate output, called after a step has begun.
    fn take_lines(&mut self) -> Vec<String> {
        vec![]
    }

    /// Traffic over the channels between nodes since the start, in periods of a channel. A channel
    /// that is never idle carries 1 per period. `None` if it is not counted.
    fn carried_traffic(&self) -> Option<f64> {
        None
    }

    /// Results of the run, which ended for this reason. [`drive`] calls it once, and fills in the
    /// end and the length of the run.
    fn run_stats(&mut self, end: EndReason) -> RunStats;
}

/// End conditions of a run, and its callbacks.
pub struct RunControl<'a> {
    /// Steps in a period.
    pub period: u64,
    /// Periods without a move after which the machine counts as deadlocked. `None` for a machine
    /// that cannot deadlock.
    pub deadlock_after: Option<u64>,
    /// The run ends when the last step of this number of periods begins, and after at most 2^32
    /// steps.
    pub limit: u64,
    /// If set, the run ends at the beginning of the next step.
    pub stop: Arc<AtomicBool>,
    /// Called after each step with the number of finished steps and of open messages.
    pub progress: Box<dyn FnMut(u64, usize) + 'a>,
    /// Called with each line for immediate output.
    pub print_line: Box<dyn FnMut(&str) + 'a>,
}

impl RunControl<'_> {
    /// Runs to the end of the machine, silently.
    pub fn to_end(period: u64, deadlock_after: Option<u64>) -> Self {
        RunControl {
            period,
            deadlock_after,
            limit: u64::MAX,
            stop: Arc::default(),
            progress: Box::new(|_, _| {}),
            print_line: Box::new(|_| {}),
        }
    }
}

/// Multiple of [`deadlock_after`](RunControl::deadlock_after) after which moves without progress count as a
/// livelock. A link of a cube repeats a frame for a third of `deadlock_after` before it goes down. The
/// longest route has twelve links.
const LIVELOCK_FACTOR: u64 = 16;

/// Runs a machine that has just been started, and returns the results.
///
/// # Errors
/// If the circuit does not settle, or loses sync.
pub fn drive(
    driver: &mut dyn MachineDriver,
    mut control: RunControl,
) -> Result<RunStats, RunError> {
    let (mut begun, mut clock_cycles) = (0u64, 0);
    let end = loop {
        if driver.is_complete() {
            break EndReason::Complete;
        }
        if let Some(step) = driver.begin_step()? {
            if begun > 0 {
                (control.progress)(begun, step.open);
            }
            begun += 1;
            for line in driver.take_lines() {
                (control.print_line)(&line);
            }
            if driver.is_complete() {
                break EndReason::Complete;
            }
            if let Some(end) = control.end_reason(begun, step) {
                break end;
            }
        }
        driver.work()?;
        clock_cycles += driver.advance()?;
    };
    Ok(RunStats { end, steps: begun.saturating_sub(1), clock_cycles, ..driver.run_stats(end) })
}

/// Runs a machine that has just been started for at least this number of clock cycles, even if its
/// messages are all accounted for.
///
/// # Errors
/// As [`drive`].
pub fn drive_for(driver: &mut dyn MachineDriver, clock_cycles: u64) -> Result<(), RunError> {
    let mut done = 0;
    while done < clock_cycles {
        driver.begin_step()?;
        driver.work()?;
        done += driver.advance()?;
    }
    Ok(())
}

impl RunControl<'_> {
    /// Checks the end conditions at the beginning of step `begun`.
    fn end_reason(&self, begun: u64, step: StepStatus) -> Option<EndReason> {
        let periods = begun / self.period;
        let limit = self.limit.min(u64::from(u32::MAX) / self.period);
        let for_more_than = |periods: u64, steps: Option<u64>| {
            steps.is_some_and(|steps| steps > periods * self.period)
        };
        let bounds = self.deadlock_after.map(|after| (after, LIVELOCK_FACTOR * after));
        match bounds {
            Some((periods, _)) if for_more_than(periods, step.steps_since_move) => {
                Some(EndReason::Deadlock { periods })
            }
            Some((_, periods)) if for_more_than(periods, step.steps_since_outcome) => {
                Some(EndReason::Livelock { periods })
            }
            _ if self.stop.load(Ordering::Relaxed) => Some(EndReason::Stopped { periods }),
            _ if periods >= limit => Some(EndReason::Limit { periods: limit }),
            _ if step.halted => Some(EndReason::Halted { periods }),
            _ => None,
        }
    }
}

// End of a run.

/// End of a run. Periods (superframes, petit cycles) are counted from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndReason {
    /// Every message is accounted for.
    #[default]
    Complete,
    /// No message has moved for this number of periods.
    Deadlock { periods: u64 },
    /// Messages have moved for this number of periods, but none has reached a final outcome.
    Livelock { periods: u64 },
    /// The limit of periods was reached.
    Limit { periods: u64 },
    /// All programs have ended or halted, and messages are left.
    Halted { periods: u64 },
    /// The run was stopped on request.
    Stopped { periods: u64 },
}

// Load of a machine: its messages or program data.

/// Messages with their creation times.
#[derive(Clone, Debug, Default)]
pub struct Load {
    pub messages: Arc<MessageList>,
    /// Creation time of each message at its source, in bit-times. Messages beyond the end of the
    /// list exist from the start.
    pub created: Vec<u64>,
    /// True to keep the event log, which has a line for every hop.
    pub keep_events: bool,
    /// Data for the programs of a machine whose nodes run their own programs. There are no messages
    /// then.
    pub data: Option<Arc<Values>>,
    /// Number of values of a node that ends a run with data. `None` if there is no limit.
    pub max_values: Option<usize>,
    /// Nodes whose programs' texts are printed during a run with data; all if empty.
    pub shown_nodes: Vec<u32>,
}

impl Load {
    /// Load whose messages all exist at the start.
    pub fn at_once(messages: impl Into<Arc<MessageList>>) -> Self {
        Load { messages: messages.into(), ..Load::default() }
    }

    /// Replaces messages between processors by messages between nodes of 2^`proc_bits` processors.
    #[must_use]
    pub fn between_nodes(self, proc_bits: u32) -> Self {
        Load { messages: to_node_messages(&self.messages, proc_bits), ..self }
    }

    /// For each message, the first step of length `step` that begins after its creation.
    pub fn releases(&self, step: u64) -> Vec<u64> {
        let steps = self.created.iter().map(|created| created.div_ceil(step));
        steps.collect()
    }
}

/// The machine cannot carry these messages. The text says what is accepted.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct LoadError(pub String);

// Common interface of the circuits of all machines.

/// Circuit of a machine, which every engine converts to its own form.
pub trait MachineCircuit {
    /// Nodes, and the connections between their ports.
    fn topology(&self) -> &dyn Topology;

    /// Builds the machine as a node circuit with its wiring.
    ///
    /// # Errors
    /// None for a released circuit, because the tests lower it.
    fn array(&self) -> Result<Array, LowerErrors>;

    /// Describes the machine for the functional engine.
    ///
    /// # Errors
    /// If that engine has no model of the machine. The sentence says what is accepted.
    fn functional(&self) -> Result<FunctionalMachine, &'static str> {
        Err(NO_PROGRAM)
    }
}

/// Reason why the functional engine does not run a machine without programs.
pub const NO_PROGRAM: &str = "--engine functional runs the programs of a TDMA cube; \
    accepted: --network tdma with --firmware, or another engine";

// Starts an engine, selected by name, with a machine in it.

/// Engine that runs the circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// Simulator of `rust-hdl`.
    Reference,
    /// Plain evaluator of the netlist.
    Evaluator,
    /// Netlist of one node in many lanes, as machine code.
    Lockstep,
    /// Emitted Verilog in Verilator.
    Verilator,
    /// Programs on an instruction-set simulator, frames by the schedule.
    Functional,
}

impl EngineKind {
    /// Checks the size of the machine.
    ///
    /// # Errors
    /// If the engine does not run machines of this size.
    pub fn check(self, topology: &dyn Topology) -> Result<(), TooLarge> {
        match self {
            EngineKind::Reference => TooLarge::check(topology),
            _ => Ok(()),
        }
    }

    /// Checks that the engine runs this machine with its flags.
    ///
    /// # Errors
    /// If the machine has too many nodes for the engine, or flags without a model. The sentence says
    /// what is accepted.
    pub fn check_machine(self, machine: &dyn Machine) -> Result<(), EngineError> {
        self.check(machine.circuit().topology())?;
        let reason = match self {
            EngineKind::Reference => machine.not_reference(),
            EngineKind::Functional => machine.not_functional(),
            _ => None,
        };
        reason.map_or(Ok(()), |reason| Err(EngineError::NoModel(reason)))
    }

    /// Starts this engine with a machine in it. `options` apply to the lockstep engine. Compiled
    /// models go to `work_dir`.
    ///
    /// # Errors
    /// If the engine can't be made, the machine is too large for it, or a tool is missing.
    pub fn start(
        self,
        circuit: &dyn MachineCircuit,
        options: &LaneOptions,
        work_dir: &Path,
    ) -> Result<Box<dyn NodeEngine>, EngineError> {
        self.check(circuit.topology())?;
        Ok(match self {
            EngineKind::Reference => Box::new(circuit.array()?.reference()?),
            EngineKind::Evaluator => Box::new(circuit.array()?.evaluator()?),
            EngineKind::Lockstep => Box::new(circuit.array()?.lockstep(options)?),
            EngineKind::Verilator => Box::new(circuit.array()?.verilator(work_dir)?),
            EngineKind::Functional => {
                let machine = circuit.functional().map_err(EngineError::NoModel)?;
                Box::new(FunctionalEngine::new(&machine))
            }
        })
    }
}
