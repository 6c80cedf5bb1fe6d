//! Actions of a node in each phase of a compiled schedule, and the slots of its messages.

use super::schedule::ScheduleMove;
use super::CompiledSchedule;
use thiserror::Error;

/// Message slots of a node.
pub const NODE_SLOTS: usize = 16;

/// Action of a node in one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseWord {
    /// Phase number, counted from the start of the order.
    pub phase: u32,
    /// True if the node sends a message, false if it receives one.
    pub sends: bool,
    /// Slot that the message is sent from or received into.
    pub slot: u8,
    /// For a sent message, true if the host injects it first. For a received message, true if the
    /// node is its destination, so that the host gets it.
    pub ends: bool,
    /// Index of the message.
    pub message: u32,
}

/// Actions of a node by phase. Phases without an action are omitted.
pub type NodeProgram = Vec<PhaseWord>;

/// Error: a node would hold more messages at once than it has slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("node 0x{node:X} would hold {} messages in phase {phase}; accepted: up to {NODE_SLOTS}", NODE_SLOTS + 1)]
pub struct TooManySlots {
    pub node: u32,
    pub phase: u32,
}

/// Returns the programs of all nodes, for messages from these sources.
///
/// Each message gets the lowest slot that is free from its arrival to its departure. A node
/// therefore uses only as many slots as it holds messages at once.
///
/// # Errors
/// Returns an error if a node would need more than [`NODE_SLOTS`] slots.
///
/// # Panics
/// If the schedule was not [checked](CompiledSchedule::check) with these messages.
pub fn node_programs(
    schedule: &CompiledSchedule,
    sources: &[u32],
) -> Result<Vec<NodeProgram>, TooManySlots> {
    let nodes = schedule.shape.nodes() as usize;
    let mut stays: Vec<Vec<SlotStay>> = vec![vec![]; nodes];
    for (message, source) in sources.iter().enumerate() {
        let moves: Vec<ScheduleMove> = schedule.moves(message, *source).collect();
        let Some((first, last)) = moves.first().zip(moves.last()) else {
            continue;
        };
        stays[first.from as usize].push(SlotStay {
            message,
            arrival: None,
            departure: Some(first.phase),
        });
        for step in moves.windows(2) {
            stays[step[0].to as usize].push(SlotStay {
                message,
                arrival: Some(step[0].phase),
                departure: Some(step[1].phase),
            });
        }
        stays[last.to as usize].push(SlotStay {
            message,
            arrival: Some(last.phase),
            departure: None,
        });
    }
    let program = |(node, stays): (usize, Vec<SlotStay>)| assign_slots(node as u32, stays);
    stays.into_iter().enumerate().map(program).collect()
}

/// Stay of a message at a node: the phase in which it is received, and the phase in which it is
/// sent. They are `None` at its source and at its destination, respectively.
#[derive(Clone, Copy)]
struct SlotStay {
    message: usize,
    arrival: Option<u32>,
    departure: Option<u32>,
}

impl SlotStay {
    /// First phase in which the slot is occupied. The host injects a message in the phase of its
    /// send, and takes a delivered message before the next frame arrives.
    fn begin(&self) -> u32 {
        self.arrival.or(self.departure).unwrap_or(0)
    }

    /// Last phase in which the slot is occupied.
    fn end(&self) -> u32 {
        self.departure.or(self.arrival).unwrap_or(0)
    }
}

fn assign_slots(node: u32, mut stays: Vec<SlotStay>) -> Result<NodeProgram, TooManySlots> {
    stays.sort_by_key(|stay| (stay.begin(), stay.end()));
    // Last occupied phase of each slot.
    let mut taken: [Option<u32>; NODE_SLOTS] = [None; NODE_SLOTS];
    let mut words = vec![];
    for stay in stays {
        let begin = stay.begin();
        let free = taken
            .iter()
            .position(|end| end.is_none_or(|end| end < begin));
        let Some(place) = free else {
            return Err(TooManySlots { node, phase: begin });
        };
        taken[place] = Some(stay.end());
        let word = |phase, sends, ends| PhaseWord {
            phase,
            sends,
            slot: place as u8,
            ends,
            message: stay.message as u32,
        };
        words.extend(
            stay.arrival
                .map(|phase| word(phase, false, stay.departure.is_none())),
        );
        words.extend(
            stay.departure
                .map(|phase| word(phase, true, stay.arrival.is_none())),
        );
    }
    words.sort_by_key(|word| word.phase);
    Ok(words)
}
