//! The soft core with a single context, for one node.

use super::SoftCore;
use hdl::prelude::*;

/// The core of one node: [`SoftCore`] with one context, which has every turn.
#[derive(LogicBlock, Circuit, Default)]
pub struct SingleContextCore {
    pub clock: Signal<In, Clock>,
    /// Restarts at address 0; hold for at least two clock cycles.
    pub reset: Signal<In, Bit>,
    pub wake: Signal<In, Bit>,
    pub retired: Signal<Out, Bit>,
    pub asleep: Signal<Out, Bit>,
    pub halted: Signal<Out, Bit>,
    pub cause: Signal<Out, Bits<4>>,
    /// Instruction fetched last.
    pub instruction: Signal<Out, Bits<32>>,
    pub request: Signal<Out, Bit>,
    pub address: Signal<Out, Bits<32>>,
    pub write_data: Signal<Out, Bits<32>>,
    pub write_strobe: Signal<Out, Bits<4>>,
    pub ready: Signal<In, Bit>,
    pub read_data: Signal<In, Bits<32>>,
    core: SoftCore<1, 6>,
}

impl Logic for SingleContextCore {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, core);
        link!(self, core, reset);
        self.core.context.next = 0.into();
        self.core.go.next = true;
        link!(self, core, wake, retired, asleep, halted, cause);
        link!(self, core, instruction, request, address, write_data);
        link!(self, core, write_strobe, ready, read_data);
    }
}
