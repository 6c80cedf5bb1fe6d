//! The CM-1 of the board: the 3-cube with one processor per chip, as one block beside the soft
//! nodes that are its processors.
//!
//! A [`Router`](super::Router) runs petit cycles continuously. This machine runs one petit cycle at
//! a time, when all processors are ready. The hearts are the same. Injector and ejector are
//! smaller, because there is one processor and petit cycles do not overlap. All chips share one
//! buffer and one table of strobes. In every petit cycle the same messages are in the same rows as
//! in the continuous machine in the mode [`PerChip`](super::EjectMode::PerChip). The machine has no
//! timeout and does not drain: no list of messages on the 3-cube is known to need it.

mod lone_chip;

use super::machine::COLUMN_BIT_TIMES;
use crate::cm1::{EjectMode, MessageFormat, PetitPlan};
use crate::shapes::{neighbour, nodes};
use hdl::prelude::*;
pub use lone_chip::{LoneChip, LoneEjector, LoneInjector, PetitStrobes, PetitTable, RowBuffer};

/// Dimensions of the cube.
pub const BOARD_DIMS: usize = 3;

/// Number of chips, which is the number of processors.
pub const BOARD_CHIPS: usize = nodes(BOARD_DIMS, BOARD_DIMS);

/// Width of the position of a bit in a message; MSGP is at [`MSGP_POSITION`].
pub const POSITION_BITS: usize = 7;

/// Position of MSGP. DATA thus begins with byte 1 of the mailbox, after MSGP and CUBE-ADDRESS.
pub const MSGP_POSITION: u32 = 8 - (1 + BOARD_DIMS as u32);

/// Distance in positions between a bit at the injectors and the bit that leaves the hearts at the
/// same time, plus one. The extra position covers the memory, which answers one clock cycle late.
const HEART_DELAY: u64 = COLUMN_BIT_TIMES as u64 * BOARD_DIMS as u64 + 1;

// The CM-1 as a device on the bus of the cores beside it.

/// Width of the counters of petit cycles.
const COUNT_BITS: usize = 12;

