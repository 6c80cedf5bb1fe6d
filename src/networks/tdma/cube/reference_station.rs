//! Ends of the wires around a node in the reference: a Rust model of the circuit
//! [`station`](super::station::station).

use super::clocks::NodeClocks;
use super::reference_domain::{ReferenceDomain, Seen};
use super::station::SyncSource;
use crate::engine::{Engine, EngineError, Port, PortId, Reference, ROUNDS};
use crate::routing::tdma::PhaseSchedule;
use crate::rtl::tdma::{OwnSync, DELAY_BITS, SLOWER_BITS};
use num_bigint::BigUint;

/// Node with its ends of the wires.
///
/// An end sees the level of its wire if `keep` is set, inverted if `flip` is set. A wire that
/// nobody pulls is high. `clash` is set if both ends drive the wire at once. With `skip` the node
/// misses the phase clock.
pub(super) struct ReferenceStation {
    node: Box<dyn Engine>,
    ports: Vec<Port>,
    places: Vec<Place>,
    own: Own,
    pull: PortId,
    holds: PortId,
    phase_clock: PortId,
    level: PortId,
    sync: PortId,
    /// Current values of these inputs of the node.
    shown: Seen,
    domain: Option<ReferenceDomain>,
    own_sync: Option<CountedSync>,
    /// Mask with one bit for every wire.
    all: u64,
}

/// Generator of the node's `sync`, if no wire carries it.
struct CountedSync {
    counter: Reference,
    phase_clock: PortId,
    made: PortId,
    /// Port of the node.
    sync: PortId,
}

/// Source or destination of a port of the station.
#[derive(Clone, Copy)]
enum Place {
    Node(PortId),
    Input(fn(&mut Own) -> &mut u64),
    Level,
    Clash,
}

