//! Looks at a link's wire phase by phase, for all that decodes it.

use super::window::Moment;
use super::Capture;
use crate::engine::{NodeEngine, NodePort};
use crate::machine::PhaseTiming;
use crate::topology::{Hypercube, Link};

/// A probe on the wire of one link: its level, and who holds it, which only a
/// simulator knows.
pub struct LinkProbe {
    cube: Hypercube,
    link: Link,
    timing: PhaseTiming,
    level: NodePort,
    holds: NodePort,
    /// What was seen in this phase.
    phase: Option<Phase>,
}

/// A phase under way.
struct Phase {
    begin: Moment,
    wires: Vec<Wire>,
}

/// A wire in one clock cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    pub level: bool,
    /// The end with the lower address holds it, pulled or not.
    pub low_holds: bool,
    /// The end with the higher address does.
    pub high_holds: bool,
}

/// A phase that is over.
pub struct Seen {
    /// The clock cycle in which it began, counted from the start.
    pub begin: u64,
    pub capture: Capture,
    /// It is one of the two phases of the link.
    pub scheduled: bool,
    /// Nobody held the wire, and its level was high.
    pub idle: bool,
}

impl LinkProbe {
    pub fn new(
        engine: &mut dyn NodeEngine,
        cube: Hypercube,
        link: Link,
        timing: PhaseTiming,
    ) -> Self {
        LinkProbe {
            cube,
            link,
            timing,
            level: engine.port("level"),
            holds: engine.port("holds"),
            phase: None,
        }
    }

    pub fn link(&self) -> Link {
        self.link
    }

    /// Looks at the wire; what the phase before was, if a phase begins.
    pub fn look(&mut self, engine: &mut dyn NodeEngine, moment: Moment) -> (Wire, Option<Seen>) {
        let Link { dim, low, high } = self.link;
        let mut bit = |port: NodePort, node: u32| engine.get(port, node as usize) >> dim & 1 == 1;
        let wire = Wire {
            level: bit(self.level, low),
            low_holds: bit(self.holds, low),
            high_holds: bit(self.holds, high),
        };
        let seen = (moment.in_phase == 0).then(|| self.end()).flatten();
        let phase = self.phase.get_or_insert_with(|| Phase {
            begin: moment,
            wires: vec![],
        });
        phase.wires.push(wire);
        (wire, seen)
    }

    /// What was seen of the phase under way.
    pub fn end(&mut self) -> Option<Seen> {
        let Phase { begin, wires } = self.phase.take()?;
        let Link { dim, low, high } = self.link;
        let phase = begin.t % u64::from(2 * self.cube.dims());
        let scheduled = phase / 2 == u64::from(dim);
        // Out of its phases, whoever holds the wire first.
        let low_sends = match scheduled {
            true => phase.is_multiple_of(2),
            false => !wires.iter().any(|w| w.high_holds && !w.low_holds),
        };
        let (sender, receiver) = if low_sends { (low, high) } else { (high, low) };
        let answers = |w: &Wire| if low_sends { w.high_holds } else { w.low_holds };
        Some(Seen {
            begin: begin.clock,
            scheduled,
            idle: wires
                .iter()
                .all(|w| w.level && !w.low_holds && !w.high_holds),
            capture: Capture {
                phase: begin.t,
                dim,
                sender,
                receiver,
                clocks_per_bit: self.timing.clocks_per_bit as usize,
                levels: wires.iter().map(|w| w.level).collect(),
                answers_at: wires.iter().position(answers),
                acked: self.timing.acked,
            },
        })
    }
}
