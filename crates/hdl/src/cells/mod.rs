//! Cells that hold state, checks, and parameters of blocks. [`Reg`], [`Memory`] and [`Rom`] replace `DFF`,
//! `RAM` and `SyncROM` of `rust-hdl`. The lowering accepts only these cells with state. A
//! [`Parameter`] is set when a block is created. Made [`time_multiplexed`], a cell holds the state of
//! several time-multiplexed circuits that share the same logic.

mod asynchronous;
mod checks;

use crate::lower::{answer_cell, CellRecord, Readable, Sym, Word};
use crate::rust_hdl::prelude::*;
use crate::rust_hdl::types::bits_of;
use crate::rust_hdl::SignalAddress;
pub use asynchronous::AsyncMemory;
pub use checks::{Assertion, Cover};
use std::cell::Cell;
use std::collections::VecDeque;

/// Register: `q` takes the value of `d` at the rising clock edge.
///
/// A register costs one flip-flop per bit. On an FPGA it powers up with its initial value. There is
/// no reset pin. `reset!(self, reset, register);` in a kernel is a synchronous reset, by logic before
/// `d`. Synthesis maps it to the reset input of the flip-flop.
///
/// Made [`time_multiplexed`], it holds a value for each turn. `q` then takes the value
/// that `d` had in the previous clock cycle of the same turn.
#[derive(Clone, Debug, LogicBlock)]
pub struct Reg<T: Word> {
    pub clock: Signal<In, Clock>,
    pub d: Signal<In, T>,
    pub q: Signal<Out, T>,
    _init: T,
    /// Values of `q` for the following turns.
    _later: VecDeque<T>,
}

impl<T: Word> Reg<T> {
    /// Creates a register that starts as `init`.
    pub fn new(init: T) -> Self {
        Reg {
            clock: Signal::default(),
            d: Signal::default(),
            q: Signal::new_with_default(init),
            _init: init,
            _later: (1..current_turns()).map(|_| init).collect(),
        }
    }

    /// Returns the initial value, inside and outside kernels.
    pub fn initial(&self) -> T {
        self._init
    }
}

/// Creates a register that starts as the default of the type: zero, or the first variant of an
/// enum.
impl<T: Word> Default for Reg<T> {
    fn default() -> Self {
        Reg::new(T::default())
    }
}

impl<T: Word> Logic for Reg<T> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self._later.push_back(self.d.val());
            if let Some(next) = self._later.pop_front() {
                self.q.next = next;
            }
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> Verilog {
        answer_cell::<T>(|| CellRecord::Register {
            d: SignalAddress::of(&self.d),
            q: SignalAddress::of(&self.q),
            init: bits_of(self._init),
            turns: self._later.len() + 1,
        })
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "reg".into(),
            clock: "clock".into(),
            inputs: vec!["d".into()],
            outputs: vec!["q".into()],
        }]
    }
}

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
/// Made [`time_multiplexed`], the memory has `2^ADDRESS_BITS` words for each turn.
/// `read_data` then arrives at the next clock cycle of the same turn.
///
/// On an iCE40 the memory becomes block RAM: 4,096 bits each, 256 x 16 to 2,048 x 2.
#[derive(Clone, Debug, LogicBlock)]
pub struct Memory<T: Word, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    pub read_address: Signal<In, Bits<ADDRESS_BITS>>,
    pub read_data: Signal<Out, T>,
    pub write_address: Signal<In, Bits<ADDRESS_BITS>>,
    pub write_data: Signal<In, T>,
    pub write_enable: Signal<In, Bit>,
    _init: Vec<T>,
    _words: Vec<T>,
    /// Number of decoded address bits.
    _decoded: usize,
    _disjoint: bool,
    /// Current turn.
    _turn: usize,
    /// Values of `read_data` for the following turns.
    _later: VecDeque<T>,
}

