//! Observes a wire in each phase.

use super::{changes, draw, Capture, FrameDecoder};
use crate::wave::{LinkProbe, LinkStep, SimTime, WaveValue};
use engine::{NodeEngine, NodePortId};
use interconnect::topology::{Link, PortEnd};

/// Probe on the wire of one link, which records its level and the ends that drive it. Only a
/// simulator knows the driving ends.
pub struct WireProbe {
    decoder: FrameDecoder,
    link: Link,
    level: NodePortId,
    holds: NodePortId,
    /// Observations in the current phase.
    phase: Option<ObservedPhase>,
    /// Last reported state of the wire.
    reported: Option<WireState>,
}

/// Phase in progress.
struct ObservedPhase {
    begin: SimTime,
    wires: Vec<WireState>,
}

/// State of a wire in one clock cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireState {
    /// Level as seen by the first end of the link.
    pub level: bool,
    /// True if the first end drives the wire, pulled or not.
    pub from_holds: bool,
    /// True if the other end drives the wire.
    pub to_holds: bool,
}

/// Completed phase of a wire.
struct WirePhase {
    decoder: FrameDecoder,
    /// Clock cycle in which the phase began, counted from the start.
    begin: u64,
    capture: Capture,
    scheduled: bool,
    /// True if neither end drove the wire and its level was high.
    idle: bool,
}

impl WireProbe {
    pub fn new(engine: &mut dyn NodeEngine, decoder: FrameDecoder, link: Link) -> Self {
        WireProbe {
            decoder,
            link,
            level: engine.port("level"),
            holds: engine.port("holds"),
            phase: None,
            reported: None,
        }
    }

    /// Reports the changes since the last report.
    fn report_changes(&mut self, wire: WireState, changes: &mut Vec<(usize, WaveValue)>) {
        let holders = |wire: WireState| (wire.from_holds, wire.to_holds);
        let told = self.reported.replace(wire);
        if told.map(|told| told.level) != Some(wire.level) {
            changes.push((changes::WIRE, WaveValue::Bits(wire.level.into())));
        }
        if told.map(holders) != Some(holders(wire)) {
            let driver = changes::driver(wire, self.link, &*self.decoder.topology);
            changes.push((changes::DRIVER, WaveValue::Text(driver)));
        }
    }
}

impl LinkProbe for WireProbe {
    fn look(
        &mut self,
        engine: &mut dyn NodeEngine,
        moment: SimTime,
        changes: &mut Vec<(usize, WaveValue)>,
    ) -> Option<Box<dyn LinkStep>> {
        let mut bit = |port: NodePortId, end: PortEnd| {
            let bits = engine.get(port, end.node as usize);
            bits >> end.port & 1 == 1
        };
        let wire = WireState {
            level: bit(self.level, self.link.from),
            from_holds: bit(self.holds, self.link.from),
            to_holds: bit(self.holds, self.link.to),
        };
        let over = (moment.in_step == 0).then(|| self.end()).flatten();
        let phase = self.phase.get_or_insert_with(|| ObservedPhase {
            begin: moment,
            wires: vec![],
        });
        phase.wires.push(wire);
        self.report_changes(wire, changes);
        over
    }

    fn end(&mut self) -> Option<Box<dyn LinkStep>> {
        let ObservedPhase { begin, wires } = self.phase.take()?;
        let Link { from, to } = self.link;
        let schedule = &self.decoder.schedule;
        // Fits, because the period is a 32-bit number.
        let step = (begin.t % u64::from(schedule.period().max(1))) as u32;
        let sends = |end: PortEnd| schedule.sends(end.node, step) == Some(end.port);
        let (first_sends, second_sends) = (sends(from), sends(to));
        let scheduled = first_sends || second_sends;
        // Outside the phases of the link, the end that drives the wire is the sender. The first end
        // has precedence.
        let first_sends = match scheduled {
            true => first_sends,
            false => !wires.iter().any(|w| w.to_holds && !w.from_holds),
        };
        let (sender, receiver) = match first_sends {
            true => (from, to),
            false => (to, from),
        };
        let answers = |w: &WireState| match first_sends {
            true => w.to_holds,
            false => w.from_holds,
        };
        let timing = self.decoder.timing;
        Some(Box::new(WirePhase {
            decoder: self.decoder.clone(),
            begin: begin.clock,
            scheduled,
            idle: wires
                .iter()
                .all(|w| w.level && !w.from_holds && !w.to_holds),
            capture: Capture {
                phase: begin.t,
                dim: sender.port,
                sender: sender.node,
                receiver: receiver.node,
                clocks_per_bit: timing.clocks_per_bit as usize,
                levels: wires.iter().map(|w| w.level).collect(),
                answer_start: wires.iter().position(answers),
                acked: timing.acked,
            },
        }))
    }
}

impl LinkStep for WirePhase {
    fn number(&self) -> u64 {
        self.capture.phase
    }

    fn is_scheduled(&self) -> bool {
        self.scheduled
    }

    fn is_idle(&self) -> bool {
        self.idle
    }

    fn changes(&self) -> Vec<(u64, usize, WaveValue)> {
        changes::changes(&self.capture, self.begin, &*self.decoder.topology)
    }

    fn drawing(&self) -> String {
        let mut text = draw(&self.capture, |node| self.decoder.name(node));
        if !self.scheduled {
            text += "The schedule has another dimension in this phase: a node is out of step.\n";
        }
        text
    }
}
