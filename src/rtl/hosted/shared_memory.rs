//! Block RAM for the programs and the data of all who share a core.

use super::WORD_BITS;
use hdl::cells::Memory;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// The bytes of one lane. No word is read and written at once, see below.
fn lane(words: &[u32], lane: usize) -> Memory<Bits<8>, WORD_BITS> {
    let bytes = words.iter().map(|word| u64::from(word.to_le_bytes()[lane]));
    Memory::new(bytes.map(Bits::from)).disjoint()
}

/// The one memory of all who share a core: 8 KB, words with bytes that can be
/// written alone. 16 block RAMs and no multiplexer.
#[derive(LogicBlock, Circuit, Default)]
pub struct SharedMemory {
    pub clock: Signal<In, Clock>,
    /// The word that is read and written.
    pub address: Signal<In, Bits<WORD_BITS>>,
    pub write_data: Signal<In, Bits<32>>,
    /// The bytes of it that are written, none when reading.
    pub write_strobe: Signal<In, Bits<4>>,
    /// The word, one clock cycle later; not one that was written.
    pub read_data: Signal<Out, Bits<32>>,
    /// One for each byte of a word, lowest first.
    lanes: [Memory<Bits<8>, WORD_BITS>; 4],
}

impl SharedMemory {
    /// It begins with these words, and zeros after them.
    ///
    /// # Panics
    /// If there are more than 2,048.
    pub fn new(words: &[u32]) -> Self {
        assert!(words.len() <= 1 << WORD_BITS, "{} words", words.len());
        SharedMemory {
            lanes: [
                lane(words, 0),
                lane(words, 1),
                lane(words, 2),
                lane(words, 3),
            ],
            ..Default::default()
        }
    }
}

impl Logic for SharedMemory {
    #[kernel]
    fn update(&mut self) {
        let address = self.address.val();
        let strobe = self.write_strobe.val();
        // A word that is written is not read, another one is.
        let read = address ^ bit_cast::<WORD_BITS, 1>(strobe.any().into());
        self.read_data.next = 0.into();
        for i in 0..4 {
            clock!(self, clock, lanes[i]);
            self.lanes[i].read_address.next = read;
            self.lanes[i].write_address.next = address;
            self.lanes[i].write_data.next = self.write_data.val().get_bits::<8>(8 * i);
            self.lanes[i].write_enable.next = strobe.get_bit(i);
            self.read_data.next = self.read_data.val()
                | (bit_cast::<32, 8>(self.lanes[i].read_data.val()) << (8 * i as u64));
        }
    }
}
