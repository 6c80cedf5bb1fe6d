//! A constant step signal for machines of byte channels.
use hdl::prelude::*;

/// Signals the beginning of a step in every clock cycle. Nodes with request and acknowledge signals
/// have no steps of their own.
#[derive(LogicBlock, Circuit, Default)]
pub struct ConstantStep {
    pub clock: Signal<In, Clock>,
    /// Always high.
    pub start: Signal<Out, Bit>,
}

impl Logic for ConstantStep {
    #[kernel]
    fn update(&mut self) {
        self.start.next = true;
    }
}
