//! A clock that is slower than that of the simulation.

use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Bits of the fraction by which an [`OwnClock`] is slower.
pub const SLOWER_BITS: usize = 24;

/// The oscillator of one node, as a model: its clock misses an edge of the simulation's now
/// and then, at even distances.
///
/// In 2^24 clock cycles of the simulation it misses `slower`. The simulation's clock is so the
/// fastest that there is, and edges are exact to one of its clock cycles.
#[derive(LogicBlock, Circuit, Default)]
pub struct OwnClock {
    pub clock: Signal<In, Clock>,
    /// Edges missed in 2^24 clock cycles. Does not change.
    pub slower: Signal<In, Bits<SLOWER_BITS>>,
    /// What is missed is counted from here on: with it, clocks that are equally slow miss
    /// different edges. Does not change.
    pub start: Signal<In, Bits<SLOWER_BITS>>,
    /// The edge at the end of this clock cycle is one of the node's.
    pub tick: Signal<Out, Bit>,
    running: Reg<Bit>,
    missed: Reg<Bits<SLOWER_BITS>>,
    before: Signal<Local, Bits<SLOWER_BITS>>,
    after: Signal<Local, Bits<SLOWER_BITS>>,
}

impl Logic for OwnClock {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, running, missed);
        self.running.d.next = true;
        self.before.next = if self.running.q.val() {
            self.missed.q.val()
        } else {
            self.start.val()
        };
        self.after.next = self.before.val() + self.slower.val();
        self.missed.d.next = self.after.val();
        self.tick.next = self.after.val() >= self.before.val();
    }
}
