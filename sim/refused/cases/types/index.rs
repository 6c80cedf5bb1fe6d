//! An index is a `usize` in Rust: arithmetic on it would be 64 bits wide.
use hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub a: Signal<In, Bits<3>>,
    pub o: Signal<Out, Bit>,
    pub p: Signal<Out, Bits<4>>,
    list: [Signal<Local, Bit>; 8],
}

const TABLE: [u64; 8] = [0; 8];

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        self.o.next = self.a.val().index() + 1 == 8; //~ cannot add
        self.o.next = self.a.val().get_bit(self.a.val().index() - 1); //~ cannot subtract
        self.o.next = self.a.val().get_bit(2 * self.a.val().index()); //~ cannot multiply
        self.o.next = self.list[self.a.val().index()].val(); //~ cannot be indexed by
        self.list[self.a.val().index()].next = true; //~ cannot be indexed by
        self.p.next = TABLE[self.a.val().index()].into(); //~ `u64: Lift`
        for i in 0..self.a.val().index() { //~ mismatched types
            self.o.next = true;
        }
        self.p.next = self.a.val().index().to_bits(); //~ no method named `to_bits` found
        self.o.next = self.a.val().index() == self.a.val().get_bits::<2>(0).index() ^ 1; //~ E0369
    }
}
