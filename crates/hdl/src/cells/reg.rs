//! Register cell for all flip-flops.

use super::time_multiplexed::current_turns;
use crate::lower::{answer_cell, bits_of, CellRecord, SignalAddress};
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// Register: `q` takes the value of `d` at the rising clock edge.
///
/// A register costs one flip-flop per bit. On an FPGA it powers up with its initial value. There is
/// no reset pin, so a reset is logic before `d`.
///
/// Made [`time_multiplexed`](super::time_multiplexed), it holds a value for each turn. `q` then takes the value
/// that `d` had in the previous clock cycle of the same turn.
#[derive(Clone, Debug, LogicBlock)]
pub struct Reg<T: Synth> {
    pub clock: Signal<In, Clock>,
    pub d: Signal<In, T>,
    pub q: Signal<Out, T>,
    _init: T,
    /// Values of `q` for the following turns.
    _later: VecDeque<T>,
}

impl<T: Synth> Reg<T> {
    /// Creates a register that starts as `init`.
    pub fn new(init: T) -> Self {
        Reg {
            clock: Signal::default(),
            d: Signal::default(),
            q: Signal::new_with_default(init),
            _init: init,
            _later: (1..current_turns()).map(|_| init).collect(),
        }
    }
}

/// Creates a register that starts as the default of the type: zero, or the first variant of an
/// enum.
impl<T: Synth> Default for Reg<T> {
    fn default() -> Self {
        Reg::new(T::default())
    }
}

impl<T: Synth> Logic for Reg<T> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self._later.push_back(self.d.val());
            if let Some(next) = self._later.pop_front() {
                self.q.next = next;
            }
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> Verilog {
        answer_cell::<T>(|| CellRecord::Register {
            d: SignalAddress::of(&self.d),
            q: SignalAddress::of(&self.q),
            init: bits_of(self._init),
            turns: self._later.len() + 1,
        })
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "reg".into(),
            clock: "clock".into(),
            inputs: vec!["d".into()],
            outputs: vec!["q".into()],
        }]
    }
}
