//! `clock!` and `dff_setup!` take `self`, the clock, and fields.

use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

use hdl::cells::Reg;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub clock: Signal<In, Clock>,
    state: [Reg<Bits<4>>; 2],
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, state[0]); //~ unexpected token //~ no rules expected
    }
}
