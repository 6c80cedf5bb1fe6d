//! What a node does in each pair of phases of a compiled schedule.

use super::SLOT_BITS;
use hdl::cells::Memory;
use hdl::lower::{kernel, Bundle, Circuit};
use rust_hdl::prelude::*;
use smart_default::SmartDefault;

/// Bits that say what is done with a message: the place, whether there is one, and whether
/// it begins or ends at this node.
const MOVE_BITS: usize = SLOT_BITS + 2;

/// Width of a word of a [`MoveTable`]: what is sent, and above it what is received.
pub const MOVES_BITS: usize = 2 * MOVE_BITS;

/// A word of a [`MoveTable`] without what is received: the node sends the message in this
/// place, which it takes from its host before if it is `fresh`.
pub const fn sends(place: u8, fresh: bool) -> u64 {
    place as u64 | 1 << SLOT_BITS | (fresh as u64) << (SLOT_BITS + 1)
}

/// A word without what is sent: the node receives a message into this place, and hands it to
/// its host if it is at `home`.
pub const fn receives(place: u8, home: bool) -> u64 {
    sends(place, home) << MOVE_BITS
}

/// The ports by which a node is told what it does.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct MoveWrite<const PAIR_BITS: usize> {
    /// Sets what the node does in a pair of phases.
    pub plan_write: Signal<In, Bit>,
    /// The pair of phases that is set.
    pub plan_pair: Signal<In, Bits<PAIR_BITS>>,
    pub plan_word: Signal<In, Bits<MOVES_BITS>>,
}

/// A memory of moves: for each of up to `2^PAIR_BITS` pairs of phases what the node sends
/// and what it receives. It is written before the schedule begins.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct MoveTable<const PAIR_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// The pair that is wanted. The other outputs are those of the pair that was wanted in
    /// the last clock cycle; they mean nothing if something was written in it.
    pub pair: Signal<In, Bits<PAIR_BITS>>,
    /// The node sends a message.
    pub sends: Signal<Out, Bit>,
    /// The place of the message that is sent.
    pub from: Signal<Out, Bits<SLOT_BITS>>,
    /// The host gives the message that is sent before.
    pub fresh: Signal<Out, Bit>,
    /// The node receives a message.
    pub receives: Signal<Out, Bit>,
    /// The place for the message that is received.
    pub into: Signal<Out, Bits<SLOT_BITS>>,
    /// The message that is received is at home: the host gets it.
    pub home: Signal<Out, Bit>,
    pub move_write: MoveWrite<PAIR_BITS>,
    #[default(Memory::default().disjoint())]
    words: Memory<Bits<MOVES_BITS>, PAIR_BITS>,
}

impl<const PAIR_BITS: usize> Logic for MoveTable<PAIR_BITS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, words);
        // No word is read while it is written.
        self.words.read_address.next = if self.move_write.plan_write.val() {
            !self.move_write.plan_pair.val()
        } else {
            self.pair.val()
        };
        let word = self.words.read_data.val();
        self.from.next = word.get_bits::<SLOT_BITS>(0);
        self.sends.next = word.get_bit(SLOT_BITS);
        self.fresh.next = word.get_bit(SLOT_BITS + 1);
        self.into.next = word.get_bits::<SLOT_BITS>(MOVE_BITS);
        self.receives.next = word.get_bit(MOVE_BITS + SLOT_BITS);
        self.home.next = word.get_bit(MOVE_BITS + SLOT_BITS + 1);

        self.words.write_enable.next = self.move_write.plan_write.val();
        self.words.write_address.next = self.move_write.plan_pair.val();
        self.words.write_data.next = self.move_write.plan_word.val();
    }
}
