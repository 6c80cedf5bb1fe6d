//! The numbering of a node's message buffers.
//!
//! In a cube a receive buffer has the number of its link, and the injection buffer follows them. In
//! a metacube a node has a receive buffer for each link and each number of cross edges that a
//! message has passed before the node (`routing::metacube`). This prevents deadlock. The number of
//! a buffer is `count * links + link`. `count` is the number of cross edges that the message will
//! have passed when it leaves, including the link's own if that is a cross edge. A search in
//! ascending order therefore visits the messages by count. No message arrives by a cross edge and
//! leaves with count 0, so the injection buffer has the first of these numbers.

use super::address_links::{class_bits, field_bits};
use super::{mask_of, EnginePlan, MemorySide, SlotPool, DIM_BITS, SLOT_BITS};
use hdl::prelude::*;

/// Width of the number of cross edges that a message has passed.
pub const CROSSED_BITS: usize = 3;

/// Number of buffer numbers for messages from links, a multiple of `links`.
///
/// A message passes up to four cross edges with four classes, and up to two with two classes.
pub const fn receive_buffers(links: usize, bits: usize) -> usize {
    links * cross_edge_counts(links, bits)
}

/// Number of different counts of cross edges that a message may have passed.
const fn cross_edge_counts(links: usize, bits: usize) -> usize {
    2 * class_bits(links, bits) + 1
}

/// Number of the injection buffer.
pub const fn injection_buffer(links: usize, bits: usize) -> usize {
    field_bits(links, bits)
}

/// Highest number of a buffer.
pub const fn last_buffer(links: usize, bits: usize) -> usize {
    if class_bits(links, bits) == 0 {
        injection_buffer(links, bits)
    } else {
        receive_buffers(links, bits) - 1
    }
}

/// Cross edges that the message of a buffer will have passed when it leaves.
pub const fn departure_count(links: usize, bits: usize, buffer: usize) -> usize {
    if class_bits(links, bits) == 0 {
        0
    } else {
        buffer / links
    }
}

/// Buffer for a message that arrives on this link and had passed `crossed` cross edges before.
pub const fn arrival_buffer(links: usize, bits: usize, link: usize, crossed: usize) -> usize {
    let is_cross = link >= field_bits(links, bits);
    (crossed + is_cross as usize) * links + link
}

/// Circuit for [`departure_count`].
#[kernel]
pub fn departure_count_bits<const LINKS: usize, const BITS: usize>(
    buffer: Bits<SLOT_BITS>,
) -> Bits<CROSSED_BITS> {
    let mut crossed = bits::<CROSSED_BITS>(0);
    for count in 1..cross_edge_counts(LINKS, BITS) {
        let reached = buffer >= (count * LINKS) as u64;
        crossed = if reached { bits::<CROSSED_BITS>(count as u64) } else { crossed };
    }
    crossed
}

/// Circuit for [`arrival_buffer`]. A count that no message has, in a damaged frame, is read as 0. Bytes
/// written before the CRC is checked must not overwrite the message of another buffer.
#[kernel]
pub fn receive_buffer<const LINKS: usize, const BITS: usize>(
    link: Bits<DIM_BITS>,
    crossed: Bits<CROSSED_BITS>,
) -> Bits<SLOT_BITS> {
    let mut buffer = link.resized::<SLOT_BITS>();
    for count in 0..cross_edge_counts(LINKS, BITS) {
        for l in 0..LINKS {
            let counted = (crossed == count as u64) | (count == 0);
            let number = bits::<SLOT_BITS>(arrival_buffer(LINKS, BITS, l, count) as u64);
            buffer = if (link == l as u64) & counted { number } else { buffer };
        }
    }
    buffer
}

/// Returns the buffer that gets the turn after a message of this one got a NAK in a metacube. This
/// is the first buffer of the next count, whose buffer at the neighbour may be free. The first
/// count follows the last.
#[kernel]
pub fn turn_after_nak<const LINKS: usize, const BITS: usize>(
    buffer: Bits<SLOT_BITS>,
) -> Bits<SLOT_BITS> {
    let mut next = bits::<SLOT_BITS>(0);
    for count in 1..cross_edge_counts(LINKS, BITS) {
        let passed = departure_count_bits::<LINKS, BITS>(buffer) == (count - 1) as u64;
        next = if passed { bits::<SLOT_BITS>((count * LINKS) as u64) } else { next };
    }
    next
}

