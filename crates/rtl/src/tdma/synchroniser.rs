//! The flip-flops that synchronise external signals to a node's clock.
use hdl::prelude::*;

/// Synchronises signals of other clock domains to the clock of a node. The phase clock and the
/// neighbours have their own clocks.
///
/// Every signal passes two flip-flops, `phase_clock` three. `phase_clock` and `sync` change
/// together, and `sync` must have arrived when the rise is detected.
#[derive(LogicBlock, Circuit, Default)]
pub struct Synchroniser<const LINKS: usize> {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// Levels of the wires, link 0 lowest.
    pub level: Signal<In, Bits<LINKS>>,
    /// `phase_clock`, three clock cycles later.
    pub node_phase_clock: Signal<Out, Bit>,
    /// `sync`, two clock cycles later.
    pub node_sync: Signal<Out, Bit>,
    /// `level`, two clock cycles later.
    pub node_level: Signal<Out, Bits<LINKS>>,
    phase_clock_stages: Reg<Bits<3>>,
    sync_stages: Reg<Bits<2>>,
    /// Inverted levels of the wires, low when idle, as in the pin mux.
    low_first: Reg<Bits<LINKS>>,
    low_second: Reg<Bits<LINKS>>,
}

impl<const LINKS: usize> Logic for Synchroniser<LINKS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, phase_clock_stages, sync_stages);
        clock!(self, clock, low_first, low_second);
        self.phase_clock_stages.d.next =
            (self.phase_clock_stages.q.val() << 1).replace_bit(0, self.phase_clock.val());
        self.sync_stages.d.next = (self.sync_stages.q.val() << 1).replace_bit(0, self.sync.val());
        self.low_first.d.next = !self.level.val();
        self.low_second.d.next = self.low_first.q.val();
        self.node_phase_clock.next = self.phase_clock_stages.q.val().get_bit(2);
        self.node_sync.next = self.sync_stages.q.val().get_bit(1);
        self.node_level.next = !self.low_second.q.val();
    }
}
