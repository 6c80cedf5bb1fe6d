//! The faults that a run of the CM-1 can be given: noise, dead chips, broken wires.

use crate::networks::noise::Noise;

/// What is wrong with a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disturbance {
    /// Every bit on every cube wire is inverted with this probability.
    pub noise: f64,
    /// Seed of the noise.
    pub seed: u64,
    /// Bits to be inverted.
    pub flips: Vec<Flip>,
    pub stuck: Vec<StuckWire>,
}

/// A bit that is inverted on a cube wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flip {
    /// The bit-time in which it arrives, counted from the first MSGP at the
    /// injectors.
    pub bit_time: u64,
    /// The chip where it arrives.
    pub chip: usize,
    /// The dimension of the wire.
    pub dim: u32,
}

/// A cube wire that has one level from the start. Low, nothing ever comes by it; high, a
/// message of ones does in every petit cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuckWire {
    /// The chip where it arrives.
    pub chip: usize,
    /// The dimension of the wire.
    pub dim: u32,
    pub high: bool,
}

impl Disturbance {
    /// Whether nothing is wrong.
    pub fn is_none(&self) -> bool {
        self.noise == 0.0 && self.flips.is_empty() && self.stuck.is_empty()
    }

    /// A chip of a cube with so many dimensions is dead: the wires that leave it have this
    /// level, and it hears nothing.
    pub fn kill(&mut self, chip: usize, dims: u32, high: bool) {
        for dim in 0..dims {
            let neighbour = chip ^ 1 << dim;
            self.stuck.push(StuckWire {
                chip: neighbour,
                dim,
                high,
            });
            self.stuck.push(StuckWire {
                chip,
                dim,
                high: false,
            });
        }
    }
}

/// What is done to the wires, bit-time by bit-time.
pub(super) struct Wires {
    disturbance: Disturbance,
    noise: Option<Noise>,
    dims: u32,
    /// Of each chip, the wires on which what arrives is inverted.
    inverted: Vec<u64>,
}

impl Wires {
    /// `None` if nothing is wrong.
    pub fn new(disturbance: &Disturbance, dims: u32, chips: usize) -> Option<Self> {
        (!disturbance.is_none()).then(|| Wires {
            noise: Noise::new(disturbance.noise, disturbance.seed, chips * dims as usize),
            disturbance: disturbance.clone(),
            dims,
            inverted: vec![0; chips],
        })
    }

    /// Of each chip for which it is another than before, the wires on which what arrives in
    /// this bit-time is inverted; `sent` is what the chips send.
    pub fn next(&mut self, bit_time: u64, sent: &[u64]) -> Vec<(usize, u64)> {
        let mut inverted = vec![0; self.inverted.len()];
        if let Some(noise) = &mut self.noise {
            let dims = self.dims as usize;
            for (wire, flip) in noise.next_bit().enumerate() {
                inverted[wire / dims] |= u64::from(flip) << (wire % dims);
            }
        }
        for flip in &self.disturbance.flips {
            if flip.bit_time == bit_time {
                inverted[flip.chip] ^= 1 << flip.dim;
            }
        }
        for wire in &self.disturbance.stuck {
            let comes = sent[wire.chip ^ 1 << wire.dim] >> wire.dim & 1;
            let bit = 1 << wire.dim;
            let inverts = comes != u64::from(wire.high);
            let word = &mut inverted[wire.chip];
            *word = *word & !bit | u64::from(inverts) << wire.dim;
        }
        let changed = inverted.iter().zip(&self.inverted).enumerate();
        let changed = changed.filter(|(_, (now, before))| now != before);
        let changed = changed.map(|(chip, (now, _))| (chip, *now)).collect();
        self.inverted = inverted;
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_chip_takes_its_wires_along() {
        let mut disturbance = Disturbance::default();
        assert!(Wires::new(&disturbance, 2, 4).is_none());
        disturbance.kill(1, 2, true);
        let mut wires = Wires::new(&disturbance, 2, 4).unwrap();
        // Chip 1 sends nothing, chip 3 a one to it, and chip 0 a one to chip 2.
        let sent = [0b10, 0, 0, 0b10];
        let mut seen = wires.next(0, &sent);
        seen.sort_unstable();
        // Both neighbours see a one; chip 1 does not see that of chip 3.
        assert_eq!(seen, [(0, 0b01), (1, 0b10), (3, 0b10)]);
        assert_eq!(wires.next(1, &sent), []);
    }
}
