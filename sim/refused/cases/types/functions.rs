//! Values known at generation cannot be computed from a word. A function of words requires words of
//! the right types.
use hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub a: Signal<In, Bits<4>>,
    pub f: Signal<In, Bit>,
    pub o: Signal<Out, Bits<4>>,
    pub b: Signal<Out, Bits<4>>,
    pub c: Signal<Out, Bits<4>>,
    pub d: Signal<Out, Bit>,
}

#[kernel]
fn increment(x: Bits<4>) -> Bits<4> {
    x + 1
}

fn nibble<const N: usize>(x: usize) -> Bits<N> {
    (x as u64).into()
}

fn size<T>(_: T) -> u64 {
    std::mem::size_of::<T>() as u64
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        self.o.next = increment(self.f.val()); //~ mismatched types //~ expected `Bits<4>`, found `bool`
        self.b.next = bits(size(self.a.val())); //~ expected `u64`, found `Sym<u64>`
        self.c.next = nibble(self.a.val().index()); //~ expected `usize`, found `Index`
        self.d.next = increment(self.a.val()); //~ expected `bool`, found `Bits<4>`
    }
}
