use crate::lower::{answer_cell, bits_of, Address, CellRecord};
use rust_hdl::prelude::*;

/// A memory of `2^A` words with one write port and one read port, both clocked.
///
/// At the rising clock edge `read_data` takes the word at `read_address` as it
/// was before the edge, and the word at `write_address` becomes `write_data` if
/// `write_enable` is set: a word written is read one clock cycle later at the
/// earliest. `read_data` starts as zero.
///
/// On an iCE40 it becomes block RAM: 4,096 bits each, 256 x 16 to 2,048 x 2.
#[derive(Clone, Debug, LogicBlock)]
pub struct Memory<T: Synth, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub read_address: Signal<In, Bits<A>>,
    pub read_data: Signal<Out, T>,
    pub write_address: Signal<In, Bits<A>>,
    pub write_data: Signal<In, T>,
    pub write_enable: Signal<In, Bit>,
    _init: Vec<T>,
    _words: Vec<T>,
}

impl<T: Synth, const A: usize> Memory<T, A> {
    /// A memory that starts with these words, and zeros after them.
    ///
    /// # Panics
    /// If there are more than `2^A` words.
    pub fn new(init: impl IntoIterator<Item = T>) -> Self {
        let init: Vec<T> = init.into_iter().collect();
        assert!(
            init.len() <= 1 << A,
            "{} words for a memory of {}",
            init.len(),
            1 << A
        );
        let mut words = init.clone();
        words.resize(1 << A, T::default());
        Memory {
            clock: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            write_enable: Signal::default(),
            _init: init,
            _words: words,
        }
    }
}

/// All words start as the default of the type.
impl<T: Synth, const A: usize> Default for Memory<T, A> {
    fn default() -> Self {
        Memory::new([])
    }
}

impl<T: Synth, const A: usize> Logic for Memory<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.read_data.next = self._words[self.read_address.val().index()];
            if self.write_enable.val() {
                self._words[self.write_address.val().index()] = self.write_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        answer_cell::<T>(|| CellRecord::Memory {
            read_address: Address::of(&self.read_address),
            read_data: Address::of(&self.read_data),
            write: Some([
                Address::of(&self.write_address),
                Address::of(&self.write_data),
                Address::of(&self.write_enable),
            ]),
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
