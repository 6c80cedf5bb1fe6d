use super::chunk::Chunk;
use super::engine::Engine;
use super::helper::Helper;
use super::program::Program;
use super::shared::{Shared, Time};
use std::sync::atomic::Ordering;
use std::sync::Arc;

/// What all threads do together.
#[derive(Clone, Debug)]
pub struct Task {
    pub engine: Arc<Engine>,
    pub shared: Arc<Shared>,
    /// The present clock cycle.
    pub time: Time,
    pub clock_cycles: u64,
    /// Stops before a clock edge at which this holds in some lane.
    pub until: Option<Arc<Program>>,
}

impl Task {
    /// One thread's part in it; how many clock cycles were done. One thread has
    /// the helper, if there is one.
    pub fn run(&self, chunks: &mut [Chunk], mut helper: Option<&mut Helper>) -> u64 {
        let (engine, shared) = (&*self.engine, &*self.shared);
        let late = engine.plan.publish_late;
        for cycle in 0..self.clock_cycles {
            let (time, next) = (self.time + cycle, self.time + cycle + 1);
            for chunk in &mut *chunks {
                chunk.refresh(engine, shared, time);
                if late {
                    chunk.publish(engine, shared, time);
                }
            }
            if late {
                shared.meet();
            }
            if let Some(until) = &self.until {
                for chunk in &mut *chunks {
                    chunk.exchange(engine, shared, time);
                    if chunk.holds(engine, until) {
                        shared.stop.store(true, Ordering::Relaxed);
                    }
                }
                shared.meet();
                if shared.stop.load(Ordering::Relaxed) {
                    return cycle;
                }
            }
            for chunk in &mut *chunks {
                if self.until.is_none() {
                    chunk.exchange(engine, shared, time);
                }
                chunk.step(engine);
                if !late {
                    chunk.publish(engine, shared, next);
                }
            }
            if let Some(helper) = &mut helper {
                helper.clock(engine, shared, next);
            }
            shared.meet();
        }
        self.clock_cycles
    }
}
