//! Cell for readable and writable memories.

use super::time_multiplexed::current_turns;
use crate::lower::{answer_cell, bits_of, CellRecord, SignalAddress};
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// Memory of `2^ADDRESS_BITS` words with one write port and one read port, both clocked.
///
/// At the rising clock edge `read_data` takes the word at `read_address` as it was before the edge.
/// At the same edge the word at `write_address` becomes `write_data` if `write_enable` is set. A
/// written word can therefore be read one clock cycle later at the earliest. `read_data` starts as
/// zero.
///
/// Block RAM alone supports neither a read of the word being written nor an initial `read_data`.
/// Both need logic around the block RAM. A memory whose user needs neither is
/// [`disjoint`](Self::disjoint).
///
/// Made [`time_multiplexed`](super::time_multiplexed), the memory has `2^ADDRESS_BITS` words for each turn.
/// `read_data` then arrives at the next clock cycle of the same turn.
///
/// On an iCE40 the memory becomes block RAM: 4,096 bits each, 256 x 16 to 2,048 x 2.
#[derive(Clone, Debug, LogicBlock)]
pub struct Memory<T: Synth, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    pub read_address: Signal<In, Bits<ADDRESS_BITS>>,
    pub read_data: Signal<Out, T>,
    pub write_address: Signal<In, Bits<ADDRESS_BITS>>,
    pub write_data: Signal<In, T>,
    pub write_enable: Signal<In, Bit>,
    _init: Vec<T>,
    _words: Vec<T>,
    _disjoint: bool,
    /// Current turn.
    _turn: usize,
    /// Values of `read_data` for the following turns.
    _later: VecDeque<T>,
}

impl<T: Synth, const ADDRESS_BITS: usize> Memory<T, ADDRESS_BITS> {
    /// Creates a memory that starts with these words, followed by zeros.
    ///
    /// # Panics
    /// If there are more than `2^ADDRESS_BITS` words.
    pub fn new(init: impl IntoIterator<Item = T>) -> Self {
        let init: Vec<T> = init.into_iter().collect();
        assert!(
            init.len() <= 1 << ADDRESS_BITS,
            "{} words for a memory of {}",
            init.len(),
            1 << ADDRESS_BITS
        );
        let mut words = init.clone();
        words.resize(1 << ADDRESS_BITS, T::default());
        let words = words.repeat(current_turns());
        Memory {
            clock: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            write_enable: Signal::default(),
            _init: init,
            _words: words,
            _disjoint: false,
            _turn: 0,
            _later: (1..current_turns()).map(|_| T::default()).collect(),
        }
    }

    /// Promises that no word is read and written in the same clock cycle, and that nothing depends
    /// on `read_data` before the first edge. On an iCE40 this saved 34 logic cells of a node. The
    /// simulators panic if the first half of the promise is broken. If either half is broken,
    /// Verilog simulation and hardware may differ.
    #[must_use]
    pub fn disjoint(mut self) -> Self {
        self._disjoint = true;
        self
    }
}

/// Creates a memory whose words all start as the default of the type.
impl<T: Synth, const ADDRESS_BITS: usize> Default for Memory<T, ADDRESS_BITS> {
    fn default() -> Self {
        Memory::new([])
    }
}

impl<T: Synth, const ADDRESS_BITS: usize> Logic for Memory<T, ADDRESS_BITS> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let first = self._turn << ADDRESS_BITS;
            self._turn = (self._turn + 1) % (self._later.len() + 1);
            let word = self._words[first + self.read_address.val().index()];
            self._later.push_back(word);
            if let Some(next) = self._later.pop_front() {
                self.read_data.next = next;
            }
            if self.write_enable.val() {
                assert!(
                    !self._disjoint || self.write_address.val() != self.read_address.val(),
                    "a disjoint memory: word {:?} is read and written in one clock cycle",
                    self.write_address.val()
                );
                self._words[first + self.write_address.val().index()] = self.write_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        answer_cell::<T>(|| CellRecord::Memory {
            read_address: SignalAddress::of(&self.read_address),
            read_data: SignalAddress::of(&self.read_data),
            write: Some([
                SignalAddress::of(&self.write_address),
                SignalAddress::of(&self.write_data),
                SignalAddress::of(&self.write_enable),
            ]),
            disjoint: self._disjoint,
            turns: self._later.len() + 1,
            init: self._init.iter().map(|w| bits_of(*w)).collect(),
        })
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let info = |name: &str, inputs: &[&str], outputs: &[&str]| TimingInfo {
            name: name.into(),
            clock: "clock".into(),
            inputs: inputs.iter().map(|s| s.to_string()).collect(),
            outputs: outputs.iter().map(|s| s.to_string()).collect(),
        };
        vec![
            info("memory_read", &["read_address"], &["read_data"]),
            info(
                "memory_write",
                &["write_address", "write_data", "write_enable"],
                &[],
            ),
        ]
    }
}
