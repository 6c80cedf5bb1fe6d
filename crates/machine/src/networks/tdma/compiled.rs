//! Runs by a compiled schedule.

use super::cube::{CubeCircuit, CubeFaults};
use super::machine::Tdma;
use crate::networks::{Machine, MachineBuilder, MachineJob, NetworkError, RunRequest};
use crate::wave::WaveSubject;
use crate::{Load, LoadError, MachineCircuit, MachineDriver, Silicon, Timebase, WireCounts};
use anyhow::Context;
use clap::Args;
use engine::NodeEngine;
use hdl::lower::LowerErrors;
use interconnect::routing::compiled::{
    file, node_programs, schedule_messages, CompiledSchedule, NodeProgram, SearchEffort,
    SweepDirection,
};
use interconnect::routing::tdma::PhaseSchedule;
use interconnect::topology::{Metacube, Topology};
use interconnect::traffic::{to_node_messages, MessageList, TrafficPattern};
use rtl::tdma::MachineNode;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Selects a machine that follows a schedule file (`--compiled FILE`).
#[derive(Clone, Debug, Args)]
pub struct CompiledFlags {
    /// Follow a schedule that `compile` wrote, with its messages; the nodes then have no router
    #[arg(long, value_name = "FILE", help_heading = "Machine")]
    pub compiled: Option<PathBuf>,
}

/// Flags that conflict with a compiled schedule, or that its nodes do not support.
const CONFLICTING_FLAGS: [&str; 13] = [
    "pattern",
    "payload",
    "schedule",
    "link",
    "service_order",
    "firmware",
    "data",
    "routing",
    "exchange",
    "skew",
    "skew_tree",
    "ppm",
    "counts",
];

/// Schedule, its messages, and the program of each node.
pub struct CompiledTraffic {
    schedule: CompiledSchedule,
    messages: MessageList,
    programs: Arc<[NodeProgram]>,
    /// Pattern of the messages, if it is known.
    pattern: Option<TrafficPattern>,
}

impl CompiledTraffic {
    /// Creates the programs of the nodes for a schedule that was checked with these messages.
    ///
    /// # Errors
    /// If a node has too few slots for the schedule.
    pub fn new(
        schedule: CompiledSchedule,
        messages: MessageList,
        pattern: Option<TrafficPattern>,
    ) -> Result<Self, NetworkError> {
        let sources: Vec<u32> = messages.iter().map(|message| message.source).collect();
        let programs = node_programs(&schedule, &sources).map_err(NetworkError::bad)?;
        Ok(CompiledTraffic { schedule, messages, programs: programs.into(), pattern })
    }

    /// Returns the schedule in the file of `--compiled`, if the flag is given.
    ///
    /// # Errors
    /// If the file has no schedule for this cube or metacube, or other flags contradict it.
    pub fn from_flags(
        flags: &CompiledFlags,
        request: &RunRequest,
        shape: Metacube,
    ) -> Result<Option<Self>, NetworkError> {
        let Some(path) = &flags.compiled else {
            return Ok(None);
        };
        if let Some(flag) = CONFLICTING_FLAGS.iter().find(|flag| request.is_given(flag)) {
            let flag = flag.replace('_', "-");
            return Err(NetworkError::bad(format!(
                "--compiled is a schedule with its messages, which --{flag} would change; \
                 accepted: no --{flag}"
            )));
        }
        let compiled = Self::read(path, shape)?;
        let order = compiled.schedule.order.as_slice();
        let in_superframes = PhaseSchedule::programmed(shape, order).consists_of_superframes();
        match request.is_given("superframes") && !in_superframes {
            true => Err(NetworkError::bad(
                "--superframes does not go with this schedule of --compiled, in whose order a link \
                 is open twice before another is open once; accepted: no --superframes",
            )),
            false => Ok(Some(compiled)),
        }
    }

    fn read(path: &Path, shape: Metacube) -> Result<Self, NetworkError> {
        let named = || format!("--compiled {}", path.display());
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{} cannot be read", named()))
            .map_err(NetworkError::BadInput)?;
        let parsed = file::parse(&text, shape);
        let (schedule, messages) = parsed.with_context(named).map_err(NetworkError::BadInput)?;
        CompiledTraffic::new(schedule, messages, Some(TrafficPattern::File(path.to_owned())))
    }

    /// Returns the machine that follows the schedule, for messages of up to `payload` bytes.
    fn machine(&self, payload: usize) -> Result<Tdma, NetworkError> {
        let shape = self.schedule.shape;
        let circuit = CubeCircuit::new(shape, payload, false);
        let circuit =
            circuit.and_then(|circuit| circuit.compiled(&self.schedule, self.programs.clone()));
        let circuit = circuit.ok_or_else(|| {
            NetworkError::size(format!(
                "there is no machine for {} pairs of phases on the {}; accepted: cubes of up to \
                 {} dimensions and 1,024 pairs, MC(1,1) to MC(1,5), MC(2,1), MC(2,2)",
                self.schedule.order.len(),
                shape.name(),
                MachineNode::MAX_DIMS
            ))
        })?;
        Ok(Tdma::new(circuit, None))
    }

