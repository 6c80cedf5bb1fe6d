//! Block RAM for the programs and the data of all contexts of a shared core.

use super::layout::{
    data_start, data_words, queues_start, ring_start, CONSTANT_BITS, FIRST_BANK_BITS, HOST_MEMORY,
    PROGRAM_WORDS, QUEUE_WORDS, QUEUE_WORD_BITS, WORD_BITS,
};
use crate::list;
use crate::tdma::{DeliveryReason, COUNT_BITS, PHASE_BITS};
use hdl::prelude::*;
use smart_default::SmartDefault;

/// Bytes per word.
const LANES: usize = 4;

/// Returns the memory of one byte lane. No word is read and written at once, see below.
fn lane<const FIRST: usize>(words: &[u32], lane: usize) -> Memory<Bits<8>, FIRST> {
    let bytes = words.iter().map(|word| u64::from(word.to_le_bytes()[lane]));
    Memory::new(bytes.map(Bits::from)).disjoint()
}

/// The single memory of all contexts of a shared core: 8 KB in words with byte write enables. It
/// takes 16 block RAMs and no multiplexer.
///
/// With `MORE` = 4 (otherwise 0) a second bank of `2^MORE_BITS` words starts at word 2,048. It may
/// be followed by 256 constants in two block RAMs; writes to the constants are ignored.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct SharedMemory<
    const MORE: usize,
    const MORE_BITS: usize,
    const FIRST: usize = FIRST_BANK_BITS,
    const WORD: usize = WORD_BITS,
> {
    pub clock: Signal<In, Clock>,
    /// Word to read and write.
    pub address: Signal<In, Bits<WORD>>,
    pub write_data: Signal<In, Bits<32>>,
    /// Byte lanes to write; zero for a read.
    pub write_strobe: Signal<In, Bits<4>>,
    /// Word read, one clock cycle later; undefined after a write.
    pub read_data: Signal<Out, Bits<32>>,
    /// One memory per byte of a word, lowest first.
    lanes: [Memory<Bits<8>, FIRST>; LANES],
    #[default(std::array::from_fn(|_| Default::default()))]
    more: [Memory<Bits<8>, MORE_BITS>; MORE],
    /// For each lane of the second bank: the word read belongs to the bank.
    #[default(std::array::from_fn(|_| Default::default()))]
    of_second: [Reg<Bit>; MORE],
    /// One memory of constants, or none, and whether the word read belongs to it.
    constants: Vec<Rom<Bits<32>, CONSTANT_BITS>>,
    of_constants: Vec<Reg<Bit>>,
    /// The address is after the second bank.
    behind: Signal<Local, Bit>,
    byte: [Signal<Local, Bits<8>>; LANES],
}

impl<const MORE: usize, const MORE_BITS: usize, const FIRST: usize, const WORD: usize>
    SharedMemory<MORE, MORE_BITS, FIRST, WORD>
{
    /// Makes a memory that begins with these words, followed by zeros. Words of the second bank
    /// must be zero. Words after the second bank are the constants.
    ///
    /// # Panics
    /// If there are more words than the memory has, or if a word of the second bank is not zero.
    pub fn new(words: &[u32]) -> Self {
        assert!(MORE == 0 || MORE == LANES, "{MORE} lanes");
        let (first, rest) = words.split_at(words.len().min(1 << FIRST));
        let bank = if MORE == 0 { 0 } else { 1 << MORE_BITS };
        let (second, constants) = rest.split_at(rest.len().min(bank));
        assert!(second.iter().all(|word| *word == 0), "words of the second bank");
        assert!(constants.is_empty() || MORE > 0, "{} words", words.len());
        let banks = usize::from(!constants.is_empty());
        let rom = || Rom::new(constants.iter().map(|word| u64::from(*word).into()));
        SharedMemory {
            lanes: std::array::from_fn(|i| lane(first, i)),
            constants: (0..banks).map(|_| rom()).collect(),
            of_constants: list(banks),
            more: std::array::from_fn(|_| Memory::default().disjoint()),
            ..Default::default()
        }
    }
}

