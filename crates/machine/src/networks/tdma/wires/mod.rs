//! Wires of a TDMA machine: frames and answers, sent by UART.
//!
//! A probe [`Capture`]s a wire in each phase, [`Reading`] decodes its bytes, and [`draw`] shows
//! them.

mod capture;
mod changes;
mod drawing;
mod probe;
mod reading;

pub use capture::Capture;
pub use drawing::draw;
pub use reading::{Answer, FramePart, ReadByte, Reading};

use crate::networks::tdma::PhaseTiming;
use crate::wave::{LinkDecoder, LinkProbe, LinkSignal, Period, StepName, Steps, WaveSubject};
use engine::NodeEngine;
use interconnect::routing::tdma::PhaseSchedule;
use interconnect::routing::Schedule;
use interconnect::topology::{Link, PortEnd, Topology};
use probe::WireProbe;
use std::sync::Arc;

/// Maximum number of listed phases of an end.
const PHASES: usize = 8;

/// Returns the name of the period of the phases.
pub fn period_name(schedule: &PhaseSchedule) -> StepName {
    let (full, short) = match schedule.order() {
        None => ("superframe", "sf"),
        Some(_) => ("round", "rd"),
    };
    StepName { full, short }
}

/// Returns the step names: phases and superframes, or rounds of a programmed order.
pub fn steps(schedule: impl Into<PhaseSchedule>) -> Steps {
    let schedule = schedule.into();
    Steps {
        name: StepName {
            full: "phase",
            short: "ph",
        },
        period: Some(Period {
            name: period_name(&schedule),
            schedule: Arc::new(schedule),
        }),
    }
}

/// Returns the description of a TDMA machine with these phases, for observers.
pub fn subject(schedule: impl Into<PhaseSchedule>, timing: PhaseTiming) -> WaveSubject {
    let schedule = schedule.into();
    let shape = schedule.shape();
    WaveSubject {
        topology: Arc::new(shape),
        steps: steps(schedule.clone()),
        mark: "phase_clock",
        clock_cycles: timing.clock_cycles().into(),
        links: Some(Arc::new(FrameDecoder {
            topology: Arc::new(shape),
            period: period_name(&schedule),
            schedule: Arc::new(schedule),
            timing,
        })),
    }
}

/// Decoder of frames on bidirectional wires. The schedule determines which end sends.
#[derive(Clone, Debug)]
pub struct FrameDecoder {
    pub topology: Arc<dyn Topology>,
    pub schedule: Arc<dyn Schedule>,
    /// Name of the period of the phases.
    pub period: StepName,
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
        let sends = |end: PortEnd| {
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
