//! Host access to inputs, signals and memories.

use super::frame::WordSlots;
use super::plan::{MemoryWords, ProbeBit};
use super::wiring::InputBit;
use super::{LaneMachine, LanesError};
use crate::netlist::{NetId, Netlist};
use num_bigint::BigUint;
use std::collections::HashSet;
use std::ops::Range;

impl LaneMachine {
    /// Returns the number of 64-bit words that hold one bit of all lanes.
    pub fn words(&self) -> usize {
        self.lanes().div_ceil(64)
    }

    fn check_plane(&self, found: usize) -> Result<(), LanesError> {
        match found == self.words() {
            true => Ok(()),
            false => {
                Err(LanesError::PlaneLength { found, wanted: self.words(), lanes: self.lanes() })
            }
        }
    }

    /// Returns the position of a lane: its chunk, the word in the vectors, and its bit as a mask.
    fn locate_lane(&self, lane: usize) -> (usize, usize, u64) {
        let lanes = self.lanes();
        assert!(lane < lanes, "there is no lane {lane}, there are {lanes}");
        let (word, width) = (lane / 64, self.engine.width);
        (word / width, word % width, 1 << (lane % 64))
    }
}

// Sets the inputs of a machine from the host: in one lane, in all lanes, or bit by bit.

/// Input port of the circuit, returned by [`LaneMachine::input`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LaneInput(usize);

/// Input access.
impl LaneMachine {
    /// Returns the input port with this name.
    ///
    /// # Errors
    /// If the circuit has no such input.
    pub fn input(&self, name: &str) -> Result<LaneInput, LanesError> {
        let position = self.netlist.inputs.iter().position(|i| i.path == name);
        let input = position.map(LaneInput);
        input.ok_or_else(|| LanesError::NoInput(name.into()))
    }

    /// Sets an input in all lanes, whether it is broadcast or set per lane.
    ///
    /// # Errors
    /// If the value is too wide for the input, or if the host cannot set the input.
    pub fn set_all(&mut self, input: LaneInput, value: u64) -> Result<(), LanesError> {
        self.set_all_big(input, &value.into())
    }

    /// Sets an input of any width in all lanes, like [`set_all`](Self::set_all).
    ///
    /// # Errors
    /// As [`set_all`](Self::set_all).
    pub fn set_all_big(&mut self, input: LaneInput, value: &BigUint) -> Result<(), LanesError> {
        self.check_width(input, value)?;
        for bit in 0..self.width_of(input) {
            let is_set = value.bit(bit.into());
            match self.input_bit(input, bit) {
                InputBit::Broadcast(number) => {
                    for time in [self.time, self.time + 1] {
                        self.blackboard.set_broadcast(time, number, is_set);
                    }
                }
                InputBit::PerLane { slot } => {
                    for chunk in &mut self.chunks {
                        let value = if is_set { u64::MAX } else { 0 };
                        chunk.input(slot).fill(value);
                    }
                }
                other => return Err(self.not_settable(input, bit, other, "in all lanes")),
            }
        }
        self.mark_changed();
        Ok(())
    }

    /// Sets an input in one lane.
    ///
    /// # Errors
    /// If the value is too wide for the input, or if the input is not set per lane.
    ///
    /// # Panics
    /// If the lane does not exist.
    pub fn set(&mut self, input: LaneInput, lane: usize, value: u64) -> Result<(), LanesError> {
        let width = self.width_of(input);
        if width < 64 && value >> width != 0 {
            return Err(self.too_large(input, &value.into()));
        }
        self.set_bits(input, lane, |bit| bit < 64 && value >> bit & 1 == 1)
    }

    /// Sets an input of any width in one lane, like [`set`](Self::set).
    ///
    /// # Errors
    /// As [`set`](Self::set).
    ///
    /// # Panics
    /// If the lane does not exist.
    pub fn set_big(
        &mut self,
        input: LaneInput,
        lane: usize,
        value: &BigUint,
    ) -> Result<(), LanesError> {
        self.check_width(input, value)?;
        self.set_bits(input, lane, |bit| value.bit(bit.into()))
    }

