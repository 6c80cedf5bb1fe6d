//! Relation between the clocks of the nodes.

use interconnect::traffic::SplitMix64;
use rtl::tdma::{DELAY_BITS, SLOWER_BITS};

/// Kind of clock of the nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NodeClocks {
    /// All nodes and the phase clock share one clock.
    #[default]
    Common,
    /// Each node has its own clock. The phase clock reaches it with a delay.
    PerNode,
}

/// Limits of the clocks of a machine. The values of each node are drawn at random within them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClockSpread {
    pub skew: Skew,
    /// Maximum by which a node's clock is slower than the clock that drives the phase clock, in
    /// parts per million. The clocks of two nodes differ by at most the same amount.
    pub ppm: f64,
}

/// Distribution of the arrival of the phase clock at the nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Skew {
    /// Independent delay of each node, drawn from 0 to `bit_times`.
    Each { bit_times: f64 },
    /// Delay through a tree of buffers. Each buffer drives `fan_out` others or nodes, and each
    /// branch takes from 0 to `bit_times`.
    Tree { fan_out: u32, bit_times: f64 },
}

impl Default for Skew {
    fn default() -> Self {
        Skew::Each { bit_times: 0.0 }
    }
}

impl Skew {
    /// Returns the maximum skew in bit-times between two of `nodes` nodes.
    pub fn max_skew(&self, nodes: u32) -> f64 {
        match *self {
            Skew::Each { bit_times } => bit_times,
            Skew::Tree { fan_out, bit_times } => f64::from(levels(nodes, fan_out)) * bit_times,
        }
    }
}

/// Returns the number of branches from the root of a tree to each of `nodes` nodes.
fn levels(nodes: u32, fan_out: u32) -> u32 {
    let mut levels = 0;
    let mut reached: u64 = 1;
    while reached < u64::from(nodes) {
        reached *= u64::from(fan_out);
        levels += 1;
    }
    levels
}

/// Clock of one node, in the form of the inputs of
/// [`PhaseClockDelay`](rtl::tdma::PhaseClockDelay) and [`NodeOscillator`](rtl::tdma::NodeOscillator).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeClock {
    /// Additional clock cycles until the phase clock reaches this node, compared with a node
    /// without delay.
    pub delay: u64,
    /// Edges missed in 2^24.
    pub slower: u64,
    /// Initial value of the counter of missed edges.
    pub start: u64,
}

/// Error for a phase clock that would reach a node too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the phase clock reaches a node up to {delay} clock cycles after it changes, and a phase has {phase}; accepted: \
     up to {most} clock cycles"
)]
pub struct PhaseClockDelayTooLong {
    pub delay: u64,
    pub phase: u64,
    pub most: u64,
}

/// Clock cycles of half a phase that no delay may use. The surrounding circuits need them.
const RESERVE: u64 = 16;

impl ClockSpread {
    /// True if all nodes have the same clock.
    pub fn is_none(&self) -> bool {
        *self == ClockSpread::default()
    }

    /// Returns the clocks of `nodes` nodes, drawn from this seed. A phase has `phase` clock cycles,
    /// a bit-time has `clocks_per_bit`.
    ///
    /// # Errors
    /// If the phase clock could be late by half a phase.
    pub fn clocks(
        &self,
        nodes: u32,
        phase: u32,
        clocks_per_bit: u32,
        seed: u64,
    ) -> Result<Vec<NodeClock>, PhaseClockDelayTooLong> {
        let mut random = SplitMix64::new(seed);
        let delays = self.delays(nodes, clocks_per_bit, &mut random);
        let phase = u64::from(phase);
        let most = (phase / 2).saturating_sub(RESERVE).min((1 << DELAY_BITS) - 1);
        let delay = delays.iter().copied().max().unwrap_or(0);
        if delay > most {
            return Err(PhaseClockDelayTooLong { delay, phase, most });
        }
        let slowest = self.ppm * 1e-6 * f64::from(1u32 << SLOWER_BITS);
        let clocks = delays.into_iter().map(|delay| NodeClock {
            delay,
            slower: (slowest * unit(&mut random)).round() as u64,
            start: random.below(1 << SLOWER_BITS),
        });
        Ok(clocks.collect())
    }

    fn delays(&self, nodes: u32, clocks_per_bit: u32, random: &mut SplitMix64) -> Vec<u64> {
        let bit = f64::from(clocks_per_bit);
        let (fan_out, bit_times, levels) = match self.skew {
            Skew::Each { bit_times } => (nodes.max(2), bit_times, 1),
            Skew::Tree { fan_out, bit_times } => (fan_out, bit_times, levels(nodes, fan_out)),
        };
        // Delays of the nodes, computed level by level from the root of the tree down.
        let mut late = vec![0.0];
        for level in (0..levels).rev() {
            let below = u64::from(fan_out).pow(level);
            let branches = u64::from(nodes).div_ceil(below) as usize;
            late = (0..branches)
                .map(|branch| late[branch / fan_out as usize] + bit_times * unit(random))
                .collect();
        }
        let mut delays = vec![0; nodes as usize];
        for (delay, late) in delays.iter_mut().zip(late) {
            *delay = (late * bit).round() as u64;
        }
        delays
    }
}

/// Returns a random number from 0 to 1.
fn unit(random: &mut SplitMix64) -> f64 {
    (random.next_u64() >> 11) as f64 / ((1u64 << 53) - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fan_out_16_reaches_4096_nodes_in_three_levels() {
        assert_eq!(levels(4096, 16), 3);
        assert_eq!(levels(4097, 16), 4);
        assert_eq!(levels(16, 16), 1);
        assert_eq!(levels(2, 16), 1);
        let skew = Skew::Tree { fan_out: 16, bit_times: 2.0 };
        assert_eq!(skew.max_skew(4096), 6.0);
    }

    /// Nodes behind one buffer differ by one branch. Nodes behind different buffers differ by more.
    #[test]
    fn nodes_behind_one_buffer_differ_by_one_branch() {
        let spread = ClockSpread { skew: Skew::Tree { fan_out: 16, bit_times: 3.0 }, ppm: 100.0 };
        let clocks = spread.clocks(4096, 1192, 8, 1).unwrap();
        let apart = |clocks: &[NodeClock]| {
            let delays = || clocks.iter().map(|clock| clock.delay);
            delays().max().unwrap() - delays().min().unwrap()
        };
        assert!(clocks.chunks(16).all(|behind| apart(behind) <= 24));
        assert!((40..=72).contains(&apart(&clocks)), "{}", apart(&clocks));
        let slower = clocks.iter().map(|clock| clock.slower);
        // 100 millionths of 2^24.
        assert!((1_600..=1_678).contains(&slower.max().unwrap()));
    }

    #[test]
    fn a_delay_of_half_a_phase_is_rejected() {
        let spread = |bit_times| ClockSpread { skew: Skew::Each { bit_times }, ppm: 0.0 };
        assert!(spread(70.0).clocks(16, 1192, 8, 1).is_ok());
        let refused = spread(80.0).clocks(16, 1192, 8, 1).unwrap_err();
        assert_eq!((refused.phase, refused.most), (1192, 580));
        assert!(spread(0.0).is_none());
    }
}
