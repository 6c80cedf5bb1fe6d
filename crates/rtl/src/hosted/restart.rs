//! How all nodes begin again while their host goes on.

use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Resets nodes that are one block [`in_turns`](hdl::cells::in_turns), and their contexts of a
/// core that they share with their host.
///
/// The core must not be reset in a turn of the host, nor show the host's context while it is:
/// so it waits until a node's turn ends, and the host has no turn until all is done.
#[derive(LogicBlock, Circuit, Default)]
pub struct Restart<const ADDRESS: usize> {
    pub clock: Signal<In, Clock>,
    /// High for one clock cycle: begin again. Only while no phase is under way.
    pub asked: Signal<In, Bit>,
    /// The context under way in the core is the host's.
    pub is_host: Signal<In, Bit>,
    /// Its turn ends.
    pub ends: Signal<In, Bit>,
    /// A round of the nodes' turns ends.
    pub last: Signal<In, Bit>,
    /// The restart is not done: the host has no turn.
    pub waits: Signal<Out, Bit>,
    /// The reset of the core.
    pub core: Signal<Out, Bit>,
    /// The reset of the nodes, from the beginning of a round to the end of one.
    pub nodes: Signal<Out, Bit>,
    /// Shows every address of their message memory for a round.
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
