//! Conversions, indices and functions that the type checker rejects.

/// `as` on a word.
mod casts {
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
            let a = self.a.val();
            let f = self.f.val();
            self.o.next = (f as u64).into(); //~ non-primitive cast
            self.p.next = (a.index() as u64).into(); //~ non-primitive cast
            let i = (a == 3) as u64; //~ non-primitive cast
        }
    }
}

/// Values known at generation cannot be computed from a word. A function of words requires words of
/// the right types.
mod functions {
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
}

/// An index is a `usize` in Rust: arithmetic on it would be 64 bits wide.
mod index {
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
}

/// Another trait of the name `Into`.
mod shadowed_into {
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
}
