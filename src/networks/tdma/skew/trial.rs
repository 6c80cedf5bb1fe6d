//! Whether all frames arrive with a given phase and guard.

use super::node::{Lines, Node};
use super::Conditions;
use crate::engine::{EngineError, EvaluatorEngine};
use crate::networks::tdma::Frame;
use crate::traffic::SplitMix64;
use std::collections::VecDeque;

/// So many frames with a given phase and guard.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    pub conditions: Conditions,
    /// Bit-times of a phase.
    pub phase: f64,
    /// Clock cycles from a node's begin of a phase to its frame.
    pub guard: u32,
    /// Frames to be delivered.
    pub frames: u64,
    /// Chooses bytes and how the clocks stand to each other at first.
    pub seed: u64,
}

impl Trial {
    /// Whether every frame arrives, with all its bytes and nothing else. Stops at
    /// the first that does not.
    ///
    /// # Errors
    /// As an engine.
    pub fn delivers(&self) -> Result<bool, EngineError> {
        self.delivers_on(&self.conditions.node()?)
    }

    /// The same with [`Conditions::node`] made before.
    pub(super) fn delivers_on(&self, node: &EvaluatorEngine) -> Result<bool, EngineError> {
        let mut random = SplitMix64::new(self.seed);
        let conditions = &self.conditions;
        let mut nodes = Vec::new();
        for number in 0..2 {
            let first = conditions.clock_cycle(number) * random.below(1000) as f64 / 1000.0;
            nodes.push(Node::new(
                number,
                conditions,
                node.clone(),
                self.guard,
                first,
            ));
        }
        // Frames that were handed to each node and not yet heard.
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
            let heard = std::mem::take(&mut nodes[i].heard);
            let phase = begun[i];
            begun[i] += 1;
            if phase == 0 {
                continue;
            }
            if phase % 2 != i {
                // Its own phase is over, in which it hears nothing.
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

    /// What a node sees: the phase clock has its own way to it.
    fn lines(&self, node: usize, time: f64, level: bool) -> Lines {
        let late = if node == 1 { self.conditions.skew } else { 0.0 };
        // The first rise comes when both have been clocked.
        let phases = (time - late) / self.phase - 0.25;
        let (number, within) = (phases.floor(), phases - phases.floor());
        Lines {
            phase_clock: number >= 0.0 && within < 0.5,
            sync: number >= 0.0 && number % 2.0 == 0.0,
            level,
        }
    }

    fn frame(&self, sender: u32, random: &mut SplitMix64) -> Vec<u8> {
        let payload = (0..self.conditions.payload).map(|_| random.below(256) as u8);
        let frame = Frame {
            header: 0,
            payload: payload.collect(),
        };
        frame.encode(sender, 0)
    }
}
