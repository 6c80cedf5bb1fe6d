//! The ends of the wires around a node in the reference: what
//! [`station`](super::station::station) is as a circuit, said again in Rust.

use super::station::SyncSource;
use crate::engine::{Engine, EngineError, Port, PortId, Reference, ROUNDS};
use crate::routing::tdma::PhaseSchedule;
use crate::rtl::tdma::OwnSync;
use num_bigint::BigUint;

/// A node with its ends of the wires.
///
/// An end sees the level of its wire, if `keep`, inverted if `flip`; a wire that
/// nobody pulls is high. Both ends hold it at once: `clash`. The node misses the
/// phase clock if `skip`.
pub(super) struct ReferenceStation {
    node: Box<dyn Engine>,
    ports: Vec<Port>,
    places: Vec<Place>,
    own: Own,
    pull: PortId,
    holds: PortId,
    /// What the node's `phase_clock` and `level` are set to.
    phase_clock: (PortId, u64),
    level: (PortId, u64),
    own_sync: Option<CountedSync>,
    /// A word with a bit for every wire.
    all: u64,
}

/// What makes the node's `sync` if no wire does.
struct CountedSync {
    counter: Reference<OwnSync>,
    phase_clock: PortId,
    made: PortId,
    /// The node's.
    sync: PortId,
}

/// Where a port of the station is.
#[derive(Clone, Copy)]
enum Place {
    Node(PortId),
    Input(fn(&mut Own) -> &mut u64),
    Level,
    Clash,
}

/// The inputs that are not the node's.
#[derive(Default)]
struct Own {
    phase_clock: u64,
    skip: u64,
    other: u64,
    other_holds: u64,
    keep: u64,
    flip: u64,
}

/// They and the outputs, with their width in wires.
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

enum Width {
    Bit,
    Wires,
}

impl ReferenceStation {
    /// Of a node with the ports of [`Node`](crate::rtl::tdma::Node), with so many wires.
    ///
    /// # Errors
    /// None that a released circuit has.
    pub fn new(node: Box<dyn Engine>, wires: u32, sync: SyncSource) -> Result<Self, EngineError> {
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
                "sync" if sync == SyncSource::Own => continue,
                "phase" => "node_phase",
                name => name,
            };
            ports.push(Port {
                name: name.into(),
                ..port.clone()
            });
            places.push(Place::Node(PortId(i)));
        }
        for (name, place, width) in OWN {
            ports.push(Port {
                name: name.into(),
                width: match width {
                    Width::Bit => 1,
                    Width::Wires => wires,
                },
                input: matches!(place, Place::Input(_)),
            });
            places.push(place);
        }
        Ok(ReferenceStation {
            own_sync,
            pull: node.port("pull"),
            holds: node.port("holds"),
            phase_clock: (node.port("phase_clock"), 0),
            level: (node.port("level"), 0),
            all: u64::MAX >> (64 - wires),
            own: Own::default(),
            node,
            ports,
            places,
        })
    }

    /// What its ends see.
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
            let clock = self.own.phase_clock & !self.own.skip;
            let level = self.seen();
            if (self.phase_clock.1, self.level.1) == (clock, level) {
                return Ok(());
            }
            (self.phase_clock.1, self.level.1) = (clock, level);
            for (port, value) in [self.phase_clock, self.level] {
                self.node.set_u64(port, value);
            }
            if let Some(own) = &mut self.own_sync {
                own.counter.set_u64(own.phase_clock, clock);
                own.show(&mut *self.node)?;
            }
        }
        Err(EngineError::Unsettled { rounds: ROUNDS })
    }

    fn get(&mut self, port: PortId) -> BigUint {
        match self.places[port.0] {
            Place::Node(port) => self.node.get(port),
            Place::Input(input) => (*input(&mut self.own)).into(),
            Place::Level => self.seen().into(),
            Place::Clash => (self.node.get_u64(self.holds) & self.own.other_holds).into(),
        }
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.settle()?;
        self.node.clock()?;
        if let Some(own) = &mut self.own_sync {
            own.counter.clock()?;
            own.show(&mut *self.node)?;
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
