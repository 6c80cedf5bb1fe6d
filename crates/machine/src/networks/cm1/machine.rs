//! The CM-1 as a `Machine`.

use super::driver::Cm1Driver;
use super::hearts::{row_signals, HeartTrace, HeartUnavailable};
use crate::flags::FlagChoice;
use crate::networks::cm1::{Cm1Circuit, Cm1Faults, Cm1Message, Cm1Shape};
use crate::networks::{Machine, NetworkError, Study};
use crate::text::format_count;
use crate::wave::{StepName, Steps, WaveSubject};
use crate::{
    JsonEntry, Load, LoadError, MachineCircuit, MachineDriver, Silicon, SynthesisUnit, Timebase,
    Trim, WholeNode, WireCounts, SYNTHESISED_DIMS,
};
use engine::NodeEngine;
use hdl::lower::{lower, LowerErrors};
use interconnect::topology::Hypercube;
use interconnect::traffic::{MessageList, Recipe, MESSAGES_MAX};
use lockstep::design::Design;
use rtl::cm1::machine::router;
use rtl::cm1::{EjectMode, MessageFormat, PetitPlan};
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
        const DIRECTIONS: u32 = 2;
        let neighbours = self.dims();
        WireCounts { per_node: f64::from(neighbours), pins: DIRECTIONS * neighbours }
    }

    fn subject(&self) -> WaveSubject {
        let cube = Hypercube::new(self.dims().into()).expect("a machine's dimensions");
        WaveSubject {
            topology: Arc::new(cube),
            steps: Steps { name: StepName { full: "petit cycle", short: "pc" }, period: None },
            mark: "start",
            clock_cycles: self.timebase().clock_cycles(),
            links: None,
        }
    }

    /// The router drains and restarts when nothing moves. A router with faults may never become
    /// empty.
    fn deadlock_after(&self) -> Option<u64> {
        (!self.faults.is_none()).then_some(8 * Cm1Driver::TIMEOUT)
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
        let messages = self.messages(&load.messages)?;
        let releases = load.releases(self.circuit.plan().period.into());
        let (circuit, faults) = (&self.circuit, &self.faults);
        let driver = Cm1Driver::new(engine, circuit, faults, &messages, &releases);
        Ok(Box::new(driver))
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
        let trim = Trim { open: &["exit", "ejecting"], ..Trim::default() };
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

// Builds a CM-1 for given messages.

/// Parameters of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Cm1Params {
    /// Rows of a heart.
    pub rows: usize,
    /// Log2 of the processors on a chip.
    pub proc_bits: u32,
    /// Bits of VP-ADDRESS.
    pub vp_bits: u32,
    /// Virtual processors of a processor. Each sends the pattern's messages.
    pub vp_ratio: u32,
    /// Bits of DATA. `None` selects the bits of the longest payload.
    pub data_bits: Option<u32>,
    pub eject: EjectMode,
}

impl Cm1Params {
    /// Returns the processors of a machine on this cube, as a cube of their own.
    ///
    /// # Errors
    /// If there are more than 65,536 processors.
    pub fn processors(&self, cube: Hypercube) -> Result<Hypercube, NetworkError> {
        let bits = cube.dims() + self.proc_bits;
        Hypercube::new(bits.into()).map_err(|_| {
            NetworkError::size(format!(
                "{} processors on each chip of a cube of {} dimensions are too many; accepted: \
                 up to 65536 in all, such as --processors {}",
                1 << self.proc_bits,
                cube.dims(),
                1 << (Hypercube::MAX_DIMS - cube.dims())
            ))
        })
    }

    /// Returns the messages of all virtual processors, one processor after the other. Random values
    /// are drawn for each virtual processor from a seed of its own. The seeds are 2^32 apart.
    ///
    /// # Errors
    /// If they cannot be generated, or are too many.
    pub fn messages(&self, cube: Hypercube, recipe: &Recipe) -> Result<MessageList, NetworkError> {
        let payload = self.data_bits.map(|bits| bits as usize / 8);
        let processors = self.processors(cube)?;
        let round = |k: u64| {
            let recipe = Recipe {
                seed: recipe.seed.wrapping_add(k << 32),
                payload: payload.unwrap_or(recipe.payload),
                ..recipe.clone()
            };
            recipe.list(processors)
        };
        let mut list = round(0)?;
        let messages = list.len() as u64 * u64::from(self.vp_ratio);
        if messages > MESSAGES_MAX {
            return Err(NetworkError::bad(format!(
                "{} for {} virtual processors is {messages} messages; accepted: up to \
                 {MESSAGES_MAX}",
                recipe.pattern, self.vp_ratio
            )));
        }
        for k in 1..self.vp_ratio.into() {
            for message in round(k)?.iter() {
                list.push(message);
            }
        }
        Ok(list)
    }

    /// Returns the machine for these messages.
    ///
    /// # Errors
    /// If the machine cannot carry them.
    pub fn machine(&self, cube: Hypercube, messages: &MessageList) -> Result<Cm1, NetworkError> {
        let longest = messages.longest() as u32;
        let format = MessageFormat {
            dims: cube.dims(),
            proc_bits: self.proc_bits,
            vp_bits: self.vp_bits,
            data_bits: self.data_bits.unwrap_or(8 * longest),
        };
        let shape = Cm1Shape { rows: self.rows, format };
        let circuit = Cm1Circuit::new(shape, PetitPlan::new(format, self.eject));
        let circuit = circuit.ok_or_else(|| {
            NetworkError::size(format!(
                "a cube of {} dimensions is too large; accepted: --dims 1 to {}",
                cube.dims(),
                Cm1Circuit::MAX_DIMS
            ))
        })?;
        let machine = Cm1 {
            circuit,
            round: messages.len() / self.vp_ratio as usize,
            faults: Cm1Faults::default(),
            hearts: vec![],
        };
        machine.messages(messages)?;
        Ok(machine)
    }
}
