//! The phase clock, which times all nodes, and the phase sequencer of a node. Both also exist for a
//! programmed order of links.

use super::{mask_of, phases, COUNT_BITS, DIM_BITS, DIVIDER_BITS, PHASE_BITS};
use hdl::prelude::*;
use smart_default::SmartDefault;

/// The clock of the schedule: two wires to every node.
///
/// `phase_clock` rises at the beginning of every phase and falls in its middle. `sync` is high in
/// phase 0 and changes together with a rise. The first rise begins phase 0, one clock cycle after
/// `enable`. Clearing `enable` ends the schedule at the end of the phase. A new `divider` takes
/// effect with the next half phase.
#[derive(LogicBlock, Circuit, Default)]
pub struct PhaseClock<const DIMS: usize, const DIVIDER: usize = DIVIDER_BITS> {
    pub clock: Signal<In, Clock>,
    /// Run the schedule.
    pub enable: Signal<In, Bit>,
    /// Clock cycles in half a phase, less one; at least 1.
    pub divider: Signal<In, Bits<DIVIDER>>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<Out, Bit>,
    /// High in phase 0.
    pub sync: Signal<Out, Bit>,
    /// Current phase, numbered within the superframe.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// Number of superframes that have ended; wraps.
    pub frame: Signal<Out, Bits<COUNT_BITS>>,
    running: Reg<Bit>,
    /// High in the first half of a phase.
    level: Reg<Bit>,
    /// Clock cycles left of the half phase, less one.
    remaining: Reg<Bits<DIVIDER>>,
    phase_count: Reg<Bits<PHASE_BITS>>,
    frame_count: Reg<Bits<COUNT_BITS>>,
}

impl<const DIMS: usize, const DIVIDER: usize> Logic for PhaseClock<DIMS, DIVIDER> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, running, level, remaining, phase_count);
        dff_setup!(self, clock, frame_count);
        self.phase_clock.next = self.level.q.val();
        self.phase.next = self.phase_count.q.val();
        self.sync.next = self.running.q.val() & (self.phase_count.q.val() == 0);
        self.frame.next = self.frame_count.q.val();
        let half_ends = self.remaining.q.val() == 0;
        if half_ends | !self.running.q.val() {
            self.remaining.d.next = self.divider.val();
        } else {
            self.remaining.d.next = self.remaining.q.val() - 1;
        }
        if !self.running.q.val() {
            self.phase_count.d.next = 0.into();
            self.running.d.next = self.enable.val();
            self.level.d.next = self.enable.val();
        } else if half_ends & self.level.q.val() {
            self.level.d.next = false;
        } else if half_ends {
            self.running.d.next = self.enable.val();
            self.level.d.next = self.enable.val();
            if self.phase_count.q.val() == (phases(DIMS) - 1) as u64 {
                self.phase_count.d.next = 0.into();
                self.frame_count.d.next = self.frame_count.q.val() + 1;
            } else {
                self.phase_count.d.next = self.phase_count.q.val() + 1;
            }
        }
    }
}

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
    /// Copy of the write port for every node, in the same clock cycle: writes the link of a pair of
    /// phases.
    pub broadcast_write: Signal<Out, Bit>,
    /// Pair to write, for every node.
    pub broadcast_pair: Signal<Out, Bits<PAIR_BITS>>,
    /// Link of the pair, for every node.
    pub broadcast_link: Signal<Out, Bits<DIM_BITS>>,
    /// The pair is the last one, for every node.
    pub broadcast_last: Signal<Out, Bit>,
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
        link!(self -> order: order_write);

        self.broadcast_write.next = self.order_write.write.val();
        self.broadcast_pair.next = self.order_write.write_pair.val();
        self.broadcast_link.next = self.order_write.write_link.val();
        self.broadcast_last.next = self.order_write.write_last.val();
        self.phase_clock.next = self.level.q.val();
        self.pair.next = self.pair_count.q.val();
        self.second.next = self.is_second.q.val();
        link!(order -> self: link);
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

// The programmable order of links.

