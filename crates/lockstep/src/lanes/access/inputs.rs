//! Sets the inputs of a machine from the host: in one lane, in all lanes, or bit by bit.

use super::super::sources::InputBit;
use super::super::{LaneMachine, LanesError};
use num_bigint::BigUint;

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
            *word = if value(bit) {
                *word | mask
            } else {
                *word & !mask
            };
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
        LanesError::NotSettable {
            port: self.name_of(input),
            bit,
            found: found.describe(),
            wanted,
        }
    }
}
