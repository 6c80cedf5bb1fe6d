//! The CM-1 as a `Machine`.

use super::hearts::{row_signals, HeartTrace, HeartUnavailable};
use crate::flags::FlagChoice;
use crate::format_count::format_count;
use crate::networks::cm1::{Cm1Circuit, Cm1Faults, Cm1Machine, Cm1Message};
use crate::networks::{Machine, Study};
use crate::wave::{StepName, Steps, WaveSubject};
use crate::{
    JsonEntry, Load, LoadError, MachineCircuit, MachineDriver, Silicon, SynthesisUnit, Timebase,
    Trim, WholeNode, WireCounts, SYNTHESISED_DIMS,
};
use engine::NodeEngine;
use hdl::lower::{lower, LowerErrors};
use interconnect::topology::Hypercube;
use interconnect::traffic::MessageList;
use lockstep::design::Design;
use rtl::cm1::machine::router;
use std::sync::Arc;

/// The adaptive router of the CM-1, with its petit-cycle control and the lines of its processors.
#[derive(Clone, Debug)]
pub struct Cm1 {
    pub circuit: Cm1Circuit,
    /// Messages of each virtual processor. They are contiguous in the list.
    pub round: usize,
    pub faults: Cm1Faults,
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
            format_count(shape.processors(), "processor"),
            self.circuit.plan().mode.name()
        )
    }

    fn settings(&self) -> Vec<JsonEntry> {
        let shape = self.circuit.shape();
        vec![
            JsonEntry::new("dims", self.dims()),
            JsonEntry::new("rows", shape.rows),
            JsonEntry::new("processors", shape.processors()),
            JsonEntry::new("vp_bits", shape.format.vp_bits),
            JsonEntry::new("data_bits", shape.format.data_bits),
            JsonEntry::new("eject", self.circuit.plan().mode.name()),
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
    fn wire_counts(&self) -> WireCounts {
        const WAYS: u32 = 2;
        let neighbours = self.dims();
        WireCounts {
            per_node: f64::from(neighbours),
            pins: WAYS * neighbours,
        }
    }

    fn subject(&self) -> WaveSubject {
        let cube = Hypercube::new(self.dims().into()).expect("a machine's dimensions");
        WaveSubject {
            topology: Arc::new(cube),
            steps: Steps {
                name: StepName {
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
    fn deadlock_after(&self) -> Option<u64> {
        (!self.faults.is_none()).then_some(8 * Cm1Machine::TIMEOUT)
    }

    /// A chip flags damage but cannot repeat the message.
    fn may_lose(&self) -> bool {
        !self.faults.is_none()
    }

    fn driver<'a>(
        &self,
        engine: &'a mut dyn NodeEngine,
        load: Load,
    ) -> Result<Box<dyn MachineDriver + 'a>, LoadError> {
        let (shape, plan) = (self.circuit.shape(), self.circuit.plan());
        let messages = self.messages(&load.messages)?;
        let mut machine = Cm1Machine::new(engine, shape, plan);
        machine.releases = load.releases(plan.period.into());
        machine.faults = self.faults.clone();
        Ok(Box::new(machine.driver(&messages)))
    }

    fn studies(&self, engine: &mut dyn NodeEngine) -> Vec<Box<dyn Study>> {
        let (shape, plan) = (self.circuit.shape(), self.circuit.plan());
        let mut studies: Vec<Box<dyn Study>> = vec![];
        for chip in &self.hearts {
            studies.push(match HeartTrace::new(engine, shape, plan, *chip) {
                Some(hearts) => Box::new(hearts),
                None => Box::new(HeartUnavailable(engine.name())),
            });
        }
        studies
    }

    fn watched_signals(&self) -> Vec<String> {
        match self.hearts[..] {
            [] => vec![],
            _ => row_signals(self.circuit.shape()).concat(),
        }
    }

    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        if !SYNTHESISED_DIMS.contains(&self.dims()) {
            return Ok(None);
        }
        let (dims, shape) = (self.dims(), self.circuit.shape());
        let trim = Trim {
            open: &["exit", "ejecting"],
            ..Trim::default()
        };
        Ok(Some(Silicon {
            router: SynthesisUnit {
                name: format!("Router<{dims}, {}, {}>", shape.rows, shape.processors()),
                design: trim.apply(self.router()?),
            },
            node: WholeNode::cores(shape.processors())?,
            shared: Some(SynthesisUnit {
                name: format!("PetitControl<{dims}>"),
                design: lower(&*self.circuit.control())?,
            }),
        }))
    }
}
