//! Word accesses to byte-wide block RAM.
use hdl::prelude::*;

/// Transfers a 32-bit word from or to a memory of bytes in four accesses, lowest byte first.
///
/// While `go` is held, byte `index` is read and, if its strobe is set, written, one byte per clock
/// cycle of the node. `done` is high in the fifth clock cycle, with the word in `word`. If `go`
/// falls before that, the access starts over.
///
/// A node uses one for its data memory and its message memory: two block RAMs of bytes instead of
/// two of words, and 24 flip-flops.
#[derive(LogicBlock, Circuit, Default)]
pub struct WordAccess {
    pub clock: Signal<In, Clock>,
    /// Clock enable: the clock cycle belongs to the node. In other clock cycles nothing changes.
    /// Time-multiplexed nodes have a clock cycle only now and then.
    pub turn: Signal<In, Bit>,
    /// Requests a word, and the memory is available.
    pub go: Signal<In, Bit>,
    /// Word to write.
    pub write_data: Signal<In, Bits<32>>,
    /// Byte lanes to write; zero for a read.
    pub write_strobe: Signal<In, Bits<4>>,
    /// High for one clock cycle: the access completes.
    pub done: Signal<Out, Bit>,
    /// Word read; valid while `done` is high.
    pub word: Signal<Out, Bits<32>>,
    /// Index of the addressed byte of the word.
    pub index: Signal<Out, Bits<2>>,
    /// To the memory.
    pub write_byte: Signal<Out, Bits<8>>,
    /// To the memory.
    pub write_enable: Signal<Out, Bit>,
    /// From the memory: the byte addressed one clock cycle ago.
    pub read_byte: Signal<In, Bits<8>>,
    count: Reg<Bits<3>>,
    /// Bytes read so far, the latest highest.
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
        // Outside an access nothing depends on the read data, so a simulator can skip the memory
        // read.
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
