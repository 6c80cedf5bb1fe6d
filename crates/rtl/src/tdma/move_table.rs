//! The actions of a node in each pair of phases of a compiled schedule.

use super::SLOT_BITS;
use hdl::prelude::*;
use smart_default::SmartDefault;

/// Width of the description of one message: its slot, whether there is a message, and whether it
/// starts or ends at this node.
const MOVE_BITS: usize = SLOT_BITS + 2;

/// Width of a word of a [`MoveTable`]: the message to send, and above it the message to receive.
pub const MOVES_BITS: usize = 2 * MOVE_BITS;

/// Returns a word of a [`MoveTable`] that only sends: the node sends the message in slot `place`.
/// If the message is `fresh`, the node first takes it from its host.
pub const fn sends(place: u8, fresh: bool) -> u64 {
    place as u64 | 1 << SLOT_BITS | (fresh as u64) << (SLOT_BITS + 1)
}

/// Returns a word that only receives: the node receives a message into slot `place`. If the message
/// is at `home`, the node delivers it to its host.
pub const fn receives(place: u8, home: bool) -> u64 {
    sends(place, home) << MOVE_BITS
}

/// Ports for programming a [`MoveTable`].
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct MoveWrite<const PAIR_BITS: usize> {
    /// Writes the actions of the node in a pair of phases.
    pub plan_write: Signal<In, Bit>,
    /// Pair of phases to write.
    pub plan_pair: Signal<In, Bits<PAIR_BITS>>,
    pub plan_word: Signal<In, Bits<MOVES_BITS>>,
}

/// A memory of the node's actions: the message to send and the message to receive, for each of up
/// to `2^PAIR_BITS` pairs of phases. It is written before the schedule begins.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct MoveTable<const PAIR_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Pair to look up. The other outputs belong to the pair requested one clock cycle ago. They
    /// are invalid if the table was written in that clock cycle.
    pub pair: Signal<In, Bits<PAIR_BITS>>,
    /// The node sends a message.
    pub sends: Signal<Out, Bit>,
    /// Slot of the message to send.
    pub from: Signal<Out, Bits<SLOT_BITS>>,
    /// The node takes the message to send from the host first.
    pub fresh: Signal<Out, Bit>,
    /// The node receives a message.
    pub receives: Signal<Out, Bit>,
    /// Slot for the message to receive.
    pub into: Signal<Out, Bits<SLOT_BITS>>,
    /// The message to receive has this node as its destination and is delivered to the host.
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
