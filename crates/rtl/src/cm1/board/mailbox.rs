//! Where programs, which write bytes, and the CM-1, which carries bits, meet.

use super::{BEHIND, BOARD_CHIPS, PLACE_BITS};
use hdl::cells::{Memory, Reg};
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// Address bits: the lower half is what is sent, the upper what has arrived.
const ADDRESS_BITS: usize = PLACE_BITS + 1;

/// Set in a count of nine: eight bits, and one clock cycle until the last is read.
const OVER: u64 = 9;

/// The messages that the processors send and receive, in one block RAM: a word
/// holds the bits of one place of all of them, as they pass the injectors or leave
/// the hearts in one bit-time.
///
/// While a petit cycle runs the network has it: it reads the word of `place` of
/// what is sent, and writes what is delivered where it was sent from. Else a
/// processor has it: it writes a byte of its message to send, or reads one of
/// its message received, bit by bit, in ten clock cycles.
#[derive(LogicBlock, Circuit, Default)]
pub struct Mailbox {
    pub clock: Signal<In, Clock>,
    /// A petit cycle is under way.
    pub running: Signal<In, Bit>,
    /// As of [`PetitTable`](super::PetitTable).
    pub place: Signal<In, Bits<PLACE_BITS>>,
    /// The bits that the processors send, processor 0 lowest.
    pub send: Signal<Out, Bits<BOARD_CHIPS>>,
    /// The bits that leave the hearts for them.
    pub deliver: Signal<In, Bits<BOARD_CHIPS>>,
    /// A processor wants a byte, until `done`; not while `running`.
    pub access: Signal<In, Bit>,
    /// Which processor, one-hot.
    pub owner: Signal<In, Bits<BOARD_CHIPS>>,
    /// Which byte.
    pub index: Signal<In, Bits<4>>,
    /// It writes, a byte of what it sends; else it reads one that has arrived.
    pub write: Signal<In, Bit>,
    /// What it writes.
    pub write_data: Signal<In, Bits<8>>,
    /// High for one clock cycle: the access is over.
    pub done: Signal<Out, Bit>,
    /// What it reads, while `done`.
    pub read_data: Signal<Out, Bits<8>>,
    memory: Memory<Bits<BOARD_CHIPS>, ADDRESS_BITS>,
    count: Reg<Bits<4>>,
    byte: Reg<Bits<8>>,
    /// The word that takes the place of the one read.
    changed: Signal<Local, Bits<BOARD_CHIPS>>,
    own: Signal<Local, Bit>,
}

impl Mailbox {
    pub fn new() -> Self {
        Mailbox {
            // Bus: the bit before the one read is written; network: far behind it.
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
        let over = count == OVER;
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
        let bit = count.resized::<PLACE_BITS>() & 7;
        let first = self.index.val().resized::<PLACE_BITS>() << 3;
        let before = (count.resized::<3>() - 1).resized::<PLACE_BITS>();
        self.send.next = read;
        if running {
            self.memory.read_address.next = self.place.val().resized();
            self.memory.write_address.next = (self.place.val() - BEHIND)
                .resized::<ADDRESS_BITS>()
                .replace_bit(PLACE_BITS, true);
            self.memory.write_data.next = self.deliver.val();
            self.memory.write_enable.next = true;
        } else {
            self.memory.read_address.next = (first | bit)
                .resized::<ADDRESS_BITS>()
                .replace_bit(PLACE_BITS, !write);
            self.memory.write_address.next = (first | before).resized();
            self.memory.write_data.next = self.changed.val();
            self.memory.write_enable.next = write & (count != 0) & !over;
        }
    }
}
