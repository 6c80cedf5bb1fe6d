//! Fixed schedule of a network: the sender and its port in each step.

use crate::topology::{PortEnd, Topology};
use std::fmt;

/// Port by which each node sends in each step of a period, the same in every period. A node sends
/// by at most one port in a step.
pub trait Schedule: fmt::Debug + Send + Sync {
    /// Number of steps in a period.
    fn period(&self) -> u32;

    /// Returns the port by which a node sends in this step, counted from 0 in the period.
    fn sends(&self, node: u32, step: u32) -> Option<u32>;

    /// Returns the port at which a node receives in this step: the one whose other end sends.
    fn receives(&self, topology: &dyn Topology, node: u32, step: u32) -> Option<u32> {
        (0..topology.ports()).find(|&port| {
            let from = topology.source(PortEnd { node, port });
            self.sends(from.node, step) == Some(from.port)
        })
    }

    /// Returns the first step of a period in which a node sends by this port.
    fn step_of(&self, end: PortEnd) -> Option<u32> {
        (0..self.period()).find(|&step| self.sends(end.node, step) == Some(end.port))
    }
    /// Common property of the nodes that send in a step, for the head of a column: `dim 2, bit 0`.
    /// Empty if there is none.
    fn step_label(&self, _step: u32) -> String {
        String::new()
    }

    /// The same property as numbers, for a waveform. Every step has the same names.
    fn step_numbers(&self, _step: u32) -> Vec<StepNumber> {
        vec![]
    }
}

/// Named number that describes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepNumber {
    /// Name in a waveform.
    pub name: &'static str,
    /// Width in bits, enough for every step.
    pub bits: u32,
    pub value: u64,
}
