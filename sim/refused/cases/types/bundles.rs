//! Types that cannot be members of a bundle or be linked, and arrows in the wrong direction.
use hdl::prelude::*;

#[derive(Bundle, Default)] //~ is not a port, so it can neither be linked nor be a member of a bundle
pub struct NoPorts {
    pub a: Signal<In, Bit>,
    pub local: Signal<Local, Bit>, //~ is not a port, so it can neither be linked nor be a member of a bundle
    pub register: Reg<Bit>, //~ is not a port, so it can neither be linked nor be a member of a bundle
    pub pin: Signal<InOut, Bit>, //~ is not a port, so it can neither be linked nor be a member of a bundle
}

#[derive(Bundle, Default)]
pub struct OneEnd {
    pub a: Signal<In, Bit>,
}

#[derive(Bundle, Default)] //~ the bundle `OneEnd` has no other end
#[bundle(flipped = NoOtherEnd)] //~ the bundle `OneEnd` has no other end
pub struct HasNoOtherEnd {
    pub inner: OneEnd,
}

#[derive(Bundle, Default)]
#[bundle(flipped = ByteSource)]
pub struct ByteSink {
    pub data: Signal<In, Bits<8>>,
    pub ready: Signal<Out, Bit>,
}

#[derive(Bundle, Default)]
pub struct Lookalike {
    pub data: Signal<In, Bits<8>>,
    pub ready: Signal<Out, Bit>,
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Part {
    pub sink: ByteSink,
    pub source: ByteSource,
    pub word: Signal<In, Bits<4>>,
    pub wide: Signal<Out, Bits<5>>,
    pub narrow: Signal<In, Bits<5>>,
    pub list: [Signal<In, Bit>; 2],
    pub held: Signal<Local, Bit>,
}

impl Logic for Part {
    #[kernel]
    fn update(&mut self) {}
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub sink: Lookalike,
    pub source: ByteSink,
    pub word: Signal<Out, Bits<4>>,
    pub wide: Signal<Out, Bits<6>>,
    pub list: [Signal<In, Bit>; 3],
    held: Signal<Local, Bit>,
    one: Part,
    other: Part,
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        link!(self <-> one: sink); //~ mismatched types
        link!(self <-> one: source); //~ mismatched types
        link!(one -> self: word); //~ mismatched types
        link!(one -> self: wide); //~ mismatched types
        link!(self -> one: list); //~ mismatched types
        link!(self -> one: held); //~ is not a port, so it can neither be linked nor be a member of a bundle
        link!(self -> one: other); //~ no field `other` on type
        link!(one <-> other: sink); //~ mismatched types
        link!(one -> other: wide); //~ mismatched types
        link!(one -> other: wide -> word); //~ mismatched types
        link!(one -> other: held); //~ cannot be linked to
        link!(one <-> other: source <-> sink);
    }
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Directions {
    pub sink: ByteSink,
    pub ends: [OneEnd; 2],
    pub word: Signal<In, Bits<4>>,
    pub wide: Signal<Out, Bits<5>>,
    one: Part,
    other: Part,
    many: Ends,
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Ends {
    pub ends: [OneEnd; 2],
}

impl Logic for Ends {
    #[kernel]
    fn update(&mut self) {}
}

impl Logic for Directions {
    #[kernel]
    fn update(&mut self) {
        link!(self -> one: word);
        link!(one -> self: word); //~ wrong direction: the arrow leads out of a child, so all ports must be outputs
        link!(self <-> one: word); //~ wrong arrow: `<->` is for a bundle with inputs and outputs
        link!(one -> self: wide);
        link!(self -> one: wide); //~ wrong direction: the arrow leads into a child, so all ports must be inputs
        link!(one -> other: wide -> narrow);
        link!(other -> one: narrow -> wide); //~ wrong direction: the arrow leads out of a child
        link!(self <-> one: sink);
        link!(self -> one: sink); //~ wrong direction: the arrow leads into a child, so all ports must be inputs
        link!(one -> other: source -> sink); //~ wrong direction: the arrow leads out of a child
        link!(self -> many: ends);
        link!(many -> self: ends); //~ wrong direction: the arrow leads out of a child
    }
}