    /// Returns the job of the machine that follows the schedule, with these faults. A host supplies
    /// its messages in the order of transmission. Each is available from the phase in which it is
    /// sent.
    ///
    /// # Errors
    /// If there is no machine of this size, or the schedule is too long for its memory.
    pub fn job(self, disturbance: CubeFaults) -> Result<MachineJob, NetworkError> {
        let payload = self.messages.longest();
        self.job_for(payload, disturbance)
    }

    /// Returns the same job with phases that are long enough for `payload` bytes.
    pub(super) fn job_for(
        self,
        payload: usize,
        disturbance: CubeFaults,
    ) -> Result<MachineJob, NetworkError> {
        let mut machine = self.machine(payload)?;
        machine.faults = disturbance;
        let step = machine.timebase().step;
        let mut first = vec![0; self.messages.len()];
        for word in self.programs.iter().flatten() {
            if word.sends && word.ends {
                first[word.message as usize] = u64::from(word.phase) * step;
            }
        }
        let mut job = MachineJob::new(Box::new(machine), self.messages, self.schedule.shape);
        job.pattern = self.pattern;
        job.load.created = first;
        Ok(job)
    }
}

// Machine of a comparison that knows all messages in advance. Its schedule is compiled for each
// list of messages.

/// Cube or metacube whose schedule is compiled for each list of messages.
pub struct ScheduleCompiler {
    shape: Metacube,
    /// Log2 of the processors of a node.
    proc_bits: u32,
    /// Payload in bytes of the longest message between nodes.
    payload: usize,
    /// Machine with a schedule in which nothing moves. Every other schedule has the same nodes and
    /// phases.
    idle_machine: Tdma,
}

impl ScheduleCompiler {
    /// Creates the compiler for messages with up to `payload` bytes between nodes of 2^`proc_bits`
    /// processors. Returns `None` if no nodes of this shape follow a compiled schedule.
    pub fn new(shape: impl Into<Metacube>, proc_bits: u32, payload: usize) -> Option<Self> {
        let shape = shape.into();
        let schedule = CompiledSchedule {
            shape,
            order: SweepDirection::UpDown.order(shape, 1),
            pairs: vec![],
        };
        let programs = vec![NodeProgram::new(); shape.nodes() as usize];
        let circuit = CubeCircuit::new(shape, payload, false)?;
        let still = Tdma::new(circuit.compiled(&schedule, programs)?, None);
        Some(ScheduleCompiler { shape, proc_bits, payload, idle_machine: still })
    }
}

impl MachineBuilder for ScheduleCompiler {
    fn job(&self, messages: &Arc<MessageList>) -> Result<MachineJob, NetworkError> {
        let messages = to_node_messages(messages, self.proc_bits);
        let ends: Vec<[u32; 2]> = messages.iter().map(|m| [m.source, m.destination]).collect();
        let effort = SearchEffort::default();
        let schedule =
            schedule_messages(self.shape, SweepDirection::UpDown, &ends, effort, &mut |_| {});
        schedule.check(&ends).map_err(|fault| NetworkError::Failed(fault.into()))?;
        let compiled = CompiledTraffic::new(schedule, (*messages).clone(), None)?;
        compiled.job_for(self.payload, CubeFaults::default())
    }
}

impl Machine for ScheduleCompiler {
    fn label(&self) -> &'static str {
        self.idle_machine.label()
    }

    fn circuit(&self) -> &dyn MachineCircuit {
        self.idle_machine.circuit()
    }

    fn timebase(&self) -> Timebase {
        self.idle_machine.timebase()
    }

    fn wire_counts(&self) -> WireCounts {
        self.idle_machine.wire_counts()
    }

    fn subject(&self) -> WaveSubject {
        self.idle_machine.subject()
    }

    fn deadlock_after(&self) -> Option<u64> {
        self.idle_machine.deadlock_after()
    }

    fn machine_builder(&self) -> Option<&dyn MachineBuilder> {
        Some(self)
    }

    /// Returns the driver of the machine in which nothing moves.
    fn driver<'a>(
        &self,
        engine: &'a mut dyn NodeEngine,
        load: Load,
    ) -> Result<Box<dyn MachineDriver + 'a>, LoadError> {
        self.idle_machine.driver(engine, load)
    }

    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        self.idle_machine.silicon()
    }
}
