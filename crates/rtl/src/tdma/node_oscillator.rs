//! A node clock that is slower than the clock of the simulation.
use hdl::prelude::*;

/// Width of the fraction by which an [`NodeOscillator`] is slower.
pub const SLOWER_BITS: usize = 24;

/// A model of the oscillator of one node. Its clock skips edges of the simulation clock at even
/// intervals.
///
/// It skips `slower` edges in 2^24 clock cycles of the simulation. The simulation clock is
/// therefore the fastest clock, and edges are exact to one of its clock cycles.
#[derive(LogicBlock, Circuit, Default)]
pub struct NodeOscillator {
    pub clock: Signal<In, Clock>,
    /// Number of edges skipped in 2^24 clock cycles; constant.
    pub slower: Signal<In, Bits<SLOWER_BITS>>,
    /// Initial value of the accumulator that determines skipped edges; constant. It makes clocks of
    /// equal speed skip different edges.
    pub start: Signal<In, Bits<SLOWER_BITS>>,
    /// The edge at the end of this clock cycle belongs to the node's clock.
    pub tick: Signal<Out, Bit>,
    running: Reg<Bit>,
    missed: Reg<Bits<SLOWER_BITS>>,
    before: Signal<Local, Bits<SLOWER_BITS>>,
    after: Signal<Local, Bits<SLOWER_BITS>>,
}

impl Logic for NodeOscillator {
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
