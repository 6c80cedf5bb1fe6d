//! Expressions of Rust that kernels do not support.
use hdl::prelude::*;

#[word]
#[derive(Default)]
pub struct Pair {
    high: Bits<4>,
    low: Bits<4>,
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub a: Signal<In, Bits<4>>,
    pub f: Signal<In, Bit>,
    pub o: Signal<Out, Bits<4>>,
    pub p: Signal<Out, Pair>,
}

const PAIR: (u64, u64) = (1, 2);

fn pass(x: Bits<4>) -> Bits<4> {
    x
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        self.o.next = *&self.a.val(); //~ only `!` and `-` are unary operators of the subset
        self.o.next = (self.a.val() as u64).into(); //~ `as` of a word is outside the subset; `.resized()` changes the width of a word
        self.o.next = (self.a.val().index() as u64).into(); //~ `as` of a word is outside the subset
        self.o.next = bits((self.a.val() == 3) as u64); //~ `as` of a word is outside the subset
        self.o.next += 1; //~ this statement is outside the subset
        self.o.next = match self.f.val() { //~ `match` as a value is outside the subset
            true => self.a.val(),
            false => self.o.val(),
        };
        self.o.next = identity!(self.a.val()); //~ macros are outside the subset
        self.o.next = pass(*&self.a.val()); //~ only `!` and `-` are unary operators
        self.o.next = <Bits<4> as Clone>::clone(&self.a.val()); //~ references are outside the subset
        self.o.next = bits(PAIR.0); //~ tuples are outside the subset
        self.o.next = (self.a.val(), self.o.val()).0; //~ tuples are outside the subset
        self.p.next = Pair { high: self.a.val(), low: self.a.val() }; //~ tuples and struct literals are outside the subset
        self.o.next = self.o.next; //~ `.next` is written, never read; read the signal with `.val()`
        self.f.next = self.f.changed; //~ nothing else of `self` can be read in a kernel
        self.o.next = self.a.clone().val(); //~ `.clone()` of a signal is outside the subset; read it with `.val()`
        self.o.next = (&self.a).val(); //~ a path to a signal, such as `self.node[i].line`, must stand here
        self.o.next = (pass)(self.a.val()); //~ only functions can be called, by their path
        self.o.next = bits(if self.f.val() { 1 } else { let one = 1; one }); //~ a block used as a value holds one expression and nothing else
        self.o.next = unsafe { self.a.val() }; //~ this expression is outside the subset of kernels
        self.f.next = if let true = self.f.val() { false } else { true }; //~ `if let` is outside the subset
        self.f.next = (|| true)(); //~ only functions can be called, by their path
        let function = || true; //~ closures are outside the subset
        let nothing = self.o.next = self.a.val(); //~ an assignment has no value
        let unit = if self.f.val() {}; //~ a block used as a value holds one expression and nothing else
        self.o.next = self.a.val() + if self.f.val() { self.a.val() }; //~ an `if` used as a value needs an `else`
        let added = { self.a.val() += 1 }; //~ compound assignment is outside the subset
        if self.f.val() && { let Some(x) = Some(1) else { return }; true } {} //~ a block used as a value
    }
}

macro_rules! identity {
    ($e:expr) => {
        $e
    };
}
use identity;
