//! Memory with an asynchronous read port.

use super::{current_turns, initial_words};
use crate::lower::{answer_cell, CellRecord, Word};
use crate::rust_hdl::prelude::*;
use crate::rust_hdl::types::bits_of;
use crate::rust_hdl::SignalAddress;

/// Memory of `2^ADDRESS_BITS` words with one clocked write port and one asynchronous read port.
///
/// `read_data` is the word at `read_address` at any time, without a clock edge. At the rising clock
/// edge the word at `write_address` becomes `write_data` if `write_enable` is set.
///
/// On an iCE40 the memory consists of flip-flops and multiplexers, on an ECP5 of small memories in
/// logic cells. A large memory has a clocked read port: [`Memory`](super::Memory). The lockstep
/// engine finds words at the clock edge if `read_address` depends on registers only. Otherwise it
/// accepts up to 65,536 bits.
///
/// Made [`time_multiplexed`](super::time_multiplexed), the memory has `2^ADDRESS_BITS` words for
/// each turn, and `read_data` is a word of the current turn.
///
/// ```
/// use hdl::prelude::*;
///
/// /// Sixteen registers of a processor.
/// #[derive(LogicBlock, Circuit, Default)]
/// pub struct Registers {
///     pub clock: Signal<In, Clock>,
///     pub source: Signal<In, Bits<4>>,
///     pub target: Signal<In, Bits<4>>,
///     pub result: Signal<In, Bits<32>>,
///     pub operand: Signal<Out, Bits<32>>,
///     words: AsyncMemory<Bits<32>, 4>,
/// }
///
/// impl Logic for Registers {
///     #[kernel]
///     fn update(&mut self) {
///         clock!(self, clock, words);
///         self.words.read_address.next = self.source.val();
///         self.words.write_address.next = self.target.val();
///         self.words.write_data.next = self.result.val();
///         self.words.write_enable.next = self.target.val() != 0;
///         self.operand.next = self.words.read_data.val();
///     }
/// }
///
/// let verilog = hdl::verilog::emit(&lower(&Registers::default()).unwrap()).to_string();
/// assert!(verilog.contains("words[words_read_address]"));
/// ```
#[derive(Clone, Debug, LogicBlock)]
pub struct AsyncMemory<T: Word, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    pub read_address: Signal<In, Bits<ADDRESS_BITS>>,
    pub read_data: Signal<Out, T>,
    pub write_address: Signal<In, Bits<ADDRESS_BITS>>,
    pub write_data: Signal<In, T>,
    pub write_enable: Signal<In, Bit>,
    _init: Vec<T>,
    /// Words of all turns.
    _words: Vec<T>,
    _turns: usize,
    /// Current turn.
    _turn: usize,
}

impl<T: Word, const ADDRESS_BITS: usize> AsyncMemory<T, ADDRESS_BITS> {
    /// Creates a memory that starts with these words, followed by zeros.
    ///
    /// # Panics
    /// If there are more than `2^ADDRESS_BITS` words.
    pub fn new(init: impl IntoIterator<Item = T>) -> Self {
        let init: Vec<T> = init.into_iter().collect();
        let words = initial_words(&init, ADDRESS_BITS);
        AsyncMemory {
            clock: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            write_enable: Signal::default(),
            _init: init,
            _words: words,
            _turns: current_turns(),
            _turn: 0,
        }
    }
}

/// Creates a memory whose words all start as the default of the type.
impl<T: Word, const ADDRESS_BITS: usize> Default for AsyncMemory<T, ADDRESS_BITS> {
    fn default() -> Self {
        AsyncMemory::new([])
    }
}

impl<T: Word, const ADDRESS_BITS: usize> Logic for AsyncMemory<T, ADDRESS_BITS> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            if self.write_enable.val() {
                let first = self._turn << ADDRESS_BITS;
                self._words[first + self.write_address.val().index()] = self.write_data.val();
            }
            self._turn = (self._turn + 1) % self._turns;
        }
        let first = self._turn << ADDRESS_BITS;
        self.read_data.next = self._words[first + self.read_address.val().index()];
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        answer_cell::<T>(|| CellRecord::Memory {
            read_address: SignalAddress::of(&self.read_address),
            read_data: SignalAddress::of(&self.read_data),
            asynchronous: true,
            write: Some([
                SignalAddress::of(&self.write_address),
                SignalAddress::of(&self.write_data),
                SignalAddress::of(&self.write_enable),
            ]),
            disjoint: false,
            decoded: ADDRESS_BITS,
            turns: self._turns,
            init: self._init.iter().map(|w| bits_of(*w)).collect(),
        })
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "memory_write".into(),
            clock: "clock".into(),
            inputs: vec!["write_address".into(), "write_data".into(), "write_enable".into()],
            outputs: vec![],
        }]
    }
}
