//! Block RAM of a group: program, data, queues and ring, and the access paths to them.

use crate::hosted::layout::{PROGRAM_WORDS, QUEUE_WORDS, QUEUE_WORD_BITS};
use crate::hosted::shared_memory::{mark, CoreAccess, MessageTransfer};
use crate::hosted::SharedMemory;
use crate::tdma::PHASE_BITS;
use hdl::prelude::*;

/// Width of the number of a word within a part of a group's memory.
pub const INDEX_BITS: usize = 16;

/// Width of the number of a part.
pub const PART_BITS: usize = 2;

/// Parts of a group's memory, as the host selects them.
pub const PROGRAM_PART: u64 = 0;
pub const DATA_PART: u64 = 1;
pub const QUEUE_PART: u64 = 2;
pub const RING_PART: u64 = 3;

/// The memory of a group in three banks of words with byte write enables. The first bank has the
/// program and behind it the ring, the second one the data of all nodes, the third one their queues.
#[derive(LogicBlock, Circuit, Default)]
pub struct GroupMemory<const STORE: usize, const DATA: usize, const QUEUE: usize> {
    pub clock: Signal<In, Clock>,
    /// Part and number of the word to read and write.
    pub part: Signal<In, Bits<PART_BITS>>,
    pub index: Signal<In, Bits<INDEX_BITS>>,
    pub write_data: Signal<In, Bits<32>>,
    /// Byte lanes to write; zero for a read.
    pub write_strobe: Signal<In, Bits<4>>,
    /// Word read, one clock cycle later; undefined after a write.
    pub read_data: Signal<Out, Bits<32>>,
    store: SharedMemory<0, 1, STORE, STORE>,
    data: SharedMemory<0, 1, DATA, DATA>,
    queues: SharedMemory<0, 1, QUEUE, QUEUE>,
    read_part: Reg<Bits<PART_BITS>>,
}

impl<const STORE: usize, const DATA: usize, const QUEUE: usize> GroupMemory<STORE, DATA, QUEUE> {
    /// Makes a memory with this program, followed by zeros.
    ///
    /// # Panics
    /// If the program has too many words.
    pub fn new(program: &[u32]) -> Self {
        assert!(program.len() as u64 <= PROGRAM_WORDS, "{} words", program.len());
        GroupMemory {
            store: SharedMemory::new(program),
            data: SharedMemory::new(&[]),
            queues: SharedMemory::new(&[]),
            ..Default::default()
        }
    }
}

impl<const STORE: usize, const DATA: usize, const QUEUE: usize> Logic
    for GroupMemory<STORE, DATA, QUEUE>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, store, data, queues);
        dff_setup!(self, clock, read_part);
        let part = self.part.val();
        let index = self.index.val();
        let strobe = self.write_strobe.val();
        let none = bits::<4>(0);
        let is_data = part == DATA_PART;
        let is_queue = part == QUEUE_PART;
        let first_word = if part == RING_PART {
            bits::<INDEX_BITS>(PROGRAM_WORDS)
        } else {
            bits::<INDEX_BITS>(0)
        };
        link!(self -> store: write_data);
        self.store.address.next = (index | first_word).resized();
        self.store.write_strobe.next = if is_data | is_queue { none } else { strobe };
        link!(self -> data: write_data);
        self.data.address.next = index.resized();
        self.data.write_strobe.next = if is_data { strobe } else { none };
        link!(self -> queues: write_data);
        self.queues.address.next = index.resized();
        self.queues.write_strobe.next = if is_queue { strobe } else { none };
        self.read_part.d.next = part;
        self.read_data.next = if self.read_part.q.val() == DATA_PART {
            self.data.read_data.val()
        } else if self.read_part.q.val() == QUEUE_PART {
            self.queues.read_data.val()
        } else {
            self.store.read_data.val()
        };
    }
}

/// Access of the host to the memory of a group.
#[derive(Bundle, Default)]
pub struct HostAccess {
    /// The host requests a word; held until `answered`.
    pub request: Signal<In, Bit>,
    /// Part and number of the word to read and write.
    pub part: Signal<In, Bits<PART_BITS>>,
    pub index: Signal<In, Bits<INDEX_BITS>>,
    pub write_data: Signal<In, Bits<32>>,
    /// Byte lanes to write; zero for a read.
    pub write_strobe: Signal<In, Bits<4>>,
    /// High for one clock cycle: the access completes.
    pub answered: Signal<Out, Bit>,
    /// Data read; valid while `answered` is high.
    pub read_data: Signal<Out, Bits<32>>,
}

/// The [`GroupMemory`] with its three users: the core of the group, the message transfer of its
/// nodes, and the host.
///
/// An access of the core or of the transfer is never delayed. The host gets the clock cycles in
/// which the core neither requests a word nor waits for a register. A core has such a clock cycle
/// after each word that it reads.
///
/// A node has `2^ROOM` words of data.
#[derive(LogicBlock, Circuit, Default)]
pub struct GroupAccess<
    const BITS: usize,
    const LOCAL: usize,
    const ARRIVAL: usize,
    const STORE: usize,
    const DATA: usize,
    const QUEUE: usize,
    const ROOM: usize,
