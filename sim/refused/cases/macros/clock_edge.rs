//! State is in cells, so a kernel sees no clock edge.
use hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bits<4>>,
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        if self.clock.pos_edge() { //~ `.pos_edge()` of a signal is outside the subset
            self.o.next = self.a.val();
        }
    }
}
