//! Types that cannot be members of a bundle, be linked or be joined.
use hdl::prelude::*;

#[derive(Bundle, Default)]
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
        link!(self, one, sink); //~ mismatched types
        link!(self, one, source); //~ mismatched types
        link!(self, one, word); //~ mismatched types
        link!(self, one, wide); //~ mismatched types
        link!(self, one, list); //~ mismatched types
        link!(self, one, held); //~ is not a port, so it can neither be linked nor be a member of a bundle
        link!(self, one, other); //~ no field `other` on type
        join!(self, one, other, sink); //~ mismatched types
        join!(self, one, other, wide); //~ mismatched types
        join!(self, one, other, wide => word); //~ mismatched types
        join!(self, one, other, held); //~ cannot be joined to
        join!(self, one, other, source => sink);
    }
}
