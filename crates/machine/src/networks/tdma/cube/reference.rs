//! Ends of the wires around a node in the reference: a Rust model of the circuit
//! [`station`](super::station::station).

use super::clocks::NodeClocks;
use super::station::{SyncSource, PULSE_PORTS, REPORT_PORTS};
use engine::{CircuitEngine, EngineError, EnginePort, PortId, ReferenceEngine, MAX_ROUNDS};
use interconnect::routing::tdma::PhaseSchedule;
use num_bigint::BigUint;
use rtl::tdma::machine::synchroniser;
use rtl::tdma::{LocalSync, NodeOscillator, PhaseClockDelay, DELAY_BITS, SLOWER_BITS};

/// Node with its ends of the wires.
///
/// An end sees the level of its wire if `keep` is set, inverted if `flip` is set. A wire that
/// nobody pulls is high. `clash` is set if both ends drive the wire at once. With `skip` the node
/// misses the phase clock.
pub(super) struct ReferenceStation {
    node: Box<dyn CircuitEngine>,
    ports: Vec<EnginePort>,
    port_map: Vec<StationPort>,
    inputs: StationInputs,
    pull: PortId,
    holds: PortId,
    phase_clock: PortId,
    level: PortId,
    sync: PortId,
    /// Current values of these inputs of the node.
    node_inputs: SyncedInputs,
    domain: Option<ReferenceDomain>,
    local_sync: Option<LocalSyncModel>,
    /// Mask with one bit for every wire.
    all: u64,
}

/// Generator of the node's `sync`, if no wire carries it.
struct LocalSyncModel {
    counter: ReferenceEngine,
    phase_clock: PortId,
    sync_out: PortId,
    /// Port of the node.
    sync: PortId,
}

/// Source or destination of a port of the station.
#[derive(Clone, Copy)]
enum StationPort {
    Node(PortId),
    Input(fn(&mut StationInputs) -> &mut u64),
    Level,
    Clash,
}

/// Inputs of the station that are not the node's.
#[derive(Default)]
struct StationInputs {
    phase_clock: u64,
    skip: u64,
    other: u64,
    other_holds: u64,
    keep: u64,
    flip: u64,
    // Inputs of a station with its own clock.
    sync: u64,
    delay: u64,
    slower: u64,
    start: u64,
}

/// Ports of the station that are not the node's, each with its width.
const STATION_PORTS: [(&str, StationPort, PortWidth); 8] = [
    (
        "phase_clock",
        StationPort::Input(|own| &mut own.phase_clock),
        PortWidth::Bit,
    ),
    (
        "skip",
        StationPort::Input(|own| &mut own.skip),
        PortWidth::Bit,
    ),
    (
        "other",
        StationPort::Input(|own| &mut own.other),
        PortWidth::Wires,
    ),
    (
        "other_holds",
        StationPort::Input(|own| &mut own.other_holds),
        PortWidth::Wires,
    ),
    (
        "keep",
        StationPort::Input(|own| &mut own.keep),
        PortWidth::Wires,
    ),
    (
        "flip",
        StationPort::Input(|own| &mut own.flip),
        PortWidth::Wires,
    ),
    ("level", StationPort::Level, PortWidth::Wires),
    ("clash", StationPort::Clash, PortWidth::Wires),
];

/// Additional inputs of a station with its own clock.
const NODE_CLOCK_PORTS: [(&str, StationPort, PortWidth); 3] = [
    (
        "delay",
        StationPort::Input(|own| &mut own.delay),
        PortWidth::Bits(DELAY_BITS),
    ),
    (
        "slower",
        StationPort::Input(|own| &mut own.slower),
        PortWidth::Bits(SLOWER_BITS),
    ),
    (
        "start",
        StationPort::Input(|own| &mut own.start),
        PortWidth::Bits(SLOWER_BITS),
    ),
];

/// `sync` input of the station, which is separate from the `sync` of the node.
const NODE_CLOCK_SYNC: (&str, StationPort, PortWidth) = (
    "sync",
    StationPort::Input(|own| &mut own.sync),
    PortWidth::Bit,
);

enum PortWidth {
    Bit,
    Bits(usize),
    Wires,
}

