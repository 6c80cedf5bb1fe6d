//! Types that do not match. The compiler reports each once, in the terms of `update`, and a warning
//! names the cure.
use hdl::prelude::*;

#[word]
#[derive(Default)]
pub struct Pair {
    high: Bits<4>,
    low: Bits<4>,
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Widths {
    pub a: Signal<In, Bits<4>>,
    pub b: Signal<In, Bits<8>>,
    pub f: Signal<In, Bit>,
    pub o: Signal<Out, Bits<8>>,
    pub p: Signal<Out, Pair>,
    pub q: Signal<Out, Bit>,
}

impl Logic for Widths {
    #[kernel]
    fn update(&mut self) {
        self.o.next = self.a.val(); //~ mismatched types //~ expected `8`, found `4`
        self.o.next = self.f.val(); //~ mismatched types
        self.p.next.low = self.b.val(); //~ mismatched types
        self.o.next = self.b.val() + self.a.val(); //~ cannot add
        self.o.next = self.b.val() & self.a.val(); //~ no implementation for
        self.q.next = self.b.val() == self.a.val(); //~ can't compare
        self.q.next = self.b.val() < self.a.val(); //~ can't compare
        self.o.next = self.b.val() - self.a.val().get_bits::<2>(1); //~ cannot subtract
        let a = self.a.val();
        let b = self.b.val();
        self.o.next = b + a; //~ cannot add
        self.q.next = a == b; //~ can't compare
        self.o.next = self.b.val() | (a); //~ no implementation for
        self.o.next = a; //~ mismatched types
    }
}
