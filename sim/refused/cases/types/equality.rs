//! Words whose `==` does not compare their bits, and types that only resemble words.
use hdl::prelude::*;

/// All values are equal to each other.
#[word] //~ conflicting implementations of trait `PartialEq` for type `Vague`
pub enum Vague {
    A,
    B,
}

impl PartialEq for Vague {
    fn eq(&self, _: &Vague) -> bool {
        true
    }
}

/// Its low bits are ignored in comparisons.
#[word] //~ conflicting implementations of trait `PartialEq` for type `Blurred`
#[derive(Default)]
pub struct Blurred {
    high: Bits<4>,
    low: Bits<4>,
}

impl PartialEq for Blurred {
    fn eq(&self, other: &Blurred) -> bool {
        self.high == other.high
    }
}

/// A type for `rust-hdl` alone. Its `==` may be anything.
#[derive(LogicState, Copy, Clone, Debug)]
pub enum Foreign {
    A,
    B,
}

impl PartialEq for Foreign {
    fn eq(&self, _: &Foreign) -> bool {
        true
    }
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Inner {
    pub a: Signal<In, Foreign>,
    pub o: Signal<Out, Bit>,
}

impl Logic for Inner {
    #[kernel]
    fn update(&mut self) {
        self.o.next = self.a.val() == Foreign::A; //~ `Foreign` is not a word of a circuit //~ nor an enum or struct under `#[word]`
    }
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Outer {
    pub a: Signal<In, Foreign>,
    pub o: Signal<Out, Bit>,
    inner: Inner,
    held: Signal<Local, Foreign>,
}

impl Logic for Outer {
    #[kernel]
    fn update(&mut self) {
        link!(self -> inner: a); //~ `Foreign` is not a word of a circuit
        self.held.next = Foreign::B; //~ `Foreign` is not a word of a circuit
    }
}

/// An enum without `#[word]` in a register.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub enum Plain {
    #[default]
    Idle,
    Run,
}

#[derive(LogicBlock, Circuit, Default)] //~ is not a word of a circuit
pub struct Holds {
    pub clock: Signal<In, Clock>,
    pub run: Signal<Out, Bit>,
    state: Reg<Plain>, //~ is not a word of a circuit //~ write `#[word]` above the type
}

impl Logic for Holds {
    #[kernel]
    fn update(&mut self) {
        self.run.next = true;
    }
}
