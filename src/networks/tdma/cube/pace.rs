//! How a run of the cube skips the clock cycles in which no host has work.

use crate::engine::{EngineError, NodeEngine, NodePort, SharedPort};
use crate::machine::RunError;
use crate::networks::tdma::PhaseTiming;

/// Clock cycles after the rising phase clock in which a node begins its phase.
const NODE_DELAY: u64 = 4;

/// Where a machine is in its phase, and how far it can go without a look at it.
pub(super) struct Pace {
    phase_clock: SharedPort,
    was_high: bool,
    /// Clock cycles since the phase began; `None` before the first one.
    in_phase: Option<u64>,
    /// Clock cycles of a phase in which hosts can have work: until the frame
    /// window opens.
    service: u64,
    /// Clock cycles of a phase.
    phase: u64,
}

impl Pace {
    pub fn new(engine: &mut dyn NodeEngine, timing: &PhaseTiming) -> Self {
        Pace {
            phase_clock: engine.shared_port("phase_clock"),
            was_high: false,
            in_phase: None,
            service: u64::from(timing.window()) + NODE_DELAY,
            phase: u64::from(timing.clock_cycles()),
        }
    }

    /// Whether a phase begins in this clock cycle; to be asked in each that
    /// [`advance`](Self::advance) ends in, once.
    ///
    /// # Errors
    /// If one should have begun before.
    pub fn begins(&mut self, engine: &mut dyn NodeEngine) -> Result<bool, RunError> {
        let high = engine.get_shared(self.phase_clock) == 1;
        let begins = high && !self.was_high;
        self.was_high = high;
        if begins {
            self.in_phase = Some(0);
        } else if self.in_phase.is_some_and(|clock| clock > self.phase) {
            return Err(RunError::OutOfStep("the phase clock stands still"));
        }
        Ok(begins)
    }

    /// Hosts can have work in this clock cycle.
    pub fn in_service(&self) -> bool {
        self.in_phase.is_none_or(|clock| clock <= self.service)
    }

    /// Goes on to the next clock cycle in which something is to be looked at, no
    /// further than `at_most`, and at least one; how many clock cycles it was. `idle` are
    /// ports that are zero at all nodes as long as no host has anything to do, if none has.
    ///
    /// # Errors
    /// As [`NodeEngine::clock`].
    pub fn advance(
        &mut self,
        engine: &mut dyn NodeEngine,
        idle: Option<[NodePort; 3]>,
        at_most: u64,
    ) -> Result<u64, EngineError> {
        let mut done = 0;
        if let Some(clock) = self.in_phase {
            // The last clock cycle of a phase is looked at, to see the next begin.
            let at_most = at_most.min(self.phase.saturating_sub(clock + 1));
            if !self.in_service() {
                engine.clocks(at_most)?;
                done = at_most;
            } else if let Some(ports) = idle {
                let at_most = at_most.min(self.service + 1 - clock);
                done = engine.clocks_until(at_most, &ports)?;
            }
        }
        if done == 0 {
            engine.clock()?;
            done = 1;
        }
        self.in_phase = self.in_phase.map(|clock| clock + done);
        Ok(done)
    }
}
