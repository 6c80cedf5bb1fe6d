//! Traffic for benchmarks, by whose fingerprints engines are checked.

use super::hosts::{register_bytes, Exchange, Hosts};
use super::pace::Pace;
use crate::engine::fingerprint::{mix, BASIS};
use crate::engine::{EngineError, NodeEngine, NodePort};
use crate::machine::PhaseTiming;
use crate::topology::Hypercube;
use crate::traffic::MessageList;
use std::sync::Arc;

/// So many clock cycles of a cube under traffic, and a fingerprint of what each
/// node did in them: the same for every engine that is right.
#[derive(Clone, Debug)]
pub struct Workload {
    pub cube: Hypercube,
    pub timing: PhaseTiming,
    pub messages: MessageList,
    pub clock_cycles: u64,
    /// The fingerprint is of all outputs in every clock cycle; else of every byte
    /// handed over with its clock cycle, and of all outputs at the end.
    pub every_clock_cycle: bool,
    /// Hierarchical names of signals inside the node that count as outputs.
    pub signals: Vec<String>,
}

impl Workload {
    /// Runs on a machine that has just been started; the fingerprint of each
    /// node. `outputs` are the names of a node's outputs, in order.
    ///
    /// # Errors
    /// If the circuit does not settle.
    ///
    /// # Panics
    /// If the engine does not show one of the signals.
    pub fn run(
        &self,
        engine: &mut dyn NodeEngine,
        outputs: &[String],
    ) -> Result<Vec<u64>, EngineError> {
        let mut hosts = Hosts::new(engine, Arc::new(self.messages.clone()), &[]);
        let mut ports: Vec<NodePort> = outputs.iter().map(|name| engine.port(name)).collect();
        for path in &self.signals {
            let signal = engine.signal(path);
            ports.push(signal.unwrap_or_else(|| panic!("the engine does not show `{path}`")));
        }
        self.start(engine);
        let mut pace = Pace::new(engine, &self.timing);
        let mut hashes = vec![BASIS; engine.nodes()];
        let mut clock = 0;
        while clock < self.clock_cycles {
            engine.settle()?;
            pace.begins(engine);
            if pace.in_service() {
                for exchange in hosts.exchange(engine) {
                    if let (false, Exchange::Handed { node, bytes, .. }) =
                        (self.every_clock_cycle, exchange)
                    {
                        let bytes = bytes.iter().map(|byte| u64::from(*byte));
                        hashes[node] = bytes.chain([clock]).fold(hashes[node], mix);
                    }
                }
            }
            let mut at_most = self.clock_cycles - clock;
            if self.every_clock_cycle {
                engine.settle()?;
                mix_outputs(engine, &ports, &mut hashes);
                at_most = 1;
            }
            clock += pace.advance(engine, &hosts, at_most)?;
        }
        if !self.every_clock_cycle {
            engine.settle()?;
            mix_outputs(engine, &ports, &mut hashes);
        }
        Ok(hashes)
    }

    /// Sets what stays as it is.
    fn start(&self, engine: &mut dyn NodeEngine) {
        let keep = engine.port("keep");
        for node in 0..engine.nodes() {
            engine.set(keep, node, (1 << self.cube.dims()) - 1);
        }
        for (input, value) in self.shared_inputs() {
            let port = engine.shared_port(input);
            engine.set_shared(port, value);
        }
    }

    /// What the phase clock is set to.
    pub fn shared_inputs(&self) -> [(&'static str, u64); 2] {
        [("divider", self.timing.divider()), ("enable", 1)]
    }

    /// For every node the messages of its host as registers hold them, in order.
    pub fn queues(&self) -> Vec<Vec<Vec<u8>>> {
        let mut queues = vec![vec![]; self.cube.nodes() as usize];
        for message in self.messages.iter().filter(|m| !m.is_to_self()) {
            queues[message.source as usize].push(register_bytes(&message).collect());
        }
        queues
    }
}

fn mix_outputs(engine: &mut dyn NodeEngine, ports: &[NodePort], hashes: &mut [u64]) {
    let mut values = vec![];
    for port in ports {
        engine.get_all(*port, &mut values);
        for (hash, value) in hashes.iter_mut().zip(&values) {
            *hash = mix(*hash, *value);
        }
    }
}
