//! `#[kernel]` must be on `fn update(&mut self)` and takes no arguments.
use hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub a: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bits<4>>,
}

impl Logic for Block {
    #[kernel(fast)] //~ #[kernel] takes no arguments
    fn update(&mut self) {
        self.o.next = self.a.val();
    }
}

impl Block {
    #[kernel]
    fn updates(&mut self) { //~ #[kernel] belongs on `fn update(&mut self)` of an `impl Logic`
        self.o.next = self.a.val();
    }
}

/// Other signatures.
struct Others;

impl Others {
    #[kernel]
    fn update(&self) {} //~ #[kernel] belongs on
}

struct Named;

impl Named {
    #[kernel]
    fn update(self: &mut Self) {} //~ #[kernel] belongs on
}

struct Generic;

impl Generic {
    #[kernel]
    fn update<const N: usize>(&mut self) {} //~ #[kernel] belongs on
}

struct More;

impl More {
    #[kernel]
    fn update(&mut self, n: usize) {} //~ #[kernel] belongs on
}

struct Result;

impl Result {
    #[kernel]
    fn update(&mut self) -> bool { //~ #[kernel] belongs on
        true
    }
}

struct Constant;

impl Constant {
    #[kernel]
    const fn update(&mut self) {} //~ #[kernel] belongs on
}
