//! The access paths to the memory of a shared core.

use super::layout::{data_start, data_words, queues_start, ring_start, HOST_MEMORY, PROGRAM_WORDS};
use super::layout::{QUEUE_WORDS, WORD_BITS};
use super::SharedMemory;
use crate::tdma::{DeliveryReason, COUNT_BITS, PHASE_BITS};
use hdl::prelude::*;

/// The [`SharedMemory`] with its two users. One is the core. The other is the message transfer:
/// while a node's registers are accessed, its messages come from its queue and go to the ring.
///
/// A node has `2^ROOM` words of data. The [`layout`](super::layout) defines the addresses.
#[derive(LogicBlock, Circuit, Default)]
pub struct SharedAccess<
    const BITS: usize,
    const ARRIVAL: usize,
    const MORE: usize,
    const MORE_BITS: usize,
    const FIRST: usize,
    const WORD: usize,
    const ROOM: usize,
> {
    pub clock: Signal<In, Clock>,
    /// The current context of the core is the host's.
    pub is_host: Signal<In, Bit>,
    /// Node of the current context; valid if `is_host` is low.
    pub node: Signal<In, Bits<BITS>>,
    /// Access of the core: a word of memory or, with bit 30 of the address set, a register.
    pub request: Signal<In, Bit>,
    pub address: Signal<In, Bits<32>>,
    pub write_data: Signal<In, Bits<32>>,
    pub write_strobe: Signal<In, Bits<4>>,
    /// The word of memory has arrived: the access completes.
    pub fetched: Signal<Out, Bit>,
    /// Data read; valid while `fetched` is high.
    pub read_data: Signal<Out, Bits<32>>,
    /// The node takes a message from this slot of its queue; otherwise it delivers one.
    pub wanted: Signal<In, Bit>,
    pub place: Signal<In, Bits<3>>,
    /// Slot of the ring for a message being delivered.
    pub arrival: Signal<In, Bits<ARRIVAL>>,
    /// Index of the byte of the message that is taken or delivered.
    pub index: Signal<In, Bits<8>>,
    /// Byte `index` of the message being taken, one clock cycle later.
    pub byte: Signal<Out, Bits<8>>,
    /// The byte of the message being delivered, if `valid`.
    pub valid: Signal<In, Bit>,
    pub data: Signal<In, Bits<8>>,
    /// The message is complete. Writes its mark: the node, the reason, the phase and the
    /// superframe.
    pub begun: Signal<In, Bit>,
    pub reason: Signal<In, DeliveryReason>,
    /// Phase for the mark.
    pub phase: Signal<In, Bits<PHASE_BITS>>,
    pub superframe: Signal<In, Bits<COUNT_BITS>>,
    memory: SharedMemory<MORE, MORE_BITS, FIRST, WORD>,
    there: Reg<Bit>,
    word: Signal<Local, Bits<WORD>>,
    strobe: Signal<Local, Bits<4>>,
    written: Signal<Local, Bits<32>>,
}

impl<
        const BITS: usize,
        const ARRIVAL: usize,
        const MORE: usize,
        const MORE_BITS: usize,
        const FIRST: usize,
        const WORD: usize,
        const ROOM: usize,
    > SharedAccess<BITS, ARRIVAL, MORE, MORE_BITS, FIRST, WORD, ROOM>
{
    /// Makes the memory; see [`SharedMemory::new`] for arguments and panics.
    pub fn new(words: &[u32]) -> Self {
        SharedAccess {
            memory: SharedMemory::new(words),
            ..Default::default()
        }
    }
}

impl<
        const BITS: usize,
        const ARRIVAL: usize,
        const MORE: usize,
        const MORE_BITS: usize,
        const FIRST: usize,
        const WORD: usize,
        const ROOM: usize,
    > Logic for SharedAccess<BITS, ARRIVAL, MORE, MORE_BITS, FIRST, WORD, ROOM>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, memory);
        dff_setup!(self, clock, there);
        let is_host = self.is_host.val();
        let node = self.node.val();
        let bus = self.address.val();
        let to_port = bus.get_bit(30);
        let to_data = bus.get_bit(28) & !to_port;
        let there = self.there.q.val();
        self.there.d.next = self.request.val() & !to_port & !there;
        self.fetched.next = there;
        link!(self, memory, read_data);

        // Word address.
        let index = self.index.val();
        let quarter = (index >> 2).resized::<WORD>() & 3;
        let asked = (bus >> 2).resized::<WORD>();
        let node_word = node.resized::<WORD>();
        let queue = (node_word << 5) | queues_start(BITS, ROOM);
        if to_port {
            self.word.next = if self.wanted.val() {
                (queue | (self.place.val().resized::<WORD>() << 2)) | quarter
            } else {
                ((self.arrival.val().resized::<WORD>() << 2) | ring_start(BITS)) | quarter
            };
        } else if is_host {
            self.word.next = asked ^ HOST_MEMORY;
            for i in WORD_BITS..WORD {
                if asked.get_bit(i) {
                    self.word.next = asked;
                }
            }
        } else if to_data & bus.get_bit(12) {
            self.word.next = queue | (asked & (QUEUE_WORDS - 1));
        } else if to_data {
            let own = (node_word << ROOM as u64) | data_start(BITS, ROOM);
            self.word.next = own | (asked & (data_words(ROOM) - 1));
        } else {
            self.word.next = asked & (PROGRAM_WORDS - 1);
        }

        // Write data and strobe.
        self.strobe.next = 0.into();
        self.written.next = self.write_data.val();
        if to_port {
            // The last word after the message holds node, reason and time.
            if self.begun.val() {
                self.word.next = self.word.val() | 3;
                self.strobe.next = 15.into();
                self.written.next = (self.superframe.val().resized::<32>() << 16)
                    | (self.phase.val().resized::<32>() << 8)
                    | (bit_cast::<32, 2>(self.reason.val().into()) << 6)
                    | node.resized::<32>();
            } else {
                let bytes = self.data.val().resized::<32>();
                self.written.next = bytes | (bytes << 8) | (bytes << 16) | (bytes << 24);
                for i in 0..4 {
                    let lane = self.valid.val() & ((index & 3) == i as u64);
                    self.strobe.next = self.strobe.val().replace_bit(i, lane);
                }
            }
        } else if self.request.val() & !there & (is_host | to_data) {
            self.strobe.next = self.write_strobe.val();
        }
        self.memory.address.next = self.word.val();
        self.memory.write_data.next = self.written.val();
        self.memory.write_strobe.next = self.strobe.val();

        self.byte.next = 0.into();
        for i in 0..4 {
            if (index & 3) == i as u64 {
                self.byte.next = self.memory.read_data.val().get_bits::<8>(8 * i);
            }
        }
    }
}