/// Width of a word of the order: a link, and a flag for the last pair.
const WORD_BITS: usize = DIM_BITS + 1;

/// A memory of links. In each pair of phases the links of one number are open, first in one
/// direction, then in the other (metacube-total-exchange, section 3.2, in lockstep).
///
/// An order has up to `2^PAIR_BITS` pairs and repeats after the pair written as the last one. It is
/// written before the schedule begins.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct PhaseOrder<const PAIR_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Pair to look up.
    pub pair: Signal<In, Bits<PAIR_BITS>>,
    /// Link of the pair requested one clock cycle ago. Invalid if the memory was written in that
    /// clock cycle.
    pub link: Signal<Out, Bits<DIM_BITS>>,
    /// The pair is the last one of the order.
    pub last: Signal<Out, Bit>,
    pub order_write: OrderWrite<PAIR_BITS>,
    #[default(Memory::default().disjoint())]
    words: Memory<Bits<WORD_BITS>, PAIR_BITS>,
}

/// Bits of a pair's number in a cube: an order has up to 1,024 pairs.
pub const CUBE_ORDER_BITS: usize = 10;

/// Bits of a pair's number in a metacube with `address_bits` bits of address: as in a cube, or
/// enough for an order of total exchange. On average, messages of a node have fewer hops than its
/// address has bits.
pub const fn order_bits(address_bits: usize) -> usize {
    let hops = (address_bits as u64) << address_bits;
    let needed = hops.next_power_of_two().trailing_zeros() as usize;
    if needed > CUBE_ORDER_BITS {
        needed
    } else {
        CUBE_ORDER_BITS
    }
}

impl<const PAIR_BITS: usize> Logic for PhaseOrder<PAIR_BITS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, words);
        // No word is read while it is written.
        self.words.read_address.next = if self.order_write.write.val() {
            !self.order_write.write_pair.val()
        } else {
            self.pair.val()
        };
        let word = self.words.read_data.val();
        self.link.next = word.resized();
        self.last.next = word.get_bit(DIM_BITS);

        self.words.write_enable.next = self.order_write.write.val();
        self.words.write_address.next = self.order_write.write_pair.val();
        let link = self.order_write.write_link.val().resized::<WORD_BITS>();
        self.words.write_data.next = link.replace_bit(DIM_BITS, self.order_write.write_last.val());
    }
}

/// Writes a pair of phases of a [`PhaseOrder`](super::PhaseOrder).
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct OrderWrite<const PAIR_BITS: usize> {
    /// Writes the link of a pair of phases.
    pub write: Signal<In, Bit>,
    /// Pair to write.
    pub write_pair: Signal<In, Bits<PAIR_BITS>>,
    /// Link of the pair.
    pub write_link: Signal<In, Bits<DIM_BITS>>,
    /// The pair is the last one of the order.
    pub write_last: Signal<In, Bit>,
}

/// Counts the phases of the schedule for a node, and checks the count against `sync`.
///
/// The node is muted until the first `sync`. When `sync` and the count disagree at the beginning of
/// a phase, the sequencer counts a slip and mutes the node until the next `sync` after that.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct PhaseSequencer<const LINKS: usize> {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// Side of each link that the node is on. In a cube this is its address.
    pub sides: Signal<In, Bits<LINKS>>,
    /// High in the first clock cycle in which the other outputs belong to a new phase.
    pub begin: Signal<Out, Bit>,
    /// Current phase, according to the node.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// Link of the phase; in a cube its dimension.
    pub dim: Signal<Out, Bits<DIM_BITS>>,
    /// The node transmits in this phase, otherwise it receives; low when muted.
    pub transmit: Signal<Out, Bit>,
    /// The node has lost sync and must release all pins.
    pub muted: Signal<Out, Bit>,
    /// Number of slips so far; wraps.
    pub slips: Signal<Out, Bits<COUNT_BITS>>,
    was_high: Reg<Bit>,
    began: Reg<Bit>,
    #[default(Reg::new(true))]
    lost_sync: Reg<Bit>,
    phase_count: Reg<Bits<PHASE_BITS>>,
    slip_count: Reg<Bits<COUNT_BITS>>,
    expected: Signal<Local, Bits<PHASE_BITS>>,
    side: Signal<Local, Bit>,
}