    fn set_bits(
        &mut self,
        input: LaneInput,
        lane: usize,
        value: impl Fn(u32) -> bool,
    ) -> Result<(), LanesError> {
        let (chunk, word, mask) = self.locate_lane(lane);
        for bit in 0..self.width_of(input) {
            let InputBit::PerLane { slot } = self.input_bit(input, bit) else {
                let found = self.input_bit(input, bit);
                return Err(self.not_settable(input, bit, found, "in one lane"));
            };
            let word = &mut self.chunks[chunk].input(slot)[word];
            *word = if value(bit) { *word | mask } else { *word & !mask };
        }
        self.mark_changed();
        Ok(())
    }

    /// Sets one bit of an input in all lanes. Lane `i` gets bit `i % 64` of word `i / 64`.
    ///
    /// # Errors
    /// If the bit does not exist, if it is not set per lane, or if the number of words differs from
    /// [`words`](Self::words).
    pub fn set_plane(
        &mut self,
        input: LaneInput,
        bit: u32,
        plane: &[u64],
    ) -> Result<(), LanesError> {
        self.check_plane(plane.len())?;
        let width = self.width_of(input);
        if bit >= width {
            let port = self.name_of(input);
            return Err(LanesError::NoBit { port, bit, width });
        }
        let InputBit::PerLane { slot } = self.input_bit(input, bit) else {
            let found = self.input_bit(input, bit);
            return Err(self.not_settable(input, bit, found, "in one lane"));
        };
        let parts = plane.chunks(self.engine.width);
        for (chunk, part) in self.chunks.iter_mut().zip(parts) {
            chunk.input(slot)[..part.len()].copy_from_slice(part);
        }
        self.mark_changed();
        Ok(())
    }

    /// Sets an input to a value of up to 64 bits for each lane, in one call.
    ///
    /// # Errors
    /// If the number of values is not the number of lanes, if a value is too wide for the input, or
    /// if the input is not set per lane.
    pub fn set_lanes(&mut self, input: LaneInput, values: &[u64]) -> Result<(), LanesError> {
        let (found, lanes) = (values.len(), self.lanes());
        if found != lanes {
            return Err(LanesError::LaneValues { found, lanes });
        }
        let largest = values.iter().max().copied().unwrap_or(0);
        self.check_width(input, &largest.into())?;
        for bit in 0..self.width_of(input) {
            let words = values.chunks(64).map(|lanes| {
                let lanes = lanes.iter().enumerate();
                lanes.fold(0, |word, (i, value)| {
                    word | (value.checked_shr(bit).unwrap_or(0) & 1) << i
                })
            });
            let plane: Vec<u64> = words.collect();
            self.set_plane(input, bit, &plane)?;
        }
        Ok(())
    }

    /// Sets an input of the helper circuit.
    ///
    /// # Errors
    /// If the input does not exist, or if the value is too wide for it.
    pub fn set_helper(&mut self, input: &str, value: u64) -> Result<(), LanesError> {
        let helper = self.helper.as_mut().ok_or(LanesError::NoHelper)?;
        let inputs = &helper.netlist.inputs;
        let position = inputs.iter().position(|i| i.path == input);
        let position = position.ok_or_else(|| LanesError::NoHelperInput(input.into()))?;
        let width = inputs[position].ty.width();
        if width < 64 && value >> width != 0 {
            return Err(LanesError::TooLarge {
                port: input.into(),
                value: format!("{value:#x}"),
                width,
            });
        }
        helper.set(position, value);
        helper.publish(&self.blackboard, self.time);
        self.mark_changed();
        Ok(())
    }

