//! The buffer of messages that stay in the board's CM-1 until the next petit cycle.

use super::{HEART_DELAY, POSITION_BITS};
use crate::cm1::{list, ROWS_MAX};
use hdl::prelude::*;

/// Buffers the bits that leave the hearts of all chips until the next petit cycle.
///
/// A bit is stored at the position that it had at the injector. There is one memory per 16 rows.
#[derive(LogicBlock, Circuit, Default)]
pub struct RowBuffer {
    pub clock: Signal<In, Clock>,
    /// Position of the bits requested for the next clock cycle.
    pub place: Signal<In, Bits<POSITION_BITS>>,
    /// Bits that leave the hearts.
    pub exit: Vec<Signal<In, Bit>>,
    /// Requested bits.
    pub buffered: Vec<Signal<Out, Bit>>,
    memories: Vec<Memory<Bits<ROWS_MAX>, POSITION_BITS>>,
    written: Vec<Signal<Local, Bits<ROWS_MAX>>>,
}

impl RowBuffer {
    /// Makes a buffer for `rows` rows, counted over all chips.
    pub fn new(rows: usize) -> Self {
        let memories = rows.div_ceil(ROWS_MAX);
        RowBuffer {
            exit: list(rows),
            buffered: list(rows),
            memories: (0..memories)
                .map(|_| Memory::default().disjoint())
                .collect(),
            written: list(memories),
            ..Default::default()
        }
    }
}

impl Logic for RowBuffer {
    #[kernel]
    fn update(&mut self) {
        for m in 0..self.memories.len() {
            self.written[m].next = 0.into();
        }
        for r in 0..self.exit.len() {
            let m = r / ROWS_MAX;
            let written = self.written[m].val();
            self.written[m].next = written.replace_bit(r % ROWS_MAX, self.exit[r].val());
            self.buffered[r].next = self.memories[m].read_data.val().get_bit(r % ROWS_MAX);
        }
        for m in 0..self.memories.len() {
            clock!(self, clock, memories[m]);
            self.memories[m].read_address.next = self.place.val();
            self.memories[m].write_address.next = self.place.val() - HEART_DELAY;
            self.memories[m].write_enable.next = true;
            self.memories[m].write_data.next = self.written[m].val();
        }
    }
}