// The layout of a buffer in the message memory: a length byte, then the payload. The last word
// stores the state of the link with the buffer's number.

/// Number of bytes at the end of a buffer for the state of its link: one word.
const LINK_STATE_BYTES: u64 = 4;

/// Byte of a buffer that stores the turn of its link.
pub(super) const fn turn_offset(offset_bits: usize) -> u64 {
    (1 << offset_bits) - LINK_STATE_BYTES
}

/// Byte of a buffer that stores the number of consecutive timeouts of its link.
pub(super) const fn timeouts_offset(offset_bits: usize) -> u64 {
    turn_offset(offset_bits) + 1
}

/// Address of a byte of a buffer.
#[kernel]
pub(super) fn byte_address<const OFFSET_BITS: usize, const ADDRESS_BITS: usize>(
    buffer: Bits<SLOT_BITS>,
    offset: Bits<OFFSET_BITS>,
) -> Bits<ADDRESS_BITS> {
    (buffer.resized::<ADDRESS_BITS>() << (OFFSET_BITS as u64)) | offset.resized::<ADDRESS_BITS>()
}

/// Returns whether a buffer of `2^offset_bits` bytes holds a length, `payload` bytes of payload
/// including the destination, and the state of a link.
pub fn buffer_fits(offset_bits: usize, payload: u64) -> bool {
    1 + payload + LINK_STATE_BYTES <= 1 << offset_bits
}

/// Checks that a message memory of `2^address_bits` bytes has room for `buffers` buffers of
/// `2^offset_bits` bytes.
///
/// # Panics
/// If the memory is too small.
pub(super) fn check_memory(buffers: usize, offset_bits: usize, address_bits: usize) {
    assert!(
        buffers << offset_bits <= 1 << address_bits,
        "{buffers} buffers of {} bytes are to fit a memory of {}",
        1 << offset_bits,
        1 << address_bits
    );
}

// The occupancy flags of the message buffers, and the choice of the receive buffer.

/// Keeps one flip-flop per buffer of the message memory: the buffer holds a message.
///
/// The number of links and the address width determine the injection buffer and the buffer for an
/// incoming message (module `buffers`).
#[derive(LogicBlock, Circuit, Default)]
pub struct BufferFlags<const LINKS: usize, const BITS: usize, const BUFFERS: usize> {
    pub clock: Signal<In, Clock>,
    /// Empties all buffers.
    pub reset: Signal<In, Bit>,
    /// Link of the phase.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// Cross edges that the message being received has passed; 0 when none is.
    pub crossed: Signal<In, Bits<CROSSED_BITS>>,
    /// Receive buffer for the incoming message. When none is received, the buffer that stores the
    /// state of the link.
    pub link_buffer: Signal<Out, Bits<SLOT_BITS>>,
    /// Buffer `link_buffer` is full.
    pub link_buffer_full: Signal<Out, Bit>,
    /// High for one clock cycle: a message has arrived in buffer `link_buffer`.
    pub store: Signal<In, Bit>,
    /// High for one clock cycle: the content of buffer `link_buffer` is lost.
    pub spoil: Signal<In, Bit>,
    /// High for one clock cycle: the injection buffer is now full.
    pub inject: Signal<In, Bit>,
    /// High for one clock cycle: buffer `freed` is now free.
    pub free: Signal<In, Bit>,
    pub freed: Signal<In, Bits<SLOT_BITS>>,
    /// Receive buffers that are full.
    pub full: Signal<Out, Bits<BUFFERS>>,
    /// The injection buffer is full.
    pub injected: Signal<Out, Bit>,
    received: Reg<Bits<BUFFERS>>,
    injection: Reg<Bit>,
    link_buffer_flag: Signal<Local, Bits<BUFFERS>>,
    flags: Signal<Local, Bits<BUFFERS>>,
    injection_flag: Signal<Local, Bit>,
}

