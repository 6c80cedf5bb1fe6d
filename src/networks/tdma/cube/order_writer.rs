//! How the order of links is written into a machine, and its schedule begins.

use crate::engine::{NodeEngine, SharedPort};
use std::sync::Arc;

/// Writes a pair of the order in a clock cycle, and then lets the phase clock run.
pub(super) struct OrderWriter {
    enable: SharedPort,
    /// Of a machine whose order is programmed.
    memory: Option<Memory>,
    begun: bool,
}

/// The order, and where it goes.
struct Memory {
    order: Arc<[u32]>,
    /// Pairs that are written.
    written: usize,
    write: SharedPort,
    pair: SharedPort,
    link: SharedPort,
    last: SharedPort,
}

impl OrderWriter {
    /// Of an engine that has just been started, with the order that it is to have.
    pub fn new(engine: &mut dyn NodeEngine, order: Option<&[u32]>) -> Self {
        let memory = order.map(|order| Memory {
            order: order.into(),
            written: 0,
            write: engine.shared_port("write"),
            pair: engine.shared_port("write_pair"),
            link: engine.shared_port("write_link"),
            last: engine.shared_port("write_last"),
        });
        OrderWriter {
            enable: engine.shared_port("enable"),
            memory,
            begun: false,
        }
    }

    /// Sets the inputs of the phase clock for a clock cycle; to be asked before each edge.
    pub fn write(&mut self, engine: &mut dyn NodeEngine) {
        if self.begun {
            return;
        }
        let Some(memory) = &mut self.memory else {
            engine.set_shared(self.enable, 1);
            self.begun = true;
            return;
        };
        match memory.order.get(memory.written) {
            Some(link) => {
                let last = memory.written + 1 == memory.order.len();
                engine.set_shared(memory.write, 1);
                engine.set_shared(memory.pair, memory.written as u64);
                engine.set_shared(memory.link, (*link).into());
                engine.set_shared(memory.last, last.into());
                memory.written += 1;
            }
            // In this clock cycle the first word is read.
            None => {
                engine.set_shared(memory.write, 0);
                self.memory = None;
            }
        }
    }
}
