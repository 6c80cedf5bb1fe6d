//! The message storage of a soft node: one buffer per link, or a pool of slots.

use super::buffer_layout::check_memory;
use super::buffer_numbers::last_buffer;
use super::{mask_of, BufferFlags, EnginePlan, SlotPool, CROSSED_BITS, DIM_BITS, SLOT_BITS};
use hdl::prelude::*;

/// Tracks which buffers of a node hold a message, and selects the buffer for an incoming message.
///
/// With e-cube routing each link has its own buffers ([`BufferFlags`]). With adaptive routing all
/// buffers are slots of a pool ([`SlotPool`]). The software then selects the slot for the incoming
/// message in each phase, and the state of a link is in the slot of its number. The plan of a node
/// selects one of the two. Synthesis removes the other.
#[derive(LogicBlock, Circuit, Default)]
pub struct Occupancy<const LINKS: usize, const BITS: usize, const REGISTERS: usize> {
    pub clock: Signal<In, Clock>,
    /// Empties all buffers.
    pub reset: Signal<In, Bit>,
    /// Link of the phase.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// The node transmits in this phase.
    pub transmit: Signal<In, Bit>,
    /// Cross edges that the message being received has passed; 0 when none is.
    pub crossed: Signal<In, Bits<CROSSED_BITS>>,
    /// In a pool: the software has chosen slot `at`.
    pub chosen: Signal<In, Bit>,
    /// Buffer that a decision or a command changes. Bits above those of the highest number are
    /// ignored.
    pub at: Signal<In, Bits<SLOT_BITS>>,
    /// While the node receives, the buffer for the incoming message. While it transmits, the buffer
    /// that stores the state of the link.
    pub own: Signal<Out, Bits<SLOT_BITS>>,
    /// Buffer `own` is full.
    pub own_full: Signal<Out, Bit>,
    /// High for one clock cycle: a message has arrived in buffer `own`.
    pub store: Signal<In, Bit>,
    /// High for one clock cycle: the content of buffer `own` is lost.
    pub spoil: Signal<In, Bit>,
    /// High for one clock cycle: a message from the host is now in the injection buffer; in a pool,
    /// in slot `at`.
    pub inject: Signal<In, Bit>,
    /// High for one clock cycle: buffer `at` is now free.
    pub free: Signal<In, Bit>,
    /// In a pool: the message in slot `at` was sent.
    pub sent: Signal<In, Bit>,
    /// The link must repeat the sent message.
    pub pending: Signal<In, Bit>,
    /// Receive buffers, or slots, that are full.
    pub full: Signal<Out, Bits<REGISTERS>>,
    /// The injection buffer is full.
    pub injected: Signal<Out, Bit>,
    /// Slots whose message a link must repeat.
    pub held: Signal<Out, Bits<REGISTERS>>,
    /// Fewer than three slots are free.
    pub crowded: Signal<Out, Bit>,
    registers: BufferFlags<LINKS, BITS, REGISTERS>,
    places: SlotPool<REGISTERS>,
    is_pool: Parameter<Bit>,
    /// Mask of the buffer numbers; synthesis can see which bits are zero.
    mask: Parameter<Bits<SLOT_BITS>>,
}

impl<const LINKS: usize, const BITS: usize, const REGISTERS: usize>
    Occupancy<LINKS, BITS, REGISTERS>
{
    /// Makes the storage of a node with this plan, whose buffers have `2^offset_bits` bytes each,
    /// in a memory of `2^address_bits` bytes.
    ///
    /// # Panics
    /// Under the conditions of [`BufferFlags::new`]. With a pool, if the slots and the link
    /// states do not fit the memory.
    pub fn new(plan: EnginePlan, offset_bits: usize, address_bits: usize) -> Self {
        let registers = if plan.pool {
            check_memory(
                highest_buffer::<LINKS, BITS, REGISTERS>(plan) + 1,
                offset_bits,
                address_bits,
            );
            BufferFlags::default()
        } else {
            BufferFlags::new(offset_bits, address_bits)
        };
        Occupancy {
            registers,
            is_pool: Parameter::new(plan.pool),
            mask: Parameter::new(
                mask_of(highest_buffer::<LINKS, BITS, REGISTERS>(plan) + 1).into(),
            ),
            ..Default::default()
        }
    }
}

/// Highest number of a buffer of a node with this plan. In a pool, the highest number of a slot or
/// of a link, because the slot of that number stores the state of the link.
pub(super) fn highest_buffer<const LINKS: usize, const BITS: usize, const REGISTERS: usize>(
    plan: EnginePlan,
) -> usize {
    if plan.pool {
        REGISTERS.max(LINKS) - 1
    } else {
        last_buffer(LINKS, BITS)
    }
}

impl<const LINKS: usize, const BITS: usize, const REGISTERS: usize> Logic
    for Occupancy<LINKS, BITS, REGISTERS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, registers, places);
        link!(self, registers, reset, dim, crossed, store, spoil, inject, free);
        link!(self, places, reset, free, sent, pending);
        let is_pool = self.is_pool.val();
        let at = self.at.val() & self.mask.val();
        self.registers.freed.next = at;
        self.places.at.next = at;
        self.injected.next = self.registers.injected.val() & !is_pool;
        self.places.store.next = self.store.val() | self.inject.val();
        self.held.next = 0.into();
        self.crowded.next = false;
        if is_pool {
            link!(self, places, full, held => all_held, crowded);
            self.own_full.next = !self.chosen.val();
            self.own.next = if self.transmit.val() {
                self.dim.val().resized::<SLOT_BITS>()
            } else {
                at
            };
        } else {
            link!(self, registers, full, own, own_full);
        }
    }
}
