//! The form of a bundle, and of `link!`.
use hdl::prelude::*;

#[derive(Bundle)]
pub enum Choice { //~ a bundle is a struct with named ports
    One,
    Other,
}

#[derive(Bundle)]
pub struct Pair(Signal<In, Bit>, Signal<Out, Bit>); //~ a bundle is a struct with named ports

#[derive(Bundle)]
pub struct Nothing {} //~ a bundle is a struct with named ports

#[derive(Bundle)]
pub struct Hidden {
    pub a: Signal<In, Bit>,
    _kept: Signal<In, Bit>, //~ every member of a bundle is a port, and its name begins with a letter
}

#[derive(Bundle)]
pub struct Clocked {
    pub clock: Signal<In, Clock>, //~ a clock is a port of its own, no member of a bundle
    pub a: Signal<In, Bit>,
}

#[derive(Bundle)]
#[bundle(short)] //~ a bundle has the options `flat` and `flipped = Name`
pub struct Unknown {
    pub a: Signal<In, Bit>,
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub a: Signal<In, Bit>,
    pub b: Signal<Out, Bit>,
    one: Part,
    other: Part,
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Part {
    pub a: Signal<In, Bit>,
    pub b: Signal<Out, Bit>,
}

impl Logic for Part {
    #[kernel]
    fn update(&mut self) {
        self.b.next = self.a.val();
    }
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        link!(self -> one); //~ the ports to be connected must stand here, by their names
        link!(one.a -> other.b); //~ the ports to be connected must stand here, by their names
        link!(self -> one: a.b); //~ expected `->` or `<->`
        link!(self, one, a); //~ expected `->` or `<->`
        link!(self <- one: a); //~ expected `->` or `<->`
        link!(self -> one: 3); //~ expected identifier
        link!(self -> one: a -> b.c); //~ expected `,`
        link!(self -> one: a ->); //~ unexpected end of input
        link!(one -> other: b <-> a); //~ the arrow between two ports must be the arrow between the ends
        link!(self -> self: a); //~ one of the connected ends must be a child
        join!(self, one, a); //~ only `clock!`, `dff_setup!`, `reset!`, `link!` and `display!` are macros of the subset
    }
}

#[kernel]
fn function(a: Bit) -> Bit {
    link!(one -> other: b -> a); //~ only `clock!`, `dff_setup!`, `reset!`, `link!` and `display!` are macros of the subset
    a
}
