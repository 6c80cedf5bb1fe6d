//! The bytes in a machine, and the queues in which they lie.

use std::collections::VecDeque;

/// A byte of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flit {
    /// The number of its packet.
    pub packet: usize,
    pub value: u8,
    /// It is the last of its packet: the torus has a wire for it, minimal rotation has not.
    pub tail: bool,
}

/// The sending side of one virtual channel.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    pub bytes: VecDeque<Flit>,
    /// The input that has it, and its packet.
    pub owner: Option<(usize, usize)>,
    /// Bytes of the owner's packet have come.
    pub begun: bool,
    /// The byte sent last has not been taken, as far as is known.
    pub busy: bool,
    /// Bytes sent so far.
    pub sent: u64,
}
