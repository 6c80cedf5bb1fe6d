//! The host's control of the programs of the nodes.

use super::{ProgramWatch, Restart};
use hdl::prelude::*;

/// Watches the turns that programs have on the shared core, and restarts all programs. Consists of
/// a [`ProgramWatch`] and a [`Restart`].
#[derive(LogicBlock, Circuit, Default)]
pub struct Supervisor<const BITS: usize, const ADDRESS: usize> {
    pub clock: Signal<In, Clock>,
    /// High for one clock cycle: all nodes must restart.
    pub restart: Signal<In, Bit>,
    /// Node whose program is watched.
    pub watched: Signal<In, Bits<BITS>>,
    /// High for one clock cycle: watching begins.
    pub looks: Signal<In, Bit>,
    /// The current context of the core is the host's, otherwise it belongs to `node`.
    pub is_host: Signal<In, Bit>,
    pub node: Signal<In, Bits<BITS>>,
    /// Ports of the core ([`SoftCore`](crate::core::SoftCore)).
    pub request: Signal<In, Bit>,
    pub program_counter: Signal<In, Bits<32>>,
    pub retired: Signal<In, Bit>,
    pub asleep: Signal<In, Bit>,
    pub halted: Signal<In, Bit>,
    pub cause: Signal<In, Bits<4>>,
    /// A round of the time-multiplexed nodes ends.
    pub last: Signal<In, Bit>,
    /// A program has halted since the restart.
    pub stopped: Signal<Out, Bit>,
    /// Observed state of the program; see [`ProgramWatch`].
    pub seen: Signal<Out, Bits<32>>,
    /// The program has not been observed yet.
    pub in_full: Signal<Out, Bit>,
    /// The restart is not complete: the host has no turn.
    pub restarts: Signal<Out, Bit>,
    /// Reset of the core.
    pub core_reset: Signal<Out, Bit>,
    /// Reset of the nodes, and the address in their message memory that is cleared.
    pub reset: Signal<Out, Bit>,
    pub reset_address: Signal<Out, Bits<ADDRESS>>,
    watch: ProgramWatch<BITS>,
    starter: Restart<ADDRESS>,
    has_stopped: Reg<Bit>,
}

impl<const BITS: usize, const ADDRESS: usize> Logic for Supervisor<BITS, ADDRESS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, watch, starter);
        dff_setup!(self, clock, has_stopped);
        let reset = self.starter.nodes.val();
        if self.halted.val() {
            self.has_stopped.d.next = true;
        }
        if reset {
            self.has_stopped.d.next = false;
        }
        self.stopped.next = self.has_stopped.q.val();

        link!(self, watch, watched, looks => begins, is_host, node);
        link!(
            self,
            watch,
            request,
            program_counter,
            retired,
            asleep,
            halted,
            cause
        );
        link!(self, watch, seen, in_full => waits);

        link!(self, starter, restart => asked, is_host, last, restarts => waits);
        self.starter.ends.next = self.retired.val() | self.asleep.val() | self.halted.val();
        link!(self, starter, core_reset => core, reset_address => address);
        self.reset.next = reset;
    }
}
