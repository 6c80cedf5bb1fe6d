//! Cell for tables in block RAM.

use super::time_multiplexed::current_turns;
use crate::lower::{answer_cell, bits_of, CellRecord, SignalAddress};
use rust_hdl::prelude::*;

/// Read-only memory of `2^ADDRESS_BITS` words.
///
/// At the rising clock edge `data` takes the word at `address`. `data` starts as zero. On an iCE40
/// the table becomes block RAM, like [`Memory`](super::Memory).
#[derive(Clone, Debug, LogicBlock)]
pub struct Rom<T: Synth, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    pub address: Signal<In, Bits<ADDRESS_BITS>>,
    pub data: Signal<Out, T>,
    _words: Vec<T>,
}

impl<T: Synth, const ADDRESS_BITS: usize> Rom<T, ADDRESS_BITS> {
    /// Creates a table of these words, followed by zeros.
    ///
    /// # Panics
    /// If there are more than `2^ADDRESS_BITS` words.
    pub fn new(words: impl IntoIterator<Item = T>) -> Self {
        assert_eq!(current_turns(), 1, "a ROM cannot be made in turns");
        let words: Vec<T> = words.into_iter().collect();
        assert!(
            words.len() <= 1 << ADDRESS_BITS,
            "{} words for a ROM of {}",
            words.len(),
            1 << ADDRESS_BITS
        );
        Rom {
            clock: Signal::default(),
            address: Signal::default(),
            data: Signal::default(),
            _words: words,
        }
    }
}

/// Creates a table whose words are all the default of the type.
impl<T: Synth, const ADDRESS_BITS: usize> Default for Rom<T, ADDRESS_BITS> {
    fn default() -> Self {
        Rom::new([])
    }
}

impl<T: Synth, const ADDRESS_BITS: usize> Logic for Rom<T, ADDRESS_BITS> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let word = self._words.get(self.address.val().index());
            self.data.next = word.copied().unwrap_or_default();
        }
    }

    fn connect(&mut self) {
        self.data.connect();
    }

    fn hdl(&self) -> Verilog {
        answer_cell::<T>(|| CellRecord::Memory {
            read_address: SignalAddress::of(&self.address),
            read_data: SignalAddress::of(&self.data),
            write: None,
            disjoint: false,
            turns: 1,
            init: self._words.iter().map(|w| bits_of(*w)).collect(),
        })
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "rom".into(),
            clock: "clock".into(),
            inputs: vec!["address".into()],
            outputs: vec!["data".into()],
        }]
    }
}
