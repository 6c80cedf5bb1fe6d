//! Traffic for benchmarks: what the hosts of a cube set under it.

use super::hosts::Hosts;
use super::pace::Pace;
use crate::engine::{EngineError, NodeEngine, Recorder, Recording, Stream};
use crate::networks::tdma::PhaseTiming;
use crate::topology::Hypercube;
use crate::traffic::MessageList;
use std::sync::Arc;

/// So many clock cycles of a cube under traffic.
#[derive(Clone, Debug)]
pub struct Workload {
    pub cube: Hypercube,
    pub timing: PhaseTiming,
    pub messages: MessageList,
    pub clock_cycles: u64,
}

impl Workload {
    /// Runs on a machine that has just been started, and records what is set.
    ///
    /// # Errors
    /// If the circuit does not settle.
    pub fn record(&self, engine: &mut dyn NodeEngine) -> Result<Recording, EngineError> {
        let stream = Stream {
            valid: "out_valid".into(),
            data: "out_data".into(),
            last: Some("out_last".into()),
        };
        let mut engine = Recorder::new(engine, stream);
        let mut hosts = Hosts::new(&mut engine, Arc::new(self.messages.clone()), &[]);
        self.start(&mut engine);
        let mut pace = Pace::new(&mut engine, &self.timing);
        let mut clock = 0;
        while clock < self.clock_cycles {
            engine.settle()?;
            pace.begins(&mut engine);
            if pace.in_service() {
                hosts.exchange(&mut engine);
            }
            clock += pace.advance(&mut engine, &hosts, self.clock_cycles - clock)?;
        }
        Ok(engine.finish())
    }

    /// Sets what stays as it is.
    fn start(&self, engine: &mut dyn NodeEngine) {
        let keep = engine.port("keep");
        for node in 0..engine.nodes() {
            engine.set(keep, node, self.cube.all_dims());
        }
        for (input, value) in [("divider", self.timing.divider()), ("enable", 1)] {
            let port = engine.shared_port(input);
            engine.set_shared(port, value);
        }
    }
}
