//! Block RAM for the programs and the data of all contexts of a shared core.

use super::layout::{CONSTANT_BITS, FIRST_BANK_BITS, WORD_BITS};
use crate::list;
use hdl::prelude::*;
use smart_default::SmartDefault;

/// Bytes per word.
const LANES: usize = 4;

/// Returns the memory of one byte lane. No word is read and written at once, see below.
fn lane<const FIRST: usize>(words: &[u32], lane: usize) -> Memory<Bits<8>, FIRST> {
    let bytes = words.iter().map(|word| u64::from(word.to_le_bytes()[lane]));
    Memory::new(bytes.map(Bits::from)).disjoint()
}

/// The single memory of all contexts of a shared core: 8 KB in words with byte write enables. It
/// takes 16 block RAMs and no multiplexer.
///
/// With `MORE` = 4 (otherwise 0) a second bank of `2^MORE_BITS` words starts at word 2,048. It may
/// be followed by 256 constants in two block RAMs; writes to the constants are ignored.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct SharedMemory<
    const MORE: usize,
    const MORE_BITS: usize,
    const FIRST: usize = FIRST_BANK_BITS,
    const WORD: usize = WORD_BITS,
> {
    pub clock: Signal<In, Clock>,
    /// Word to read and write.
    pub address: Signal<In, Bits<WORD>>,
    pub write_data: Signal<In, Bits<32>>,
    /// Byte lanes to write; zero for a read.
    pub write_strobe: Signal<In, Bits<4>>,
    /// Word read, one clock cycle later; undefined after a write.
    pub read_data: Signal<Out, Bits<32>>,
    /// One memory per byte of a word, lowest first.
    lanes: [Memory<Bits<8>, FIRST>; LANES],
    #[default(std::array::from_fn(|_| Default::default()))]
    more: [Memory<Bits<8>, MORE_BITS>; MORE],
    /// For each lane of the second bank: the word read belongs to the bank.
    #[default(std::array::from_fn(|_| Default::default()))]
    of_second: [Reg<Bit>; MORE],
    /// One memory of constants, or none, and whether the word read belongs to it.
    constants: Vec<Rom<Bits<32>, CONSTANT_BITS>>,
    of_constants: Vec<Reg<Bit>>,
    /// The address is after the second bank.
    behind: Signal<Local, Bit>,
    byte: [Signal<Local, Bits<8>>; LANES],
}

impl<const MORE: usize, const MORE_BITS: usize, const FIRST: usize, const WORD: usize>
    SharedMemory<MORE, MORE_BITS, FIRST, WORD>
{
    /// Makes a memory that begins with these words, followed by zeros. Words of the second bank
    /// must be zero. Words after the second bank are the constants.
    ///
    /// # Panics
    /// If there are more words than the memory has, or if a word of the second bank is not zero.
    pub fn new(words: &[u32]) -> Self {
        assert!(MORE == 0 || MORE == LANES, "{MORE} lanes");
        let (first, rest) = words.split_at(words.len().min(1 << FIRST));
        let bank = if MORE == 0 { 0 } else { 1 << MORE_BITS };
        let (second, constants) = rest.split_at(rest.len().min(bank));
        assert!(
            second.iter().all(|word| *word == 0),
            "words of the second bank"
        );
        assert!(constants.is_empty() || MORE > 0, "{} words", words.len());
        let banks = usize::from(!constants.is_empty());
        let rom = || Rom::new(constants.iter().map(|word| u64::from(*word).into()));
        SharedMemory {
            lanes: std::array::from_fn(|i| lane(first, i)),
            constants: (0..banks).map(|_| rom()).collect(),
            of_constants: list(banks),
            more: std::array::from_fn(|_| Memory::default().disjoint()),
            ..Default::default()
        }
    }
}

impl<const MORE: usize, const MORE_BITS: usize, const FIRST: usize, const WORD: usize> Logic
    for SharedMemory<MORE, MORE_BITS, FIRST, WORD>
{
    #[kernel]
    fn update(&mut self) {
        let address = self.address.val();
        let strobe = self.write_strobe.val();
        // No word is read while it is written; another one is read instead.
        let read = address ^ strobe.any().resized::<WORD>();
        for i in 0..LANES {
            clock!(self, clock, lanes[i]);
            self.lanes[i].read_address.next = read.resized();
            self.lanes[i].write_address.next = address.resized();
            self.lanes[i].write_data.next = self.write_data.val().get_bits::<8>(8 * i);
            self.lanes[i].write_enable.next = strobe.get_bit(i);
            self.byte[i].next = self.lanes[i].read_data.val();
        }
        self.behind.next = false;
        for i in 0..self.constants.len() {
            clock!(self, clock, constants[i], of_constants[i]);
            let behind = address.get_bit(FIRST) & address.get_bit(MORE_BITS);
            self.behind.next = behind;
            self.of_constants[i].d.next = behind;
            self.constants[i].address.next = address.resized();
        }
        for i in 0..MORE {
            clock!(self, clock, more[i], of_second[i]);
            let second = address.get_bit(FIRST);
            self.lanes[i].write_enable.next = strobe.get_bit(i) & !second;
            self.of_second[i].d.next = second;
            self.more[i].read_address.next = read.resized();
            self.more[i].write_address.next = address.resized();
            self.more[i].write_data.next = self.write_data.val().get_bits::<8>(8 * i);
            self.more[i].write_enable.next = strobe.get_bit(i) & second & !self.behind.val();
            if self.of_second[i].q.val() {
                self.byte[i].next = self.more[i].read_data.val();
            }
        }
        self.read_data.next = 0.into();
        for i in 0..LANES {
            self.read_data.next =
                self.read_data.val() | (self.byte[i].val().resized::<32>() << (8 * i as u64));
        }
        for i in 0..self.constants.len() {
            if self.of_constants[i].q.val() {
                self.read_data.next = self.constants[i].data.val();
            }
        }
    }
}
