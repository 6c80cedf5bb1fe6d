//! Operations that words of a circuit do not support, although similar Rust types do.
use hdl::prelude::*;

#[word]
#[derive(PartialOrd)]
pub enum State {
    A,
    B,
    C,
}

impl std::ops::Not for State {
    type Output = State;
    fn not(self) -> State {
        State::C
    }
}

impl State {
    fn any(self) -> bool {
        true
    }
}

pub struct Config {
    wide: bool,
}

const CONFIG: Config = Config { wide: true };

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub a: Signal<In, Bits<4>>,
    pub b: Signal<In, Bits<64>>,
    pub s: Signal<In, Signed<4>>,
    pub u: Signal<In, Signed<4>>,
    pub state: Signal<In, State>,
    pub f: Signal<In, Bit>,
    pub pin: Signal<InOut, Bit>,
    pub o: Signal<Out, Bits<4>>,
    pub q: Signal<Out, Bit>,
    pub t: Signal<Out, State>,
    pub z: Signal<Out, Signed<4>>,
    _name: &'static str,
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        self.q.next = self.pin.val(); //~ is outside the subset of kernels //~ inside a chip there is no `InOut`: use an `Out` that pulls and an `In` that reads
        display!("{}", self.state.val()); //~ `display!` cannot print a `State` //~ print the fields of a struct one by one; print `.to_bits()` of an enum
        self.z.next = self.s.val() + self.a.val(); //~ cannot add
        self.q.next = self.s.val() < self.a.val(); //~ have no order in a kernel //~ only `Bits<N>`, `Signed<N>`, numbers and indices have one
        self.z.next = self.s.val() >> self.u.val(); //~ no implementation for
        self.q.next = self.state.val() < State::C; //~ have no order in a kernel
        self.o.next = -self.a.val(); //~ cannot apply unary operator `-`
        self.t.next = !self.state.val(); //~ cannot apply unary operator `!` to type `Sym<State>`
        self.q.next = self.state.val().any(); //~ E0599
        self.q.next = self.a.val().get_bits::<1>(0) == true; //~ cannot be compared in a kernel //~ words compare with words of the same type
        self.q.next = CONFIG.wide; //~ is not a word of a circuit
        let narrow: Bits<3> = self.a.val(); //~ a `Sym<hdl::prelude::Bits<4>>` is no `hdl::prelude::Bits<3>` in a kernel
        let text = "text"; //~ a `let` in a kernel cannot hold a `&str` //~ neither a word, an array of words, an index, a `bool` nor an integer
        self.o.next = [1, 2, 3][self.a.val().get_bits::<1>(0).index()]; //~ is not a word of a circuit
        let flags = [self.f.val(), self.a.val()]; //~ mismatched types
        self.q.next = bits::<64>(self.a.val().to_u64()).any(); //~ expected `u64`, found `Sym<u64>`
        self.o.next = Some(self.a.val()).unwrap(); //~ no method named `unwrap` found
        self.o.next = [self.a.val(), self.a.val()]; //~ is not a word of a circuit
        let list = self._name.len(); //~ `.len()` of `&str` is outside the subset of kernels
        self.o.next = 1 << self.a.val(); //~ E0277
        self.q.next = bits::<64>(self.f.val().into()).any(); //~ `u64` is not a word of a circuit
        self.q.next = self.a.val().get_bit(self.a.val()); //~ is not a position in a word //~ neither a `usize` nor what `.index()` gives
        if self.a.val().index() { //~ is not a word of a circuit
            self.q.next = false;
        }
        self.o.next = self.a.val() * self.a.val(); //~ E0369
    }
}