impl<const MORE: usize, const MORE_BITS: usize, const FIRST: usize, const WORD: usize> Logic
    for SharedMemory<MORE, MORE_BITS, FIRST, WORD>
{
    #[kernel]
    fn update(&mut self) {
        let address = self.address.val();
        let strobe = self.write_strobe.val();
        // No word is read while it is written; another one is read instead.
        let read = address ^ strobe.any().resized::<WORD>();
        for i in 0..LANES {
            clock!(self, clock, lanes[i]);
            self.lanes[i].read_address.next = read.resized();
            self.lanes[i].write_address.next = address.resized();
            self.lanes[i].write_data.next = self.write_data.val().get_bits::<8>(8 * i);
            self.lanes[i].write_enable.next = strobe.get_bit(i);
            self.byte[i].next = self.lanes[i].read_data.val();
        }
        self.behind.next = false;
        for i in 0..self.constants.len() {
            clock!(self, clock, constants[i], of_constants[i]);
            let behind = address.get_bit(FIRST) & address.get_bit(MORE_BITS);
            self.behind.next = behind;
            self.of_constants[i].d.next = behind;
            self.constants[i].address.next = address.resized();
        }
        for i in 0..MORE {
            clock!(self, clock, more[i], of_second[i]);
            let second = address.get_bit(FIRST);
            self.lanes[i].write_enable.next = strobe.get_bit(i) & !second;
            self.of_second[i].d.next = second;
            self.more[i].read_address.next = read.resized();
            self.more[i].write_address.next = address.resized();
            self.more[i].write_data.next = self.write_data.val().get_bits::<8>(8 * i);
            self.more[i].write_enable.next = strobe.get_bit(i) & second & !self.behind.val();
            if self.of_second[i].q.val() {
                self.byte[i].next = self.more[i].read_data.val();
            }
        }
        self.read_data.next = 0.into();
        for i in 0..LANES {
            self.read_data.next =
                self.read_data.val() | (self.byte[i].val().resized::<32>() << (8 * i as u64));
        }
        for i in 0..self.constants.len() {
            if self.of_constants[i].q.val() {
                self.read_data.next = self.constants[i].data.val();
            }
        }
    }
}

// The access paths to the memory of a shared core.

/// Access of the core to the memory.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct CoreAccess {
    /// Access of the core: a word of memory or, with bit 30 of the address set, a register.
    pub request: Signal<In, Bit>,
    pub address: Signal<In, Bits<32>>,
    pub write_data: Signal<In, Bits<32>>,
    pub write_strobe: Signal<In, Bits<4>>,
    /// The word of memory has arrived: the access completes.
    pub fetched: Signal<Out, Bit>,
    /// Data read; valid while `fetched` is high.
    pub read_data: Signal<Out, Bits<32>>,
}

/// Transfer of a message between a queue or the ring and a node.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct MessageTransfer<const ARRIVAL: usize> {
    /// The node takes a message from this slot of its queue; otherwise it delivers one.
    pub wanted: Signal<In, Bit>,
    pub slot: Signal<In, Bits<3>>,
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
}

/// Returns the mark of a message, without its node.
#[kernel]
pub(super) fn mark(
    superframe: Bits<COUNT_BITS>,
    phase: Bits<PHASE_BITS>,
    reason: DeliveryReason,
) -> Bits<32> {
    (superframe.resized::<32>() << 16)
        | (phase.resized::<32>() << 8)
        | (bit_cast::<32, 2>(reason.into()) << 6)
}

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
    pub core: CoreAccess,
    pub transfer: MessageTransfer<ARRIVAL>,
    memory: SharedMemory<MORE, MORE_BITS, FIRST, WORD>,
    there: Reg<Bit>,
    word: Signal<Local, Bits<WORD>>,
    strobe: Signal<Local, Bits<4>>,
    written: Signal<Local, Bits<32>>,
}

#[with_parameters]
impl SharedAccess {
    /// Makes the memory; see [`SharedMemory::new`] for arguments and panics.
    pub fn new(words: &[u32]) -> Self {
        SharedAccess { memory: SharedMemory::new(words), ..Default::default() }
    }
}

