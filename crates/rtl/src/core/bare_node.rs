//! A core alone, to run test programs from a memory in software.

use super::OwnCore;
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// A core whose memory is the host's: every word is ready one clock cycle after it
/// is wanted.
///
/// The host need not look at it but when `wanted`, `asleep` or `halted` is high.
#[derive(LogicBlock, Circuit, Default)]
pub struct BareNode {
    pub clock: Signal<In, Clock>,
    /// As that of [`OwnCore`]; while it is high nothing is wanted.
    pub reset: Signal<In, Bit>,
    /// High for one clock cycle: the core wants an access.
    pub wanted: Signal<Out, Bit>,
    /// It is the fetch of an instruction.
    pub fetch: Signal<Out, Bit>,
    /// Of this word; bits 0 and 1 are zero.
    pub address: Signal<Out, Bits<32>>,
    pub write_data: Signal<Out, Bits<32>>,
    /// The bytes to write; none: the word is read.
    pub write_strobe: Signal<Out, Bits<4>>,
    /// The word, from the clock cycle in which it is wanted to the next one.
    pub read_data: Signal<In, Bits<32>>,
    pub asleep: Signal<Out, Bit>,
    pub halted: Signal<Out, Bit>,
    pub cause: Signal<Out, Bits<4>>,
    /// The instruction read last.
    pub instruction: Signal<Out, Bits<32>>,
    core: OwnCore,
    /// An access was wanted a clock cycle ago.
    ready: Reg<Bit>,
    /// The instruction of this turn is there.
    fetched: Reg<Bit>,
}

impl Logic for BareNode {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, core);
        dff_setup!(self, clock, ready, fetched);
        let request = self.core.request.val();
        let ready = self.ready.q.val();
        let wanted = request & !ready;
        link!(self, core, reset);
        self.core.wake.next = false;
        self.core.ready.next = ready;
        link!(self, core, read_data);
        self.ready.d.next = wanted;
        if self.core.retired.val() | self.reset.val() {
            self.fetched.d.next = false;
        } else if ready {
            self.fetched.d.next = true;
        }
        self.wanted.next = wanted;
        self.fetch.next = !self.fetched.q.val();
        link!(self, core, address, write_data, write_strobe, asleep);
        link!(self, core, halted, cause, instruction);
    }
}