    /// Returns the settled value of a signal of the helper circuit: an output, or any other signal
    /// by its hierarchical name.
    ///
    /// # Errors
    /// If the signal does not exist.
    pub fn helper_signal(&mut self, name: &str) -> Result<BigUint, LanesError> {
        let helper = self.helper.as_mut().ok_or(LanesError::NoHelper)?;
        let net = helper.netlist.output(name).or(helper.netlist.find(name));
        let net = net.ok_or_else(|| LanesError::NoHelperSignal(name.into()))?;
        Ok(helper.get(net))
    }

    fn name_of(&self, input: LaneInput) -> String {
        self.netlist.inputs[input.0].path.clone()
    }

    fn width_of(&self, input: LaneInput) -> u32 {
        self.engine.plan.inputs[input.0].len() as u32
    }

    fn input_bit(&self, input: LaneInput, bit: u32) -> InputBit {
        self.engine.plan.inputs[input.0][bit as usize]
    }

    fn check_width(&self, input: LaneInput, value: &BigUint) -> Result<(), LanesError> {
        match value.bits() <= self.width_of(input).into() {
            true => Ok(()),
            false => Err(self.too_large(input, value)),
        }
    }

    fn too_large(&self, input: LaneInput, value: &BigUint) -> LanesError {
        LanesError::TooLarge {
            port: self.name_of(input),
            value: format!("{value:#x}"),
            width: self.width_of(input),
        }
    }

    fn not_settable(
        &self,
        input: LaneInput,
        bit: u32,
        found: InputBit,
        wanted: &'static str,
    ) -> LanesError {
        LanesError::NotSettable { port: self.name_of(input), bit, found: found.describe(), wanted }
    }
}

// Reads outputs and kept signals from the host.

/// Largest number of names in an error.
const MAX_SUGGESTIONS: usize = 5;

/// Error about an unknown signal, with similar names.
pub(super) fn no_signal(
    netlist: &Netlist,
    name: &str,
    is_kept: impl Fn(NetId) -> bool,
) -> LanesError {
    let near = netlist.names.nearest(name, MAX_SUGGESTIONS);
    let near = near.into_iter().map(|near| match is_kept(near.net) {
        true => format!("`{}`", near.path),
        false => format!("`{}` (not kept)", near.path),
    });
    LanesError::NoSignal { name: name.into(), near: near.collect::<Vec<_>>().join(", ") }
}

/// Readable signal, returned by [`LaneMachine::probe`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LaneProbe(NetId);

/// Signal access.
impl LaneMachine {
    /// Returns the output, or another [kept](super::Keep) signal, with this hierarchical
    /// name.
    ///
    /// # Errors
    /// If the circuit has no such signal, or if the signal is not kept.
    pub fn probe(&self, name: &str) -> Result<LaneProbe, LanesError> {
        let net = self.netlist.output(name).or(self.netlist.find(name));
        let net = net.ok_or_else(|| no_signal(&self.netlist, name, |net| self.is_kept(net)))?;
        match self.is_kept(net) {
            true => Ok(LaneProbe(net)),
            false => Err(LanesError::NotKept { name: name.into(), kept: self.kept_names() }),
        }
    }

    /// Lists the first kept signals, and counts the others.
    fn kept_names(&self) -> String {
        let names = self.netlist.outputs.iter().chain(self.netlist.names.iter());
        let mut paths = HashSet::new();
        let kept: Vec<String> = names
            .filter(|name| self.is_kept(name.net) && paths.insert(&name.path))
            .map(|name| format!("`{}`", name.path))
            .collect();
        let (shown, more) = kept.split_at(kept.len().min(MAX_SUGGESTIONS));
        let shown = shown.join(", ");
        match more.len() {
            0 => shown,
            more => format!("{shown} and {more} more"),
        }
    }

    fn is_kept(&self, net: NetId) -> bool {
        self.engine.plan.probes[net.index()].is_some()
    }

