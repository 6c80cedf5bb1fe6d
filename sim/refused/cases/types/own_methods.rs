//! The compiler may propose to import an internal trait. Its methods take precedence over those of
//! words, so the block no longer compiles, and never means something else.
use hdl::lower::OwnMethods;
use hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)] //~ OwnMethod
pub struct Imports {
    pub a: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bit>,
    pub p: Signal<Out, Bits<1>>,
}

impl Logic for Imports {
    #[kernel]
    fn update(&mut self) {
        self.o.next = self.a.val().any(); //~ expected `bool`, found `OwnMethod`
        self.o.next = self.a.val().all(); //~ expected `bool`, found `OwnMethod`
    }
}