impl<const LINKS: usize, const BITS: usize, const BUFFERS: usize>
    BufferFlags<LINKS, BITS, BUFFERS>
{
    /// Makes the flags of buffers with `2^offset_bits` bytes each, in a memory of `2^address_bits`
    /// bytes.
    ///
    /// # Panics
    /// If `BUFFERS` is not the number of receive buffers, if the numbers are too large, or if the
    /// memory is too small.
    pub fn new(offset_bits: usize, address_bits: usize) -> Self {
        let (buffers, last) = (receive_buffers(LINKS, BITS), last_buffer(LINKS, BITS));
        assert_eq!(BUFFERS, buffers, "numbers of buffers");
        assert!(last < (1 << SLOT_BITS) - 1, "a buffer's number is up to 30");
        check_memory(last + 1, offset_bits, address_bits);
        Self::default()
    }
}

impl<const LINKS: usize, const BITS: usize, const BUFFERS: usize> Logic
    for BufferFlags<LINKS, BITS, BUFFERS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, received, injection);
        let link_buffer = receive_buffer::<LINKS, BITS>(self.dim.val(), self.crossed.val());
        self.link_buffer_flag.next = 0.into();
        for number in 0..BUFFERS {
            if link_buffer == number as u64 {
                self.link_buffer_flag.next = bits::<BUFFERS>(1 << number);
            }
        }
        let link_buffer_flag = self.link_buffer_flag.val();
        self.link_buffer.next = link_buffer;
        self.link_buffer_full.next = (self.received.q.val() & link_buffer_flag).any();
        let freed = self.freed.val();
        self.flags.next = self.received.q.val();
        self.injection_flag.next = self.injection.q.val() | self.inject.val();
        if self.store.val() {
            self.flags.next = self.flags.val() | link_buffer_flag;
        }
        if self.spoil.val() {
            self.flags.next = self.flags.val() & !link_buffer_flag;
        }
        if self.free.val() {
            for number in 0..BUFFERS {
                if freed == number as u64 {
                    self.flags.next = self.flags.val().replace_bit(number, false);
                }
            }
            if freed == injection_buffer(LINKS, BITS) as u64 {
                self.injection_flag.next = false;
            }
        }
        self.received.d.next = self.flags.val();
        self.injection.d.next = self.injection_flag.val();
        if self.reset.val() {
            self.received.d.next = 0.into();
            self.injection.d.next = false;
        }
        self.full.next = self.received.q.val();
        self.injected.next = self.injection.q.val();
    }
}

// The message storage of a soft node: one buffer per link, or a pool of slots.

/// Tracks which buffers of a node hold a message, and selects the buffer for an incoming message.
///
/// With e-cube routing each link has its own buffers ([`BufferFlags`]). With adaptive routing all
/// buffers are slots of a pool ([`SlotPool`]). The software then selects the slot for the incoming
/// message in each phase, and the state of a link is in the slot of its number. The plan of a node
/// selects one of the two. Synthesis removes the other.
#[derive(LogicBlock, Circuit, Default)]
pub struct Occupancy<const LINKS: usize, const BITS: usize, const BUFFERS: usize> {
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
    pub link_buffer: Signal<Out, Bits<SLOT_BITS>>,
    /// Buffer `link_buffer` is full.
    pub link_buffer_full: Signal<Out, Bit>,
    /// High for one clock cycle: a message has arrived in buffer `link_buffer`.
    pub store: Signal<In, Bit>,
    /// High for one clock cycle: the content of buffer `link_buffer` is lost.
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
    pub full: Signal<Out, Bits<BUFFERS>>,
    /// The injection buffer is full.
    pub injected: Signal<Out, Bit>,
    /// Slots whose message a link must repeat.
    pub held: Signal<Out, Bits<BUFFERS>>,
    /// Fewer than three slots are free.
    pub crowded: Signal<Out, Bit>,
    buffers: BufferFlags<LINKS, BITS, BUFFERS>,
    slots: SlotPool<BUFFERS>,
    is_pool: Parameter<Bit>,
    /// Mask of the buffer numbers; synthesis can see which bits are zero.
    mask: Parameter<Bits<SLOT_BITS>>,
}