#[with_parameters]
impl Logic for SharedAccess {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, memory);
        dff_setup!(self, clock, there);
        let is_host = self.is_host.val();
        let node = self.node.val();
        let bus = self.core.address.val();
        let to_port = bus.get_bit(30);
        let to_data = bus.get_bit(28) & !to_port;
        let there = self.there.q.val();
        self.there.d.next = self.core.request.val() & !to_port & !there;
        self.core.fetched.next = there;
        link!(memory -> self.core: read_data);

        // Word address.
        let index = self.transfer.index.val();
        let quarter = (index >> 2).resized::<WORD>() & 3;
        let requested = (bus >> 2).resized::<WORD>();
        let node_word = node.resized::<WORD>();
        let queue = (node_word << QUEUE_WORD_BITS) | queues_start(BITS, ROOM);
        if to_port {
            self.word.next = if self.transfer.wanted.val() {
                (queue | (self.transfer.slot.val().resized::<WORD>() << 2)) | quarter
            } else {
                ((self.transfer.arrival.val().resized::<WORD>() << 2) | ring_start(BITS)) | quarter
            };
        } else if is_host {
            self.word.next = requested ^ HOST_MEMORY;
            for i in WORD_BITS..WORD {
                if requested.get_bit(i) {
                    self.word.next = requested;
                }
            }
        } else if to_data & bus.get_bit(12) {
            self.word.next = queue | (requested & (QUEUE_WORDS - 1));
        } else if to_data {
            let node_data = (node_word << ROOM as u64) | data_start(BITS, ROOM);
            self.word.next = node_data | (requested & (data_words(ROOM) - 1));
        } else {
            self.word.next = requested & (PROGRAM_WORDS - 1);
        }

        // Write data and strobe.
        self.strobe.next = 0.into();
        self.written.next = self.core.write_data.val();
        if to_port {
            // The last word after the message holds node, reason and time.
            if self.transfer.begun.val() {
                self.word.next = self.word.val() | 3;
                self.strobe.next = 15.into();
                self.written.next = mark(
                    self.transfer.superframe.val(),
                    self.transfer.phase.val(),
                    self.transfer.reason.val(),
                ) | node.resized::<32>();
            } else {
                let bytes = self.transfer.data.val().resized::<32>();
                self.written.next = bytes | (bytes << 8) | (bytes << 16) | (bytes << 24);
                for i in 0..4 {
                    let lane = self.transfer.valid.val() & ((index & 3) == i as u64);
                    self.strobe.next = self.strobe.val().replace_bit(i, lane);
                }
            }
        } else if self.core.request.val() & !there & (is_host | to_data) {
            self.strobe.next = self.core.write_strobe.val();
        }
        self.memory.address.next = self.word.val();
        self.memory.write_data.next = self.written.val();
        self.memory.write_strobe.next = self.strobe.val();

        self.transfer.byte.next = 0.into();
        for i in 0..4 {
            if (index & 3) == i as u64 {
                self.transfer.byte.next = self.memory.read_data.val().get_bits::<8>(8 * i);
            }
        }
    }
}

// The bus between the shared core and its devices.

/// Routes an access of the core to its target, and returns the data read. Combinational. The memory
/// is selected when bit 30 of the address is 0, a device when bits 30 and 7 are 1. Other accesses
/// go to the registers of the current context: the host's or a node's.
#[derive(LogicBlock, Circuit, Default)]
pub struct SharedBus {
    /// Access of the core; see [`SoftCore`](crate::core::SoftCore).
    pub request: Signal<In, Bit>,
    pub address: Signal<In, Bits<32>>,
    pub write_strobe: Signal<In, Bits<4>>,
    pub ready: Signal<Out, Bit>,
    pub read_data: Signal<Out, Bits<32>>,
    /// The current context is the host's.
    pub is_host: Signal<In, Bit>,
    /// Offset of a register in bytes, and whether it is written.
    pub offset: Signal<Out, Bits<7>>,
    pub write: Signal<Out, Bit>,
    /// Memory; it receives the access directly.
    pub memory_ready: Signal<In, Bit>,
    pub memory_data: Signal<In, Bits<32>>,
    /// Device.
    pub device_request: Signal<Out, Bit>,
    pub device_ready: Signal<In, Bit>,
    pub device_data: Signal<In, Bits<32>>,
    /// Registers of the host.
    pub host_request: Signal<Out, Bit>,
    pub host_ready: Signal<In, Bit>,
    pub host_data: Signal<In, Bits<32>>,
    /// Registers of the node.
    pub node_request: Signal<Out, Bit>,
    pub node_ready: Signal<In, Bit>,
    pub node_data: Signal<In, Bits<32>>,
}

impl Logic for SharedBus {
    #[kernel]
    fn update(&mut self) {
        let is_host = self.is_host.val();
        let bus = self.address.val();
        let to_port = self.request.val() & bus.get_bit(30);
        let to_device = bus.get_bit(7);
        self.offset.next = bus.resized();
        self.write.next = self.write_strobe.val().any();
        self.device_request.next = to_port & to_device;
        self.host_request.next = to_port & !to_device & is_host;
        self.node_request.next = to_port & !to_device & !is_host;
        let memory = self.memory_ready.val();
        let device = self.device_ready.val();
        self.ready.next = memory | device | self.node_ready.val() | self.host_ready.val();
        self.read_data.next = if memory {
            self.memory_data.val()
        } else if device {
            self.device_data.val()
        } else if is_host {
            self.host_data.val()
        } else {
            self.node_data.val()
        };
    }
}