impl<T: Word, const ADDRESS_BITS: usize> Memory<T, ADDRESS_BITS> {
    /// Creates a memory that starts with these words, followed by zeros.
    ///
    /// # Panics
    /// If there are more than `2^ADDRESS_BITS` words.
    pub fn new(init: impl IntoIterator<Item = T>) -> Self {
        Memory::decoding(ADDRESS_BITS, init)
    }

    /// Creates a memory of `2^decoded` words, which ignores the other address bits. So one type
    /// serves memories of several sizes.
    ///
    /// # Panics
    /// If `decoded` is 0 or more than `ADDRESS_BITS`, or if there are more words. Also if
    /// `decoded` is less than `ADDRESS_BITS` in a time-multiplexed memory.
    pub fn decoding(decoded: usize, init: impl IntoIterator<Item = T>) -> Self {
        check_decoded(decoded, ADDRESS_BITS);
        let init: Vec<T> = init.into_iter().collect();
        let words = initial_words(&init, decoded);
        Memory {
            clock: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            write_enable: Signal::default(),
            _init: init,
            _words: words,
            _decoded: decoded,
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

/// Returns the words of a memory with this number of address bits, for each turn. The words after
/// `init` are the default of the type.
///
/// # Panics
/// If there are more words.
fn initial_words<T: Word>(init: &[T], address_bits: usize) -> Vec<T> {
    let size = 1 << address_bits;
    assert!(init.len() <= size, "{} words for a memory of {size}", init.len());
    let mut words = init.to_vec();
    words.resize(size, T::default());
    words.repeat(current_turns())
}

/// Creates a memory whose words all start as the default of the type.
impl<T: Word, const ADDRESS_BITS: usize> Default for Memory<T, ADDRESS_BITS> {
    fn default() -> Self {
        Memory::new([])
    }
}

impl<T: Word, const ADDRESS_BITS: usize> Logic for Memory<T, ADDRESS_BITS> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let first = self._turn << self._decoded;
            let decoded = (1 << self._decoded) - 1;
            self._turn = (self._turn + 1) % (self._later.len() + 1);
            let word = self._words[first + (self.read_address.val().index() & decoded)];
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
                let address = first + (self.write_address.val().index() & decoded);
                self._words[address] = self.write_data.val();
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
            asynchronous: false,
            write: Some([
                SignalAddress::of(&self.write_address),
                SignalAddress::of(&self.write_data),
                SignalAddress::of(&self.write_enable),
            ]),
            disjoint: self._disjoint,
            decoded: self._decoded,
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
            info("memory_write", &["write_address", "write_data", "write_enable"], &[]),
        ]
    }
}

/// Read-only memory of `2^ADDRESS_BITS` words.
///
/// At the rising clock edge `data` takes the word at `address`. `data` starts as zero. On an iCE40
/// the table becomes block RAM, like [`Memory`].
#[derive(Clone, Debug, LogicBlock)]
pub struct Rom<T: Word, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    pub address: Signal<In, Bits<ADDRESS_BITS>>,
    pub data: Signal<Out, T>,
    _words: Vec<T>,
    /// Number of decoded address bits.
    _decoded: usize,
}

impl<T: Word, const ADDRESS_BITS: usize> Rom<T, ADDRESS_BITS> {
    /// Creates a table of these words, followed by zeros.
    ///
    /// # Panics
    /// If there are more than `2^ADDRESS_BITS` words.
    pub fn new(words: impl IntoIterator<Item = T>) -> Self {
        Rom::decoding(ADDRESS_BITS, words)
    }

    /// Creates a table of `2^decoded` words, which ignores the other address bits, as
    /// [`Memory::decoding`].
    ///
    /// # Panics
    /// If `decoded` is 0 or more than `ADDRESS_BITS`, or if there are more words.
    pub fn decoding(decoded: usize, words: impl IntoIterator<Item = T>) -> Self {
        assert_eq!(current_turns(), 1, "a ROM cannot be made in turns");
        check_decoded(decoded, ADDRESS_BITS);
        let words: Vec<T> = words.into_iter().collect();
        assert!(words.len() <= 1 << decoded, "{} words for a ROM of {}", words.len(), 1 << decoded);
        Rom {
            clock: Signal::default(),
            address: Signal::default(),
            data: Signal::default(),
            _words: words,
            _decoded: decoded,
        }
    }
}