/// The CM-1 with 8 chips of one processor each. Eight programs are its processors, through a
/// memory-mapped port (`cm1-message-router`; docs/cm1.md; for C, `firmware/include/cm1_port.h`).
///
/// **Bus.** `request` holds with `node`, `offset`, `write` and `write_data` through the clock cycle
/// in which `ready` is high. An access to STATUS takes two clock cycles. An access to a byte takes
/// ten, after waiting for the end of a petit cycle in progress.
///
/// | offset | | |
/// | --- | --- | --- |
/// | 0x00 to 0x3C | w | byte 0 to 15 of the message that the node sends |
/// | | r | byte 0 to 15 of the message that it received in the last petit cycle |
/// | 0x40 STATUS | w | the node is ready for the next petit cycle; bit 0: it offers its message |
/// | | r | below; its bits 31:8 can be read at all other offsets, too |
///
/// A message to send: byte 0 is 0x10 (MSGP) with the relative address (destination xor node) in
/// bits 7:5. Bytes 1 to D are DATA. Bit 0 of the next byte is PARITY. Relative address, DATA and
/// PARITY together contain an even number of ones. A received message: bytes 1 to D + 1 are the
/// same, except that PARITY covers DATA alone. Byte 0 and the bits after PARITY are undefined. D is
/// 8 by default.
///
/// A petit cycle begins when all eight nodes are ready, so no node sees the memory change during
/// its accesses. The petit cycle ends when PETITS counts. STATUS shows the result until all nodes
/// are ready again:
///
/// | bits | | |
/// | --- | --- | --- |
/// | 0 | ACCEPTED | the network took the node's message; else, if it was offered, it must be offered again |
/// | 1 | DELIVERED | the node received a message |
/// | 2 | PARITY ERROR | its parity is wrong |
/// | 3 | EMPTY | nobody offered a message, and none is in the network: all is delivered |
/// | 19:8 | PETITS | petit cycles so far, modulo 4,096 |
/// | 31:20 | LAST | petit cycles up to the last in which a message was delivered, likewise |
///
/// **Time.** A processor decides from the result of the previous petit cycle, and programs are
/// slower than the network. The network therefore waits for the processors, and the waiting does
/// not count as network time. A machine whose processors are always in time runs the same petit
/// cycles, one every `max(l, 3c + 1)` bit-times. The last bit of the last message has left its
/// heart after (LAST - 1) * max(l, 3c + 1) + l + 2c bit-times (docs/cm1.md). On the board a petit
/// cycle takes l + 2c + 6 clock cycles, from the last node's ready signal to its end. Of these
/// clock cycles l + 2c are bit-times.
#[derive(LogicBlock, Circuit, Default)]
pub struct Cm1Board {
    pub clock: Signal<In, Clock>,
    /// Node whose program uses the bus.
    pub node: Signal<In, Bits<BOARD_DIMS>>,
    /// The node requests a register access; held until `ready`.
    pub request: Signal<In, Bit>,
    /// Offset of the register in bytes.
    pub offset: Signal<In, Bits<7>>,
    /// The access is a write.
    pub write: Signal<In, Bit>,
    /// Data to write; bits 31:8 are ignored.
    pub write_data: Signal<In, Bits<32>>,
    /// High for one clock cycle: the access completes.
    pub ready: Signal<Out, Bit>,
    /// Data read; valid while `ready` is high.
    pub read_data: Signal<Out, Bits<32>>,
    control: PetitTable,
    chips: Vec<LoneChip>,
    buffer: RowBuffer,
    mailbox: Mailbox,
    /// Nodes that are ready for the next petit cycle.
    waiting: Reg<Bits<BOARD_CHIPS>>,
    /// Nodes that offer a message.
    offers: Reg<Bits<BOARD_CHIPS>>,
    petits: Reg<Bits<COUNT_BITS>>,
    last: Reg<Bits<COUNT_BITS>>,
    answered: Reg<Bit>,
    owner: Signal<Local, Bits<BOARD_CHIPS>>,
    taken: Signal<Local, Bits<BOARD_CHIPS>>,
    delivered: Signal<Local, Bits<BOARD_CHIPS>>,
    parity_error: Signal<Local, Bits<BOARD_CHIPS>>,
    occupied: Signal<Local, Bits<BOARD_CHIPS>>,
    deliver: Signal<Local, Bits<BOARD_CHIPS>>,
    low: Signal<Local, Bits<8>>,
}

impl Cm1Board {
    /// Makes the machine, with `rows` rows per chip, for messages with `data_bytes` bytes of DATA.
    ///
    /// # Panics
    /// With fewer than 2 rows, or more than 13 bytes of data.
    pub fn new(rows: usize, data_bytes: usize) -> Self {
        assert!(data_bytes <= 13, "the board sends up to 13 bytes");
        Cm1Board {
            control: PetitTable::new(Self::plan(data_bytes)),
            chips: (0..BOARD_CHIPS).map(|_| LoneChip::new(rows)).collect(),
            buffer: RowBuffer::new(rows * BOARD_CHIPS),
            mailbox: Mailbox::new(),
            ..Default::default()
        }
    }

    /// Plan of the petit cycles.
    pub fn plan(data_bytes: usize) -> PetitPlan {
        let format = MessageFormat {
            dims: BOARD_DIMS as u32,
            proc_bits: 0,
            vp_bits: 0,
            data_bits: 8 * data_bytes as u32,
        };
        PetitPlan::new(format, EjectMode::PerChip)
    }
}