> {
    pub clock: Signal<In, Clock>,
    /// Node of the current context, within the group and within the machine.
    pub local: Signal<In, Bits<LOCAL>>,
    pub node: Signal<In, Bits<BITS>>,
    pub core: CoreAccess,
    pub transfer: MessageTransfer<ARRIVAL>,
    pub host: HostAccess,
    memory: GroupMemory<STORE, DATA, QUEUE>,
    there: Reg<Bit>,
    host_there: Reg<Bit>,
    part: Signal<Local, Bits<PART_BITS>>,
    word: Signal<Local, Bits<INDEX_BITS>>,
    strobe: Signal<Local, Bits<4>>,
    written: Signal<Local, Bits<32>>,
}

#[with_parameters]
impl GroupAccess {
    /// Makes the memory; see [`GroupMemory::new`].
    pub fn new(program: &[u32]) -> Self {
        GroupAccess { memory: GroupMemory::new(program), ..Default::default() }
    }
}

/// Bits of a node's number in the lower part of a mark. The bits above them are at
/// [`MARK_UPPER_SHIFT`].
const MARK_NODE_BITS: usize = 6;

/// Lowest bit in a mark of the bits of a node's number above the lower six, above the phase.
const MARK_UPPER_SHIFT: u64 = 13;
const _: () = assert!(8 + PHASE_BITS as u64 <= MARK_UPPER_SHIFT);

#[with_parameters]
impl Logic for GroupAccess {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, memory);
        dff_setup!(self, clock, there, host_there);
        let bus = self.core.address.val();
        let request = self.core.request.val();
        let to_port = bus.get_bit(30);
        let to_data = bus.get_bit(28) & !to_port;
        let there = self.there.q.val();
        self.there.d.next = request & !to_port & !there;
        self.core.fetched.next = there;
        link!(memory -> self.core: read_data);
        link!(memory -> self.host: read_data);
        let by_host =
            self.host.request.val() & !self.host_there.q.val() & !(request & (to_port | !there));
        self.host_there.d.next = by_host;
        self.host.answered.next = self.host_there.q.val();

        // The word.
        let index = self.transfer.index.val();
        let quarter = (index >> 2).resized::<INDEX_BITS>() & 3;
        let requested = (bus >> 2).resized::<INDEX_BITS>();
        let local = self.local.val().resized::<INDEX_BITS>();
        let queue = local << QUEUE_WORD_BITS;
        if by_host {
            self.part.next = self.host.part.val();
            self.word.next = self.host.index.val();
        } else if to_port & self.transfer.wanted.val() {
            self.part.next = QUEUE_PART.into();
            self.word.next =
                (queue | (self.transfer.slot.val().resized::<INDEX_BITS>() << 2)) | quarter;
        } else if to_port {
            self.part.next = RING_PART.into();
            self.word.next = (self.transfer.arrival.val().resized::<INDEX_BITS>() << 2) | quarter;
        } else if to_data & bus.get_bit(12) {
            self.part.next = QUEUE_PART.into();
            self.word.next = queue | (requested & (QUEUE_WORDS - 1));
        } else if to_data {
            self.part.next = DATA_PART.into();
            let own = requested.resized::<ROOM>().resized::<INDEX_BITS>();
            self.word.next = (local << ROOM as u64) | own;
        } else {
            self.part.next = PROGRAM_PART.into();
            self.word.next = requested & (PROGRAM_WORDS - 1);
        }

        // Write data and strobe.
        self.strobe.next = 0.into();
        self.written.next = self.core.write_data.val();
        if by_host {
            self.strobe.next = self.host.write_strobe.val();
            self.written.next = self.host.write_data.val();
        } else if to_port {
            // The last word after the message holds node, reason and time.
            if self.transfer.begun.val() {
                self.word.next = self.word.val() | 3;
                self.strobe.next = 15.into();
                let node = self.node.val().resized::<32>();
                let upper = (node >> MARK_NODE_BITS as u64) << MARK_UPPER_SHIFT;
                self.written.next = mark(
                    self.transfer.superframe.val(),
                    self.transfer.phase.val(),
                    self.transfer.reason.val(),
                ) | upper
                    | (node & ((1 << MARK_NODE_BITS) - 1));
            } else {
                let bytes = self.transfer.data.val().resized::<32>();
                self.written.next = bytes | (bytes << 8) | (bytes << 16) | (bytes << 24);
                for i in 0..4 {
                    let lane = self.transfer.valid.val() & ((index & 3) == i as u64);
                    self.strobe.next = self.strobe.val().replace_bit(i, lane);
                }
            }
        } else if request & !there & to_data {
            self.strobe.next = self.core.write_strobe.val();
        }
        self.memory.part.next = self.part.val();
        self.memory.index.next = self.word.val();
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
