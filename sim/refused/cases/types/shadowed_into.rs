//! Another trait of the name `Into`.
use hdl::prelude::*;

trait Into<T> {
    fn into(self) -> T;
}

impl Into<Bits<4>> for u64 {
    fn into(self) -> Bits<4> {
        bits(self + 1)
    }
}

impl Into<Bits<1>> for bool {
    fn into(self) -> Bits<1> {
        bits(0)
    }
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub f: Signal<In, Bit>,
    pub o: Signal<Out, Bits<4>>,
    pub p: Signal<Out, Bits<1>>,
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        self.o.next = 3.into(); //~ E0034
        self.p.next = self.f.val().into(); //~ E0034
    }
}
