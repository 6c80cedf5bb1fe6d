use super::plan::ProbeBit;
use super::sources::InputBit;
use super::{LanesError, Machine};
use crate::netlist::NetId;
use num_bigint::BigUint;

/// An input of the circuit: [`Machine::input`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Input(usize);

/// A signal that can be looked at: [`Machine::probe`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Probe(NetId);

/// Inputs.
impl Machine {
    /// The input port with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn input(&self, name: &str) -> Result<Input, LanesError> {
        let position = self.netlist.inputs.iter().position(|i| i.path == name);
        let input = position.map(Input);
        input.ok_or_else(|| LanesError::NoInput(name.into()))
    }

    /// Sets an input of all lanes, whether it is broadcast or set per lane.
    ///
    /// # Errors
    /// If it is too narrow for the value, or is not for the host to set.
    pub fn set_all(&mut self, input: Input, value: u64) -> Result<(), LanesError> {
        self.set_all_big(input, &value.into())
    }

    /// Like [`set_all`](Self::set_all), for inputs of any width.
    ///
    /// # Errors
    /// As [`set_all`](Self::set_all).
    pub fn set_all_big(&mut self, input: Input, value: &BigUint) -> Result<(), LanesError> {
        self.check_width(input, value)?;
        for bit in 0..self.width_of(input) {
            let is_set = value.bit(bit.into());
            match self.input_bit(input, bit) {
                InputBit::Broadcast(number) => {
                    for time in [self.time, self.time + 1] {
                        self.shared.set_broadcast(time, number, is_set);
                    }
                }
                InputBit::PerLane { slot } => {
                    for chunk in &mut self.chunks {
                        let value = if is_set { u64::MAX } else { 0 };
                        chunk.input(&self.engine, slot).fill(value);
                    }
                }
                other => return Err(self.not_settable(input, bit, other, "in all lanes")),
            }
        }
        self.changed();
        Ok(())
    }

    /// Sets an input of one lane.
    ///
    /// # Errors
    /// If it is too narrow for the value, or not set per lane.
    ///
    /// # Panics
    /// If there is no such lane.
    pub fn set(&mut self, input: Input, lane: usize, value: u64) -> Result<(), LanesError> {
        let width = self.width_of(input);
        if width < 64 && value >> width != 0 {
            return Err(self.too_large(input, &value.into()));
        }
        self.set_bits(input, lane, |bit| bit < 64 && value >> bit & 1 == 1)
    }

    /// Like [`set`](Self::set), for inputs of any width.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    ///
    /// # Panics
    /// If there is no such lane.
    pub fn set_big(
        &mut self,
        input: Input,
        lane: usize,
        value: &BigUint,
    ) -> Result<(), LanesError> {
        self.check_width(input, value)?;
        self.set_bits(input, lane, |bit| value.bit(bit.into()))
    }

    fn set_bits(
        &mut self,
        input: Input,
        lane: usize,
        value: impl Fn(u32) -> bool,
    ) -> Result<(), LanesError> {
        let (chunk, word, mask) = self.place(lane);
        for bit in 0..self.width_of(input) {
            let InputBit::PerLane { slot } = self.input_bit(input, bit) else {
                let found = self.input_bit(input, bit);
                return Err(self.not_settable(input, bit, found, "in one lane"));
            };
            let word = &mut self.chunks[chunk].input(&self.engine, slot)[word];
            *word = if value(bit) {
                *word | mask
            } else {
                *word & !mask
            };
        }
        self.changed();
        Ok(())
    }

    /// Sets one bit of an input of all lanes: lane `i` gets bit `i % 64` of word
    /// `i / 64`.
    ///
    /// # Errors
    /// If the bit does not exist or isn't set per lane, or the number of words is
    /// another than [`words`](Self::words).
    pub fn set_plane(&mut self, input: Input, bit: u32, plane: &[u64]) -> Result<(), LanesError> {
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
            chunk.input(&self.engine, slot)[..part.len()].copy_from_slice(part);
        }
        self.changed();
        Ok(())
    }

    /// Sets an input of the helper circuit.
    ///
    /// # Errors
    /// If there is no such input, or it is too narrow for the value.
    pub fn set_helper(&mut self, input: &str, value: u64) -> Result<(), LanesError> {
        let helper = self.helper.as_mut().ok_or(LanesError::NoHelper)?;
        let evaluator = &mut helper.evaluator;
        let net = evaluator.netlist().input(input);
        let net = net.ok_or_else(|| LanesError::NoHelperInput(input.into()))?;
        let width = evaluator.netlist().width(net);
        if width < 64 && value >> width != 0 {
            return Err(LanesError::TooLarge {
                port: input.into(),
                value: format!("{value:#x}"),
                width,
            });
        }
        evaluator.set(net, value);
        helper.show(&self.engine, &self.shared, self.time);
        self.changed();
        Ok(())
    }

    /// The settled value of an output of the helper circuit.
    ///
    /// # Errors
    /// If there is no such output.
    pub fn helper_output(&self, output: &str) -> Result<BigUint, LanesError> {
        let helper = self.helper.as_ref().ok_or(LanesError::NoHelper)?;
        let net = helper.evaluator.netlist().output(output);
        let net = net.ok_or_else(|| LanesError::NoHelperOutput(output.into()))?;
        Ok(helper.evaluator.get_big(net))
    }

    fn name_of(&self, input: Input) -> String {
        self.netlist.inputs[input.0].path.clone()
    }

    fn width_of(&self, input: Input) -> u32 {
        self.engine.plan.inputs[input.0].len() as u32
    }

    fn input_bit(&self, input: Input, bit: u32) -> InputBit {
        self.engine.plan.inputs[input.0][bit as usize]
    }

    fn check_width(&self, input: Input, value: &BigUint) -> Result<(), LanesError> {
        match value.bits() <= self.width_of(input).into() {
            true => Ok(()),
            false => Err(self.too_large(input, value)),
        }
    }

    fn too_large(&self, input: Input, value: &BigUint) -> LanesError {
        LanesError::TooLarge {
            port: self.name_of(input),
            value: format!("{value:#x}"),
            width: self.width_of(input),
        }
    }

    fn not_settable(
        &self,
        input: Input,
        bit: u32,
        found: InputBit,
        wanted: &'static str,
    ) -> LanesError {
        LanesError::NotSettable {
            port: self.name_of(input),
            bit,
            found: found.describe(),
            wanted,
        }
    }

    fn check_plane(&self, found: usize) -> Result<(), LanesError> {
        match found == self.words() {
            true => Ok(()),
            false => Err(LanesError::PlaneLength {
                found,
                wanted: self.words(),
                lanes: self.lanes(),
            }),
        }
    }

    /// Where a lane is: its chunk, the word in the vectors, its bit as a mask.
    fn place(&self, lane: usize) -> (usize, usize, u64) {
        let lanes = self.lanes();
        assert!(lane < lanes, "there is no lane {lane}, there are {lanes}");
        let (word, width) = (lane / 64, self.engine.width);
        (word / width, word % width, 1 << (lane % 64))
    }
}

