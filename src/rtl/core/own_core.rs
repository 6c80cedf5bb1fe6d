//! The soft core without turns, for one node.

use super::SoftCore;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// A core that one node has for itself: [`SoftCore`] with one context, whose turn
/// it always is.
#[derive(LogicBlock, Circuit, Default)]
pub struct OwnCore {
    pub clock: Signal<In, Clock>,
    /// Begin again at address 0; for two clock cycles at least.
    pub reset: Signal<In, Bit>,
    pub wake: Signal<In, Bit>,
    pub retired: Signal<Out, Bit>,
    pub asleep: Signal<Out, Bit>,
    pub halted: Signal<Out, Bit>,
    pub cause: Signal<Out, Bits<4>>,
    /// The instruction read last.
    pub instruction: Signal<Out, Bits<32>>,
    pub request: Signal<Out, Bit>,
    pub address: Signal<Out, Bits<32>>,
    pub write_data: Signal<Out, Bits<32>>,
    pub write_strobe: Signal<Out, Bits<4>>,
    pub ready: Signal<In, Bit>,
    pub read_data: Signal<In, Bits<32>>,
    core: SoftCore<1, 6>,
}

impl Logic for OwnCore {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, core);
        self.core.reset.next = self.reset.val();
        self.core.context.next = 0.into();
        self.core.go.next = true;
        self.core.wake.next = self.wake.val();
        self.retired.next = self.core.retired.val();
        self.asleep.next = self.core.asleep.val();
        self.halted.next = self.core.halted.val();
        self.cause.next = self.core.cause.val();
        self.instruction.next = self.core.instruction.val();
        self.request.next = self.core.request.val();
        self.address.next = self.core.address.val();
        self.write_data.next = self.core.write_data.val();
        self.write_strobe.next = self.core.write_strobe.val();
        self.core.ready.next = self.ready.val();
        self.core.read_data.next = self.read_data.val();
    }
}
