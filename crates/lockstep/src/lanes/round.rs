//! Phases of a clock cycle and the work of chunks and helper in each.

use super::blackboard::{Blackboard, ClockCycle};
use super::chunk::Chunk;
use super::engine::LaneEngine;
use super::helper::Helper;
use super::program::FrameProgram;

/// Runs clock cycles phase by phase.
#[derive(Clone, Copy)]
pub struct Round<'a> {
    pub engine: &'a LaneEngine,
    pub blackboard: &'a Blackboard,
    /// Condition that stops the run before a clock edge if it holds in some lane.
    pub until: Option<&'a FrameProgram>,
}

/// Part of a clock cycle. All chunks finish it before the next part begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CyclePhase {
    /// Publishes values for other lanes that are unknown at the previous clock edge.
    Publish,
    /// Evaluates the stop condition.
    CheckStop,
    /// Performs the clock edge.
    Step,
}

impl Round<'_> {
    /// Returns the required phases, in order.
    pub fn phases(&self) -> Vec<CyclePhase> {
        let mut phases = vec![];
        if self.engine.plan.publish_late {
            phases.push(CyclePhase::Publish);
        }
        if self.until.is_some() {
            phases.push(CyclePhase::CheckStop);
        }
        phases.push(CyclePhase::Step);
        phases
    }

    /// Performs a chunk's part of a phase. Returns true if the run must stop.
    pub fn chunk(&self, phase: CyclePhase, chunk: &mut Chunk, time: ClockCycle) -> bool {
        let (engine, blackboard) = (self.engine, self.blackboard);
        match phase {
            CyclePhase::Publish => {
                chunk.refresh(engine, blackboard, time);
                chunk.publish(engine, blackboard, time);
            }
            CyclePhase::CheckStop => {
                chunk.refresh(engine, blackboard, time);
                chunk.exchange(engine, blackboard, time);
                return self.until.is_some_and(|until| chunk.holds(engine, until));
            }
            CyclePhase::Step => {
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

    /// Performs the helper's part of a phase.
    pub fn helper(&self, phase: CyclePhase, helper: &mut Helper, time: ClockCycle) {
        if phase == CyclePhase::Step {
            helper.clock(self.blackboard, time + 1);
        }
    }

    /// Runs clock cycles from `time` in one thread. Returns the number of clock cycles done.
    pub fn run_single_threaded(
        &self,
        time: ClockCycle,
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
