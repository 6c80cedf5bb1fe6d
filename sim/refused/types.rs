//! Types that are no words, and misleading fields and conversions.
use hdl::prelude::*;
use std::ops::Deref;

/// Signed word of `rust-hdl`, without a shift.
type RustHdlSigned = hdl::rust_hdl::prelude::Signed<4>;

block! {
    SignedPorts { a: Signal<In, RustHdlSigned>, o: Signal<Out, RustHdlSigned> } //~? top: a: Signed::<4> of rust-hdl has no shift and extends wrongly; use `Signed` of `hdl::prelude`
    fn update(&mut self) {
        self.o.next = self.a.val(); //~ Signed::<4> of rust-hdl has no shift //~ top: o: Signed::<4> of rust-hdl has no shift //~? top: o: Signed::<4> of rust-hdl has no shift
    }
}

block! {
    SignedCell { clock: Signal<In, Clock>, a: Signal<In, Bit>, r: Reg<RustHdlSigned>, o: Signal<Out, Bit> } //~? top: r.d: Signed::<4> of rust-hdl has no shift
    fn update(&mut self) {
        dff_setup!(self, clock, r); //~ Signed::<4> of rust-hdl has no shift //~ top: r.d: Signed::<4> of rust-hdl has no shift //~? top: r.q: Signed::<4> of rust-hdl has no shift
        self.o.next = self.a.val();
    }
}

block! {
    Pads { pin: Signal<InOut, Bit>, a: Signal<In, Bit>, o: Signal<Out, Bit> } //~? top: `pin` is an InOut; inside a chip use an `Out` that pulls and an `In` that reads
    fn update(&mut self) {
        self.o.next = self.a.val();
        self.pin.next = self.a.val(); //~ top: `pin` is an InOut
    }
}

#[word]
pub enum Only {
    One,
}

block! {
    OneVariant { a: Signal<In, Only>, o: Signal<Out, Bit> } //~? top: a: the enum Only has one variant and so no bits; a word has at least one
    fn update(&mut self) {
        self.o.next = self.a.val() == Only::One; //~ the enum Only has one variant and so no bits //~ the enum Only has one variant //~ top: a: the enum Only has one variant
    }
}

block! {
    NoBits { a: Signal<In, Bits<0>>, b: Signal<In, Bits<0>>, o: Signal<Out, Bit> } //~? top: a: Bits::<0> has no bits; a word has at least one //~? top: b: Bits::<0> has no bits
    fn update(&mut self) {
        self.o.next = self.a.val() == self.b.val(); //~ Bits::<0> has no bits //~ Bits::<0> has no bits //~ top: a: Bits::<0> has no bits //~ top: b: Bits::<0> has no bits
        self.o.next = self.a.val() == 0; //~ Bits::<0> has no bits //~ the number 0 does not fit Bits<0>, which ends at 0 //~ top: a: Bits::<0> has no bits
    }
}

#[word]
#[derive(Default)]
pub struct Empty {}

block! {
    NoFields { a: Signal<In, Empty>, b: Signal<In, Bit>, o: Signal<Out, Bit> } //~? top: a: the struct Empty has no bits; a word has at least one
    fn update(&mut self) {
        self.o.next = self.b.val();
    }
}

#[test]
fn signed_words_are_our_own_and_words_have_bits() {
    refused!(SignedPorts);
    refused!(SignedCell);
    refused!(Pads);
    refused!(OneVariant);
    refused!(NoBits);
    refused!(NoFields);
}

#[word]
#[derive(Default)]
pub struct FieldInner {
    deep: Bits<2>,
}

#[word]
#[derive(Default)]
pub struct FieldOuter {
    pad: Bits<3>,
    inner: FieldInner,
    _hidden: Bits<2>,
}

impl Deref for FieldOuter {
    type Target = FieldInner;
    fn deref(&self) -> &FieldInner {
        &self.inner
    }
}

