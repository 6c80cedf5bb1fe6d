//! A model of the wire of a link.
use hdl::prelude::*;

/// An open-drain wire with a pull-up and two ends.
#[derive(LogicBlock, Circuit, Default)]
pub struct OpenDrainWire {
    /// One end pulls the wire low.
    pub pull_a: Signal<In, Bit>,
    /// The other end pulls the wire low.
    pub pull_b: Signal<In, Bit>,
    /// What both ends see: high unless someone pulls.
    pub level: Signal<Out, Bit>,
}

impl Logic for OpenDrainWire {
    #[kernel]
    fn update(&mut self) {
        self.level.next = !(self.pull_a.val() | self.pull_b.val());
    }
}
