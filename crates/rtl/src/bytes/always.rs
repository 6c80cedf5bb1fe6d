//! What a machine of byte channels has one of: nothing but a mark of time.

use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Says that a step begins, in every clock cycle: nodes that signal by request and
/// acknowledge have no steps of their own.
#[derive(LogicBlock, Circuit, Default)]
pub struct Always {
    pub clock: Signal<In, Clock>,
    /// High.
    pub start: Signal<Out, Bit>,
}

impl Logic for Always {
    #[kernel]
    fn update(&mut self) {
        self.start.next = true;
    }
}
