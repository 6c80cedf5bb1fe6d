//! Idioms of blocks that others wrote for `rust-hdl`. They lower to the behaviour in Rust.
#![allow(unreachable_patterns, clippy::useless_conversion, reason = "the blocks are written so")]

use super::blocks::assert_agrees;
use hdl::lower::Word;
use hdl::prelude::*;
use phasecube::engine::{agree, EvaluatorEngine};
use phasecube::engine::{CircuitEngine, ReferenceEngine, Stimulus};
use std::panic::{catch_unwind, AssertUnwindSafe};

#[word]
pub enum FourPhases {
    One,
    Two,
    Three,
    Four,
}

/// The number of variants is no power of two, so one code is no variant.
#[word]
pub enum ThreeColours {
    Red,
    Green,
    Blue,
}

block! {
    AllVariants { clock: Signal<In, Clock>, go: Signal<In, Bit>, light: Signal<Out, Bits<2>>, phase: Reg<FourPhases>, colour: Reg<ThreeColours> }
    fn update(&mut self) {
        dff_setup!(self, clock, phase, colour);
        match self.phase.q.val() {
            FourPhases::One => { self.light.next = 1.into(); self.phase.d.next = FourPhases::Two; }
            FourPhases::Two => { self.light.next = 3.into(); self.phase.d.next = FourPhases::Three; }
            FourPhases::Three => { self.light.next = 2.into(); self.phase.d.next = FourPhases::Four; }
            FourPhases::Four => { self.light.next = 0.into(); self.phase.d.next = FourPhases::One; }
            _ => {}
        }
        if self.go.val() {
            match self.colour.q.val() {
                ThreeColours::Red => self.colour.d.next = ThreeColours::Green,
                ThreeColours::Green | ThreeColours::Blue if self.light.val() == 0 => self.colour.d.next = ThreeColours::Red,
                ThreeColours::Green => self.colour.d.next = ThreeColours::Blue,
                ThreeColours::Blue => self.colour.d.next = ThreeColours::Green,
                _ => {}
            }
        }
    }
}

const DEPTH: usize = 3;

block! {
    AllOthers { flag: Signal<In, Bit>, n: Signal<In, Bits<2>>, colour: Signal<In, FourPhases>, o: Signal<Out, Bits<2>>, p: Signal<Out, Bits<2>>, q: Signal<Out, Bits<2>>, r: Signal<Out, Bits<2>>, s: Signal<Out, Bits<2>> }
    fn update(&mut self) {
        match self.flag.val() {
            true => self.o.next = self.n.val(),
            false => self.o.next = 2.into(),
            _ => {}
        }
        // Rust requires the last arm for a number, and no value reaches it.
        match self.n.val().index() {
            0 => self.p.next = 3.into(),
            1 | 3 => self.p.next = self.n.val() + 1,
            2 => self.p.next = 1.into(),
            _ => {}
        }
        // A value too large for the word, and one that an earlier arm takes.
        match self.n.val().index() {
            0 | 1 => self.q.next = 1.into(),
            1 | 7 => {}
            2 | 3 => self.q.next = 0.into(),
            _ => {}
        }
        // Two guards: one that depends on signals, and one known at generation.
        let known = DEPTH > 2;
        match self.colour.val() {
            FourPhases::One if self.flag.val() => self.r.next = 0.into(),
            FourPhases::One | FourPhases::Two => self.r.next = 1.into(),
            FourPhases::Three if known => self.r.next = 2.into(),
            FourPhases::Three => {}
            FourPhases::Four => self.r.next = self.n.val(),
            _ if self.flag.val() => {}
            _ => {}
        }
        match self.n.val().index() {
            0 if self.flag.val() => self.s.next = 3.into(),
            3 | 0 => self.s.next = 1.into(),
            1 | 2 if known => self.s.next = 2.into(),
            _ => {}
        }
    }
}

#[test]
fn an_arm_that_rust_never_takes_is_no_path() {
    assert_agrees(AllVariants::default);
    assert_agrees(AllOthers::default);
}

#[word]
#[derive(Default)]
pub struct PortedPair {
    pub phase: FourPhases,
    pub n: Bits<3>,
}

/// `.into()` of a generic word.
#[derive(LogicBlock, Circuit, Default)]
pub struct IntoCopies<T: Word> {
    pub i: Signal<In, T>,
    pub o: Signal<Out, T>,
}

impl<T: Word> Logic for IntoCopies<T> {
    #[kernel]
    fn update(&mut self) {
        self.o.next = self.i.val().into();
    }
}

#[kernel]
fn same<T: Word>(word: T) -> T {
    word.into()
}

block! {
    Same { a: Signal<In, Bits<4>>, pair: Signal<In, PortedPair>, off: Signal<Out, Bit>, equal: Signal<Out, Bit>, bit: Signal<Out, Bit>, phase: Signal<Out, FourPhases>, last: Signal<Out, FourPhases>, word: Signal<Out, Bits<4>>, known: Signal<Out, Bits<4>>, code: Signal<Out, Bits<2>>, both: Signal<Out, PortedPair>, copy: IntoCopies<PortedPair> }
    fn update(&mut self) {
        self.off.next = self.a.val().any() & !bit_of(false.into());
        self.equal.next = (self.a.val() == 3).into();
        let low: Bits<1> = self.equal.val().into();
        self.bit.next = low.into();
        self.phase.next = self.pair.val().phase.into();
        self.last.next = if self.a.val().any() { FourPhases::Four.into() } else { FourPhases::One.into() };
        self.word.next = same(self.a.val().into());
        let five: Bits<4> = bits::<4>(5).into();
        self.known.next = self.a.val() ^ five;
        self.code.next = same(self.pair.val().phase).into();
        self.copy.i.next = self.pair.val().into();
        self.both.next = self.copy.o.val().into();
    }
}

