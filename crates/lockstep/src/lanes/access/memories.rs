//! Reads and writes the memories of a machine from the host.

use super::super::{LaneMachine, LanesError};
use num_bigint::BigUint;

/// Memory access. `memory` is the position in [`Netlist::memories`](crate::netlist::Netlist).
impl LaneMachine {
    /// Returns the position of the memory with this hierarchical name.
    ///
    /// # Errors
    /// If the circuit has no such memory.
    pub fn memory(&self, name: &str) -> Result<usize, LanesError> {
        let position = self.netlist.memories.iter().position(|m| m.name == name);
        position.ok_or_else(|| LanesError::NoMemory(name.into()))
    }

    /// Returns a word of a memory in one lane.
    ///
    /// # Errors
    /// If the memory or the word does not exist.
    ///
    /// # Panics
    /// If the lane does not exist.
    pub fn memory_word(
        &self,
        memory: usize,
        lane: usize,
        address: usize,
    ) -> Result<BigUint, LanesError> {
        self.check_word(memory, address)?;
        let (chunk, ..) = self.locate_lane(lane);
        let lane = lane % (64 * self.engine.width);
        Ok(self.chunks[chunk].memory(memory).get(lane, address))
    }

    /// Sets a word of a memory in one lane.
    ///
    /// # Errors
    /// If the memory or the word does not exist, or if the value is too wide. A read-only memory is
    /// also an error because all lanes share it.
    ///
    /// # Panics
    /// If the lane does not exist.
    pub fn set_memory_word(
        &mut self,
        memory: usize,
        lane: usize,
        address: usize,
        value: &BigUint,
    ) -> Result<(), LanesError> {
        self.check_word_value(memory, address, value)?;
        let (chunk, ..) = self.locate_lane(lane);
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
    /// If the memory or the word does not exist, or if the value is too wide.
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
