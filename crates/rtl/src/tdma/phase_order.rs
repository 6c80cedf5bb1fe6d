//! The order in which links have their phases, where it can be programmed.

use super::{OrderWrite, DIM_BITS};
use hdl::cells::Memory;
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;
use smart_default::SmartDefault;

/// Width of a word of the order: a link and whether it is the last one.
const WORD_BITS: usize = DIM_BITS + 1;

/// A memory of links: in each pair of phases those of one number are open, first one way,
/// then the other (metacube-total-exchange, section 3.2, in lockstep).
///
/// An order has up to `2^PAIR_BITS` pairs, begins again behind the one that is written as the
/// last, and is written before the schedule begins.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct PhaseOrder<const PAIR_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// The pair that is wanted.
    pub pair: Signal<In, Bits<PAIR_BITS>>,
    /// The link of the pair that was wanted in the last clock cycle; means nothing if
    /// something was written in it.
    pub link: Signal<Out, Bits<DIM_BITS>>,
    /// No pair comes after it.
    pub last: Signal<Out, Bit>,
    pub order_write: OrderWrite<PAIR_BITS>,
    #[default(Memory::default().disjoint())]
    words: Memory<Bits<WORD_BITS>, PAIR_BITS>,
}

/// Bits of a pair's number in a cube: an order has up to 1,024 pairs.
pub const CUBE_ORDER_BITS: usize = 10;

/// Bits of a pair's number in a metacube whose addresses have so many bits: those of a cube, or
/// as many as an order of total exchange needs. Messages of a node have less hops than its
/// address has bits, in the mean.
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
