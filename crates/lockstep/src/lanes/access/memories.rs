//! How the host reads and writes the memories of a machine.

use super::super::{LanesError, Machine};
use num_bigint::BigUint;

/// Memories; `memory` is the position in [`Netlist::memories`](crate::netlist::Netlist).
impl Machine {
    /// The memory with this hierarchical name.
    ///
    /// # Errors
    /// If there is none.
    pub fn memory(&self, name: &str) -> Result<usize, LanesError> {
        let position = self.netlist.memories.iter().position(|m| m.name == name);
        position.ok_or_else(|| LanesError::NoMemory(name.into()))
    }

    /// A word of a memory in one lane.
    ///
    /// # Errors
    /// If there is no such memory or word.
    ///
    /// # Panics
    /// If there is no such lane.
    pub fn memory_word(
        &self,
        memory: usize,
        lane: usize,
        address: usize,
    ) -> Result<BigUint, LanesError> {
        self.check_word(memory, address)?;
        let (chunk, ..) = self.place(lane);
        let lane = lane % (64 * self.engine.width);
        Ok(self.chunks[chunk].memory(memory).get(lane, address))
    }

    /// Sets a word of a memory in one lane.
    ///
    /// # Errors
    /// If there is no such memory or word, the memory is read-only and so the
    /// same in all lanes, or the value is too large.
    ///
    /// # Panics
    /// If there is no such lane.
    pub fn set_memory_word(
        &mut self,
        memory: usize,
        lane: usize,
        address: usize,
        value: &BigUint,
    ) -> Result<(), LanesError> {
        self.check_word_value(memory, address, value)?;
        let (chunk, ..) = self.place(lane);
        let words = self.chunks[chunk].memory_mut(memory);
        if words.is_shared() {
            let name = self.netlist.memories[memory].name.clone();
            return Err(LanesError::SharedMemory(name));
        }
        words.set(lane % (64 * self.engine.width), address, value);
        Ok(())
    }

    /// Sets a word of a memory in all lanes.
    ///
    /// # Errors
    /// If there is no such memory or word, or the value is too large.
    pub fn set_memory_word_all(
        &mut self,
        memory: usize,
        address: usize,
        value: &BigUint,
    ) -> Result<(), LanesError> {
        self.check_word_value(memory, address, value)?;
        for chunk in &mut self.chunks {
            chunk.memory_mut(memory).set_all(address, value);
        }
        Ok(())
    }

    fn check_word(&self, memory: usize, address: usize) -> Result<(), LanesError> {
        let found = self.netlist.memories.get(memory);
        let found = found.ok_or_else(|| LanesError::NoMemory(format!("number {memory}")))?;
        match address < found.words {
            true => Ok(()),
            false => Err(LanesError::NoWord {
                memory: found.name.clone(),
                words: found.words,
                address,
            }),
        }
    }

    fn check_word_value(
        &self,
        memory: usize,
        address: usize,
        value: &BigUint,
    ) -> Result<(), LanesError> {
        self.check_word(memory, address)?;
        let found = &self.netlist.memories[memory];
        match value.bits() <= found.width as u64 {
            true => Ok(()),
            false => Err(LanesError::TooLarge {
                port: found.name.clone(),
                value: format!("{value:#x}"),
                width: found.width,
            }),
        }
    }
}
