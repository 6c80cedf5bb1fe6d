//! The restart of all nodes while their host keeps running.
use hdl::prelude::*;

/// Resets time-multiplexed nodes ([`time_multiplexed`](hdl::cells::time_multiplexed)) and their contexts of the
/// core that they share with the host.
///
/// The core must not be reset in a turn of the host, and must not show the host's context during
/// the reset. The block therefore waits until a node's turn ends, and the host has no turn until
/// the restart is complete.
#[derive(LogicBlock, Circuit, Default)]
pub struct Restart<const ADDRESS: usize> {
    pub clock: Signal<In, Clock>,
    /// High for one clock cycle: restart. Allowed only while no phase is in progress.
    pub asked: Signal<In, Bit>,
    /// The current context of the core is the host's.
    pub is_host: Signal<In, Bit>,
    /// The turn of the current context ends.
    pub ends: Signal<In, Bit>,
    /// A round of the time-multiplexed nodes ends.
    pub last: Signal<In, Bit>,
    /// The restart is not complete: the host has no turn.
    pub waits: Signal<Out, Bit>,
    /// Reset of the core.
    pub core: Signal<Out, Bit>,
    /// Reset of the nodes, from the beginning of a round to the end of a round.
    pub nodes: Signal<Out, Bit>,
    /// Address in the message memories; each value lasts for one round.
    pub address: Signal<Out, Bits<ADDRESS>>,
    waiting: Reg<Bit>,
    held: Reg<Bit>,
    clears: Reg<Bit>,
    rounds: Reg<Bits<ADDRESS>>,
}

impl<const ADDRESS: usize> Logic for Restart<ADDRESS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, waiting, held, clears, rounds);
        let waiting = self.waiting.q.val();
        let held = self.held.q.val();
        let clears = self.clears.q.val();
        let rounds = self.rounds.q.val();
        if self.asked.val() {
            self.waiting.d.next = true;
        }
        if waiting & !self.is_host.val() & self.ends.val() {
            self.held.d.next = true;
        }
        if held & self.last.val() {
            self.clears.d.next = true;
            if clears {
                self.rounds.d.next = rounds + 1;
                if rounds.all() {
                    self.waiting.d.next = false;
                    self.held.d.next = false;
                    self.clears.d.next = false;
                }
            }
        }
        self.waits.next = waiting;
        self.core.next = held;
        self.nodes.next = clears;
        self.address.next = rounds;
    }
}
