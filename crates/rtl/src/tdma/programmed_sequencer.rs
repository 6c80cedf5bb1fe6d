//! The phase counter of a node with a programmed order, with detection of slips.

use super::{OrderWrite, PhaseOrder, COUNT_BITS, DIM_BITS};
use hdl::prelude::*;
use smart_default::SmartDefault;

/// The node's position in a programmed order. It counts phases with its own copy of the order and
/// checks itself against `sync` at the beginning of the order.
///
/// The node is muted until the first `sync`. When `sync` and its own count disagree at the
/// beginning of a phase, the node counts a slip and is muted. It joins again at the next `sync`
/// after that. An order is longer than a superframe, so a slip is detected later. Until then the
/// frames of the node are for another link or from another sender than its neighbours expect, and
/// fail the CRC.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct ProgrammedSequencer<const LINKS: usize, const PAIR_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in the first phase of the order.
    pub sync: Signal<In, Bit>,
    /// Side of each link that the node is on: side 0 sends in the first phase of a pair.
    pub sides: Signal<In, Bits<LINKS>>,
    pub order_write: OrderWrite<PAIR_BITS>,
    /// High in the first clock cycle in which the other outputs belong to a new phase.
    pub begin: Signal<Out, Bit>,
    /// Current pair, according to the node.
    pub pair: Signal<Out, Bits<PAIR_BITS>>,
    /// The pair is in its second phase.
    pub second: Signal<Out, Bit>,
    /// Link of the pair.
    pub link: Signal<Out, Bits<DIM_BITS>>,
    /// The node transmits in this phase, otherwise it receives; low when muted.
    pub transmit: Signal<Out, Bit>,
    /// The node has lost sync and must release all pins.
    pub muted: Signal<Out, Bit>,
    /// Number of slips so far; wraps.
    pub slips: Signal<Out, Bits<COUNT_BITS>>,
    order: PhaseOrder<PAIR_BITS>,
    was_high: Reg<Bit>,
    began: Reg<Bit>,
    #[default(Reg::new(true))]
    out_of_step: Reg<Bit>,
    pair_count: Reg<Bits<PAIR_BITS>>,
    is_second: Reg<Bit>,
    slip_count: Reg<Bits<COUNT_BITS>>,
    next_pair: Signal<Local, Bits<PAIR_BITS>>,
    side: Signal<Local, Bit>,
}

impl<const LINKS: usize, const PAIR_BITS: usize> Logic for ProgrammedSequencer<LINKS, PAIR_BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, was_high, began, out_of_step, pair_count);
        dff_setup!(self, clock, is_second, slip_count);
        clock!(self, clock, order);
        link!(self, order, order_write);

        let tick = self.phase_clock.val() & !self.was_high.q.val();
        self.was_high.d.next = self.phase_clock.val();
        self.began.d.next = tick;

        let pair = self.pair_count.q.val();
        let second = self.is_second.q.val();
        let ends = second & self.order.last.val();
        self.next_pair.next = pair;
        if tick {
            let in_step = self.sync.val() == ends;
            if self.out_of_step.q.val() {
                self.next_pair.next = 0.into();
                self.is_second.d.next = false;
                self.out_of_step.d.next = !self.sync.val();
            } else {
                self.is_second.d.next = !second;
                if ends {
                    self.next_pair.next = 0.into();
                } else if second {
                    self.next_pair.next = pair + 1;
                }
                if !in_step {
                    self.out_of_step.d.next = true;
                    self.slip_count.d.next = self.slip_count.q.val() + 1;
                }
            }
        }
        self.pair_count.d.next = self.next_pair.val();
        // Looks up the pair early, so that its link is known when it begins.
        self.order.pair.next = self.next_pair.val();

        let link = self.order.link.val();
        self.side.next = false;
        for l in 0..LINKS {
            if link == l as u64 {
                self.side.next = self.sides.val().get_bit(l);
            }
        }
        self.begin.next = self.began.q.val() & !self.out_of_step.q.val();
        self.pair.next = pair;
        self.second.next = second;
        self.link.next = link;
        self.transmit.next = !self.out_of_step.q.val() & (self.side.val() == second);
        self.muted.next = self.out_of_step.q.val();
        self.slips.next = self.slip_count.q.val();
    }
}