impl<const LINKS: usize> Logic for PhaseSequencer<LINKS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, was_high, began, lost_sync, phase_count);
        dff_setup!(self, clock, slip_count);
        let tick = self.phase_clock.val() & !self.was_high.q.val();
        self.was_high.d.next = self.phase_clock.val();
        self.began.d.next = tick;

        let phase = self.phase_count.q.val();
        if phase == (phases(LINKS) - 1) as u64 {
            self.expected.next = 0.into();
        } else {
            // The mask shows synthesis that the upper bits stay zero.
            self.expected.next = (phase + 1) & mask_of(phases(LINKS));
        }
        if tick {
            let in_sync = self.sync.val() == (self.expected.val() == 0);
            if self.lost_sync.q.val() {
                self.phase_count.d.next = 0.into();
                self.lost_sync.d.next = !self.sync.val();
            } else {
                self.phase_count.d.next = self.expected.val();
                if !in_sync {
                    self.lost_sync.d.next = true;
                    self.slip_count.d.next = self.slip_count.q.val() + 1;
                }
            }
        }

        let dim = (phase >> 1).resized::<DIM_BITS>();
        self.side.next = false;
        for link in 0..LINKS {
            if dim == link as u64 {
                self.side.next = self.sides.val().get_bit(link);
            }
        }
        self.begin.next = self.began.q.val() & !self.lost_sync.q.val();
        self.phase.next = phase;
        self.dim.next = dim;
        self.transmit.next = !self.lost_sync.q.val() & (self.side.val() == phase.get_bit(0));
        self.muted.next = self.lost_sync.q.val();
        self.slips.next = self.slip_count.q.val();
    }
}

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
    lost_sync: Reg<Bit>,
    pair_count: Reg<Bits<PAIR_BITS>>,
    is_second: Reg<Bit>,
    slip_count: Reg<Bits<COUNT_BITS>>,
    next_pair: Signal<Local, Bits<PAIR_BITS>>,
    side: Signal<Local, Bit>,
}

impl<const LINKS: usize, const PAIR_BITS: usize> Logic for ProgrammedSequencer<LINKS, PAIR_BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, was_high, began, lost_sync, pair_count);
        dff_setup!(self, clock, is_second, slip_count);
        clock!(self, clock, order);
        link!(self -> order: order_write);

        let tick = self.phase_clock.val() & !self.was_high.q.val();
        self.was_high.d.next = self.phase_clock.val();
        self.began.d.next = tick;

        let pair = self.pair_count.q.val();
        let second = self.is_second.q.val();
        let ends = second & self.order.last.val();
        self.next_pair.next = pair;
        if tick {
            let in_sync = self.sync.val() == ends;
            if self.lost_sync.q.val() {
                self.next_pair.next = 0.into();
                self.is_second.d.next = false;
                self.lost_sync.d.next = !self.sync.val();
            } else {
                self.is_second.d.next = !second;
                if ends {
                    self.next_pair.next = 0.into();
                } else if second {
                    self.next_pair.next = pair + 1;
                }
                if !in_sync {
                    self.lost_sync.d.next = true;
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
        self.begin.next = self.began.q.val() & !self.lost_sync.q.val();
        self.pair.next = pair;
        self.second.next = second;
        self.link.next = link;
        self.transmit.next = !self.lost_sync.q.val() & (self.side.val() == second);
        self.muted.next = self.lost_sync.q.val();
        self.slips.next = self.slip_count.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A parameter with its default value is not listed, so that the Verilog stays the same.
    #[test]
    fn only_a_non_default_divider_is_listed() {
        let dims = ("DIMS", "6".to_owned());
        assert_eq!(PhaseClock::<6>::description().params, std::slice::from_ref(&dims));
        let wide = PhaseClock::<6, 19>::description().params;
        assert_eq!(wide, [dims, ("DIVIDER", "19".to_owned())]);
    }
}