impl ReferenceStation {
    /// Creates the station for a node with the ports of [`Node`](rtl::tdma::Node) and
    /// `wires` wires.
    ///
    /// # Errors
    /// A released circuit causes no error.
    pub fn new(
        node: Box<dyn CircuitEngine>,
        wires: u32,
        sync: SyncSource,
        clocks: NodeClocks,
    ) -> Result<Self, EngineError> {
        let domain = match clocks {
            NodeClocks::Common => None,
            NodeClocks::PerNode => Some(ReferenceDomain::new(&*node, wires)?),
        };
        let own_sync = match sync {
            SyncSource::Wire => None,
            SyncSource::Local => {
                let counter = ReferenceEngine::new(LocalSync::new(PhaseSchedule::phases(wires)))?;
                Some(LocalSyncModel {
                    phase_clock: counter.port("phase_clock"),
                    sync_out: counter.port("sync"),
                    sync: node.port("sync"),
                    counter,
                })
            }
        };
        let mut ports = vec![];
        let mut places = vec![];
        for (i, port) in node.ports().iter().enumerate() {
            let name = match port.name.as_str() {
                "level" | "phase_clock" => continue,
                "sync" if domain.is_some() || sync == SyncSource::Local => continue,
                "phase" => "node_phase",
                name => name,
            };
            ports.push(EnginePort {
                name: name.into(),
                ..port.clone()
            });
            places.push(StationPort::Node(PortId(i)));
        }
        let mut own: Vec<_> = STATION_PORTS.into_iter().collect();
        if domain.is_some() {
            own.extend(NODE_CLOCK_PORTS);
            own.extend((sync == SyncSource::Wire).then_some(NODE_CLOCK_SYNC));
        }
        for (name, place, width) in own {
            ports.push(EnginePort {
                name: name.into(),
                width: match width {
                    PortWidth::Bit => 1,
                    PortWidth::Bits(bits) => bits as u32,
                    PortWidth::Wires => wires,
                },
                input: matches!(place, StationPort::Input(_)),
            });
            places.push(place);
        }
        Ok(ReferenceStation {
            local_sync: own_sync,
            domain,
            sync: node.port("sync"),
            pull: node.port("pull"),
            holds: node.port("holds"),
            phase_clock: node.port("phase_clock"),
            level: node.port("level"),
            node_inputs: SyncedInputs::default(),
            all: u64::MAX >> (64 - wires),
            inputs: StationInputs::default(),
            node,
            ports,
            port_map: places,
        })
    }

    /// Returns the inputs that reach the node.
    fn synced_inputs(&mut self) -> Result<SyncedInputs, EngineError> {
        let phase_clock = self.inputs.phase_clock & !self.inputs.skip;
        let level = self.wire_levels();
        let Some(domain) = &mut self.domain else {
            return Ok(SyncedInputs {
                phase_clock,
                sync: 0,
                level,
            });
        };
        (domain.delay, domain.slower) = (self.inputs.delay, self.inputs.slower);
        (domain.start, domain.sync) = (self.inputs.start, self.inputs.sync);
        domain.settle(phase_clock, level)
    }

    /// Returns the levels at the ends of the wires.
    fn wire_levels(&mut self) -> u64 {
        let pulled = self.node.get_u64(self.pull) | self.inputs.other;
        (!pulled & self.all & self.inputs.keep) ^ self.inputs.flip
    }
}

impl CircuitEngine for ReferenceStation {
    fn name(&self) -> &'static str {
        self.node.name()
    }

    fn ports(&self) -> &[EnginePort] {
        &self.ports
    }

    fn set(&mut self, port: PortId, value: &BigUint) {
        match self.port_map[port.0] {
            StationPort::Node(port) => self.node.set(port, value),
            StationPort::Input(input) => {
                *input(&mut self.inputs) = value.iter_u64_digits().next().unwrap_or(0);
            }
            StationPort::Level | StationPort::Clash => panic!("an output cannot be set"),
        }
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        for _ in 0..MAX_ROUNDS {
            self.node.settle()?;
            let seen = self.synced_inputs()?;
            if self.node_inputs == seen {
                return Ok(());
            }
            self.node_inputs = seen;
            self.node.set_u64(self.phase_clock, seen.phase_clock);
            self.node.set_u64(self.level, seen.level);
            if self.domain.is_some() && self.local_sync.is_none() {
                self.node.set_u64(self.sync, seen.sync);
            }
            if let Some(own) = &mut self.local_sync {
                own.counter.set_u64(own.phase_clock, seen.phase_clock);
                own.apply(&mut *self.node)?;
            }
        }
        Err(EngineError::Unsettled { rounds: MAX_ROUNDS })
    }

    fn get(&mut self, port: PortId) -> BigUint {
        match self.port_map[port.0] {
            StationPort::Node(port) => {
                let domain = self.domain.as_mut();
                let shown = domain.and_then(|domain| domain.port_value(port, &mut *self.node));
                shown.map_or_else(|| self.node.get(port), BigUint::from)
            }
            StationPort::Input(input) => (*input(&mut self.inputs)).into(),
            StationPort::Level => self.wire_levels().into(),
            StationPort::Clash => (self.node.get_u64(self.holds) & self.inputs.other_holds).into(),
        }
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.settle()?;
        let ticks = self.domain.as_mut().is_none_or(ReferenceDomain::ticks);
        if let Some(domain) = &mut self.domain {
            domain.clock(&mut *self.node)?;
        }
        if ticks {
            self.node.clock()?;
            if let Some(own) = &mut self.local_sync {
                own.counter.clock()?;
                own.apply(&mut *self.node)?;
            }
        }
        self.node.settle()?;
        self.settle()
    }
}

impl LocalSyncModel {
    fn apply(&mut self, node: &mut dyn CircuitEngine) -> Result<(), EngineError> {
        self.counter.settle()?;
        let sync = self.counter.get_u64(self.sync_out);
        node.set_u64(self.sync, sync);
        Ok(())
    }
}

// Clock domain of a node in the reference: a Rust model of the circuit
// `station::ClockDomain`.

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
