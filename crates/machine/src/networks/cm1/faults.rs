//! Faults that a run of the CM-1 can inject: noise, dead chips, broken wires.

use crate::networks::machine::Noise;

/// Faults of a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cm1Faults {
    /// Probability with which each bit on each cube wire is inverted.
    pub noise: f64,
    /// Seed of the noise.
    pub seed: u64,
    /// Single bits to be inverted.
    pub flips: Vec<BitFlip>,
    pub stuck: Vec<StuckWire>,
}

/// Inversion of one bit on a cube wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitFlip {
    /// Bit-time in which the bit arrives, counted from the first MSGP at the injectors.
    pub bit_time: u64,
    /// Chip where the bit arrives.
    pub chip: usize,
    /// Dimension of the wire.
    pub dim: u32,
}

/// Cube wire with a constant level from the start. A low wire never carries a message. A high wire
/// carries a message of ones in every petit cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuckWire {
    /// Chip at the receiving end.
    pub chip: usize,
    /// Dimension of the wire.
    pub dim: u32,
    pub high: bool,
}

impl Cm1Faults {
    /// True if the machine has no faults.
    pub fn is_none(&self) -> bool {
        self.noise == 0.0 && self.flips.is_empty() && self.stuck.is_empty()
    }

    /// Marks a chip of a cube with `dims` dimensions as dead. The wires that leave the chip have
    /// the level `high`, and the chip receives nothing.
    pub fn kill(&mut self, chip: usize, dims: u32, high: bool) {
        for dim in 0..dims {
            let neighbour = chip ^ 1 << dim;
            self.stuck.push(StuckWire { chip: neighbour, dim, high });
            self.stuck.push(StuckWire { chip, dim, high: false });
        }
    }
}

/// Applies the faults to the wires in every bit-time.
pub(super) struct WireFaults {
    disturbance: Cm1Faults,
    noise: Option<Noise>,
    dims: u32,
    /// For each chip, the wires whose arriving bit is inverted.
    inverted: Vec<u64>,
}

impl WireFaults {
    /// Returns `None` if the machine has no faults.
    pub fn new(disturbance: &Cm1Faults, dims: u32, chips: usize) -> Option<Self> {
        (!disturbance.is_none()).then(|| WireFaults {
            noise: Noise::new(disturbance.noise, disturbance.seed, chips * dims as usize),
            disturbance: disturbance.clone(),
            dims,
            inverted: vec![0; chips],
        })
    }

    /// Returns each chip whose set of inverted wires changes in this bit-time, with the new set.
    /// `sent` is the output word of each chip.
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
    fn killing_a_chip_sticks_its_wires() {
        let mut disturbance = Cm1Faults::default();
        assert!(WireFaults::new(&disturbance, 2, 4).is_none());
        disturbance.kill(1, 2, true);
        let mut wires = WireFaults::new(&disturbance, 2, 4).unwrap();
        // Chip 1 sends nothing, chip 3 sends a one to chip 1, and chip 0 sends a one to chip 2.
        let sent = [0b10, 0, 0, 0b10];
        let mut seen = wires.next(0, &sent);
        seen.sort_unstable();
        // Both neighbours see a one. Chip 1 does not see the one from chip 3.
        assert_eq!(seen, [(0, 0b01), (1, 0b10), (3, 0b10)]);
        assert_eq!(wires.next(1, &sent), []);
    }
}
