//! A legal block at which linters shake their heads: with these bounds its
//! comparisons are decided.

use phasecube::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Whether a word lies between constants; all words do.
#[derive(LogicBlock, Circuit)]
pub struct Oddities {
    word: Signal<In, Bits<6>>,
    high_enough: Signal<Out, Bit>,
    low_enough: Signal<Out, Bit>,
    least: Constant<Bits<6>>,
    greatest: Constant<Bits<6>>,
}

impl Default for Oddities {
    fn default() -> Self {
        Oddities {
            word: Signal::default(),
            high_enough: Signal::default(),
            low_enough: Signal::default(),
            least: Constant::new(bits(0)),
            greatest: Constant::new(bits(63)),
        }
    }
}

impl Logic for Oddities {
    #[kernel]
    fn update(&mut self) {
        self.high_enough.next = self.word.val() >= self.least.val();
        self.low_enough.next = self.word.val() <= self.greatest.val();
    }
}
