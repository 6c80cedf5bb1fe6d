//! `as` on a word.
use hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub a: Signal<In, Bits<4>>,
    pub f: Signal<In, Bit>,
    pub o: Signal<Out, Bits<8>>,
    pub p: Signal<Out, Bits<8>>,
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        self.o.next = (self.f.val() as u64).into(); //~ non-primitive cast
        self.p.next = (self.a.val().index() as u64).into(); //~ non-primitive cast
        let i = (self.a.val() == 3) as u64; //~ non-primitive cast
    }
}
