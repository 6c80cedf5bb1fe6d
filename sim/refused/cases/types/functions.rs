//! A function is called once, at generation: it cannot take a word.

use phasecube::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub a: Signal<In, Bits<4>>,
    pub f: Signal<In, Bit>,
    pub o: Signal<Out, Bits<4>>,
    pub b: Signal<Out, Bits<4>>,
    pub c: Signal<Out, Bits<4>>,
    pub d: Signal<Out, Bit>,
}

fn increment(x: Bits<4>) -> Bits<4> {
    x + 1
}

/// In the tree of `rust-hdl` a function of such a name vanishes.
fn bits_reversed(x: Bits<4>) -> Bits<4> {
    x ^ 15
}

fn nibble<const N: usize>(x: usize) -> Bits<N> {
    (x as u64).into()
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        self.o.next = increment(self.a.val()); //~ mismatched types //~ expected `Bits<4>`, found `Sym<Bits<4>>`
        self.b.next = bits_reversed(self.a.val()); //~ expected `Bits<4>`, found `Sym<Bits<4>>`
        self.c.next = nibble(self.a.val().index()); //~ expected `usize`, found `Index`
        self.d.next = std::ops::Not::not(bool::from(self.a.val().get_bits::<1>(0))); //~ E0277
    }
}