/// Inputs of the station that are not the node's.
#[derive(Default)]
struct Own {
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
const OWN: [(&str, Place, Width); 8] = [
    (
        "phase_clock",
        Place::Input(|own| &mut own.phase_clock),
        Width::Bit,
    ),
    ("skip", Place::Input(|own| &mut own.skip), Width::Bit),
    ("other", Place::Input(|own| &mut own.other), Width::Wires),
    (
        "other_holds",
        Place::Input(|own| &mut own.other_holds),
        Width::Wires,
    ),
    ("keep", Place::Input(|own| &mut own.keep), Width::Wires),
    ("flip", Place::Input(|own| &mut own.flip), Width::Wires),
    ("level", Place::Level, Width::Wires),
    ("clash", Place::Clash, Width::Wires),
];

/// Additional inputs of a station with its own clock.
const OWN_CLOCK: [(&str, Place, Width); 3] = [
    (
        "delay",
        Place::Input(|own| &mut own.delay),
        Width::Bits(DELAY_BITS),
    ),
    (
        "slower",
        Place::Input(|own| &mut own.slower),
        Width::Bits(SLOWER_BITS),
    ),
    (
        "start",
        Place::Input(|own| &mut own.start),
        Width::Bits(SLOWER_BITS),
    ),
];

/// `sync` input of the station, which is separate from the `sync` of the node.
const OWN_CLOCK_SYNC: (&str, Place, Width) =
    ("sync", Place::Input(|own| &mut own.sync), Width::Bit);

enum Width {
    Bit,
    Bits(usize),
    Wires,
}

impl ReferenceStation {
    /// Creates the station for a node with the ports of [`Node`](crate::rtl::tdma::Node) and
    /// `wires` wires.
    ///
    /// # Errors
    /// A released circuit causes no error.
    pub fn new(
        node: Box<dyn Engine>,
        wires: u32,
        sync: SyncSource,
        clocks: NodeClocks,
    ) -> Result<Self, EngineError> {
        let domain = match clocks {
            NodeClocks::Common => None,
            NodeClocks::Own => Some(ReferenceDomain::new(&*node, wires)?),
        };
        let own_sync = match sync {
            SyncSource::Wire => None,
            SyncSource::Own => {
                let counter = Reference::new(OwnSync::new(PhaseSchedule::phases(wires)))?;
                Some(CountedSync {
                    phase_clock: counter.port("phase_clock"),
                    made: counter.port("sync"),
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
                "sync" if domain.is_some() || sync == SyncSource::Own => continue,
                "phase" => "node_phase",
                name => name,
            };
            ports.push(Port {
                name: name.into(),
                ..port.clone()
            });
            places.push(Place::Node(PortId(i)));
        }
        let mut own: Vec<_> = OWN.into_iter().collect();
        if domain.is_some() {
            own.extend(OWN_CLOCK);
            own.extend((sync == SyncSource::Wire).then_some(OWN_CLOCK_SYNC));
        }
        for (name, place, width) in own {
            ports.push(Port {
                name: name.into(),
                width: match width {
                    Width::Bit => 1,
                    Width::Bits(bits) => bits as u32,
                    Width::Wires => wires,
                },
                input: matches!(place, Place::Input(_)),
            });
            places.push(place);
        }
        Ok(ReferenceStation {
            own_sync,
            domain,
            sync: node.port("sync"),
            pull: node.port("pull"),
            holds: node.port("holds"),
            phase_clock: node.port("phase_clock"),
            level: node.port("level"),
            shown: Seen::default(),
            all: u64::MAX >> (64 - wires),
            own: Own::default(),
            node,
            ports,
            places,
        })
    }

    /// Returns the inputs that reach the node.
    fn arrives(&mut self) -> Result<Seen, EngineError> {
        let phase_clock = self.own.phase_clock & !self.own.skip;
        let level = self.seen();
        let Some(domain) = &mut self.domain else {
            return Ok(Seen {
                phase_clock,
                sync: 0,
                level,
            });
        };
        (domain.delay, domain.slower) = (self.own.delay, self.own.slower);
        (domain.start, domain.sync) = (self.own.start, self.own.sync);
        domain.settle(phase_clock, level)
    }

    /// Returns the levels at the ends of the wires.
    fn seen(&mut self) -> u64 {
        let pulled = self.node.get_u64(self.pull) | self.own.other;
        (!pulled & self.all & self.own.keep) ^ self.own.flip
    }
}

impl Engine for ReferenceStation {
    fn name(&self) -> &'static str {
        self.node.name()
    }

    fn ports(&self) -> &[Port] {
        &self.ports
    }

    fn set(&mut self, port: PortId, value: &BigUint) {
        match self.places[port.0] {
            Place::Node(port) => self.node.set(port, value),
            Place::Input(input) => {
                *input(&mut self.own) = value.iter_u64_digits().next().unwrap_or(0);
            }
            Place::Level | Place::Clash => panic!("an output cannot be set"),
        }
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        for _ in 0..ROUNDS {
            self.node.settle()?;
            let seen = self.arrives()?;
            if self.shown == seen {
                return Ok(());
            }
            self.shown = seen;
            self.node.set_u64(self.phase_clock, seen.phase_clock);
            self.node.set_u64(self.level, seen.level);
            if self.domain.is_some() && self.own_sync.is_none() {
                self.node.set_u64(self.sync, seen.sync);
            }
            if let Some(own) = &mut self.own_sync {
                own.counter.set_u64(own.phase_clock, seen.phase_clock);
                own.show(&mut *self.node)?;
            }
        }
        Err(EngineError::Unsettled { rounds: ROUNDS })
    }

    fn get(&mut self, port: PortId) -> BigUint {
        match self.places[port.0] {
            Place::Node(port) => {
                let domain = self.domain.as_mut();
                let shown = domain.and_then(|domain| domain.shown(port, &mut *self.node));
                shown.map_or_else(|| self.node.get(port), BigUint::from)
            }
            Place::Input(input) => (*input(&mut self.own)).into(),
            Place::Level => self.seen().into(),
            Place::Clash => (self.node.get_u64(self.holds) & self.own.other_holds).into(),
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
            if let Some(own) = &mut self.own_sync {
                own.counter.clock()?;
                own.show(&mut *self.node)?;
            }
        }
        self.node.settle()?;
        self.settle()
    }
}

impl CountedSync {
    fn show(&mut self, node: &mut dyn Engine) -> Result<(), EngineError> {
        self.counter.settle()?;
        let sync = self.counter.get_u64(self.made);
        node.set_u64(self.sync, sync);
        Ok(())
    }
}
