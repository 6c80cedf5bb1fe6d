//! A link as a logic analyser with a UART decoder would print it.

use super::draw;
use crate::engine::{EngineError, NodeEngine, Observer};
use crate::topology::Hypercube;
use crate::wave::{LinkProbe, Moment, Seen, Window};
use std::fmt::Write;

/// Watches one link and draws every phase in which somebody used it.
pub struct LogicAnalyzer {
    window: Window,
    cube: Hypercube,
    probe: LinkProbe,
    text: String,
    /// Phases of the link in which it was idle, since it was used: the first and
    /// the last.
    idle: Option<(u64, u64)>,
}

impl LogicAnalyzer {
    pub fn new(window: Window, cube: Hypercube, probe: LinkProbe) -> Self {
        let link = probe.link();
        let (low, high) = (cube.hex(link.low), cube.hex(link.high));
        let phases = 2 * cube.dims();
        let text = format!(
            "Link {low}-{high}, dimension {dim}. Of the {phases} phases of a superframe {low} sends in \
             {first} and {high} in {second}.\nTimes are in bit-times since the beginning of the phase.\n",
            dim = link.dim,
            first = 2 * link.dim,
            second = 2 * link.dim + 1,
        );
        LogicAnalyzer {
            window,
            cube,
            probe,
            text,
            idle: None,
        }
    }

    /// What it has printed.
    pub fn finish(mut self) -> String {
        if let Some(seen) = self.probe.end() {
            self.print(&seen);
        }
        self.print_idle();
        self.text
    }

    fn print(&mut self, seen: &Seen) {
        let phase = seen.capture.phase;
        if seen.idle {
            if seen.scheduled {
                let since = self.idle.map_or(phase, |(since, _)| since);
                self.idle = Some((since, phase));
            }
            return;
        }
        self.print_idle();
        self.text.push('\n');
        self.text += &draw(&seen.capture, |node| self.cube.hex(node));
        if !seen.scheduled {
            self.text +=
                "The schedule has another dimension in this phase: a node is out of step.\n";
        }
    }

    fn print_idle(&mut self) {
        let _ = match self.idle.take() {
            None => Ok(()),
            Some((since, last)) if since == last => {
                writeln!(self.text, "\nIdle in its phase {since}.")
            }
            Some((since, last)) => {
                writeln!(self.text, "\nIdle in its phases from {since} to {last}.")
            }
        };
    }
}

impl Observer for LogicAnalyzer {
    fn next_look(&self, clock: u64) -> Option<u64> {
        self.window.next_look(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        let moment: Option<Moment> = self.window.moment(engine, clock);
        let seen = moment.and_then(|moment| self.probe.look(engine, moment).1);
        if let Some(seen) = seen {
            self.print(&seen);
        }
        Ok(())
    }
}
