use super::engine::Engine;
use super::shared::{Shared, Time};
use crate::eval::Evaluator;

/// The circuit that runs once for all lanes.
#[derive(Debug)]
pub struct Helper {
    pub evaluator: Evaluator,
}

impl Helper {
    /// A clock cycle; the lanes see what follows from this one on.
    pub fn clock(&mut self, engine: &Engine, shared: &Shared, time: Time) {
        self.evaluator.clock();
        self.show(engine, shared, time);
    }

    /// Settles and shows the lanes what they see.
    pub fn show(&mut self, engine: &Engine, shared: &Shared, time: Time) {
        self.evaluator.settle();
        for &(net, bit, number) in &engine.plan.helped {
            let value = match self.evaluator.netlist().width(net) {
                0..=64 => self.evaluator.get(net) >> bit & 1 == 1,
                _ => self.evaluator.get_big(net).bit(bit.into()),
            };
            shared.set_broadcast(time, number, value);
        }
    }
}
