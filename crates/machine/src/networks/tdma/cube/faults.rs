//! Faults that a run of the cube can inject: noise, dead nodes, slips.

use crate::networks::machine::Noise;
use engine::{NodeEngine, NodePortId};
use interconnect::topology::{links, Link, Metacube};

/// Injects the faults of a run: sets the fault inputs of all nodes.
pub(super) struct FaultInjector {
    pub faults: CubeFaults,
    noise: Option<Noise>,
    flip: NodePortId,
    skip: NodePortId,
    links: Vec<Link>,
    /// Fault inputs of each end of a wire.
    flips: Vec<u64>,
}

impl FaultInjector {
    /// Creates the injector for an engine that has just been started, and sets the constant inputs.
    pub fn new(engine: &mut dyn NodeEngine, shape: Metacube, faults: &CubeFaults) -> Self {
        let (flip, skip) = (engine.port("flip"), engine.port("skip"));
        let links: Vec<Link> = links(&shape).collect();
        FaultInjector {
            flips: set_node_faults(engine, flip, shape, faults),
            noise: Noise::new(faults.noise, faults.seed, links.len()),
            faults: faults.clone(),
            flip,
            skip,
            links,
        }
    }

    /// Makes nodes miss the phase that begins in this clock cycle.
    pub fn apply_slips(&self, engine: &mut dyn NodeEngine, t: u64) {
        // A node may miss two phases in a row, so the end of one slip precedes the next.
        for (phase, skip) in [(t.wrapping_sub(1), 0), (t, 1)] {
            for slip in self.faults.slips.iter().filter(|slip| slip.t == phase) {
                engine.set(self.skip, slip.node as usize, skip);
            }
        }
    }

    /// Inverts wires for the bit-time that begins in this clock cycle.
    pub fn inject_noise(&mut self, engine: &mut dyn NodeEngine) {
        let Some(noise) = &mut self.noise else {
            return;
        };
        let before = self.flips.clone();
        for (link, flip) in self.links.iter().zip(noise.next_bit()) {
            if self.faults.stuck_level(*link).is_none() {
                set_ends(&mut self.flips, *link, flip);
            }
        }
        for (node, (before, now)) in before.iter().zip(&self.flips).enumerate() {
            if before != now {
                engine.set(self.flip, node, *now);
            }
        }
    }
}

/// Sets the constant fault inputs of the nodes. Returns the inverted wires of each node.
fn set_node_faults(
    engine: &mut dyn NodeEngine,
    flip: NodePortId,
    shape: Metacube,
    faults: &CubeFaults,
) -> Vec<u64> {
    let nodes = engine.nodes();
    let mut keeps = vec![(1 << shape.links()) - 1; nodes];
    let mut flips = vec![0; nodes];
    for link in links(&shape) {
        if let Some(high) = faults.stuck_level(link) {
            set_ends(&mut keeps, link, false);
            set_ends(&mut flips, link, high);
        }
    }
    let (keep, hang) = (engine.port("keep"), engine.port("hang"));
    for node in 0..nodes {
        engine.set(keep, node, keeps[node]);
        engine.set(flip, node, flips[node]);
        engine.set(hang, node, u64::from(faults.is_hung(node as u32)));
    }
    flips
}

/// Sets the bit of a link in the words of both its ends.
fn set_ends(words: &mut [u64], link: Link, value: bool) {
    for node in [link.from.node, link.to.node] {
        let word = &mut words[node as usize];
        *word = *word & !(1 << link.from.port) | u64::from(value) << link.from.port;
    }
}

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
        let dead = self.dead.iter().find(|d| d.mode != DeadMode::Hung && link.is_at(d.node))?;
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
            dead: vec![DeadNode { node: 5, mode: DeadMode::Low }],
            ..CubeFaults::default()
        };
        let stuck: Vec<Link> =
            links(&cube).filter(|link| disturbance.stuck_level(*link) == Some(false)).collect();
        let own: Vec<Link> = links(&cube).filter(|link| link.is_at(5)).collect();
        assert_eq!((&stuck, own.len()), (&own, 3));
        assert!(!disturbance.is_hung(5));
    }
}
