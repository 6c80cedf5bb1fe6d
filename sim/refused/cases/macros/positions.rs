//! Attributes, edges and macros in positions where they are not allowed.

/// `#[derive(Circuit)]` is for blocks.
mod circuit_of_enum {
    use hdl::prelude::*;

    #[derive(Circuit)]
    pub enum Block { //~ only a struct can be a circuit
        One,
    }
}

/// State is in cells, so a kernel sees no clock edge.
mod clock_edge {
    use hdl::prelude::*;

    #[derive(LogicBlock, Circuit, Default)]
    pub struct Block {
        pub clock: Signal<In, Clock>,
        pub a: Signal<In, Bits<4>>,
        pub o: Signal<Out, Bits<4>>,
    }

    impl Logic for Block {
        #[kernel]
        fn update(&mut self) {
            if self.clock.pos_edge() { //~ `.pos_edge()` of a signal is outside the subset
                self.o.next = self.a.val();
            }
        }
    }
}

/// `link` and `join`, with which `rust-hdl` connects interfaces.
mod connections {
    use hdl::prelude::*;

    #[derive(Clone, Debug, Default, LogicInterface)]
    pub struct Bus {
        pub data: Signal<In, Bits<4>>,
    }

    #[derive(LogicBlock, Circuit, Default)]
    pub struct Block {
        pub bus: Bus,
        inner: Bus,
    }

    impl Logic for Block {
        #[kernel]
        fn update(&mut self) {
            Bus::link(&mut self.bus, &mut self.inner); //~ the functions `link` and `join` are outside the subset; write `link!(self -> child: port)`
            Signal::<In, Bits<4>>::link(&mut self.bus.data, &mut self.inner.data); //~ the functions `link` and `join` are outside the subset
        }
    }
}

/// Loops are unrolled when the circuit is generated.
mod loops {
    use hdl::prelude::*;

    #[derive(LogicBlock, Circuit, Default)]
    pub struct Block {
        pub a: Signal<In, Bits<4>>,
        pub o: Signal<Out, Bits<4>>,
    }

    const LIST: [u64; 2] = [1, 2];

    impl Logic for Block {
        #[kernel]
        fn update(&mut self) {
            self.o.next = self.a.val();
            for (i, j) in [(1, 2)] { //~ a loop counts with one plain name
                self.o.next = self.a.val();
            }
            for mut i in 0..4 { //~ a loop counts with one plain name
                self.o.next = self.a.val();
            }
            for x in LIST { //~ a loop runs over a range, `a..b` or `a..=b`, known at generation
                self.o.next = self.a.val() + x;
            }
            for i in 0.. { //~ the range of a loop has both ends
                self.o.next = self.a.val();
            }
            for i in (0..4).rev() { //~ a loop runs over a range
                self.o.next = self.a.val();
            }
            // In `update` the pattern `I` binds a new name, even if the loop has an `I`.
            for I in 0..4_usize { //~ the name of a loop index begins in lower case
                match self.a.val().index() {
                    I => self.o.next = self.a.val(),
                }
            }
        }
    }
}

/// `clock!` and `dff_setup!` take `self`, the clock, and fields or elements of them.
mod setup {
    use hdl::prelude::*;

    #[derive(LogicBlock, Circuit, Default)]
    pub struct Block {
        pub clock: Signal<In, Clock>,
        state: [Reg<Bits<4>>; 2],
    }

    impl Logic for Block {
        #[kernel]
        fn update(&mut self) {
            clock!(self, clock, state[0]);
            dff_setup!(self, clock, state.q); //~ unexpected token
            for i in 0..2 {
                clock!(self, clock, 3); //~ expected identifier
            }
        }
    }
}

/// Positions where `#[word]` is not allowed.
mod words {
    use hdl::prelude::*;

    #[word(encoding)] //~ `#[word]` takes no arguments
    pub enum Coded {
        A,
        B,
    }

    #[word]
    pub union Either { //~ a word is an enum without fields or a struct of words
        a: u8,
        b: u8,
    }
}
