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
use crate::topology::{End, Link, Topology};
use crate::wave::{LinkDecoder, LinkProbe, LinkSignal, Period, Steps, Subject, Word};
use probe::WireProbe;
use std::sync::Arc;

/// Phases of an end that are listed, at most.
const PHASES: usize = 8;

/// What the phases come again in is called.
pub fn period_word(schedule: &PhaseSchedule) -> Word {
    let (full, short) = match schedule.order() {
        None => ("superframe", "sf"),
        Some(_) => ("round", "rd"),
    };
    Word { full, short }
}

/// Phases and superframes, or rounds of a programmed order.
pub fn steps(schedule: impl Into<PhaseSchedule>) -> Steps {
    let schedule = schedule.into();
    Steps {
        word: Word {
            full: "phase",
            short: "ph",
        },
        period: Some(Period {
            word: period_word(&schedule),
            schedule: Arc::new(schedule),
        }),
    }
}

/// A TDMA machine with these phases.
pub fn subject(schedule: impl Into<PhaseSchedule>, timing: PhaseTiming) -> Subject {
    let schedule = schedule.into();
    let shape = schedule.shape();
    Subject {
        topology: Arc::new(shape),
        steps: steps(schedule.clone()),
        mark: "phase_clock",
        clock_cycles: timing.clock_cycles().into(),
        links: Some(Arc::new(FrameDecoder {
            topology: Arc::new(shape),
            period: period_word(&schedule),
            schedule: Arc::new(schedule),
            timing,
        })),
    }
}

/// Reads frames off wires that both ends use, each when the schedule says so.
#[derive(Clone, Debug)]
pub struct FrameDecoder {
    pub topology: Arc<dyn Topology>,
    pub schedule: Arc<dyn Schedule>,
    /// What its phases come again in.
    pub period: Word,
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
        let sends = |end: End| {
            let phases = (0..self.schedule.period())
                .filter(|&phase| self.schedule.sends(end.node, phase) == Some(end.port));
            let phases: Vec<String> = phases.map(|phase| phase.to_string()).collect();
            match phases.len() {
                0 => "in none".into(),
                1..=PHASES => format!("in {}", phases.join(", ")),
                more => format!("in {}, .. ({more} in all)", phases[..PHASES].join(", ")),
            }
        };
        format!(
            "Link {from}-{to}, {port}. Of the {phases} phases of a {period} {from} sends \
             {first} and {to} {second}.\n\
             Times are in bit-times since the beginning of the phase.\n",
            port = self.topology.port_name(link.from.port),
            phases = self.schedule.period(),
            period = self.period.full,
            first = sends(link.from),
            second = sends(link.to),
        )
    }
}
