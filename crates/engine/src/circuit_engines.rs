//! Evaluator and Verilator as engines.

use super::{ports, CircuitEngine, EngineError, EnginePort, PortId};
use hdl::verilog::{self, VerilogModule};
use lockstep::design::Design;
use lockstep::eval::Evaluator;
use lockstep::netlist::{flatten, NetId};
use num_bigint::BigUint;
use std::ops::Range;
use std::path::Path;
use toolchain::{CompileEffort, PortSpec, Simulation, ToolError, Toolchain};

/// Plain evaluator of the flattened netlist. The speed of the other engines is compared with this one.
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
        Ok(EvaluatorEngine { evaluator, ports, nets })
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

/// Emitted Verilog, compiled by Verilator, in its own process.
///
/// Inputs and outputs are transferred through pipes, with one exchange for each clock cycle in
/// which outputs are read.
pub struct VerilatorEngine {
    simulation: Simulation,
    ports: Vec<EnginePort>,
    /// Words of each port, in `inputs` or in `outputs`.
    words: Vec<Range<usize>>,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    /// True if `outputs` are up to date.
    settled: bool,
    /// Error that occurred when an output was read. The next call that can fail returns it.
    failed: Option<ToolError>,
}

impl VerilatorEngine {
    /// Emits the design, compiles it in `work_dir` or reuses an earlier result, then starts and
    /// settles it.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    pub fn new(
        design: &Design,
        tools: &Toolchain,
        work_dir: &Path,
        effort: CompileEffort,
    ) -> Result<Self, EngineError> {
        let verilog = verilog::emit(design);
        let VerilogModule { ports: names, clock, .. } = verilog.top_module();
        let clock = clock.as_deref();
        let ports = ports(design);
        let specs = ports.iter().zip(names).map(|(port, name)| PortSpec {
            name: name.clone(),
            width: port.width as usize,
            input: port.input,
            inside: false,
        });
        let clocks = clock.map(|name| PortSpec::input(name, 1));
        let specs: Vec<PortSpec> = specs.chain(clocks).collect();
        let text = verilog.to_string();
        let model = tools.verilate_with(&text, verilog.top(), &specs, clock, work_dir, effort)?;
        let mut used = [0, 0];
        let words = ports
            .iter()
            .zip(&specs)
            .map(|(port, spec)| {
                let used = &mut used[usize::from(port.input)];
                let start = *used;
                *used += spec.words();
                start..*used
            })
            .collect();
        let [output_words, input_words] = used;
        let mut engine = VerilatorEngine {
            simulation: model.start()?,
            ports,
            words,
            inputs: vec![0; input_words],
            outputs: vec![0; output_words],
            settled: false,
            failed: None,
        };
        engine.settle()?;
        Ok(engine)
    }
}

impl CircuitEngine for VerilatorEngine {
    fn name(&self) -> &'static str {
        "verilator"
    }

    fn ports(&self) -> &[EnginePort] {
        &self.ports
    }

    fn set(&mut self, port: PortId, value: &BigUint) {
        let EnginePort { name, width, input } = &self.ports[port.0];
        assert!(*input, "`{name}` is not an input");
        assert!(
            value.bits() <= u64::from(*width),
            "{value:#x} does not fit the input `{name}`, which has {width} bits"
        );
        let words = &mut self.inputs[self.words[port.0].clone()];
        words.fill(0);
        for (word, digit) in words.iter_mut().zip(value.iter_u32_digits()) {
            *word = digit;
        }
        self.settled = false;
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        if let Some(failed) = self.failed.take() {
            return Err(failed.into());
        }
        if !self.settled {
            self.simulation.settle_words(&self.inputs, &mut self.outputs)?;
            self.settled = true;
        }
        Ok(())
    }

    fn get(&mut self, port: PortId) -> BigUint {
        let words = self.words[port.0].clone();
        if self.ports[port.0].input {
            return BigUint::from_slice(&self.inputs[words]);
        }
        if !self.settled {
            let settled = self.simulation.settle_words(&self.inputs, &mut self.outputs);
            self.failed = settled.err();
            self.settled = true;
        }
        BigUint::from_slice(&self.outputs[words])
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        if let Some(failed) = self.failed.take() {
            return Err(failed.into());
        }
        self.simulation.clock_words(&self.inputs)?;
        self.settled = false;
        Ok(())
    }
}
