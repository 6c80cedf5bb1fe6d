//! The faults that a run of the cube can be given: noise, dead nodes, slips.

use crate::topology::Link;
use crate::traffic::SplitMix64;

/// What is wrong with a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disturbance {
    /// Every bit on every wire is inverted with this probability.
    pub noise: f64,
    /// Seed of the noise.
    pub seed: u64,
    pub dead: Vec<Dead>,
    pub slips: Vec<Slip>,
}

/// A node that does not do its part, from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dead {
    pub node: u32,
    pub mode: DeadMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadMode {
    /// It pulls no wire, and hears nothing.
    Silent,
    /// Its wires are stuck at the high level.
    High,
    /// Its wires are stuck at the low level.
    Low,
    /// Its forwarder stands still: registers stay full, frames are refused.
    Hung,
}

/// A node that misses the beginning of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slip {
    pub node: u32,
    /// The phase, counted from the start.
    pub t: u64,
}

impl Disturbance {
    /// Whether nothing is wrong.
    pub fn is_none(&self) -> bool {
        self.noise == 0.0 && self.dead.is_empty() && self.slips.is_empty()
    }

    /// Whether the node's forwarder stands still.
    pub fn hangs(&self, node: u32) -> bool {
        let hung = |d: &Dead| d.node == node && d.mode == DeadMode::Hung;
        self.dead.iter().any(hung)
    }

    /// The level at which a link's wire is stuck, if it is.
    pub fn stuck(&self, link: Link) -> Option<bool> {
        let dead = self
            .dead
            .iter()
            .find(|d| d.mode != DeadMode::Hung && link.is_at(d.node))?;
        Some(dead.mode != DeadMode::Low)
    }
}

/// The noise on the wires: one stream of random numbers for each link, drawn
/// once a bit-time, so that it is the same whatever runs the circuit.
pub(super) struct Noise {
    /// A bit is inverted if its number is below this.
    threshold: u64,
    streams: Vec<SplitMix64>,
}

impl Noise {
    /// `None` without noise.
    pub fn new(disturbance: &Disturbance, links: usize) -> Option<Self> {
        if disturbance.noise <= 0.0 {
            return None;
        }
        let mut seeds = SplitMix64::new(disturbance.seed);
        Some(Noise {
            // 2^64 as a float; a cast saturates.
            threshold: (disturbance.noise * 18_446_744_073_709_551_616.0) as u64,
            streams: (0..links)
                .map(|_| SplitMix64::new(seeds.next_u64()))
                .collect(),
        })
    }

    /// For each link, whether the bit on it is inverted in the next bit-time.
    pub fn next_bit(&mut self) -> impl Iterator<Item = bool> + '_ {
        let threshold = self.threshold;
        self.streams
            .iter_mut()
            .map(move |stream| stream.next_u64() < threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{links, Hypercube};

    #[test]
    fn noise_is_as_frequent_as_asked_for() {
        let disturbance = Disturbance {
            noise: 0.01,
            seed: 7,
            ..Disturbance::default()
        };
        let mut noise = Noise::new(&disturbance, 12).unwrap();
        let flips: usize = (0..10_000)
            .map(|_| noise.next_bit().filter(|f| *f).count())
            .sum();
        // 1,200 expected, with a standard deviation of 34.
        assert!((1_030..1_370).contains(&flips), "{flips}");
        assert!(Noise::new(&Disturbance::default(), 12).is_none());
    }

    #[test]
    fn a_dead_node_takes_its_wires_along() {
        let cube = Hypercube::new(3).unwrap();
        let disturbance = Disturbance {
            dead: vec![Dead {
                node: 5,
                mode: DeadMode::Low,
            }],
            ..Disturbance::default()
        };
        let stuck: Vec<Link> = links(&cube)
            .filter(|link| disturbance.stuck(*link) == Some(false))
            .collect();
        let own: Vec<Link> = links(&cube).filter(|link| link.is_at(5)).collect();
        assert_eq!((&stuck, own.len()), (&own, 3));
        assert!(!disturbance.hangs(5));
    }
}