block! {
    Fields { a: Signal<In, FieldOuter>, o: Signal<Out, Bits<2>>, p: Signal<Out, FieldOuter> }
    fn update(&mut self) {
        self.o.next = self.a.val().inner.deep;
        self.o.next = self.a.val().deep; //~ `deep` is not a field of the word FieldOuter: only the fields of a struct under `#[word]` are
        self.p.next = self.a.val();
        self.p.next._hidden = self.o.val(); //~ `_hidden` is not a field of the word FieldOuter: only the fields of a struct under `#[word]` are, without those whose names begin with an underscore
        self.p.next.inner.deep = self.a.val()._hidden; //~ `_hidden` is not a field of the word FieldOuter
    }
}

/// Rust finds the field through a `Deref`, at another offset.
#[test]
fn a_field_is_one_of_the_word() {
    refused!(Fields);
}

#[word]
pub enum Gray {
    A,
    B,
    C,
}

/// An encoding in addition to the one from `#[word]`.
impl From<Gray> for Bits<3> {
    fn from(g: Gray) -> Self {
        match g {
            Gray::A => bits(1),
            Gray::B => bits(3),
            Gray::C => bits(7),
        }
    }
}

#[word]
pub enum Mirrored {
    C,
    B,
    A,
}

impl From<Gray> for Mirrored {
    fn from(g: Gray) -> Self {
        match g {
            Gray::A => Mirrored::A,
            Gray::B => Mirrored::B,
            Gray::C => Mirrored::C,
        }
    }
}

mod mine {
    use rust_hdl::prelude::Bits;

    pub fn bit_cast<const M: usize, const N: usize>(x: Bits<N>) -> Bits<M> {
        rust_hdl::prelude::bit_cast::<M, N>(!x)
    }
}

block! {
    Conversions { a: Signal<In, Gray>, b: Signal<In, Bits<4>>, o: Signal<Out, Bits<3>>, p: Signal<Out, Bits<3>>, q: Signal<Out, Mirrored> }
    fn update(&mut self) {
        self.q.next = self.a.val().into(); //~ `.into()` from Gray to Mirrored: a word becomes its own type or Bits
        self.o.next = self.a.val().into(); //~ `.into()` from 2 bits to Bits<3>: only the type's own encoding is known
        self.p.next = mine::bit_cast::<3, 4>(self.b.val()); //~ is not the bit_cast of rust-hdl
    }
}

#[test]
fn conversions_are_those_of_rust_hdl() {
    refused!(Conversions);
}

/// A word whose default value is seven.
#[word]
pub struct Seven {
    seven: Bits<3>,
}

impl Default for Seven {
    fn default() -> Self {
        Seven { seven: bits(7) }
    }
}

#[derive(LogicBlock, Circuit)]
pub struct Wakes {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<2>>,
    pub o: Signal<Out, Seven>,
    rom: Rom<Seven, 2>, //~ top.rom: a memory starts as zero, but the default of
    memory: Memory<Seven, 2>, //~ top.memory: a memory starts as zero, but the default of
}

impl Default for Wakes {
    fn default() -> Self {
        Wakes {
            clock: Signal::default(),
            a: Signal::default(),
            o: Signal::default(),
            rom: Rom::new([]),
            memory: Memory::default(),
        }
    }
}

impl Logic for Wakes {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, rom, memory);
        self.rom.address.next = self.a.val();
        self.memory.read_address.next = self.a.val();
        self.memory.write_address.next = self.a.val();
        self.memory.write_data.next = self.rom.data.val();
        self.memory.write_enable.next = true;
        self.o.next = self.memory.read_data.val();
    }
}

#[derive(LogicBlock, Circuit)]
pub struct Huge {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<29>>,
    pub o: Signal<Out, Bits<1>>,
    rom: Rom<Bits<1>, 29>, //~ the address of the memory rom has 29 bits; at most 28 are possible
}

impl Default for Huge {
    fn default() -> Self {
        Huge {
            clock: Signal::default(),
            a: Signal::default(),
            o: Signal::default(),
            rom: Rom::new([]),
        }
    }
}

impl Logic for Huge {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, rom);
        self.rom.address.next = self.a.val();
        self.o.next = self.rom.data.val();
    }
}

#[test]
fn a_memory_starts_as_zero_and_is_not_huge() {
    refused!(Wakes);
    refused!(Huge);
}
