//! Random inputs that reach more than noise does.

use super::Port;
use crate::traffic::SplitMix64;
use num_bigint::BigUint;

/// Clock cycles after which every input takes up another temper.
const EPOCH: u64 = 400;

/// How often an input changes, in 256ths per clock cycle: from never, so that
/// others have time to do something long, to every other clock cycle.
const TEMPERS: [u64; 5] = [0, 1, 8, 64, 256];

/// Values for the inputs of a circuit, clock cycle by clock cycle.
pub struct Stimulus {
    random: SplitMix64,
    widths: Vec<u32>,
    values: Vec<BigUint>,
    tempers: Vec<u64>,
    cycle: u64,
}

impl Stimulus {
    /// For the inputs among these ports, in their order.
    pub fn new(ports: &[Port], seed: u64) -> Self {
        let inputs: Vec<u32> = ports.iter().filter(|p| p.input).map(|p| p.width).collect();
        Stimulus {
            random: SplitMix64::new(seed),
            values: vec![BigUint::ZERO; inputs.len()],
            tempers: vec![0; inputs.len()],
            widths: inputs,
            cycle: 0,
        }
    }

    /// The values for the next clock cycle.
    pub fn next_cycle(&mut self) -> &[BigUint] {
        for i in 0..self.widths.len() {
            if self.cycle % EPOCH == 0 {
                self.tempers[i] = TEMPERS[self.random.below(TEMPERS.len() as u64) as usize];
                self.values[i] = self.word(i);
            } else if self.random.below(256) < self.tempers[i] {
                self.values[i] = self.word(i);
            }
        }
        self.cycle += 1;
        &self.values
    }

    /// A random word; half are small numbers or all ones, where
    /// counters and comparisons have their corners.
    fn word(&mut self, input: usize) -> BigUint {
        let width = self.widths[input];
        let all = (BigUint::from(1u32) << width) - 1u32;
        match self.random.below(8) {
            0..=2 => BigUint::from(self.random.below(12)) & all,
            3 => all,
            _ => {
                let digits = (0..width.div_ceil(32)).map(|_| self.random.next_u64() as u32);
                BigUint::new(digits.collect()) & all
            }
        }
    }
}
