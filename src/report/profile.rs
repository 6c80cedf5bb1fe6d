//! What the cores of a machine do with their time.

use crate::engine::{Engine, EngineError, Port, PortId};
use num_bigint::BigUint;

/// What one core did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreProfile {
    /// Clock cycles in which it worked, or waited for memory.
    pub awake: u64,
    /// Clock cycles in which it slept.
    pub asleep: u64,
    /// Clock cycles after it had stopped for good.
    pub stopped: u64,
    /// Instructions that it finished.
    pub instructions: u64,
    /// For every phase the clock cycles until the software had decided what the
    /// node sends.
    pub service: Vec<u32>,
}

/// An engine that watches the cores of a
/// [`SoftCube`](crate::rtl::tdma::SoftCube) in every clock cycle.
///
/// It stands between the engine and the machine that drives it, and changes
/// nothing of what either sees.
pub struct Profiler<'a> {
    engine: &'a mut dyn Engine,
    phase_clock: PortId,
    was_high: bool,
    pins: Vec<Pins>,
    cores: Vec<CoreProfile>,
}

struct Pins {
    asleep: PortId,
    retired: PortId,
    halted: PortId,
    decided: PortId,
}

impl<'a> Profiler<'a> {
    /// Watches the cores of so many nodes.
    pub fn new(engine: &'a mut dyn Engine, nodes: usize) -> Self {
        let pins = (0..nodes).map(|i| {
            let port = |name: &str| engine.port(&format!("{name}[{i}]"));
            Pins {
                asleep: port("asleep"),
                retired: port("retired"),
                halted: port("halted"),
                decided: port("decided"),
            }
        });
        Profiler {
            pins: pins.collect(),
            phase_clock: engine.port("phase_clock"),
            was_high: false,
            cores: vec![CoreProfile::default(); nodes],
            engine,
        }
    }

    /// What was seen, by node.
    pub fn into_cores(self) -> Vec<CoreProfile> {
        self.cores
    }

    fn watch(&mut self) {
        let high = self.engine.get_u64(self.phase_clock) == 1;
        let begins = high && !self.was_high;
        self.was_high = high;
        for (pins, core) in self.pins.iter().zip(&mut self.cores) {
            if begins {
                core.service.push(0);
            }
            let mut is_high = |port| self.engine.get_u64(port) == 1;
            core.instructions += u64::from(is_high(pins.retired));
            if is_high(pins.halted) {
                core.stopped += 1;
            } else if is_high(pins.asleep) {
                core.asleep += 1;
            } else {
                core.awake += 1;
            }
            if let (false, Some(service)) = (is_high(pins.decided), core.service.last_mut()) {
                *service += 1;
            }
        }
    }
}

impl Engine for Profiler<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn ports(&self) -> &[Port] {
        self.engine.ports()
    }

    fn set(&mut self, port: PortId, value: &BigUint) {
        self.engine.set(port, value);
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.engine.settle()
    }

    fn get(&mut self, port: PortId) -> BigUint {
        self.engine.get(port)
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.engine.settle()?;
        self.watch();
        self.engine.clock()
    }

    fn set_u64(&mut self, port: PortId, value: u64) {
        self.engine.set_u64(port, value);
    }

    fn get_u64(&mut self, port: PortId) -> u64 {
        self.engine.get_u64(port)
    }
}