impl Logic for Cm1Board {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, control, buffer, mailbox);
        dff_setup!(self, clock, waiting, offers, petits, last, answered);
        let rows = self.buffer.exit.len() / BOARD_CHIPS;
        let running = self.control.running.val();
        let strobes = self.control.strobes.val();

        // Chips and buffer.
        link!(control -> buffer: position);
        self.taken.next = 0.into();
        self.delivered.next = 0.into();
        self.parity_error.next = 0.into();
        self.occupied.next = 0.into();
        self.deliver.next = 0.into();
        for i in 0..BOARD_CHIPS {
            clock!(self, clock, chips[i]);
            self.chips[i].strobes.next = strobes;
            for d in 0..BOARD_DIMS {
                self.chips[i].cube_in[d].next =
                    self.chips[neighbour(BOARD_DIMS, BOARD_DIMS, i, d)].cube_out[d].val();
            }
            for r in 0..rows {
                self.buffer.exit[i * rows + r].next = self.chips[i].exit[r].val();
                self.chips[i].buffered[r].next = self.buffer.buffered[i * rows + r].val();
            }
            self.chips[i].offer.next = self.offers.q.val().get_bit(i);
            self.chips[i].send.next = self.mailbox.send.val().get_bit(i);
            self.taken.next = self.taken.val().replace_bit(i, self.chips[i].taken.val());
            let delivered = self.chips[i].delivered.val();
            self.delivered.next = self.delivered.val().replace_bit(i, delivered);
            let wrong = self.chips[i].parity_error.val();
            self.parity_error.next = self.parity_error.val().replace_bit(i, wrong);
            let occupied = self.chips[i].occupied.val();
            self.occupied.next = self.occupied.val().replace_bit(i, occupied);
            let deliver = self.chips[i].deliver.val();
            self.deliver.next = self.deliver.val().replace_bit(i, deliver);
        }

        // Bus accesses.
        self.owner.next = 0.into();
        for i in 0..BOARD_CHIPS {
            if self.node.val() == i as u64 {
                self.owner.next = bits::<BOARD_CHIPS>(1 << i);
            }
        }
        let owner = self.owner.val();
        let request = self.request.val();
        let index = self.offset.val() >> 2;
        let to_status = index.get_bit(4);
        let answered = self.answered.q.val();
        let access = request & !to_status & !running;
        self.answered.d.next = request & to_status & !answered;
        self.mailbox.running.next = running;
        link!(control -> mailbox: position);
        self.mailbox.deliver.next = self.deliver.val();
        self.mailbox.access.next = access;
        self.mailbox.owner.next = owner;
        self.mailbox.index.next = index.resized();
        link!(self -> mailbox: write);
        self.mailbox.write_data.next = self.write_data.val().resized();
        self.ready.next = answered | self.mailbox.done.val();

        // Ready nodes and their offers.
        let all = self.waiting.q.val().all();
        self.control.go.next = all & !access;
        if answered & self.write.val() {
            self.waiting.d.next = self.waiting.q.val() | owner;
            self.offers.d.next = if self.write_data.val().get_bit(0) {
                self.offers.q.val() | owner
            } else {
                self.offers.q.val() & !owner
            };
        }
        if running {
            self.waiting.d.next = 0.into();
        }
        let petits = self.petits.q.val() + 1;
        if strobes.finish {
            self.petits.d.next = petits;
            if self.delivered.val().any() {
                self.last.d.next = petits;
            }
        }

        // Status of the node.
        let empty = !(self.occupied.val() | self.offers.q.val()).any();
        self.low.next = if to_status {
            bits::<8>(0)
                .replace_bit(0, (self.taken.val() & owner).any())
                .replace_bit(1, (self.delivered.val() & owner).any())
                .replace_bit(2, (self.parity_error.val() & owner).any())
                .replace_bit(3, empty)
        } else {
            self.mailbox.read_data.val()
        };
        self.read_data.next = (self.last.q.val().resized::<32>() << 20)
            | (self.petits.q.val().resized::<32>() << 8)
            | self.low.val().resized::<32>();
    }
}

// The interface between programs, which write bytes, and the CM-1, which carries bits.

/// Address bits: sent messages are in the lower half, received ones in the upper half.
const ADDRESS_BITS: usize = POSITION_BITS + 1;

/// Final value of the counter: eight bits, and one clock cycle until the last bit is read.
const LAST_COUNT: u64 = 9;