/// Creates a table whose words are all the default of the type.
impl<T: Word, const ADDRESS_BITS: usize> Default for Rom<T, ADDRESS_BITS> {
    fn default() -> Self {
        Rom::new([])
    }
}

impl<T: Word, const ADDRESS_BITS: usize> Logic for Rom<T, ADDRESS_BITS> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let address = self.address.val().index() & ((1 << self._decoded) - 1);
            let word = self._words.get(address);
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
            asynchronous: false,
            write: None,
            disjoint: false,
            decoded: self._decoded,
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

/// Checks the number of address bits that a memory decodes.
fn check_decoded(decoded: usize, address_bits: usize) {
    assert!(
        (1..=address_bits).contains(&decoded),
        "{decoded} of {address_bits} address bits are decoded"
    );
    assert!(
        decoded == address_bits || current_turns() == 1,
        "a memory that is time-multiplexed decodes all address bits"
    );
}

/// Constant word of a block. In the emitted Verilog it is a `localparam`.
///
/// It wraps `rust-hdl`'s `Constant` and adds the default zero, so that a constructor names only the
/// parameters that it sets.
#[derive(Copy, Clone, Debug)]
pub struct Parameter<T: Word>(Constant<T>);

impl<T: Word> Parameter<T> {
    pub fn new(value: T) -> Self {
        Parameter(Constant::new(value))
    }

    /// Returns the value.
    pub fn val(&self) -> T {
        self.0.val()
    }
}

impl<T: Word> Default for Parameter<T> {
    fn default() -> Self {
        Parameter::new(T::default())
    }
}

impl<T: Word> Readable for Parameter<T> {
    type Word = T;

    #[track_caller]
    fn read(&self) -> Sym<T> {
        self.0.read()
    }
}

impl<T: Word> Logic for Parameter<T> {
    fn update(&mut self) {}
}

impl<T: Word> Block for Parameter<T> {
    fn connect_all(&mut self) {}

    fn update_all(&mut self) {}

    fn has_changed(&self) -> bool {
        false
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.0.accept(name, probe);
    }
}

// Time-multiplexed circuits (C-slow): several circuits share the same logic.

thread_local! {
    static TURNS: Cell<usize> = const { Cell::new(1) };
}

/// Returns the number of turns of a cell created now.
fn current_turns() -> usize {
    TURNS.get()
}

/// Creates a block that time-multiplexes `turns` circuits. In each clock cycle the block acts as
/// the next circuit.
///
/// Every [`Reg`] and every [`Memory`] in it has state for each turn.
/// Clock cycle `n` of circuit `i`, both counted from 0, is clock cycle `turns * n + i` of the
/// block. In this cycle the inputs and outputs of the block belong to circuit `i`. Otherwise each
/// circuit behaves exactly like the block that `make` creates without turns. The logic exists only
/// once.
///
/// This is known as C-slow retiming (Leiserson and Saxe, "Retiming Synchronous Circuitry", 1991,
/// section 7). Each bit of a register becomes a row of `turns` flip-flops. A memory becomes `turns`
/// times larger, with the turn in the upper bits of its addresses.
///
/// # Panics
/// If `turns` is not a power of two, or `make` creates a [`Rom`], which does not
/// support turns.
///
/// ```
/// use hdl::prelude::*;
///
/// let ring: Reg<Bits<8>> = time_multiplexed(16, Reg::default);
/// ```
pub fn time_multiplexed<B>(turns: usize, make: impl FnOnce() -> B) -> B {
    assert!(turns.is_power_of_two(), "{turns} turns are no power of two");
    let before = TURNS.replace(turns);
    // Restores the value even if `make` panics and the panic is caught.
    let _restore = RestoreTurns(before);
    make()
}

struct RestoreTurns(usize);

impl Drop for RestoreTurns {
    fn drop(&mut self) {
        TURNS.set(self.0);
    }
}
