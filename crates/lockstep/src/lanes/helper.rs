use super::engine::Engine;
use super::shared::{Shared, Side};
use crate::eval::Evaluator;

/// The circuit that runs once for all lanes.
#[derive(Debug)]
pub struct Helper {
    pub evaluator: Evaluator,
}

impl Helper {
    /// A clock cycle; what the lanes see after it goes to this side.
    pub fn clock(&mut self, engine: &Engine, shared: &Shared, side: Side) {
        self.evaluator.clock();
        self.show(engine, shared, side);
    }

    /// Settles and shows the lanes what they see.
    pub fn show(&mut self, engine: &Engine, shared: &Shared, side: Side) {
        self.evaluator.settle();
        for &(net, bit, number) in &engine.plan.helped {
            let value = match self.evaluator.netlist().width(net) {
                0..=64 => self.evaluator.get(net) >> bit & 1 == 1,
                _ => self.evaluator.get_big(net).bit(bit.into()),
            };
            shared.set_broadcast(side, number, value);
        }
    }
}
