//! The clock domain of a node in the reference: what [`Domain`](super::own_clock::Domain) is
//! as a circuit, said again in Rust.

use super::own_clock::{PULSES, REPORT};
use crate::engine::{Engine, EngineError, PortId, Reference};
use crate::rtl::tdma::parts::synchroniser;
use crate::rtl::tdma::{OwnClock, PhaseClockWay};

/// What is around a node whose clock is its own.
pub(super) struct ReferenceDomain {
    clock: Reference,
    way: Reference,
    synchroniser: Reference,
    /// The inputs that are set from outside.
    pub delay: u64,
    pub slower: u64,
    pub start: u64,
    pub sync: u64,
    was_high: u64,
    /// What the node said of the phase that is over.
    report: [u64; REPORT.len()],
    /// The ports of the node for it, and its pulses.
    ports: [PortId; REPORT.len()],
    pulses: [PortId; PULSES.len()],
}

/// What the node sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub phase_clock: u64,
    pub sync: u64,
    pub level: u64,
}

impl ReferenceDomain {
    /// Around a node with so many links.
    ///
    /// # Errors
    /// None that a released circuit has.
    pub fn new(node: &dyn Engine, links: u32) -> Result<Self, EngineError> {
        Ok(ReferenceDomain {
            clock: Reference::new(OwnClock::default())?,
            way: Reference::new(PhaseClockWay::default())?,
            synchroniser: Reference::boxed(synchroniser(links))?,
            delay: 0,
            slower: 0,
            start: 0,
            sync: 0,
            was_high: 0,
            report: REPORT.map(|(port, _)| u64::from(port == "muted")),
            ports: REPORT.map(|(port, _)| node.port(port)),
            pulses: PULSES.map(|port| node.port(port)),
        })
    }

    /// What comes from elsewhere, and what the node sees of it.
    ///
    /// # Errors
    /// As an engine.
    pub fn settle(&mut self, phase_clock: u64, level: u64) -> Result<Seen, EngineError> {
        set(&mut self.clock, "slower", self.slower);
        set(&mut self.clock, "start", self.start);
        self.clock.settle()?;
        set(&mut self.way, "phase_clock", phase_clock);
        set(&mut self.way, "sync", self.sync);
        set(&mut self.way, "delay", self.delay);
        self.way.settle()?;
        let late = ["late_phase_clock", "late_sync"].map(|port| get(&mut self.way, port));
        let synchroniser = &mut self.synchroniser;
        set(synchroniser, "phase_clock", late[0]);
        set(synchroniser, "sync", late[1]);
        set(synchroniser, "level", level);
        synchroniser.settle()?;
        Ok(Seen {
            phase_clock: get(synchroniser, "node_phase_clock"),
            sync: get(synchroniser, "node_sync"),
            level: get(synchroniser, "node_level"),
        })
    }

    /// Whether the edge at the end of this clock cycle is one of the node's.
    pub fn ticks(&mut self) -> bool {
        get(&mut self.clock, "tick") == 1
    }

    /// The clock edge, after everything has settled and before that of the node.
    ///
    /// # Errors
    /// As an engine.
    pub fn clock(&mut self, node: &mut dyn Engine) -> Result<(), EngineError> {
        if self.ticks() {
            let now = get(&mut self.synchroniser, "node_phase_clock");
            if now == 1 && self.was_high == 0 {
                self.report = self.ports.map(|port| node.get_u64(port));
            }
            self.was_high = now;
            self.synchroniser.clock()?;
        }
        self.clock.clock()?;
        self.way.clock()
    }

    /// What the station shows in place of this port of the node, if it does.
    pub fn shown(&mut self, port: PortId, node: &mut dyn Engine) -> Option<u64> {
        if let Some(position) = self.ports.iter().position(|p| *p == port) {
            return Some(self.report[position]);
        }
        let pulse = self.pulses.contains(&port);
        pulse.then(|| node.get_u64(port) & u64::from(self.ticks()))
    }
}

fn set(engine: &mut dyn Engine, port: &str, value: u64) {
    let port = engine.port(port);
    engine.set_u64(port, value);
}

fn get(engine: &mut dyn Engine, port: &str) -> u64 {
    let port = engine.port(port);
    engine.get_u64(port)
}
