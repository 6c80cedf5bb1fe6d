//! Schedule of a permutation for a program on the nodes: one byte for each pair of phases
//! (`firmware/include/permute.h`).

use super::schedule::ScheduleMove;
use super::CompiledSchedule;
use thiserror::Error;

/// Slot of a node's own message. `PERMUTE_OWN` in the header.
const OWN_SLOT: u8 = 1;
/// Slot of the message that is for the node. `PERMUTE_HOME` in the header.
const HOME_SLOT: u8 = 15;
/// Number of slots for messages in transit.
const BETWEEN: usize = (HOME_SLOT - OWN_SLOT - 1) as usize;

/// Reason why programs can't follow a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StepsError {
    #[error("the machine has links that are no dimensions; accepted: a cube")]
    Shape,
    #[error("pair {pair} of the order has link {link}; accepted: an order that ascends in every superframe (--sweep up)")]
    Order { pair: usize, link: u32 },
    #[error("node 0x{node:X} has two messages to {what}; accepted: one")]
    DuplicateEnd { node: u32, what: &'static str },
    #[error("node 0x{node:X} would hold {} messages of others in pair {pair}; accepted: up to {BETWEEN}", BETWEEN + 1)]
    TooManySlots { node: u32, pair: u32 },
}

/// A message in transit at a node: the pair of its arrival, and the pair of its departure.
struct TransitStay {
    arrival: u32,
    departure: u32,
}

/// Returns the steps of all nodes, for messages with these sources and destinations.
///
/// A step is one byte for each pair of phases. The low four bits are the slot that the node sends
/// from. The high four bits are the slot that it then receives into. 0 means no slot.
///
/// # Errors
/// Returns an error if the list is not a full or partial permutation, or the network is not a cube
/// that sweeps up.
///
/// # Panics
/// If the schedule was not [checked](CompiledSchedule::check) with these messages.
pub fn permute_steps(
    schedule: &CompiledSchedule,
    ends: &[[u32; 2]],
) -> Result<Vec<Vec<u8>>, StepsError> {
    let shape = schedule.shape;
    if shape.class_bits() != 0 {
        return Err(StepsError::Shape);
    }
    let mut links = schedule.order.iter().enumerate();
    if let Some((pair, &link)) = links.find(|(pair, link)| *pair as u32 % shape.links() != **link) {
        return Err(StepsError::Order { pair, link });
    }
    for (end, what) in [(0, "send"), (1, "receive")] {
        let mut nodes: Vec<u32> = ends.iter().map(|ends| ends[end]).collect();
        nodes.sort_unstable();
        if let Some(two) = nodes.windows(2).find(|two| two[0] == two[1]) {
            return Err(StepsError::DuplicateEnd { node: two[0], what });
        }
    }
    let nodes = shape.nodes() as usize;
    let mut steps = vec![vec![0; schedule.length() as usize]; nodes];
    let mut stays: Vec<Vec<TransitStay>> = (0..nodes).map(|_| vec![]).collect();
    for (message, [source, _]) in ends.iter().enumerate() {
        let moves: Vec<ScheduleMove> = schedule.moves(message, *source).collect();
        let Some((first, last)) = moves.first().zip(moves.last()) else {
            continue;
        };
        steps[first.from as usize][first.pair as usize] |= OWN_SLOT;
        steps[last.to as usize][last.pair as usize] |= HOME_SLOT << 4;
        for step in moves.windows(2) {
            stays[step[0].to as usize].push(TransitStay {
                arrival: step[0].pair,
                departure: step[1].pair,
            });
        }
    }
    for (node, (stays, steps)) in (0..).zip(stays.into_iter().zip(&mut steps)) {
        assign_slots(stays, steps).map_err(|pair| StepsError::TooManySlots { node, pair })?;
    }
    Ok(steps)
}

/// Assigns each message the lowest free slot. In a pair a node sends before it receives, so an
/// arriving message can reuse the slot of one that departs in the same pair. Returns the pair as an
/// error if no slot is free.
fn assign_slots(mut stays: Vec<TransitStay>, steps: &mut [u8]) -> Result<(), u32> {
    stays.sort_by_key(|stay| stay.arrival);
    let mut free_from = [0; BETWEEN];
    for TransitStay {
        arrival: comes,
        departure: goes,
    } in stays
    {
        let free = free_from.iter().position(|from| *from <= comes);
        let free = free.ok_or(comes)?;
        free_from[free] = goes;
        let place = OWN_SLOT + 1 + free as u8;
        steps[comes as usize] |= place << 4;
        steps[goes as usize] |= place;
    }
    Ok(())
}

/// Returns the words that the host of each node sends to the program `permute`: the number of
/// steps, then the steps. A word holds four steps, the first in the low byte.
#[must_use]
pub fn step_words(steps: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |word, b| word << 8 | u32::from(*b))
    };
    let words = steps.chunks(4).map(word);
    std::iter::once(steps.len() as u32).chain(words).collect()
}
