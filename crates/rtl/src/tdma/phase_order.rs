//! The programmable order of links.

use super::{OrderWrite, DIM_BITS};
use hdl::prelude::*;
use smart_default::SmartDefault;

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
