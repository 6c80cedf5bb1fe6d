//! Test whether all frames arrive with a given phase and guard.

use super::node::{SkewLines, SkewNode};
use super::SkewConditions;
use crate::networks::tdma::TdmaFrame;
use engine::{EngineError, EvaluatorEngine};
use interconnect::traffic::SplitMix64;
use std::collections::VecDeque;

/// Transfer of a number of frames with a given phase and guard.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    pub conditions: SkewConditions,
    /// Bit-times of a phase.
    pub phase: f64,
    /// Clock cycles from a node's begin of a phase to its frame.
    pub guard: u32,
    /// Frames to be delivered.
    pub frames: u64,
    /// Seed of the bytes and of the initial alignment of the clocks.
    pub seed: u64,
}

impl Trial {
    /// Returns true if every frame arrives with exactly the bytes that were sent. Stops at the
    /// first frame that does not.
    ///
    /// # Errors
    /// As an engine.
    pub fn delivers(&self) -> Result<bool, EngineError> {
        self.delivers_on(&self.conditions.node()?)
    }

    /// As [`delivers`](Self::delivers), with a [`SkewConditions::node`] made in advance.
    pub(super) fn delivers_on(&self, node: &EvaluatorEngine) -> Result<bool, EngineError> {
        let mut random = SplitMix64::new(self.seed);
        let conditions = &self.conditions;
        let mut nodes = Vec::new();
        for number in 0..2 {
            let first = conditions.clock_cycle(number) * random.below(1000) as f64 / 1000.0;
            nodes.push(SkewNode::new(
                number,
                conditions,
                node.clone(),
                self.guard,
                first,
            ));
        }
        // Frames sent to each node that it has not received yet.
        let mut sent: [VecDeque<Vec<u8>>; 2] = Default::default();
        for number in 0..2 {
            sent[number].push_back(self.frame(number as u32, &mut random));
            nodes[number].load(sent[number][0].clone());
        }
        let mut begun = [0; 2];
        let mut delivered = 0;
        while delivered < self.frames {
            let i = usize::from(nodes[1].next_edge < nodes[0].next_edge);
            let level = !nodes[0].pull && !nodes[1].pull;
            let lines = self.lines(i, nodes[i].next_edge, level);
            if !nodes[i].clock(&lines)? {
                continue;
            }
            let heard = std::mem::take(&mut nodes[i].received);
            let phase = begun[i];
            begun[i] += 1;
            if phase == 0 {
                continue;
            }
            if phase % 2 != i {
                // The node's own phase is over. The node must not receive anything in it.
                if !heard.is_empty() {
                    return Ok(false);
                }
                let next = self.frame(i as u32, &mut random);
                nodes[i].load(next.clone());
                sent[i].push_back(next);
            } else {
                let frame = sent[1 - i].pop_front().unwrap_or_default();
                if !heard.into_iter().eq(frame.into_iter().map(Some)) {
                    return Ok(false);
                }
                delivered += 1;
            }
        }
        Ok(true)
    }

    /// Returns the lines of a node. The phase clock has its own delay to each node.
    fn lines(&self, node: usize, time: f64, level: bool) -> SkewLines {
        let late = if node == 1 { self.conditions.skew } else { 0.0 };
        // The first rise comes after both nodes have been clocked.
        let phases = (time - late) / self.phase - 0.25;
        let (number, within) = (phases.floor(), phases - phases.floor());
        SkewLines {
            phase_clock: number >= 0.0 && within < 0.5,
            sync: number >= 0.0 && number % 2.0 == 0.0,
            level,
        }
    }

    fn frame(&self, sender: u32, random: &mut SplitMix64) -> Vec<u8> {
        let payload = (0..self.conditions.payload).map(|_| random.below(256) as u8);
        let frame = TdmaFrame {
            header: 0,
            payload: payload.collect(),
        };
        frame.encode(sender, 0)
    }
}
