//! The interface between programs, which write bytes, and the CM-1, which carries bits.

use super::{BOARD_CHIPS, HEART_DELAY, POSITION_BITS};
use hdl::prelude::*;

/// Address bits: sent messages are in the lower half, received ones in the upper half.
const ADDRESS_BITS: usize = POSITION_BITS + 1;

/// Final value of the counter: eight bits, and one clock cycle until the last bit is read.
const LAST_COUNT: u64 = 9;

/// The messages that the processors send and receive, in one block RAM. A word holds the bits of
/// one position of all messages, as they pass the injectors or leave the hearts in one bit-time.
///
/// While a petit cycle runs, the network uses the memory. It reads the word of `place` of the sent
/// messages. It writes each delivered bit at the position that it had when sent. Otherwise a
/// processor uses the memory. It writes a byte of its message to send, or reads a byte of its
/// received message, bit by bit, in ten clock cycles.
#[derive(LogicBlock, Circuit, Default)]
pub struct Mailbox {
    pub clock: Signal<In, Clock>,
    /// A petit cycle is in progress.
    pub running: Signal<In, Bit>,
    /// Bit position; see [`PetitTable`](super::PetitTable).
    pub place: Signal<In, Bits<POSITION_BITS>>,
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
    own: Signal<Local, Bit>,
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

        self.count.d.next = if access & !over {
            count + 1
        } else {
            bits::<4>(0)
        };
        self.done.next = over;
        self.read_data.next = byte;
        self.own.next = (read & self.owner.val()).any();
        self.byte.d.next = if count == 0 {
            self.write_data.val()
        } else if over {
            byte
        } else {
            (byte >> 1).replace_bit(7, self.own.val())
        };

        self.changed.next = if byte.get_bit(0) {
            read | self.owner.val()
        } else {
            read & !self.owner.val()
        };
        let bit = count.resized::<POSITION_BITS>() & 7;
        let first = self.index.val().resized::<POSITION_BITS>() << 3;
        let before = (count.resized::<3>() - 1).resized::<POSITION_BITS>();
        self.send.next = read;
        if running {
            self.memory.read_address.next = self.place.val().resized();
            self.memory.write_address.next = (self.place.val() - HEART_DELAY)
                .resized::<ADDRESS_BITS>()
                .replace_bit(POSITION_BITS, true);
            self.memory.write_data.next = self.deliver.val();
            self.memory.write_enable.next = true;
        } else {
            self.memory.read_address.next = (first | bit)
                .resized::<ADDRESS_BITS>()
                .replace_bit(POSITION_BITS, !write);
            self.memory.write_address.next = (first | before).resized();
            self.memory.write_data.next = self.changed.val();
            self.memory.write_enable.next = write & (count != 0) & !over;
        }
    }
}
