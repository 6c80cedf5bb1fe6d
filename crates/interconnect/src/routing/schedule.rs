//! Who sends where in which step: the schedule of a network that has one.

use crate::topology::{End, Topology};
use std::fmt;

/// Which node sends by which of its ports in which step of a period, the same in every
/// period. A node sends by one port at most in a step.
pub trait Schedule: fmt::Debug + Send + Sync {
    /// Steps in a period.
    fn period(&self) -> u32;

    /// The port by which a node sends in this step, counted from 0 in the period.
    fn sends(&self, node: u32, step: u32) -> Option<u32>;

    /// The port at which a node receives in this step: the one whose other end sends.
    fn receives(&self, topology: &dyn Topology, node: u32, step: u32) -> Option<u32> {
        (0..topology.ports()).find(|&port| {
            let from = topology.source(End { node, port });
            self.sends(from.node, step) == Some(from.port)
        })
    }

    /// The first step of a period in which a node sends by this port.
    fn step_of(&self, end: End) -> Option<u32> {
        (0..self.period()).find(|&step| self.sends(end.node, step) == Some(end.port))
    }
    /// What the nodes that send in a step have in common, for the head of a column:
    /// `dim 2, bit 0`. Empty if there is nothing.
    fn step_label(&self, _step: u32) -> String {
        String::new()
    }

    /// The same in numbers, for a waveform: of every step those with the same names.
    fn step_numbers(&self, _step: u32) -> Vec<StepNumber> {
        vec![]
    }
}

/// A number that says something of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepNumber {
    /// What it is called in a waveform.
    pub name: &'static str,
    /// Bits that are enough for it in any step.
    pub bits: u32,
    pub value: u64,
}