impl<const LINKS: usize, const BITS: usize, const BUFFERS: usize> Occupancy<LINKS, BITS, BUFFERS> {
    /// Makes the storage of a node with this plan, whose buffers have `2^offset_bits` bytes each,
    /// in a memory of `2^address_bits` bytes.
    ///
    /// # Panics
    /// Under the conditions of [`BufferFlags::new`]. With a pool, if the slots and the link
    /// states do not fit the memory.
    pub fn new(plan: EnginePlan, offset_bits: usize, address_bits: usize) -> Self {
        let buffers = if plan.pool {
            check_memory(
                highest_buffer::<LINKS, BITS, BUFFERS>(plan) + 1,
                offset_bits,
                address_bits,
            );
            BufferFlags::default()
        } else {
            BufferFlags::new(offset_bits, address_bits)
        };
        Occupancy {
            buffers,
            is_pool: Parameter::new(plan.pool),
            mask: Parameter::new(mask_of(highest_buffer::<LINKS, BITS, BUFFERS>(plan) + 1).into()),
            ..Default::default()
        }
    }
}

/// Highest number of a buffer of a node with this plan. In a pool, the highest number of a slot or
/// of a link, because the slot of that number stores the state of the link.
pub(super) fn highest_buffer<const LINKS: usize, const BITS: usize, const BUFFERS: usize>(
    plan: EnginePlan,
) -> usize {
    if plan.pool {
        BUFFERS.max(LINKS) - 1
    } else {
        last_buffer(LINKS, BITS)
    }
}

impl<const LINKS: usize, const BITS: usize, const BUFFERS: usize> Logic
    for Occupancy<LINKS, BITS, BUFFERS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, buffers, slots);
        link!(self -> buffers: reset, dim, crossed, store, spoil, inject, free);
        link!(self -> slots: reset, free, sent, pending);
        let is_pool = self.is_pool.val();
        let at = self.at.val() & self.mask.val();
        self.buffers.freed.next = at;
        self.slots.at.next = at;
        self.injected.next = self.buffers.injected.val() & !is_pool;
        self.slots.store.next = self.store.val() | self.inject.val();
        self.held.next = 0.into();
        self.crowded.next = false;
        if is_pool {
            link!(slots -> self: full, all_held -> held, crowded);
            self.link_buffer_full.next = !self.chosen.val();
            self.link_buffer.next =
                if self.transmit.val() { self.dim.val().resized::<SLOT_BITS>() } else { at };
        } else {
            link!(buffers -> self: full, link_buffer, link_buffer_full);
        }
    }
}

/// A memory of `2^ADDRESS_BITS` bytes that a router and the frame engine use alternately. The
/// router works before the frame window or beside the answer, the frame engine from the frame
/// window on.
#[derive(LogicBlock, Circuit, Default)]
pub struct MessageMemory<const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// The router has the memory, otherwise the frame engine.
    pub routes: Signal<In, Bit>,
    pub router: MemorySide<ADDRESS_BITS>,
    pub frames: MemorySide<ADDRESS_BITS>,
    bytes: Memory<Bits<8>, ADDRESS_BITS>,
}

impl<const ADDRESS_BITS: usize> MessageMemory<ADDRESS_BITS> {
    /// Makes an empty memory. Neither user reads a byte in the clock cycle in which it writes it.
    pub fn new() -> Self {
        MessageMemory { bytes: Memory::default().disjoint(), ..Default::default() }
    }
}

impl<const ADDRESS_BITS: usize> Logic for MessageMemory<ADDRESS_BITS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, bytes);
        if self.routes.val() {
            link!(self.router -> bytes: read_address, write_address);
            link!(self.router -> bytes: write_data, write_enable);
        } else {
            link!(self.frames -> bytes: read_address, write_address);
            link!(self.frames -> bytes: write_data, write_enable);
        }
        link!(bytes -> self.router: read_data);
        link!(bytes -> self.frames: read_data);
    }
}
