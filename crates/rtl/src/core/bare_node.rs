//! A core alone, to run test programs from a memory in software.

use super::SingleContextCore;
use hdl::prelude::*;

/// A core whose memory is in the host software. Every word is ready one clock cycle after its
/// request.
///
/// The host only needs to sample the outputs while `wanted`, `asleep` or `halted` is high.
#[derive(LogicBlock, Circuit, Default)]
pub struct BareNode {
    pub clock: Signal<In, Clock>,
    /// Reset of [`SingleContextCore`]; no access is requested while `reset` is high.
    pub reset: Signal<In, Bit>,
    /// High for one clock cycle: the core requests an access.
    pub wanted: Signal<Out, Bit>,
    /// The access is an instruction fetch.
    pub fetch: Signal<Out, Bit>,
    /// Address of the access in bytes; bits 1:0 are zero.
    pub address: Signal<Out, Bits<32>>,
    pub write_data: Signal<Out, Bits<32>>,
    /// Byte lanes to write; zero for a read.
    pub write_strobe: Signal<Out, Bits<4>>,
    /// Word read. Valid from the clock cycle of `wanted` through the next one.
    pub read_data: Signal<In, Bits<32>>,
    pub asleep: Signal<Out, Bit>,
    pub halted: Signal<Out, Bit>,
    pub cause: Signal<Out, Bits<4>>,
    /// Instruction fetched last.
    pub instruction: Signal<Out, Bits<32>>,
    core: SingleContextCore,
    /// The core requested an access one clock cycle ago.
    ready: Reg<Bit>,
    /// The instruction of this turn has arrived.
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