/// The messages that the processors send and receive, in one block RAM. A word holds the bits of
/// one position of all messages, as they pass the injectors or leave the hearts in one bit-time.
///
/// While a petit cycle runs, the network uses the memory. It reads the word of `position` of the sent
/// messages. It writes each delivered bit at the position that it had when sent. Otherwise a
/// processor uses the memory. It writes a byte of its message to send, or reads a byte of its
/// received message, bit by bit, in ten clock cycles.
#[derive(LogicBlock, Circuit, Default)]
pub struct Mailbox {
    pub clock: Signal<In, Clock>,
    /// A petit cycle is in progress.
    pub running: Signal<In, Bit>,
    /// Bit position; see [`PetitTable`](PetitTable).
    pub position: Signal<In, Bits<POSITION_BITS>>,
    /// Bits that the processors send, processor 0 lowest.
    pub send: Signal<Out, Bits<BOARD_CHIPS>>,
    /// Bits that leave the hearts for the processors.
    pub deliver: Signal<In, Bits<BOARD_CHIPS>>,
    /// A processor requests a byte, until `done`; not while `running`.
    pub access: Signal<In, Bit>,
    /// Requesting processor, one-hot.
    pub owner: Signal<In, Bits<BOARD_CHIPS>>,
    /// Index of the byte.
    pub index: Signal<In, Bits<4>>,
    /// Writes a byte of the message to send; otherwise reads a byte of the received message.
    pub write: Signal<In, Bit>,
    /// Data to write.
    pub write_data: Signal<In, Bits<8>>,
    /// High for one clock cycle: the access completes.
    pub done: Signal<Out, Bit>,
    /// Data read; valid while `done` is high.
    pub read_data: Signal<Out, Bits<8>>,
    memory: Memory<Bits<BOARD_CHIPS>, ADDRESS_BITS>,
    count: Reg<Bits<4>>,
    byte: Reg<Bits<8>>,
    /// New value of the word that was read.
    changed: Signal<Local, Bits<BOARD_CHIPS>>,
    received_bit: Signal<Local, Bit>,
}

impl Mailbox {
    pub fn new() -> Self {
        Mailbox {
            // A bus access writes the bit before the one it reads. The network writes far behind
            // its reads.
            memory: Memory::default().disjoint(),
            ..Mailbox::default()
        }
    }
}

impl Logic for Mailbox {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, memory, count, byte);
        let running = self.running.val();
        let access = self.access.val();
        let write = self.write.val();
        let count = self.count.q.val();
        let byte = self.byte.q.val();
        let over = count == LAST_COUNT;
        let read = self.memory.read_data.val();

        self.count.d.next = if access & !over { count + 1 } else { bits::<4>(0) };
        self.done.next = over;
        self.read_data.next = byte;
        self.received_bit.next = (read & self.owner.val()).any();
        self.byte.d.next = if count == 0 {
            self.write_data.val()
        } else if over {
            byte
        } else {
            (byte >> 1).replace_bit(7, self.received_bit.val())
        };

        self.changed.next =
            if byte.get_bit(0) { read | self.owner.val() } else { read & !self.owner.val() };
        let bit = count.resized::<POSITION_BITS>() & 7;
        let first = self.index.val().resized::<POSITION_BITS>() << 3;
        let before = (count.resized::<3>() - 1).resized::<POSITION_BITS>();
        self.send.next = read;
        if running {
            self.memory.read_address.next = self.position.val().resized();
            self.memory.write_address.next = (self.position.val() - HEART_DELAY)
                .resized::<ADDRESS_BITS>()
                .replace_bit(POSITION_BITS, true);
            self.memory.write_data.next = self.deliver.val();
            self.memory.write_enable.next = true;
        } else {
            self.memory.read_address.next =
                (first | bit).resized::<ADDRESS_BITS>().replace_bit(POSITION_BITS, !write);
            self.memory.write_address.next = (first | before).resized();
            self.memory.write_data.next = self.changed.val();
            self.memory.write_enable.next = write & (count != 0) & !over;
        }
    }
}
