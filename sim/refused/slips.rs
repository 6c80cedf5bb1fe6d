//! Legal blocks for faults in the lowering that the tests once missed (`examples/mutants`). Such a
//! fault would lower them wrongly.

use crate::refused::blocks::assert_agrees;
use hdl::prelude::*;
use lockstep::design::CellKind;

/// Arms of which several match, only the last one, or none before it.
#[derive(LogicBlock, Circuit)]
pub struct KnownMatch {
    pub a: Signal<In, Bits<4>>,
    pub first: Signal<Out, Bits<4>>,
    pub rest: Signal<Out, Bits<4>>,
    kind: Constant<Bits<4>>,
}

impl KnownMatch {
    fn new(kind: u64) -> Self {
        KnownMatch {
            a: Default::default(),
            first: Default::default(),
            rest: Default::default(),
            kind: Constant::new(bits(kind)),
        }
    }
}

impl Logic for KnownMatch {
    #[kernel]
    #[allow(unreachable_patterns, reason = "Rust takes the first arm that fits")]
    fn update(&mut self) {
        self.first.next = self.a.val();
        match self.kind.val().index() {
            3 => self.first.next = self.a.val() + 1,
            3 | 5 => self.first.next = self.first.val() + 2,
            _ => self.first.next = self.first.val() + 4,
        }
        self.rest.next = self.a.val();
        match self.kind.val().index() {
            3 | 7 => self.rest.next = self.rest.val() + 1,
            _ => self.rest.next = self.rest.val() + 4,
        }
    }
}

#[test]
fn a_known_match_takes_one_arm() {
    for kind in [3, 5, 7, 15] {
        assert_agrees(|| KnownMatch::new(kind));
    }
}

block! {
    Greatest { a: Signal<In, Bits<2>>, o: Signal<Out, Bits<4>> }
    fn update(&mut self) {
        match self.a.val().index() {
            3 => self.o.next = 9.into(),
            0 => self.o.next = 2.into(),
            _ => self.o.next = 4.into(),
        }
    }
}

#[test]
fn the_greatest_value_of_a_word_is_matched() {
    assert_agrees(Greatest::default);
}

block! {
    Numbers {
        a: Signal<In, Bits<4>>,
        wide: Signal<In, Bits<40>>,
        o: Signal<Out, Bits<4>>,
        cut: Signal<Out, Bits<40>>,
        less: Signal<Out, Bit>,
    }
    fn update(&mut self) {
        self.o.next = 9 - self.a.val();
        // Numbers above 32 bits are cut.
        self.cut.next = self.wide.val() + 0x3FF_0000_0001;
        self.less.next = self.wide.val() < 0x380_0000_0000;
    }
}

#[test]
fn numbers_stay_on_their_side_and_are_cut() {
    assert_agrees(Numbers::default);
}

/// Additions of bits: one is a carry, one is known at generation.
#[derive(LogicBlock, Circuit)]
pub struct OfBits {
    pub a: Signal<In, Bits<4>>,
    pub b: Signal<In, Bit>,
    pub sum: Signal<Out, Bits<4>>,
    pub odd: Signal<Out, Bit>,
    pub open: Signal<Out, Bit>,
    pub shut: Signal<Out, Bit>,
    yes: Constant<Bit>,
    no: Constant<Bit>,
}

impl Default for OfBits {
    fn default() -> Self {
        OfBits {
            a: Default::default(),
            b: Default::default(),
            sum: Default::default(),
            odd: Default::default(),
            open: Default::default(),
            shut: Default::default(),
            yes: Constant::new(true),
            no: Constant::new(false),
        }
    }
}

impl Logic for OfBits {
    #[kernel]
    fn update(&mut self) {
        self.sum.next = self.a.val() + self.b.val();
        self.odd.next = self.a.val().xor();
        self.open.next = self.b.val() & !self.no.val();
        self.shut.next = self.b.val() | !self.yes.val();
    }
}

#[test]
fn a_carry_is_added_and_a_known_bit_inverted() {
    assert_agrees(OfBits::default);
}

block! {
    Beyond { a: Signal<In, Bits<5>>, o: Signal<Out, Bits<2>>, p: Signal<Out, Bits<8>> }
    fn update(&mut self) {
        self.o.next = self.a.val().get_bits::<2>(4);
        self.p.next = self.a.val().get_bits::<8>(1);
    }
}

#[test]
fn bits_beyond_a_word_are_zero() {
    assert_agrees(Beyond::default);
}

#[word]
#[derive(Default)]
pub struct SlipInner {
    low: Bits<2>,
    high: Bits<3>,
}

#[word]
#[derive(Default)]
pub struct SlipOuter {
    pad: Bits<3>,
    inner: SlipInner,
}

block! {
    Fields { a: Signal<In, Bits<5>>, pad: Signal<Out, Bits<3>>, low: Signal<Out, Bits<2>>, high: Signal<Out, Bits<3>>, word: Signal<Local, SlipOuter> }
    fn update(&mut self) {
        self.word.next.pad = self.a.val().get_bits::<3>(0);
        self.word.next.inner.low = self.a.val().get_bits::<2>(3);
        self.word.next.inner.high = !self.a.val().get_bits::<3>(2);
        self.pad.next = self.word.val().pad;
        self.low.next = self.word.val().inner.low;
        self.high.next = self.word.val().inner.high;
    }
}

#[test]
fn nested_fields_have_the_same_position_in_rust_and_verilog() {
    assert_agrees(Fields::default);
}

/// Two memories. One is marked as disjoint.
#[derive(LogicBlock, Circuit)]
pub struct Promised {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<2>>,
    pub o: Signal<Out, Bits<2>>,
    plain: Memory<Bits<2>, 2>,
    promised: Memory<Bits<2>, 2>,
}

impl Default for Promised {
    fn default() -> Self {
        Promised {
            clock: Signal::default(),
            a: Signal::default(),
            o: Signal::default(),
            plain: Memory::default(),
            promised: Memory::default().disjoint(),
        }
    }
}

impl Logic for Promised {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, plain, promised);
        self.plain.read_address.next = self.a.val();
        self.plain.write_address.next = self.a.val();
        self.plain.write_data.next = self.a.val();
        self.plain.write_enable.next = true;
        self.promised.read_address.next = self.a.val();
        self.promised.write_address.next = !self.a.val();
        self.promised.write_data.next = self.plain.read_data.val();
        self.promised.write_enable.next = true;
        self.o.next = self.promised.read_data.val();
    }
}

#[test]
fn a_memory_marked_disjoint_stays_disjoint() {
    let design = lower(&Promised::default()).unwrap();
    let top = &design.modules[design.top.index()];
    let ports = top.cells.iter().filter_map(|cell| match &cell.kind {
        CellKind::Memory { write, .. } => Some((&cell.name[..], write.as_ref()?.disjoint)),
        _ => None,
    });
    let ports: Vec<(&str, bool)> = ports.collect();
    assert_eq!(ports, [("plain", false), ("promised", true)]);
}
