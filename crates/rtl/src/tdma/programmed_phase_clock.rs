//! The phase clock of a programmed order.

use super::{OrderWrite, PhaseOrder, COUNT_BITS, DIM_BITS, DIVIDER_BITS};
use hdl::prelude::*;

/// The phase clock for a programmed order of links ([`PhaseOrder`]) instead of superframes: two
/// wires to every node.
///
/// `phase_clock` rises at the beginning of every phase and falls in its middle. `sync` is high in
/// the first phase of the order and changes together with a rise. The first rise comes one clock
/// cycle after `enable`. Clearing `enable` ends the schedule at the end of the phase. A new
/// `divider` takes effect with the next half phase.
#[derive(LogicBlock, Circuit, Default)]
pub struct ProgrammedPhaseClock<const PAIR_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Run the schedule.
    pub enable: Signal<In, Bit>,
    /// Clock cycles in half a phase, less one; at least 1.
    pub divider: Signal<In, Bits<DIVIDER_BITS>>,
    pub order_write: OrderWrite<PAIR_BITS>,
    /// Copy of the write port that reaches every node in the same clock cycle: writes the link of a
    /// pair of phases.
    pub told: Signal<Out, Bit>,
    /// Pair to write, for every node.
    pub told_pair: Signal<Out, Bits<PAIR_BITS>>,
    /// Link of the pair, for every node.
    pub told_link: Signal<Out, Bits<DIM_BITS>>,
    /// The pair is the last one, for every node.
    pub told_last: Signal<Out, Bit>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<Out, Bit>,
    /// High in the first phase of the order.
    pub sync: Signal<Out, Bit>,
    /// Current pair, numbered within the order.
    pub pair: Signal<Out, Bits<PAIR_BITS>>,
    /// The pair is in its second phase.
    pub second: Signal<Out, Bit>,
    /// Link of the pair.
    pub link: Signal<Out, Bits<DIM_BITS>>,
    /// Number of orders that have ended; wraps.
    pub rounds: Signal<Out, Bits<COUNT_BITS>>,
    order: PhaseOrder<PAIR_BITS>,
    running: Reg<Bit>,
    /// High in the first half of a phase.
    level: Reg<Bit>,
    /// Clock cycles left of the half phase, less one.
    remaining: Reg<Bits<DIVIDER_BITS>>,
    pair_count: Reg<Bits<PAIR_BITS>>,
    is_second: Reg<Bit>,
    round_count: Reg<Bits<COUNT_BITS>>,
    next_pair: Signal<Local, Bits<PAIR_BITS>>,
}

impl<const PAIR_BITS: usize> Logic for ProgrammedPhaseClock<PAIR_BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, running, level, remaining, pair_count);
        dff_setup!(self, clock, is_second, round_count);
        clock!(self, clock, order);
        link!(self, order, order_write);

        self.told.next = self.order_write.write.val();
        self.told_pair.next = self.order_write.write_pair.val();
        self.told_link.next = self.order_write.write_link.val();
        self.told_last.next = self.order_write.write_last.val();
        self.phase_clock.next = self.level.q.val();
        self.pair.next = self.pair_count.q.val();
        self.second.next = self.is_second.q.val();
        link!(self, order, link);
        self.rounds.next = self.round_count.q.val();
        let is_first = (self.pair_count.q.val() == 0) & !self.is_second.q.val();
        self.sync.next = self.running.q.val() & is_first;

        let half_ends = self.remaining.q.val() == 0;
        if half_ends | !self.running.q.val() {
            self.remaining.d.next = self.divider.val();
        } else {
            self.remaining.d.next = self.remaining.q.val() - 1;
        }
        self.next_pair.next = self.pair_count.q.val();
        if !self.running.q.val() {
            self.next_pair.next = 0.into();
            self.is_second.d.next = false;
            self.running.d.next = self.enable.val();
            self.level.d.next = self.enable.val();
        } else if half_ends & self.level.q.val() {
            self.level.d.next = false;
        } else if half_ends {
            self.running.d.next = self.enable.val();
            self.level.d.next = self.enable.val();
            self.is_second.d.next = !self.is_second.q.val();
            if self.is_second.q.val() & self.order.last.val() {
                self.next_pair.next = 0.into();
                self.round_count.d.next = self.round_count.q.val() + 1;
            } else if self.is_second.q.val() {
                self.next_pair.next = self.pair_count.q.val() + 1;
            }
        }
        self.pair_count.d.next = self.next_pair.val();
        // Looks up the pair early, so that its link is known when it begins.
        self.order.pair.next = self.next_pair.val();
    }
}
