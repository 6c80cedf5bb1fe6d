//! `clock!` and `dff_setup!` take `self`, the clock, and fields or elements of them.
use hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub clock: Signal<In, Clock>,
    state: [Reg<Bits<4>>; 2],
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, state[0]);
        dff_setup!(self, clock, state.q); //~ unexpected token
        for i in 0..2 {
            clock!(self, clock, 3); //~ expected identifier
        }
    }
}
