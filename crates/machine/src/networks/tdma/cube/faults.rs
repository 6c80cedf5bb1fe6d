//! Faults that a run of the cube can inject: noise, dead nodes, slips.

use interconnect::topology::Link;

/// Faults of a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CubeFaults {
    /// Probability with which each bit on each wire is inverted.
    pub noise: f64,
    /// Seed of the noise.
    pub seed: u64,
    pub dead: Vec<DeadNode>,
    pub slips: Vec<Slip>,
}

/// Node that is dead from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadNode {
    pub node: u32,
    pub mode: DeadMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadMode {
    /// The node pulls no wire and receives nothing.
    Silent,
    /// Its wires are stuck at the high level.
    High,
    /// Its wires are stuck at the low level.
    Low,
    /// Its forwarder is stalled. Its buffers stay full, and it answers frames with a NAK.
    Hung,
}

/// Slip: a node misses the beginning of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slip {
    pub node: u32,
    /// Phase, counted from the start.
    pub t: u64,
}

impl CubeFaults {
    /// True if the machine has no faults.
    pub fn is_none(&self) -> bool {
        self.noise == 0.0 && self.dead.is_empty() && self.slips.is_empty()
    }

    /// True if the node's forwarder is stalled.
    pub fn is_hung(&self, node: u32) -> bool {
        let hung = |d: &DeadNode| d.node == node && d.mode == DeadMode::Hung;
        self.dead.iter().any(hung)
    }

    /// Returns the level at which a link's wire is stuck, or `None`.
    pub fn stuck_level(&self, link: Link) -> Option<bool> {
        let dead = self
            .dead
            .iter()
            .find(|d| d.mode != DeadMode::Hung && link.is_at(d.node))?;
        Some(dead.mode != DeadMode::Low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::topology::{links, Hypercube};

    #[test]
    fn a_dead_node_sticks_its_wires() {
        let cube = Hypercube::new(3).unwrap();
        let disturbance = CubeFaults {
            dead: vec![DeadNode {
                node: 5,
                mode: DeadMode::Low,
            }],
            ..CubeFaults::default()
        };
        let stuck: Vec<Link> = links(&cube)
            .filter(|link| disturbance.stuck_level(*link) == Some(false))
            .collect();
        let own: Vec<Link> = links(&cube).filter(|link| link.is_at(5)).collect();
        assert_eq!((&stuck, own.len()), (&own, 3));
        assert!(!disturbance.is_hung(5));
    }
}
