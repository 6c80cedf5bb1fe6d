//! Machine of a comparison that knows all messages in advance. Its schedule is compiled for each
//! list of messages.

use super::compiled::CompiledTraffic;
use super::cube::{CubeCircuit, CubeFaults};
use super::machine::Tdma;
use crate::networks::{Machine, MachineBuilder, MachineJob, NetworkError};
use crate::wave::WaveSubject;
use crate::{Load, LoadError, MachineCircuit, MachineDriver, Silicon, Timebase, WireCounts};
use engine::NodeEngine;
use hdl::lower::LowerErrors;
use interconnect::routing::compiled::{
    schedule_messages, CompiledSchedule, NodeProgram, SearchEffort, SweepDirection,
};
use interconnect::topology::Metacube;
use interconnect::traffic::{to_node_messages, MessageList};
use std::sync::Arc;

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
        Some(ScheduleCompiler {
            shape,
            proc_bits,
            payload,
            idle_machine: still,
        })
    }
}

impl MachineBuilder for ScheduleCompiler {
    fn job(&self, messages: &Arc<MessageList>) -> Result<MachineJob, NetworkError> {
        let messages = to_node_messages(messages, self.proc_bits);
        let ends: Vec<[u32; 2]> = messages.iter().map(|m| [m.source, m.destination]).collect();
        let effort = SearchEffort::default();
        let schedule = schedule_messages(
            self.shape,
            SweepDirection::UpDown,
            &ends,
            effort,
            &mut |_| {},
        );
        schedule
            .check(&ends)
            .map_err(|fault| NetworkError::Failed(fault.into()))?;
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
