//! Evaluator as an engine. The speed of the other engines is compared with this one.

use super::{ports, CircuitEngine, EngineError, EnginePort, PortId};
use lockstep::design::Design;
use lockstep::eval::Evaluator;
use lockstep::netlist::{flatten, NetId};
use num_bigint::BigUint;

/// Plain evaluator of the flattened netlist.
#[derive(Clone)]
pub struct EvaluatorEngine {
    evaluator: Evaluator,
    ports: Vec<EnginePort>,
    /// Nets of the ports, then of requested signals.
    nets: Vec<NetId>,
}

impl EvaluatorEngine {
    /// Flattens the circuit.
    ///
    /// # Errors
    /// If the circuit has a combinational loop.
    pub fn new(design: &Design) -> Result<Self, EngineError> {
        let netlist = flatten(design)?;
        let ports = ports(design);
        let nets = ports
            .iter()
            .map(|port| {
                let net = match port.input {
                    true => netlist.input(&port.name),
                    false => netlist.output(&port.name),
                };
                net.expect("flattening keeps the ports")
            })
            .collect();
        let mut evaluator = Evaluator::new(netlist);
        evaluator.settle();
        Ok(EvaluatorEngine {
            evaluator,
            ports,
            nets,
        })
    }

    /// The evaluator, for access to any net.
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }
}

impl CircuitEngine for EvaluatorEngine {
    fn name(&self) -> &'static str {
        "evaluator"
    }

    fn ports(&self) -> &[EnginePort] {
        &self.ports
    }

    fn signal(&mut self, path: &str) -> Option<PortId> {
        let net = self.evaluator.netlist().find(path)?;
        self.nets.push(net);
        Some(PortId(self.nets.len() - 1))
    }

    fn set(&mut self, port: PortId, value: &BigUint) {
        self.evaluator.set_big(self.nets[port.0], value);
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.evaluator.settle();
        Ok(())
    }

    fn get(&mut self, port: PortId) -> BigUint {
        self.evaluator.get_big(self.nets[port.0])
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.evaluator.clock();
        Ok(())
    }

    fn set_u64(&mut self, port: PortId, value: u64) {
        self.evaluator.set(self.nets[port.0], value);
    }

    fn get_u64(&mut self, port: PortId) -> u64 {
        self.evaluator.get(self.nets[port.0])
    }
}
