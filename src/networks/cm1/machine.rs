//! The CM-1 as a `Machine`.

use super::hearts::{rows, Hearts, Unseen};
use crate::counted::counted;
use crate::engine::NodeEngine;
use crate::flags::Choice;
use crate::machine::{
    Driver, Entry, Load, LoadError, MachineCircuit, Part, Silicon, Timebase, Trim, WholeNode,
    Wires, SYNTHESISED,
};
use crate::networks::cm1::{Cm1Circuit, Cm1Machine, Cm1Message, Disturbance};
use crate::networks::{Machine, Study};
use crate::rtl::cm1::machine::router;
use crate::topology::Hypercube;
use crate::traffic::MessageList;
use crate::wave::{Steps, Subject, Word};
use hdl::lower::{lower, LowerErrors};
use lockstep::design::Design;
use std::sync::Arc;

/// The adaptive router of the CM-1, with its petit-cycle control and the lines of its processors.
#[derive(Clone, Debug)]
pub struct Cm1 {
    pub circuit: Cm1Circuit,
    /// Messages of each virtual processor. They are contiguous in the list.
    pub round: usize,
    pub disturbance: Disturbance,
    /// Chips whose hearts are shown.
    pub hearts: Vec<usize>,
}

impl Cm1 {
    fn dims(&self) -> u32 {
        self.circuit.shape().format.dims
    }

    fn router(&self) -> Result<Design, LowerErrors> {
        let (rows, plan) = (self.circuit.shape().rows, self.circuit.plan());
        lower(&*router(self.dims(), rows, plan))
    }

    /// Converts the list into the messages of the machine. Virtual processor k sends the k-th round
    /// of the list.
    ///
    /// # Errors
    /// If a payload is too long.
    pub fn messages(&self, list: &MessageList) -> Result<Vec<Cm1Message>, LoadError> {
        let shape = self.circuit.shape();
        let round = match self.round {
            0 => list.len().max(1),
            round => round,
        };
        let mut messages = vec![];
        for (vp, round) in (0..).zip(list.to_vec().chunks(round)) {
            let round = shape.messages(round, vp);
            messages.extend(round.map_err(|e| LoadError(e.to_string()))?);
        }
        Ok(messages)
    }
}

impl Machine for Cm1 {
    fn label(&self) -> &'static str {
        "CM-1"
    }

    fn headline(&self) -> String {
        let shape = self.circuit.shape();
        format!(
            "CM-1, {}-cube, {} rows, {} per chip, {} ejection",
            self.dims(),
            shape.rows,
            counted(shape.processors(), "processor"),
            self.circuit.plan().mode.name()
        )
    }

    fn settings(&self) -> Vec<Entry> {
        let shape = self.circuit.shape();
        vec![
            Entry::new("dims", self.dims()),
            Entry::new("rows", shape.rows),
            Entry::new("processors", shape.processors()),
            Entry::new("vp_bits", shape.format.vp_bits),
            Entry::new("data_bits", shape.format.data_bits),
            Entry::new("eject", self.circuit.plan().mode.name()),
        ]
    }

    fn circuit(&self) -> &dyn MachineCircuit {
        &self.circuit
    }

    fn timebase(&self) -> Timebase {
        let plan = self.circuit.plan();
        let period = u64::from(plan.period);
        Timebase {
            clocks_per_bit: 1,
            step: period,
            period,
            period_name: "petit cycle",
            step_name: "petit cycle",
            steps_name: "petit cycles",
            // PARITY reaches the processor in bit-time `over` of the petit cycle.
            arrival: u64::from(plan.over()) + 1,
        }
    }

    /// Counts one wire in each direction for each pair of neighbours.
    fn wires(&self) -> Wires {
        const WAYS: u32 = 2;
        let neighbours = self.dims();
        Wires {
            per_node: f64::from(neighbours),
            pins: WAYS * neighbours,
        }
    }

    fn subject(&self) -> Subject {
        let cube = Hypercube::new(self.dims().into()).expect("a machine's dimensions");
        Subject {
            topology: Arc::new(cube),
            steps: Steps {
                word: Word {
                    full: "petit cycle",
                    short: "pc",
                },
                period: None,
            },
            mark: "start",
            clock_cycles: self.timebase().clock_cycles(),
            links: None,
        }
    }

    /// The router drains and restarts when nothing moves. A router with faults may never become
    /// empty.
    fn stuck_after(&self) -> Option<u64> {
        (!self.disturbance.is_none()).then_some(8 * Cm1Machine::TIMEOUT)
    }

    /// A chip flags damage but cannot repeat the message.
    fn may_lose(&self) -> bool {
        !self.disturbance.is_none()
    }

    fn driver<'a>(
        &self,
        engine: &'a mut dyn NodeEngine,
        load: Load,
    ) -> Result<Box<dyn Driver + 'a>, LoadError> {
        let (shape, plan) = (self.circuit.shape(), self.circuit.plan());
        let messages = self.messages(&load.messages)?;
        let mut machine = Cm1Machine::new(engine, shape, plan);
        machine.releases = load.releases(plan.period.into());
        machine.disturbance = self.disturbance.clone();
        Ok(Box::new(machine.driver(&messages)))
    }

    fn studies(&self, engine: &mut dyn NodeEngine) -> Vec<Box<dyn Study>> {
        let (shape, plan) = (self.circuit.shape(), self.circuit.plan());
        let mut studies: Vec<Box<dyn Study>> = vec![];
        for chip in &self.hearts {
            studies.push(match Hearts::new(engine, shape, plan, *chip) {
                Some(hearts) => Box::new(hearts),
                None => Box::new(Unseen(engine.name())),
            });
        }
        studies
    }

    fn watched(&self) -> Vec<String> {
        match self.hearts[..] {
            [] => vec![],
            _ => rows(self.circuit.shape()).concat(),
        }
    }

    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        if !SYNTHESISED.contains(&self.dims()) {
            return Ok(None);
        }
        let (dims, shape) = (self.dims(), self.circuit.shape());
        let trim = Trim {
            open: &["exit", "ejecting"],
            ..Trim::default()
        };
        Ok(Some(Silicon {
            router: Part {
                name: format!("Router<{dims}, {}, {}>", shape.rows, shape.processors()),
                design: trim.of(self.router()?),
            },
            node: WholeNode::cores(shape.processors())?,
            shared: Some(Part {
                name: format!("PetitControl<{dims}>"),
                design: lower(&*self.circuit.control())?,
            }),
        }))
    }
}