/// Signals.
impl Machine {
    /// The output, or other signal that is [kept](super::Keep), with this
    /// hierarchical name.
    ///
    /// # Errors
    /// If there is none.
    pub fn probe(&self, name: &str) -> Result<Probe, LanesError> {
        let net = self.netlist.output(name).or(self.netlist.find(name));
        let net = net.ok_or_else(|| LanesError::NoSignal(name.into()))?;
        match &self.engine.plan.probes[net.index()] {
            Some(_) => Ok(Probe(net)),
            None => Err(LanesError::NotKept(name.into())),
        }
    }

    /// Words that hold one bit of all lanes.
    pub fn words(&self) -> usize {
        self.lanes().div_ceil(64)
    }

    /// The value of a signal in one lane; the lowest 64 bits of it.
    ///
    /// # Panics
    /// If there is no such lane.
    pub fn get(&mut self, probe: Probe, lane: usize) -> u64 {
        let bits = self.looked_at(probe).min(64);
        (0..bits).fold(0, |word, bit| {
            word | u64::from(self.bit(probe, bit, lane)) << bit
        })
    }

    /// The value of a signal in one lane.
    ///
    /// # Panics
    /// If there is no such lane.
    pub fn get_big(&mut self, probe: Probe, lane: usize) -> BigUint {
        let mut value = BigUint::ZERO;
        for bit in 0..self.looked_at(probe) {
            value.set_bit(bit as u64, self.bit(probe, bit, lane));
        }
        value
    }

    /// One bit of a signal in all lanes: bit `i % 64` of word `i / 64` is that of
    /// lane `i`. Bits beyond the last lane are zero.
    ///
    /// # Errors
    /// If the bit does not exist, or the number of words is another than
    /// [`words`](Self::words).
    pub fn plane(&mut self, probe: Probe, bit: u32, into: &mut [u64]) -> Result<(), LanesError> {
        self.check_plane(into.len())?;
        let width = self.looked_at(probe);
        if bit as usize >= width {
            let name = self.netlist.names.iter().find(|name| name.net == probe.0);
            return Err(LanesError::NoBit {
                port: name.map_or(String::new(), |name| name.path.clone()),
                bit,
                width: width as u32,
            });
        }
        let (invert, slot) = match self.bits(probe)[bit as usize] {
            ProbeBit::Constant(value) => (value, None),
            ProbeBit::Slot { slot, inverted, .. } => (inverted, Some(slot)),
        };
        for (i, part) in into.chunks_mut(self.engine.width).enumerate() {
            match slot {
                Some(slot) => {
                    let vector = self.chunks[i].frame.vector(slot);
                    part.copy_from_slice(&vector[..part.len()]);
                }
                None => part.fill(0),
            }
        }
        let flip = if invert { u64::MAX } else { 0 };
        for (i, word) in into.iter_mut().enumerate() {
            *word = (*word ^ flip) & self.engine.present(i);
        }
        Ok(())
    }

    pub(super) fn bits(&self, probe: Probe) -> &[ProbeBit] {
        let bits = &self.engine.plan.probes[probe.0.index()];
        bits.as_deref().expect("`probe` has checked it")
    }

    /// Computes a signal; how many bits it has.
    fn looked_at(&mut self, probe: Probe) -> usize {
        self.settle();
        for bit in 0..self.bits(probe).len() {
            if let ProbeBit::Slot {
                look: Some(look), ..
            } = self.bits(probe)[bit]
            {
                self.look(look);
            }
        }
        self.bits(probe).len()
    }

    fn bit(&self, probe: Probe, bit: usize, lane: usize) -> bool {
        let (chunk, word, mask) = self.place(lane);
        match self.bits(probe)[bit] {
            ProbeBit::Constant(value) => value,
            ProbeBit::Slot { slot, inverted, .. } => {
                let word = self.chunks[chunk].frame.vector(slot)[word];
                (word & mask != 0) != inverted
            }
        }
    }
}

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
            let words = chunk.memory_mut(memory);
            let lanes = if words.is_shared() {
                1
            } else {
                64 * self.engine.width
            };
            (0..lanes).for_each(|lane| words.set(lane, address, value));
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
                width: found.width as u32,
            }),
        }
    }
}
