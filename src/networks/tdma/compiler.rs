//! Machine of a comparison that knows all messages in advance. Its schedule is compiled for each
//! list of messages.

use super::compiled::Compiled;
use super::cube::{CubeCircuit, Disturbance};
use super::machine::Tdma;
use crate::engine::NodeEngine;
use crate::machine::{Driver, Load, LoadError, MachineCircuit, Silicon, Timebase, Wires};
use crate::networks::{Job, Machine, MadeFor, Refusal};
use crate::routing::compiled::{listed, CompiledSchedule, Effort, NodeProgram, Sweep};
use crate::topology::Metacube;
use crate::traffic::{between_nodes, MessageList};
use crate::wave::Subject;
use hdl::lower::LowerErrors;
use std::sync::Arc;

/// Cube or metacube whose schedule is compiled for each list of messages.
pub struct Compiler {
    shape: Metacube,
    /// Log2 of the processors of a node.
    proc_bits: u32,
    /// Payload in bytes of the longest message between nodes.
    payload: usize,
    /// Machine with a schedule in which nothing moves. Every other schedule has the same nodes and
    /// phases.
    still: Tdma,
}

impl Compiler {
    /// Creates the compiler for messages with up to `payload` bytes between nodes of 2^`proc_bits`
    /// processors. Returns `None` if no nodes of this shape follow a compiled schedule.
    pub fn new(shape: impl Into<Metacube>, proc_bits: u32, payload: usize) -> Option<Self> {
        let shape = shape.into();
        let schedule = CompiledSchedule {
            shape,
            order: Sweep::UpDown.order(shape, 1),
            pairs: vec![],
        };
        let programs = vec![NodeProgram::new(); shape.nodes() as usize];
        let circuit = CubeCircuit::new(shape, payload, false)?;
        let still = Tdma::new(circuit.compiled(&schedule, programs)?, None);
        Some(Compiler {
            shape,
            proc_bits,
            payload,
            still,
        })
    }
}

impl MadeFor for Compiler {
    fn job(&self, messages: &Arc<MessageList>) -> Result<Job, Refusal> {
        let messages = between_nodes(messages, self.proc_bits);
        let ends: Vec<[u32; 2]> = messages.iter().map(|m| [m.source, m.destination]).collect();
        let effort = Effort::default();
        let schedule = listed(self.shape, Sweep::UpDown, &ends, effort, &mut |_| {});
        schedule
            .check(&ends)
            .map_err(|fault| Refusal::Failed(fault.into()))?;
        let compiled = Compiled::new(schedule, (*messages).clone(), None)?;
        compiled.job_for(self.payload, Disturbance::default())
    }
}

impl Machine for Compiler {
    fn label(&self) -> &'static str {
        self.still.label()
    }

    fn circuit(&self) -> &dyn MachineCircuit {
        self.still.circuit()
    }

    fn timebase(&self) -> Timebase {
        self.still.timebase()
    }

    fn wires(&self) -> Wires {
        self.still.wires()
    }

    fn subject(&self) -> Subject {
        self.still.subject()
    }

    fn stuck_after(&self) -> Option<u64> {
        self.still.stuck_after()
    }

    fn made_for(&self) -> Option<&dyn MadeFor> {
        Some(self)
    }

    /// Returns the driver of the machine in which nothing moves.
    fn driver<'a>(
        &self,
        engine: &'a mut dyn NodeEngine,
        load: Load,
    ) -> Result<Box<dyn Driver + 'a>, LoadError> {
        self.still.driver(engine, load)
    }

    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        self.still.silicon()
    }
}
