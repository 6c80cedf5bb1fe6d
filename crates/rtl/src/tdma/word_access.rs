//! How a core gets words from block RAM of bytes.

use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// A word of 32 bits from a memory of bytes: four accesses, lowest byte first.
///
/// While `go` is held, byte `index` is read and, where the strobe says so,
/// written, in one clock cycle of the node each; `done` is high in the fifth, with the word
/// in `word`. When `go` falls before that, the access begins anew.
///
/// A node has one for its data and its message memory: two block RAMs of bytes
/// instead of two of words, and 24 flip-flops.
#[derive(LogicBlock, Circuit, Default)]
pub struct WordAccess {
    pub clock: Signal<In, Clock>,
    /// It is a clock cycle of the node's. In others nothing changes: a node that is served in
    /// turn with others has a clock cycle now and then.
    pub turn: Signal<In, Bit>,
    /// A word is wanted, and the memory is free.
    pub go: Signal<In, Bit>,
    /// The word to be written.
    pub write_data: Signal<In, Bits<32>>,
    /// Bytes of it to be written, none when reading.
    pub write_strobe: Signal<In, Bits<4>>,
    /// High for one clock cycle: the access is over.
    pub done: Signal<Out, Bit>,
    /// The word read, while `done`.
    pub word: Signal<Out, Bits<32>>,
    /// The byte of the word that is addressed.
    pub index: Signal<Out, Bits<2>>,
    /// To the memory.
    pub write_byte: Signal<Out, Bits<8>>,
    /// To the memory.
    pub write_enable: Signal<Out, Bit>,
    /// From the memory: the byte addressed one clock cycle ago.
    pub read_byte: Signal<In, Bits<8>>,
    count: Reg<Bits<3>>,
    /// The bytes read so far, the latest highest.
    bytes: Reg<Bits<24>>,
    strobed: Signal<Local, Bit>,
}

impl Logic for WordAccess {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, count, bytes);
        let count = self.count.q.val();
        let over = count.get_bit(2);
        self.done.next = over;
        self.count.d.next = if self.go.val() & !over {
            count + 1
        } else {
            bits::<3>(0)
        };

        let read = self.read_byte.val();
        let bytes = self.bytes.q.val();
        // Without an access nothing depends on what the memory reads: a simulator need
        // not look it up.
        if count != 0 {
            self.bytes.d.next = (read.resized::<24>() << 16) | (bytes >> 8);
        }
        if !self.turn.val() {
            self.count.d.next = count;
            self.bytes.d.next = bytes;
        }
        self.word.next = (read.resized::<32>() << 24) | bytes.resized::<32>();

        self.index.next = count.resized();
        let data = self.write_data.val();
        let strobe = self.write_strobe.val();
        self.write_byte.next = data.get_bits::<8>(0);
        self.strobed.next = strobe.get_bit(0);
        for i in 1..4 {
            if count.resized::<2>() == i as u64 {
                self.write_byte.next = data.get_bits::<8>(8 * i);
                self.strobed.next = strobe.get_bit(i);
            }
        }
        self.write_enable.next = self.go.val() & !over & self.strobed.val();
    }
}
