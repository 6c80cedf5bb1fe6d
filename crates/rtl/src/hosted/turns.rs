//! The selection of the time-multiplexed node, and the start of phases.

use crate::tdma::{phases, PhaseClock, COUNT_BITS, PHASE_BITS};
use hdl::prelude::*;

/// Selects the time-multiplexed node ([`time_multiplexed`](hdl::cells::time_multiplexed)) of each clock cycle, in
/// ascending order. Also contains the phase clock, whose phases begin with a round of the nodes.
#[derive(LogicBlock, Circuit, Default)]
pub struct Turns<const LINKS: usize, const BITS: usize, const NODES: usize, const DIVIDER: usize> {
    pub clock: Signal<In, Clock>,
    /// The schedule must run.
    pub run: Signal<In, Bit>,
    /// Restarts the count of superframes at 0.
    pub reset: Signal<In, Bit>,
    /// Node `turn` sees a phase begin.
    pub begin: Signal<In, Bit>,
    /// Phase that node `turn` sees.
    pub phase: Signal<In, Bits<PHASE_BITS>>,
    /// Node whose clock cycle it is.
    pub turn: Signal<Out, Bits<BITS>>,
    /// Node `turn` is the first one, or the last one.
    pub first: Signal<Out, Bit>,
    pub last: Signal<Out, Bit>,
    /// The schedule is running.
    pub under_way: Signal<Out, Bit>,
    /// Number of superframes so far; wraps.
    pub superframe: Signal<Out, Bits<COUNT_BITS>>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<Out, Bit>,
    /// High in phase 0.
    pub sync: Signal<Out, Bit>,
    divider: Parameter<Bits<DIVIDER>>,
    phases: PhaseClock<LINKS, DIVIDER>,
    count: Reg<Bits<BITS>>,
    /// The schedule must continue. The phase clock samples this only when a round of the nodes
    /// begins, so that a phase also begins with a round.
    goes_on: Reg<Bit>,
    superframes: Reg<Bits<COUNT_BITS>>,
}

impl<const LINKS: usize, const BITS: usize, const NODES: usize, const DIVIDER: usize>
    Turns<LINKS, BITS, NODES, DIVIDER>
{
    /// Makes the block; `divider` is the divider of the phase clock.
    ///
    /// # Panics
    /// If `divider` has too many bits.
    pub fn new(divider: u64) -> Self {
        assert!(divider < 1 << DIVIDER, "clock cycles of half a phase");
        Turns {
            divider: Parameter::new(divider.into()),
            ..Default::default()
        }
    }
}

impl<const LINKS: usize, const BITS: usize, const NODES: usize, const DIVIDER: usize> Logic
    for Turns<LINKS, BITS, NODES, DIVIDER>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, phases);
        dff_setup!(self, clock, count, goes_on, superframes);
        let turn = self.count.q.val();
        let first = turn == 0;
        self.count.d.next = turn + 1;
        if self.begin.val() & first & (self.phase.val() == 0) {
            self.superframes.d.next = self.superframes.q.val() + 1;
        }
        if self.reset.val() {
            self.superframes.d.next = 0.into();
        }
        // The schedule ends with a superframe, so that no node loses sync.
        let phase = self.phases.phase.val();
        let under_way = self.phases.sync.val() | phase.any();
        if turn == (NODES - 2) as u64 {
            self.goes_on.d.next =
                self.run.val() | (under_way & (phase != (phases(LINKS) - 1) as u64));
        }
        self.phases.enable.next = self.goes_on.q.val();
        self.phases.divider.next = self.divider.val();
        link!(self, phases, phase_clock, sync);
        self.turn.next = turn;
        self.first.next = first;
        self.last.next = turn.all();
        self.under_way.next = under_way;
        self.superframe.next = self.superframes.q.val();
    }
}
