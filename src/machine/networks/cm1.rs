//! The CM-1 as a contender in a comparison.

use super::cut::Cut;
use super::{
    Arrival, Beat, Carried, CarryError, Contender, Load, Part, Silicon, Spec, SpecError, WholeNode,
    Wires, SYNTHESISED,
};
use crate::engine::NodeEngine;
use crate::lower::{lower, LowerErrors};
use crate::machine::cm1::{Cm1Circuit, Cm1End, Cm1Fate, Cm1Machine, Cm1Shape};
use crate::machine::MachineCircuit;
use crate::rtl::cm1::{MessageFormat, PetitControl, PetitPlan, Router, ROWS_MAX};
use crate::rtl::for_dims;
use lockstep::rtl::Design;

/// The adaptive router of the CM-1, its petit-cycle control and its processors'
/// lines.
struct Cm1 {
    circuit: Cm1Circuit,
}

/// One machine; its messages are as long as the longest payload.
pub fn contenders(spec: &Spec) -> Result<Vec<Box<dyn Contender>>, SpecError> {
    let format = MessageFormat {
        dims: spec.cube.dims(),
        proc_bits: spec.proc_bits,
        vp_bits: 0,
        data_bits: 8 * spec.payload as u32,
    };
    if !(2..=ROWS_MAX).contains(&spec.rows) {
        return Err(SpecError::Rows { rows: spec.rows });
    }
    let shape = Cm1Shape {
        rows: spec.rows,
        format,
    };
    let circuit = Cm1Circuit::new(shape, PetitPlan::new(format, spec.eject));
    let circuit = circuit.ok_or(SpecError::Dims {
        dims: format.dims,
        most: Cm1Circuit::MAX_DIMS,
    })?;
    Ok(vec![Box::new(Cm1 { circuit })])
}

impl Cm1 {
    fn dims(&self) -> u32 {
        self.circuit.shape().format.dims
    }

    fn router(&self) -> Result<Design, LowerErrors> {
        let (rows, plan) = (self.circuit.shape().rows, self.circuit.plan());
        for_dims!(self.dims(), [3 4], C => lower(&Router::<C>::new(rows, plan)))
    }

    fn control(&self) -> Result<Design, LowerErrors> {
        let plan = self.circuit.plan();
        for_dims!(self.dims(), [3 4], C => lower(&PetitControl::<C>::new(plan)))
    }
}

impl Contender for Cm1 {
    fn network(&self) -> &'static str {
        "cm1"
    }

    fn label(&self) -> &'static str {
        "CM-1"
    }

    fn circuit(&self) -> &dyn MachineCircuit {
        &self.circuit
    }

    fn beat(&self) -> Beat {
        let period = u64::from(self.circuit.plan().period);
        Beat {
            clocks_per_bit: 1,
            step: period,
            period,
            period_name: "petit cycle",
        }
    }

    /// A wire each way for each pair of neighbours.
    fn wires(&self) -> Wires {
        let dims = self.dims();
        Wires {
            per_node: f64::from(dims),
            pins: 2 * dims,
        }
    }

    fn carry(
        &self,
        engine: &mut dyn NodeEngine,
        load: Load,
        progress: &mut dyn FnMut(u64, usize),
    ) -> Result<Carried, CarryError> {
        let (shape, plan) = (self.circuit.shape(), self.circuit.plan());
        let messages = shape.messages(load.messages, 0)?;
        let period = u64::from(plan.period);
        let mut machine = Cm1Machine::new(engine, shape, plan);
        machine.releases = load.releases(period);
        let run = machine.run_with(&messages, |petit, arrived| {
            progress(petit, messages.len() - arrived);
        })?;
        // PARITY reaches the processor in bit-time `over` of the petit cycle.
        let over = u64::from(plan.over());
        let arrival = |fate: &Cm1Fate| match fate {
            Cm1Fate::Delivered { petit } => Arrival::At(petit * period + over + 1),
            Cm1Fate::Damaged | Cm1Fate::UnderWay => Arrival::Lost,
        };
        Ok(Carried {
            arrivals: run.fates.iter().map(arrival).collect(),
            periods: run.petit_cycles,
            hops: run.counters.hops,
            wire_utilisation: run.share_of_wires(shape.format, run.counters.hops),
            ored: run.counters.collisions,
            wrong: run.counters.duplicated + run.counters.undetected,
            cut_short: match run.end {
                Cm1End::Complete => None,
                Cm1End::Limit { petit_cycles } => {
                    Some(format!("it was stopped after {petit_cycles} petit cycles"))
                }
            },
        })
    }

    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        if !SYNTHESISED.contains(&self.dims()) {
            return Ok(None);
        }
        let (dims, shape) = (self.dims(), self.circuit.shape());
        let cut = Cut {
            open: &["exit", "ejecting"],
            ..Cut::default()
        };
        Ok(Some(Silicon {
            router: Part {
                name: format!("Router<{dims}, {}, {}>", shape.rows, shape.processors()),
                design: cut.of(self.router()?),
            },
            node: WholeNode::cores(shape.processors())?,
            shared: Part {
                name: format!("PetitControl<{dims}>"),
                design: self.control()?,
            },
        }))
    }
}
