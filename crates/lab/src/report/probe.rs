//! Records the outputs of a run, to compare engines and to draw the wire.

use engine::agree::Trace;
use engine::{CircuitEngine, EngineError, EnginePort, PortId};
use num_bigint::BigUint;

/// Engine that records the outputs of every clock cycle.
///
/// The probe is inserted between an engine and the machine that drives it, and is transparent for
/// both.
pub struct OutputProbe<'a> {
    engine: &'a mut dyn CircuitEngine,
    outputs: Vec<PortId>,
    trace: Trace,
}

impl<'a> OutputProbe<'a> {
    pub fn new(engine: &'a mut dyn CircuitEngine) -> Self {
        let ports = engine.ports().iter().enumerate();
        let outputs = ports.filter(|(_, port)| !port.input);
        OutputProbe {
            outputs: outputs.map(|(i, _)| PortId(i)).collect(),
            engine,
            trace: Trace::new(),
        }
    }

    /// Names of the outputs, and their values by clock cycle.
    pub fn into_trace(self) -> (Vec<String>, Trace) {
        let ports = self.engine.ports();
        let names = self.outputs.iter().map(|id| ports[id.0].name.clone());
        (names.collect(), self.trace)
    }
}

impl CircuitEngine for OutputProbe<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn ports(&self) -> &[EnginePort] {
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
        let cycle = self.outputs.iter().map(|id| self.engine.get(*id));
        self.trace.push(cycle.collect());
        self.engine.clock()
    }

    fn set_u64(&mut self, port: PortId, value: u64) {
        self.engine.set_u64(port, value);
    }

    fn get_u64(&mut self, port: PortId) -> u64 {
        self.engine.get_u64(port)
    }
}
