//! The buffer of messages that were not ejected, as a delay line.

use super::{list, POINTER_BITS, ROWS_MAX};
use hdl::prelude::*;

/// Address bits of a memory: 256 words of 16 bits fill one block RAM of an iCE40.
const BANK_BITS: usize = 8;

/// Buffers the bits that leave the heart until the next petit cycle begins (`cm1-message-router`,
/// section 3.1; there in memory outside the chip).
///
/// Every row is delayed by one bit-time more than the pointer has values. There is one memory per
/// 256 values.
#[derive(LogicBlock, Circuit, Default)]
pub struct MessageBuffer {
    pub clock: Signal<In, Clock>,
    /// Counts up by one in each bit-time and wraps.
    pub pointer: Signal<In, Bits<POINTER_BITS>>,
    /// Bits that leave the heart.
    pub exit: Vec<Signal<In, Bit>>,
    /// Bits that left the heart earlier.
    pub buffered: Vec<Signal<Out, Bit>>,
    memories: Vec<Memory<Bits<ROWS_MAX>, BANK_BITS>>,
    /// Memory that is read, if there are several.
    bank: Vec<Reg<Bits<POINTER_BITS>>>,
    written: Signal<Local, Bits<ROWS_MAX>>,
    read: Signal<Local, Bits<ROWS_MAX>>,
}

impl MessageBuffer {
    /// Makes a buffer for `rows` rows, whose pointer has `words` values.
    ///
    /// # Panics
    /// If there are too many rows or values.
    pub fn new(rows: usize, words: usize) -> Self {
        assert!(rows <= ROWS_MAX, "a word of the buffer has 16 bits");
        assert!(
            (1..=1 << POINTER_BITS).contains(&words),
            "the buffer has 1 to 4,096 words"
        );
        let memories = words.div_ceil(1 << BANK_BITS);
        MessageBuffer {
            exit: list(rows),
            buffered: list(rows),
            memories: list(memories),
            bank: list(usize::from(memories > 1)),
            ..Default::default()
        }
    }
}

impl Logic for MessageBuffer {
    #[kernel]
    fn update(&mut self) {
        self.written.next = 0.into();
        for r in 0..self.exit.len() {
            self.written.next = self.written.val().replace_bit(r, self.exit[r].val());
        }
        let bank = self.pointer.val() >> (BANK_BITS as u64);
        for i in 0..self.bank.len() {
            clock!(self, clock, bank[i]);
            self.bank[i].d.next = bank;
        }
        self.read.next = self.memories[0].read_data.val();
        for m in 0..self.memories.len() {
            let address = self.pointer.val().resized::<BANK_BITS>();
            clock!(self, clock, memories[m]);
            self.memories[m].read_address.next = address;
            self.memories[m].write_address.next = address;
            self.memories[m].write_data.next = self.written.val();
            self.memories[m].write_enable.next = true;
            for i in 0..self.bank.len() {
                self.memories[m].write_enable.next = bank == m as u64;
                if self.bank[i].q.val() == m as u64 {
                    self.read.next = self.memories[m].read_data.val();
                }
            }
        }
        for r in 0..self.exit.len() {
            self.buffered[r].next = self.read.val().get_bit(r);
        }
    }
}