    /// Returns the lowest 64 bits of a signal in one lane.
    ///
    /// # Panics
    /// If the lane does not exist.
    pub fn get(&mut self, probe: LaneProbe, lane: usize) -> u64 {
        let bits = self.compute_signal(probe).min(64);
        (0..bits).fold(0, |word, bit| word | u64::from(self.bit(probe, bit, lane)) << bit)
    }

    /// Writes the numbers of the lanes in which a signal is not zero to `into`, in ascending order.
    pub fn nonzero(&mut self, probe: LaneProbe, into: &mut Vec<usize>) {
        into.clear();
        let bits = self.compute_signal(probe);
        for i in 0..self.words() {
            let word = |bit| {
                let (flip, slot) = self.source(probe, bit);
                self.word(slot, i, flip)
            };
            let mut left = (0..bits).fold(0, |lanes, bit| lanes | word(bit));
            while left != 0 {
                into.push(i * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    /// Writes the lowest 64 bits of a signal in each lane to `into`.
    pub fn get_all(&mut self, probe: LaneProbe, into: &mut Vec<u64>) {
        into.clear();
        into.resize(self.lanes(), 0);
        for bit in 0..self.compute_signal(probe).min(64) {
            let (flip, slot) = self.source(probe, bit);
            for (i, lanes) in into.chunks_mut(64).enumerate() {
                let mut left = self.word(slot, i, flip);
                while left != 0 {
                    lanes[left.trailing_zeros() as usize] |= 1 << bit;
                    left &= left - 1;
                }
            }
        }
    }

    /// Returns the value of a signal in one lane.
    ///
    /// # Panics
    /// If the lane does not exist.
    pub fn get_big(&mut self, probe: LaneProbe, lane: usize) -> BigUint {
        let mut value = BigUint::ZERO;
        for bit in 0..self.compute_signal(probe) {
            value.set_bit(bit as u64, self.bit(probe, bit, lane));
        }
        value
    }

    /// Writes one bit of a signal in all lanes to `into`. Bit `i % 64` of word `i / 64` belongs to
    /// lane `i`. Bits beyond the last lane are zero.
    ///
    /// # Errors
    /// If the bit does not exist, or if the number of words differs from [`words`](Self::words).
    pub fn plane(
        &mut self,
        probe: LaneProbe,
        bit: u32,
        into: &mut [u64],
    ) -> Result<(), LanesError> {
        self.check_plane(into.len())?;
        let width = self.compute_signal(probe);
        if bit as usize >= width {
            let name = self.netlist.names.iter().find(|name| name.net == probe.0);
            return Err(LanesError::NoBit {
                port: name.map_or(String::new(), |name| name.path.clone()),
                bit,
                width: width as u32,
            });
        }
        let (flip, slot) = self.source(probe, bit as usize);
        for (i, word) in into.iter_mut().enumerate() {
            *word = self.word(slot, i, flip);
        }
        Ok(())
    }

    pub(in super::super::lanes) fn bits(&self, probe: LaneProbe) -> &[ProbeBit] {
        let bits = &self.engine.plan.probes[probe.0.index()];
        bits.as_deref().expect("`probe` has checked it")
    }

    /// Returns the word that inverts the lanes of a bit, and its slot unless it is constant.
    fn source(&self, probe: LaneProbe, bit: usize) -> (u64, Option<u32>) {
        match self.bits(probe)[bit] {
            ProbeBit::Constant(value) => (splat(value), None),
            ProbeBit::Slot { slot, inverted, .. } => (splat(inverted), Some(slot)),
        }
    }

    /// Returns a bit of a signal in the 64 lanes from `64 * i`.
    fn word(&self, slot: Option<u32>, i: usize, flip: u64) -> u64 {
        let width = self.engine.width;
        let word = slot.map_or(0, |slot| self.chunks[i / width].frame.vector(slot)[i % width]);
        (word ^ flip) & self.engine.present(i)
    }

    /// Computes a signal and returns its width in bits.
    fn compute_signal(&mut self, probe: LaneProbe) -> usize {
        self.settle();
        for bit in 0..self.bits(probe).len() {
            if let Some(look) = self.bits(probe)[bit].look() {
                self.compute_look(look);
            }
        }
        self.bits(probe).len()
    }

    fn bit(&self, probe: LaneProbe, bit: usize, lane: usize) -> bool {
        let (chunk, word, mask) = self.locate_lane(lane);
        self.chunks[chunk].bit(self.bits(probe)[bit], word, mask)
    }
}

/// Repeats a bit in all lanes of a word.
fn splat(bit: bool) -> u64 {
    match bit {
        true => u64::MAX,
        false => 0,
    }
}

// Reads and writes the memories of a machine from the host.

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
        let chunk = &self.chunks[chunk];
        match self.engine.plan.memory_places[memory] {
            MemoryWords::Memory(place) => {
                let word = chunk.memory(place.memory).get(lane, address);
                let ones = (BigUint::from(1u8) << place.width) - 1u8;
                Ok((word >> place.low) & ones)
            }
            MemoryWords::Registers(slots) => {
                let mut word = BigUint::ZERO;
                for (bit, slot) in (0..).zip(self.word_slots(memory, slots, address)) {
                    let lanes = chunk.frame.vector(slot)[lane / 64];
                    word.set_bit(bit, lanes >> (lane % 64) & 1 == 1);
                }
                Ok(word)
            }
        }
    }

    /// Returns the slots of a word of a memory whose words are registers.
    fn word_slots(&self, memory: usize, slots: WordSlots, address: usize) -> Range<u32> {
        let width = self.netlist.memories[memory].width;
        let first = slots.first + address as u32 * width;
        first..first + width
    }

    /// Sets a word of a memory in one lane. An asynchronous read port shows it at once.
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
        let lane = lane % (64 * self.engine.width);
        let place = match self.engine.plan.memory_places[memory] {
            MemoryWords::Memory(place) => place,
            MemoryWords::Registers(slots) => {
                for (bit, slot) in (0..).zip(self.word_slots(memory, slots, address)) {
                    self.chunks[chunk].set_bit(slot, lane, value.bit(bit));
                }
                self.publish_all();
                return Ok(());
            }
        };
        let words = self.chunks[chunk].memory_mut(place.memory);
        if words.is_shared() {
            let name = self.netlist.memories[memory].name.clone();
            return Err(LanesError::SharedMemory(name));
        }
        let mut word = words.get(lane, address);
        for bit in 0..place.width as u64 {
            word.set_bit(place.low as u64 + bit, value.bit(bit));
        }
        words.set(lane, address, &word);
        self.chunks[chunk].show_word(&self.engine, place.memory, lane..lane + 1);
        self.publish_all();
        Ok(())
    }

    /// Sets a word of a memory in all lanes. An asynchronous read port shows it at once.
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
        let lanes = 64 * self.engine.width;
        match self.engine.plan.memory_places[memory] {
            MemoryWords::Memory(place) => {
                for chunk in &mut self.chunks {
                    let words = chunk.memory_mut(place.memory);
                    words.set_part_of_all(place, address, value);
                    chunk.show_word(&self.engine, place.memory, 0..lanes);
                }
            }
            MemoryWords::Registers(slots) => {
                let slots = self.word_slots(memory, slots, address);
                for (bit, slot) in (0..).zip(slots) {
                    let word = if value.bit(bit) { u64::MAX } else { 0 };
                    for chunk in &mut self.chunks {
                        chunk.input(slot).fill(word);
                    }
                }
            }
        }
        self.publish_all();
        Ok(())
    }

    fn check_word(&self, memory: usize, address: usize) -> Result<(), LanesError> {
        let found = self.netlist.memories.get(memory);
        let found = found.ok_or_else(|| LanesError::NoMemory(format!("number {memory}")))?;
        match address < found.words {
            true => Ok(()),
            false => {
                Err(LanesError::NoWord { memory: found.name.clone(), words: found.words, address })
            }
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
