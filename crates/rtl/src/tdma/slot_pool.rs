//! The occupancy flags of a pool of message slots.

use super::SLOT_BITS;
use hdl::prelude::*;

/// Keeps two flip-flops per slot of the message memory: the slot holds a message, and a link must
/// repeat that message. They are changed for one slot at a time.
///
/// A node is crowded when fewer than three slots are free. It then takes no message from its host
/// and sends in every phase in which it transmits (docs/adaptive.md).
#[derive(LogicBlock, Circuit, Default)]
pub struct SlotPool<const PLACES: usize> {
    pub clock: Signal<In, Clock>,
    /// Empties all slots.
    pub reset: Signal<In, Bit>,
    /// Slot to read and change.
    pub at: Signal<In, Bits<SLOT_BITS>>,
    /// Slot `at` holds a message.
    pub occupied: Signal<Out, Bit>,
    /// A link must repeat the message in slot `at`.
    pub held: Signal<Out, Bit>,
    /// High for one clock cycle: slot `at` now holds a message.
    pub store: Signal<In, Bit>,
    /// High for one clock cycle: slot `at` is now free.
    pub free: Signal<In, Bit>,
    /// The message in slot `at` was sent.
    pub sent: Signal<In, Bit>,
    /// The link must repeat the sent message.
    pub pending: Signal<In, Bit>,
    /// Fewer than three slots are free.
    pub crowded: Signal<Out, Bit>,
    /// Slots that hold a message.
    pub full: Signal<Out, Bits<PLACES>>,
    /// Slots whose message a link must repeat.
    pub all_held: Signal<Out, Bits<PLACES>>,
    taken: Reg<Bits<PLACES>>,
    repeats: Reg<Bits<PLACES>>,
    here: Signal<Local, Bits<PLACES>>,
    /// At least one slot is free; `two` and `three` likewise.
    one: Signal<Local, Bit>,
    two: Signal<Local, Bit>,
    three: Signal<Local, Bit>,
}

impl<const PLACES: usize> Logic for SlotPool<PLACES> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, taken, repeats);
        let taken = self.taken.q.val();
        let repeats = self.repeats.q.val();
        let at = self.at.val();
        self.here.next = 0.into();
        for number in 0..PLACES {
            if at == number as u64 {
                self.here.next = bits::<PLACES>(1 << number);
            }
        }
        let here = self.here.val();
        self.occupied.next = (taken & here).any();
        self.held.next = (repeats & here).any();
        if self.store.val() {
            self.taken.d.next = taken | here;
        }
        if self.sent.val() & self.pending.val() {
            self.repeats.d.next = repeats | here;
        } else if self.sent.val() {
            self.repeats.d.next = repeats & !here;
        }
        if self.free.val() {
            self.taken.d.next = taken & !here;
            self.repeats.d.next = repeats & !here;
        }
        if self.reset.val() {
            self.taken.d.next = 0.into();
            self.repeats.d.next = 0.into();
        }
        self.full.next = taken;
        self.all_held.next = repeats;

        self.one.next = false;
        self.two.next = false;
        self.three.next = false;
        for number in 0..PLACES {
            let free = !taken.get_bit(number);
            self.three.next = self.three.val() | (self.two.val() & free);
            self.two.next = self.two.val() | (self.one.val() & free);
            self.one.next = self.one.val() | free;
        }
        self.crowded.next = !self.three.val();
    }
}
