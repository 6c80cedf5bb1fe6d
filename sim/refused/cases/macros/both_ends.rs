//! Both ends of a bundle written out, as for `rust-hdl`'s `LogicInterface`.
use hdl::prelude::*;

#[derive(Bundle, Default)]
#[bundle(flipped = Taker)]
pub struct Giver {
    pub item: Signal<Out, Bits<4>>,
    pub room: Signal<In, Bit>,
}

#[derive(Bundle, Default)] //~ conflicting implementations of trait `Default`
#[bundle(flipped = Giver)]
pub struct Taker { //~ both ends of a bundle are written out: `#[bundle(flipped = Taker)]` on `Giver` writes the struct `Taker`; delete this one
    pub item: Signal<In, Bits<4>>,
    pub room: Signal<Out, Bit>,
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub input: Taker,
    pub output: Giver,
    one: Passes,
    other: Passes,
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        link!(self <-> one: input);
        link!(one <-> other: output <-> input);
        link!(other <-> self: output);
    }
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Passes {
    pub input: Taker,
    pub output: Giver,
}

impl Logic for Passes {
    #[kernel]
    fn update(&mut self) {
        self.output.item.next = self.input.item.val();
        self.input.room.next = self.output.room.val();
    }
}
