//! A legal block at which linters shake their heads: comparisons that are decided
//! by what its parent ties to them.

use phasecube::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
struct Compare {
    a: Signal<In, Bits<6>>,
    b: Signal<In, Bits<6>>,
    less: Signal<Out, Bit>,
    not_less: Signal<Out, Bit>,
}

impl Logic for Compare {
    #[kernel]
    fn update(&mut self) {
        self.less.next = self.a.val() < 40;
        self.not_less.next = self.a.val() >= self.b.val();
    }
}

/// Its children compare a small number with 40, and with zero.
#[derive(LogicBlock, Circuit, Default)]
pub struct Oddities {
    a: Signal<In, Bits<3>>,
    less: Signal<Out, Bit>,
    not_less: Signal<Out, Bit>,
    compare: Compare,
}

impl Logic for Oddities {
    #[kernel]
    fn update(&mut self) {
        self.compare.a.next = bit_cast::<6, 3>(self.a.val());
        self.compare.b.next = 0.into();
        self.less.next = self.compare.less.val();
        self.not_less.next = self.compare.not_less.val();
    }
}
