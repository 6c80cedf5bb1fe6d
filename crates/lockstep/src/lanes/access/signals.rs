//! Reads outputs and kept signals from the host.

use super::super::plan::ProbeBit;
use super::super::{LaneMachine, LanesError};
use crate::netlist::NetId;
use num_bigint::BigUint;

/// Readable signal, returned by [`LaneMachine::probe`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LaneProbe(NetId);

/// Signal access.
impl LaneMachine {
    /// Returns the output, or another [kept](super::super::Keep) signal, with this hierarchical
    /// name.
    ///
    /// # Errors
    /// If the circuit has no such signal, or if the signal is not kept.
    pub fn probe(&self, name: &str) -> Result<LaneProbe, LanesError> {
        let net = self.netlist.output(name).or(self.netlist.find(name));
        let net = net.ok_or_else(|| LanesError::NoSignal(name.into()))?;
        match &self.engine.plan.probes[net.index()] {
            Some(_) => Ok(LaneProbe(net)),
            None => Err(LanesError::NotKept(name.into())),
        }
    }

    /// Returns the lowest 64 bits of a signal in one lane.
    ///
    /// # Panics
    /// If the lane does not exist.
    pub fn get(&mut self, probe: LaneProbe, lane: usize) -> u64 {
        let bits = self.compute_signal(probe).min(64);
        (0..bits).fold(0, |word, bit| {
            word | u64::from(self.bit(probe, bit, lane)) << bit
        })
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

    pub(in super::super) fn bits(&self, probe: LaneProbe) -> &[ProbeBit] {
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
        let word = slot.map_or(0, |slot| {
            self.chunks[i / width].frame.vector(slot)[i % width]
        });
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
