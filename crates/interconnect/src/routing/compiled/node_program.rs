//! What a node does in each phase of a compiled schedule, and where its messages lie.

use super::schedule::Move;
use super::CompiledSchedule;
use thiserror::Error;

/// Places for messages that a node has.
pub const PLACES: usize = 16;

/// What a node does in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseWord {
    /// The phase, counted from the start of the order.
    pub phase: u32,
    /// The node sends a message, else it receives one.
    pub sends: bool,
    /// The place that the message is sent from, or received into.
    pub place: u8,
    /// Of a message that is sent: the host has it, and gives it first. Of one that is
    /// received: it is at home, and the host gets it.
    pub ends: bool,
    /// The message.
    pub message: u32,
}

/// What a node does, by phases; nothing in those that are left out.
pub type NodeProgram = Vec<PhaseWord>;

/// A node would hold more messages at once than it has places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("node 0x{node:X} would hold {} messages in phase {phase}; accepted: up to {PLACES}", PLACES + 1)]
pub struct TooManyPlaces {
    pub node: u32,
    pub phase: u32,
}

/// The programs of all nodes, for messages from these sources. Each message gets the lowest
/// place that is free from the phase in which it comes to the one in which it goes on; so
/// no more places are needed than messages lie in a node at once.
///
/// # Errors
/// If those are too many.
///
/// # Panics
/// If the schedule was not [checked](CompiledSchedule::check) with these messages.
pub fn node_programs(
    schedule: &CompiledSchedule,
    sources: &[u32],
) -> Result<Vec<NodeProgram>, TooManyPlaces> {
    let nodes = schedule.shape.nodes() as usize;
    let mut stays: Vec<Vec<Stay>> = vec![vec![]; nodes];
    for (message, source) in sources.iter().enumerate() {
        let moves: Vec<Move> = schedule.moves(message, *source).collect();
        let Some((first, last)) = moves.first().zip(moves.last()) else {
            continue;
        };
        stays[first.from as usize].push(Stay {
            message,
            comes: None,
            goes: Some(first.phase),
        });
        for step in moves.windows(2) {
            stays[step[0].to as usize].push(Stay {
                message,
                comes: Some(step[0].phase),
                goes: Some(step[1].phase),
            });
        }
        stays[last.to as usize].push(Stay {
            message,
            comes: Some(last.phase),
            goes: None,
        });
    }
    let program = |(node, stays): (usize, Vec<Stay>)| program(node as u32, stays);
    stays.into_iter().enumerate().map(program).collect()
}

/// A message at a node: the phase in which it is received, `None` at its source, and the one
/// in which it is sent, `None` at home.
#[derive(Clone, Copy)]
struct Stay {
    message: usize,
    comes: Option<u32>,
    goes: Option<u32>,
}

impl Stay {
    /// The first phase in which its place is taken. The host gives a message in the phase in
    /// which it is sent, and takes one before the next frame comes.
    fn begin(&self) -> u32 {
        self.comes.or(self.goes).unwrap_or(0)
    }

    /// The last one.
    fn end(&self) -> u32 {
        self.goes.or(self.comes).unwrap_or(0)
    }
}

fn program(node: u32, mut stays: Vec<Stay>) -> Result<NodeProgram, TooManyPlaces> {
    stays.sort_by_key(|stay| (stay.begin(), stay.end()));
    // Up to which phase each place is taken.
    let mut taken: [Option<u32>; PLACES] = [None; PLACES];
    let mut words = vec![];
    for stay in stays {
        let begin = stay.begin();
        let free = taken
            .iter()
            .position(|end| end.is_none_or(|end| end < begin));
        let Some(place) = free else {
            return Err(TooManyPlaces { node, phase: begin });
        };
        taken[place] = Some(stay.end());
        let word = |phase, sends, ends| PhaseWord {
            phase,
            sends,
            place: place as u8,
            ends,
            message: stay.message as u32,
        };
        words.extend(
            stay.comes
                .map(|phase| word(phase, false, stay.goes.is_none())),
        );
        words.extend(
            stay.goes
                .map(|phase| word(phase, true, stay.comes.is_none())),
        );
    }
    words.sort_by_key(|word| word.phase);
    Ok(words)
}
