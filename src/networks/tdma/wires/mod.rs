//! What is on the wires of a TDMA machine: frames and answers, by UART.
//!
//! A probe [`Capture`]s a wire phase by phase; [`Reading`] is what its bytes mean, and
//! [`draw`] shows them.

mod capture;
mod changes;
mod drawing;
mod probe;
mod reading;

pub use capture::Capture;
pub use drawing::draw;
pub use reading::{Answer, FramePart, ReadByte, Reading};

use crate::engine::NodeEngine;
use crate::networks::tdma::PhaseTiming;
use crate::routing::tdma::PhaseSchedule;
use crate::routing::Schedule;
use crate::topology::{Link, Metacube, Topology};
use crate::wave::{LinkDecoder, LinkProbe, LinkSignal, Period, Steps, Subject, Word};
use probe::WireProbe;
use std::sync::Arc;

/// Phases and superframes.
pub fn steps(shape: impl Into<Metacube>) -> Steps {
    Steps {
        word: Word {
            full: "phase",
            short: "ph",
        },
        period: Some(Period {
            word: Word {
                full: "superframe",
                short: "sf",
            },
            schedule: Arc::new(PhaseSchedule::new(shape)),
        }),
    }
}

/// A TDMA machine with these phases.
pub fn subject(shape: impl Into<Metacube>, timing: PhaseTiming) -> Subject {
    let shape = shape.into();
    Subject {
        topology: Arc::new(shape),
        steps: steps(shape),
        mark: "phase_clock",
        clock_cycles: timing.clock_cycles().into(),
        links: Some(Arc::new(FrameDecoder {
            topology: Arc::new(shape),
            schedule: Arc::new(PhaseSchedule::new(shape)),
            timing,
        })),
    }
}

/// Reads frames off wires that both ends use, each when the schedule says so.
#[derive(Clone, Debug)]
pub struct FrameDecoder {
    pub topology: Arc<dyn Topology>,
    pub schedule: Arc<dyn Schedule>,
    pub timing: PhaseTiming,
}

impl FrameDecoder {
    fn name(&self, node: u32) -> String {
        self.topology.node_name(node)
    }
}

impl LinkDecoder for FrameDecoder {
    fn signals(&self) -> Vec<LinkSignal> {
        changes::signals(&*self.topology).into()
    }

    fn probe(&self, engine: &mut dyn NodeEngine, link: Link) -> Box<dyn LinkProbe> {
        Box::new(WireProbe::new(engine, self.clone(), link))
    }

    fn heading(&self, link: Link) -> String {
        let [from, to] = [link.from, link.to].map(|end| self.name(end.node));
        let sends = |end| match self.schedule.step_of(end) {
            Some(phase) => format!("in {phase}"),
            None => "in none".into(),
        };
        format!(
            "Link {from}-{to}, {port}. Of the {phases} phases of a superframe {from} sends \
             {first} and {to} {second}.\n\
             Times are in bit-times since the beginning of the phase.\n",
            port = self.topology.port_name(link.from.port),
            phases = self.schedule.period(),
            first = sends(link.from),
            second = sends(link.to),
        )
    }
}
