//! Whose turn it is, and when the phases begin.

use crate::tdma::{phases, PhaseClock, COUNT_BITS, PHASE_BITS};
use hdl::cells::{Parameter, Reg};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// The turns of nodes that are one block [`in_turns`](hdl::cells::in_turns), in ascending
/// order, and the phase clock, whose phases begin with a round of turns.
#[derive(LogicBlock, Circuit, Default)]
pub struct Turns<const LINKS: usize, const BITS: usize, const NODES: usize, const DIVIDER: usize> {
    pub clock: Signal<In, Clock>,
    /// The schedule is to run.
    pub run: Signal<In, Bit>,
    /// Superframes are counted from 0 again.
    pub reset: Signal<In, Bit>,
    /// The node whose turn it is sees a phase begin.
    pub begin: Signal<In, Bit>,
    /// The phase that the node sees.
    pub phase: Signal<In, Bits<PHASE_BITS>>,
    /// The node whose turn it is.
    pub turn: Signal<Out, Bits<BITS>>,
    /// It is the first one, or the last.
    pub first: Signal<Out, Bit>,
    pub last: Signal<Out, Bit>,
    /// The schedule runs.
    pub under_way: Signal<Out, Bit>,
    /// Superframes so far; wraps.
    pub superframe: Signal<Out, Bits<COUNT_BITS>>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<Out, Bit>,
    /// High in phase 0.
    pub sync: Signal<Out, Bit>,
    divider: Parameter<Bits<DIVIDER>>,
    phases: PhaseClock<LINKS, DIVIDER>,
    count: Reg<Bits<BITS>>,
    /// The schedule is to go on: seen by the phase clock only when a round of turns begins,
    /// so that a phase begins with a round, too.
    goes_on: Reg<Bit>,
    superframes: Reg<Bits<COUNT_BITS>>,
}

impl<const LINKS: usize, const BITS: usize, const NODES: usize, const DIVIDER: usize>
    Turns<LINKS, BITS, NODES, DIVIDER>
{
    /// `divider` is that of the phase clock.
    ///
    /// # Panics
    /// If it has too many bits.
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
        // The schedule ends with a superframe, so that no node falls out of step.
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
