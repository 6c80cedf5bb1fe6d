//! A by-value method of a user's trait takes precedence over a by-reference method of `rust-hdl`,
//! so `update` would call it.
use hdl::prelude::*;

#[derive(LogicBlock, Circuit)]
pub struct Block {
    pub a: Signal<In, Bits<4>>,
    pub f: Signal<In, Bit>,
    pub o: Signal<Out, Bit>,
    pub p: Signal<Out, Bits<4>>,
    k: Constant<Bits<4>>,
}

trait Mine: Sized {
    fn any(self) -> bool {
        false
    }
    fn all(self) -> bool {
        false
    }
    fn xor(self) -> bool {
        false
    }
    fn index(self) -> usize {
        0
    }
    fn get_bit(self, _: usize) -> bool {
        false
    }
    fn get_bits<const M: usize>(self, _: usize) -> Bits<M> {
        bits(0)
    }
    fn replace_bit(self, _: usize, _: bool) -> Self {
        self
    }
}

impl<const N: usize> Mine for Bits<N> {}

trait Value {
    fn val(self) -> Bits<4>;
}

impl Value for Constant<Bits<4>> {
    fn val(self) -> Bits<4> {
        bits(0)
    }
}

/// A method by reference. It comes after the method of `rust-hdl` and is harmless.
trait Behind {
    fn any(&self) -> bool {
        false
    }
}

impl<const N: usize> Behind for Bits<N> {}

/// Implemented for every type, including symbolic words.
trait Everywhere: Sized {
    fn all(self) -> bool {
        std::mem::size_of::<Self>() == 1
    }
}

impl Everywhere for bool {}
impl<T> Everywhere for hdl::lower::Sym<T> {}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        self.o.next = self.a.val().any(); //~ E0034
        self.o.next = self.a.val().all(); //~ E0034
        self.o.next = self.a.val().xor(); //~ E0034
        self.o.next = self.a.val().get_bit(0); //~ E0034
        self.o.next = self.a.val().index() == 3; //~ E0034
        self.p.next = self.a.val().get_bits(0); //~ E0034
        self.p.next = self.a.val().replace_bit(0, true); //~ E0034
        self.o.next = bits::<4>(3).any(); //~ E0034
        self.p.next = self.k.val(); //~ E0034
        self.o.next = self.f.val().all(); //~ E0034
    }
}

/// The compiler may propose to import an internal trait. Its methods take precedence over those of
/// words, so the block no longer compiles, and never means something else.
mod imported {
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
}