#[kernel]
fn bit_of(bit: bool) -> bool {
    bit.into()
}

#[test]
fn into_the_same_type_is_the_word_itself() {
    assert_agrees(Same::default);
}

#[kernel]
fn doubled(at: Bits<8>) -> Bits<8> {
    at << 1
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Positions {
    pub a: Signal<In, Bits<16>>,
    pub bit: Signal<In, Bit>,
    pub after: Signal<Out, Bits<4>>,
    pub sum: Signal<Out, Bits<4>>,
    pub bound: Signal<Out, Bits<4>>,
    pub called: Signal<Out, Bit>,
    pub chosen: Signal<Out, Bits<2>>,
    pub masked: Signal<Out, Bits<16>>,
    pub value: Signal<Out, Bits<8>>,
    pub decided: Signal<Out, Bits<4>>,
    first: Parameter<Bits<8>>,
    more: Parameter<Bits<8>>,
    wide: Parameter<bool>,
}

impl Logic for Positions {
    #[kernel]
    fn update(&mut self) {
        let a = self.a.val();
        self.after.next = a.get_bits::<4>((self.first.val() + 1).index());
        self.sum.next = a.get_bits::<4>((self.first.val() + self.more.val()).index());
        let bound = self.first.val() - self.more.val();
        self.bound.next = a.get_bits::<4>((bound ^ 1).index());
        self.called.next = a.get_bit(doubled(self.first.val()).index());
        let chosen = if self.wide.val() { self.first.val() } else { self.more.val() };
        self.chosen.next = a.get_bits::<2>(chosen.index());
        self.masked.next = a.replace_bit((!self.first.val() & 15).index(), self.bit.val());
        self.value.next = self.first.val() + self.more.val() + a.get_bits::<8>(0);
        // The value is known at generation, so only the branch that Rust takes exists.
        if self.first.val() + self.more.val() == 7 {
            self.decided.next = a.get_bits::<4>(7);
        }
        match (self.more.val() + 1).index() {
            3 => {}
            _ => self.decided.next = a.get_bits::<4>(99),
        }
    }
}

#[test]
fn expressions_of_parameters_are_known() {
    assert_agrees(|| Positions {
        first: Parameter::new(5.into()),
        more: Parameter::new(2.into()),
        wide: Parameter::new(true),
        ..Default::default()
    });
}

#[derive(Bundle, Default)]
pub struct WideInputs {
    pub phase: Signal<In, FourPhases>,
    pub list: [Signal<In, PortedPair>; 2],
    pub seen: Signal<Out, PortedPair>,
}

block! {
    Ports { phase: Signal<In, FourPhases>, pair: Signal<In, PortedPair>, list: [Signal<In, FourPhases>; 2], host: WideInputs, o: Signal<Out, FourPhases>, p: Signal<Out, PortedPair>, q: Signal<Out, Bits<2>> }
    fn update(&mut self) {
        self.o.next = self.phase.val();
        self.p.next = self.pair.val();
        self.q.next = self.list[0].val().into();
        if self.list[1].val() == self.host.phase.val() {
            self.q.next = 1.into();
        }
        self.host.seen.next = self.host.list[0].val();
        if self.host.list[1].val().n == 5 {
            self.host.seen.next = self.pair.val();
        }
    }
}

#[test]
fn inputs_of_any_word_can_be_set() {
    assert_agrees(Ports::default);
    assert_agrees(IntoCopies::<Bits<8>>::default);
    assert_agrees(IntoCopies::<bool>::default);
    assert_agrees(IntoCopies::<FourPhases>::default);
    assert_agrees(IntoCopies::<PortedPair>::default);
}

/// Some codes of an enum are no variants. A stimulus stays below them, and the reference reports
/// such a value with its type.
#[test]
fn a_code_without_a_variant_is_no_input() {
    let trace = |engine: &mut dyn CircuitEngine| {
        let stimulus = Stimulus::new(engine.ports(), 1).at_most("i", 2);
        agree::trace_with(engine, stimulus, 1000).unwrap()
    };
    let block = IntoCopies::<ThreeColours>::default;
    let mut reference = ReferenceEngine::new(block()).unwrap();
    let mut evaluator = EvaluatorEngine::new(&hdl::lower::lower(&block()).unwrap()).unwrap();
    let expected = trace(&mut reference);
    assert_eq!(trace(&mut evaluator), expected);
    agree::check_all_outputs_change(&["o".to_string()], &expected).unwrap();
    let port = reference.port("i");
    let panic = catch_unwind(AssertUnwindSafe(|| reference.set_u64(port, 3))).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.contains("`i`: 3 is not a value of ThreeColours"), "{text}");
}
