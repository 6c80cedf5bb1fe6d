//! A legal block that causes linter warnings. With these bounds its comparisons are constant.
use hdl::prelude::*;

/// Compares a word with bounds that contain all words.
#[derive(LogicBlock, Circuit, Default)]
pub struct Oddities {
    word: Signal<In, Bits<6>>,
    high_enough: Signal<Out, Bit>,
    low_enough: Signal<Out, Bit>,
    least: Signal<Local, Bits<6>>,
    greatest: Signal<Local, Bits<6>>,
}

impl Logic for Oddities {
    #[kernel]
    fn update(&mut self) {
        self.least.next = 0.into();
        self.greatest.next = 63.into();
        self.high_enough.next = self.word.val() >= self.least.val();
        self.low_enough.next = self.word.val() <= self.greatest.val();
    }
}
