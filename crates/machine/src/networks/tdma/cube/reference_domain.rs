//! Clock domain of a node in the reference: a Rust model of the circuit
//! [`ClockDomain`](super::clock_domain::ClockDomain).

use super::clock_domain::{PULSE_PORTS, REPORT_PORTS};
use engine::{CircuitEngine, EngineError, PortId, ReferenceEngine};
use rtl::tdma::parts::synchroniser;
use rtl::tdma::{NodeOscillator, PhaseClockDelay};

/// Model of the circuits around a node with its own clock.
pub(super) struct ReferenceDomain {
    clock: ReferenceEngine,
    phase_clock_delay: ReferenceEngine,
    synchroniser: ReferenceEngine,
    /// Inputs that are set from outside.
    pub delay: u64,
    pub slower: u64,
    pub start: u64,
    pub sync: u64,
    was_high: u64,
    /// Report of the node on the phase that is over.
    report: [u64; REPORT_PORTS.len()],
    /// Ports of the node for the report, and its pulse outputs.
    ports: [PortId; REPORT_PORTS.len()],
    pulses: [PortId; PULSE_PORTS.len()],
}

/// Inputs of the node after synchronisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SyncedInputs {
    pub phase_clock: u64,
    pub sync: u64,
    pub level: u64,
}

impl ReferenceDomain {
    /// Creates the domain around a node with `links` links.
    ///
    /// # Errors
    /// A released circuit causes no error.
    pub fn new(node: &dyn CircuitEngine, links: u32) -> Result<Self, EngineError> {
        Ok(ReferenceDomain {
            clock: ReferenceEngine::new(NodeOscillator::default())?,
            phase_clock_delay: ReferenceEngine::new(PhaseClockDelay::default())?,
            synchroniser: ReferenceEngine::boxed(synchroniser(links))?,
            delay: 0,
            slower: 0,
            start: 0,
            sync: 0,
            was_high: 0,
            report: REPORT_PORTS.map(|(port, _)| u64::from(port == "muted")),
            ports: REPORT_PORTS.map(|(port, _)| node.port(port)),
            pulses: PULSE_PORTS.map(|port| node.port(port)),
        })
    }

    /// Applies the signals from other domains and returns the inputs of the node.
    ///
    /// # Errors
    /// As an engine.
    pub fn settle(&mut self, phase_clock: u64, level: u64) -> Result<SyncedInputs, EngineError> {
        set(&mut self.clock, "slower", self.slower);
        set(&mut self.clock, "start", self.start);
        self.clock.settle()?;
        set(&mut self.phase_clock_delay, "phase_clock", phase_clock);
        set(&mut self.phase_clock_delay, "sync", self.sync);
        set(&mut self.phase_clock_delay, "delay", self.delay);
        self.phase_clock_delay.settle()?;
        let late =
            ["late_phase_clock", "late_sync"].map(|port| get(&mut self.phase_clock_delay, port));
        let synchroniser = &mut self.synchroniser;
        set(synchroniser, "phase_clock", late[0]);
        set(synchroniser, "sync", late[1]);
        set(synchroniser, "level", level);
        synchroniser.settle()?;
        Ok(SyncedInputs {
            phase_clock: get(synchroniser, "node_phase_clock"),
            sync: get(synchroniser, "node_sync"),
            level: get(synchroniser, "node_level"),
        })
    }

    /// True if the clock edge at the end of this clock cycle is an edge of the node's clock.
    pub fn ticks(&mut self) -> bool {
        get(&mut self.clock, "tick") == 1
    }

    /// Applies the clock edge. Must be called after everything has settled and before the edge of
    /// the node.
    ///
    /// # Errors
    /// As an engine.
    pub fn clock(&mut self, node: &mut dyn CircuitEngine) -> Result<(), EngineError> {
        if self.ticks() {
            let now = get(&mut self.synchroniser, "node_phase_clock");
            if now == 1 && self.was_high == 0 {
                self.report = self.ports.map(|port| node.get_u64(port));
            }
            self.was_high = now;
            self.synchroniser.clock()?;
        }
        self.clock.clock()?;
        self.phase_clock_delay.clock()
    }

    /// Returns the value that the station shows in place of this port of the node. `None` for other
    /// ports.
    pub fn port_value(&mut self, port: PortId, node: &mut dyn CircuitEngine) -> Option<u64> {
        if let Some(position) = self.ports.iter().position(|p| *p == port) {
            return Some(self.report[position]);
        }
        let pulse = self.pulses.contains(&port);
        pulse.then(|| node.get_u64(port) & u64::from(self.ticks()))
    }
}

fn set(engine: &mut dyn CircuitEngine, port: &str, value: u64) {
    let port = engine.port(port);
    engine.set_u64(port, value);
}

fn get(engine: &mut dyn CircuitEngine, port: &str) -> u64 {
    let port = engine.port(port);
    engine.get_u64(port)
}
