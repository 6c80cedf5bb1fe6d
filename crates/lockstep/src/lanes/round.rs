//! The phases of a clock cycle, and what chunks and helper do in each.

use super::blackboard::{Blackboard, Time};
use super::chunk::Chunk;
use super::engine::Engine;
use super::helper::Helper;
use super::program::Program;

/// What is done in clock cycles, phase by phase.
#[derive(Clone, Copy)]
pub struct Round<'a> {
    pub engine: &'a Engine,
    pub blackboard: &'a Blackboard,
    /// Stops before a clock edge at which this holds in some lane.
    pub until: Option<&'a Program>,
}

/// Part of a clock cycle; all chunks do it before the next begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Shows what other lanes see, if it is not known before.
    Publish,
    /// Looks whether it is time to stop.
    Look,
    /// The clock edge.
    Step,
}

impl Round<'_> {
    /// The phases that there are, in order.
    pub fn phases(&self) -> Vec<Phase> {
        let mut phases = vec![];
        if self.engine.plan.publish_late {
            phases.push(Phase::Publish);
        }
        if self.until.is_some() {
            phases.push(Phase::Look);
        }
        phases.push(Phase::Step);
        phases
    }

    /// A chunk's part of a phase; whether it is time to stop.
    pub fn chunk(&self, phase: Phase, chunk: &mut Chunk, time: Time) -> bool {
        let (engine, blackboard) = (self.engine, self.blackboard);
        match phase {
            Phase::Publish => {
                chunk.refresh(engine, blackboard, time);
                chunk.publish(engine, blackboard, time);
            }
            Phase::Look => {
                chunk.refresh(engine, blackboard, time);
                chunk.exchange(engine, blackboard, time);
                return self.until.is_some_and(|until| chunk.holds(engine, until));
            }
            Phase::Step => {
                if self.until.is_none() {
                    chunk.refresh(engine, blackboard, time);
                    chunk.exchange(engine, blackboard, time);
                }
                chunk.step(engine, time);
                if !engine.plan.publish_late {
                    chunk.publish(engine, blackboard, time + 1);
                }
            }
        }
        false
    }

    /// The helper's part of a phase.
    pub fn helper(&self, phase: Phase, helper: &mut Helper, time: Time) {
        if phase == Phase::Step {
            helper.clock(self.blackboard, time + 1);
        }
    }

    /// All parts of clock cycles from `time` on, by one thread; how many it did.
    pub fn alone(
        &self,
        time: Time,
        clock_cycles: u64,
        chunks: &mut [Chunk],
        helper: &mut Option<Helper>,
    ) -> u64 {
        let phases = self.phases();
        for done in 0..clock_cycles {
            for &phase in &phases {
                let mut stop = false;
                for chunk in &mut *chunks {
                    stop |= self.chunk(phase, chunk, time + done);
                }
                if stop {
                    return done;
                }
                if let Some(helper) = helper {
                    self.helper(phase, helper, time + done);
                }
            }
        }
        clock_cycles
    }
}
