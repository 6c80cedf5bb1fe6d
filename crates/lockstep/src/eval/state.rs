//! State of a netlist, and its change at the clock edge.

use super::limbs;
use super::slots::LimbPositions;
use crate::netlist::{NetId, Netlist, NetlistMemory};
use std::ops::Range;

/// Registers and memories. Register values and read data are stored with the values of the nets.
/// The words of memories are stored here.
#[derive(Clone, Debug)]
pub struct EvalState {
    /// Limbs that the edge copies, from `d` to `q` of the registers.
    copies: Vec<(usize, usize)>,
    memories: Vec<EvalMemory>,
    /// Values read before the edge, first for `copies`, then for `memories`.
    next: Vec<u64>,
}

/// Words of a memory, one after the other, and the positions of its pins.
#[derive(Clone, Debug)]
struct EvalMemory {
    limbs: Vec<u64>,
    /// Number of limbs in a word.
    size: usize,
    read_address: usize,
    read_data: Range<usize>,
    write: Option<Write>,
}

#[derive(Clone, Debug)]
struct Write {
    address: usize,
    data: Range<usize>,
    enable: usize,
    disjoint: bool,
}

impl EvalState {
    pub fn new(netlist: &Netlist, slots: &LimbPositions) -> Self {
        let copies = netlist
            .registers
            .iter()
            .flat_map(|r| slots.range(r.d).zip(slots.range(r.q)));
        let memories = netlist.memories.iter().map(|m| EvalMemory::new(m, slots));
        EvalState {
            copies: copies.collect(),
            memories: memories.collect(),
            next: vec![],
        }
    }

    pub fn reset(&mut self, netlist: &Netlist, slots: &LimbPositions, values: &mut [u64]) {
        for register in &netlist.registers {
            limbs::store(&mut values[slots.range(register.q)], &register.init);
        }
        for (words, memory) in self.memories.iter_mut().zip(&netlist.memories) {
            values[words.read_data.clone()].fill(0);
            words.limbs.fill(0);
            for (word, init) in words.limbs.chunks_mut(words.size).zip(&memory.init) {
                limbs::store(word, init);
            }
        }
    }

    /// Returns the limbs of a word.
    pub fn word(&self, memory: usize, address: usize) -> &[u64] {
        self.memories[memory].word(address)
    }

    /// Performs the rising edge. Everything is read before anything changes.
    ///
    /// # Panics
    /// If a memory declared `disjoint` reads the word that it writes.
    pub fn clock(&mut self, values: &mut [u64]) {
        self.next.clear();
        self.next
            .extend(self.copies.iter().map(|&(d, _)| values[d]));
        for words in &self.memories {
            let address = values[words.read_address] as usize;
            self.next.extend_from_slice(words.word(address));
        }
        for words in &mut self.memories {
            words.write(values);
        }
        let qs = self.copies.iter().map(|&(_, q)| q);
        let read_data = self.memories.iter().flat_map(|m| m.read_data.clone());
        for (limb, &next) in qs.chain(read_data).zip(&self.next) {
            values[limb] = next;
        }
    }
}

impl EvalMemory {
    fn new(memory: &NetlistMemory, slots: &LimbPositions) -> Self {
        let read_data = slots.range(memory.read_data);
        // Addresses and the enable have few bits, so each is one limb.
        let limb = |id: NetId| slots.range(id).start;
        EvalMemory {
            limbs: vec![0; memory.words * read_data.len()],
            size: read_data.len(),
            read_address: limb(memory.read_address),
            read_data,
            write: memory.write.map(|write| Write {
                address: limb(write.address),
                data: slots.range(write.data),
                enable: limb(write.enable),
                disjoint: write.disjoint,
            }),
        }
    }

    fn word(&self, address: usize) -> &[u64] {
        &self.limbs[address * self.size..][..self.size]
    }

    fn write(&mut self, values: &[u64]) {
        if let Some(write) = &self.write {
            if values[write.enable] == 1 {
                let address = values[write.address] as usize;
                assert!(
                    !write.disjoint || values[self.read_address] as usize != address,
                    "a memory whose reads and writes are disjoint: word {address} is read \
                     and written in one clock cycle"
                );
                self.limbs[address * self.size..][..self.size]
                    .copy_from_slice(&values[write.data.clone()]);
            }
        }
    }
}
