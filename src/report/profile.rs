//! What the cores of a machine do with their time.

use crate::engine::{EngineError, NodeEngine, NodePort, SharedPort};

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

/// An engine that watches the cores of a machine of
/// [`SoftNode`](crate::rtl::tdma::SoftNode)s in every clock cycle.
///
/// It stands between the engine and the machine that drives it, and changes
/// nothing of what either sees.
pub struct Profiler<'a> {
    engine: &'a mut dyn NodeEngine,
    phase_clock: SharedPort,
    was_high: bool,
    asleep: Pin,
    retired: Pin,
    halted: Pin,
    decided: Pin,
    cores: Vec<CoreProfile>,
}

/// An output of all nodes, and its values in this clock cycle.
struct Pin {
    port: NodePort,
    values: Vec<u64>,
}

impl Pin {
    fn new(engine: &mut dyn NodeEngine, name: &str) -> Self {
        Pin {
            port: engine.port(name),
            values: vec![],
        }
    }

    fn look(&mut self, engine: &mut dyn NodeEngine) {
        engine.get_all(self.port, &mut self.values);
    }

    fn is_high(&self, node: usize) -> bool {
        self.values[node] == 1
    }
}

impl<'a> Profiler<'a> {
    pub fn new(engine: &'a mut dyn NodeEngine) -> Self {
        Profiler {
            phase_clock: engine.shared_port("phase_clock"),
            was_high: false,
            asleep: Pin::new(engine, "asleep"),
            retired: Pin::new(engine, "retired"),
            halted: Pin::new(engine, "halted"),
            decided: Pin::new(engine, "decided"),
            cores: vec![CoreProfile::default(); engine.nodes()],
            engine,
        }
    }

    /// What was seen, by node.
    pub fn into_cores(self) -> Vec<CoreProfile> {
        self.cores
    }

    fn watch(&mut self) {
        let high = self.engine.get_shared(self.phase_clock) == 1;
        let begins = high && !self.was_high;
        self.was_high = high;
        let pins = [
            &mut self.asleep,
            &mut self.retired,
            &mut self.halted,
            &mut self.decided,
        ];
        for pin in pins {
            pin.look(self.engine);
        }
        for (node, core) in self.cores.iter_mut().enumerate() {
            if begins {
                core.service.push(0);
            }
            core.instructions += u64::from(self.retired.is_high(node));
            if self.halted.is_high(node) {
                core.stopped += 1;
            } else if self.asleep.is_high(node) {
                core.asleep += 1;
            } else {
                core.awake += 1;
            }
            if let (false, Some(service)) = (self.decided.is_high(node), core.service.last_mut()) {
                *service += 1;
            }
        }
    }
}

impl NodeEngine for Profiler<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn nodes(&self) -> usize {
        self.engine.nodes()
    }

    fn port(&mut self, name: &str) -> NodePort {
        self.engine.port(name)
    }

    fn shared_port(&mut self, name: &str) -> SharedPort {
        self.engine.shared_port(name)
    }

    fn set(&mut self, port: NodePort, node: usize, value: u64) {
        self.engine.set(port, node, value);
    }

    fn set_shared(&mut self, port: SharedPort, value: u64) {
        self.engine.set_shared(port, value);
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.engine.settle()
    }

    fn get(&mut self, port: NodePort, node: usize) -> u64 {
        self.engine.get(port, node)
    }

    fn get_shared(&mut self, port: SharedPort) -> u64 {
        self.engine.get_shared(port)
    }

    fn get_all(&mut self, port: NodePort, values: &mut Vec<u64>) {
        self.engine.get_all(port, values);
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.engine.settle()?;
        self.watch();
        self.engine.clock()
    }
}
