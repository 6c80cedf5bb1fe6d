//! Activity of the cores of a machine over time.

use super::{profile_text, CoreProfile};
use crate::networks::Study;
use crate::RunStats;
use engine::{EngineError, NodeEngine, NodePortId, Observer, SharedPortId};
use interconnect::topology::Metacube;

/// Observes the cores of a machine of [`SoftNode`](rtl::tdma::SoftNode)s in every clock
/// cycle.
pub struct Profiler {
    phase_clock: SharedPortId,
    was_high: bool,
    asleep: ProfiledOutput,
    retired: ProfiledOutput,
    halted: ProfiledOutput,
    decided: ProfiledOutput,
    cores: Vec<CoreProfile>,
}

/// Output of all nodes, with its values in this clock cycle.
struct ProfiledOutput {
    port: NodePortId,
    values: Vec<u64>,
}

impl ProfiledOutput {
    fn new(engine: &mut dyn NodeEngine, name: &str) -> Self {
        ProfiledOutput {
            port: engine.port(name),
            values: vec![],
        }
    }

    /// Reads the current value at each node.
    fn look(&mut self, engine: &mut dyn NodeEngine) -> &[u64] {
        engine.get_all(self.port, &mut self.values);
        &self.values
    }
}

impl Profiler {
    /// Creates a profiler for the machine in this engine.
    pub fn new(engine: &mut dyn NodeEngine) -> Self {
        Profiler {
            phase_clock: engine.shared_port("phase_clock"),
            was_high: false,
            asleep: ProfiledOutput::new(engine, "asleep"),
            retired: ProfiledOutput::new(engine, "retired"),
            halted: ProfiledOutput::new(engine, "halted"),
            decided: ProfiledOutput::new(engine, "decided"),
            cores: vec![CoreProfile::default(); engine.nodes()],
        }
    }

    /// Returns the counts of each core, by node.
    pub fn into_cores(self) -> Vec<CoreProfile> {
        self.cores
    }

    fn watch(&mut self, engine: &mut dyn NodeEngine) {
        let high = engine.get_shared(self.phase_clock) == 1;
        let begins = high && !self.was_high;
        self.was_high = high;
        let asleep = self.asleep.look(engine);
        let retired = self.retired.look(engine);
        let halted = self.halted.look(engine);
        let decided = self.decided.look(engine);
        for (node, core) in self.cores.iter_mut().enumerate() {
            if begins {
                core.service.push(0);
            }
            core.instructions += retired[node];
            if halted[node] == 1 {
                core.stopped += 1;
            } else if asleep[node] == 1 {
                core.asleep += 1;
            } else {
                core.awake += 1;
            }
            if let (0, Some(service)) = (decided[node], core.service.last_mut()) {
                *service += 1;
            }
        }
    }
}

impl Observer for Profiler {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, _clock: u64) -> Result<(), EngineError> {
        self.watch(engine);
        Ok(())
    }
}

/// Profile that is printed after the summary.
pub(super) struct ProfileStudy {
    pub profiler: Profiler,
    pub shape: Metacube,
    /// Clock cycles that a node has for its decision.
    pub window: u32,
}

impl Observer for ProfileStudy {
    fn next_look(&self, clock: u64) -> Option<u64> {
        self.profiler.next_look(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        self.profiler.look(engine, clock)
    }
}

impl Study for ProfileStudy {
    fn text(self: Box<Self>, account: &RunStats) -> String {
        let cores = self.profiler.into_cores();
        profile_text(&self.shape, &cores, &account.traps, self.window)
    }
}
