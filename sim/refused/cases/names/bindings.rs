//! A name in a pattern that begins in upper case but is not a constant.
use hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub a: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bits<4>>,
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        match self.a.val().index() {
            0 => self.o.next = self.a.val() + 1,
            Other => self.o.next = self.a.val() + 2, //~ cannot find value `Other`
        }
    }
}
