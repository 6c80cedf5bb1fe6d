//! A permutation's schedule as a program on the nodes follows it: a byte for each pair of
//! phases (`firmware/include/permute.h`).

use super::schedule::Move;
use super::CompiledSchedule;
use thiserror::Error;

/// The place of a node's own message. `PERMUTE_OWN` of the header.
const OWN: u8 = 1;
/// The place of the message that is for the node. `PERMUTE_HOME` of the header.
const HOME: u8 = 15;
/// Places for what passes through.
const BETWEEN: usize = (HOME - OWN - 1) as usize;

/// Why programs can't follow a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotForPrograms {
    #[error("the machine has links of other kinds than dimensions; accepted: a cube")]
    Shape,
    #[error("pair {pair} of the order has link {link}; accepted: an order that ascends in every superframe (--sweep up)")]
    Order { pair: usize, link: u32 },
    #[error("node 0x{node:X} has two messages to {what}; accepted: one")]
    Two { node: u32, what: &'static str },
    #[error("node 0x{node:X} would hold {} messages of others in pair {pair}; accepted: up to {BETWEEN}", BETWEEN + 1)]
    Places { node: u32, pair: u32 },
}

/// A message of others at a node: the pair in which it comes, and the one in which it goes.
struct Stay {
    comes: u32,
    goes: u32,
}

/// The steps of all nodes, for messages with these sources and destinations. In each pair the
/// low four bits are the place that the node sends from, the high four the place that it
/// then receives into; 0 is none.
///
/// # Errors
/// If it is no permutation, in whole or in part, or no cube that sweeps up.
///
/// # Panics
/// If the schedule was not [checked](CompiledSchedule::check) with these messages.
pub fn steps(
    schedule: &CompiledSchedule,
    ends: &[[u32; 2]],
) -> Result<Vec<Vec<u8>>, NotForPrograms> {
    let shape = schedule.shape;
    if shape.class_bits() != 0 {
        return Err(NotForPrograms::Shape);
    }
    let mut links = schedule.order.iter().enumerate();
    if let Some((pair, &link)) = links.find(|(pair, link)| *pair as u32 % shape.links() != **link) {
        return Err(NotForPrograms::Order { pair, link });
    }
    for (end, what) in [(0, "send"), (1, "receive")] {
        let mut nodes: Vec<u32> = ends.iter().map(|ends| ends[end]).collect();
        nodes.sort_unstable();
        if let Some(two) = nodes.windows(2).find(|two| two[0] == two[1]) {
            return Err(NotForPrograms::Two { node: two[0], what });
        }
    }
    let nodes = shape.nodes() as usize;
    let mut steps = vec![vec![0; schedule.length() as usize]; nodes];
    let mut stays: Vec<Vec<Stay>> = (0..nodes).map(|_| vec![]).collect();
    for (message, [source, _]) in ends.iter().enumerate() {
        let moves: Vec<Move> = schedule.moves(message, *source).collect();
        let Some((first, last)) = moves.first().zip(moves.last()) else {
            continue;
        };
        steps[first.from as usize][first.pair as usize] |= OWN;
        steps[last.to as usize][last.pair as usize] |= HOME << 4;
        for step in moves.windows(2) {
            stays[step[0].to as usize].push(Stay {
                comes: step[0].pair,
                goes: step[1].pair,
            });
        }
    }
    for (node, (stays, steps)) in (0..).zip(stays.into_iter().zip(&mut steps)) {
        lay(stays, steps).map_err(|pair| NotForPrograms::Places { node, pair })?;
    }
    Ok(steps)
}

/// Each message gets the lowest place that is free. In a pair a node sends before it
/// receives, so a place is free for what comes in the pair in which the one before goes.
/// If there is none: the pair.
fn lay(mut stays: Vec<Stay>, steps: &mut [u8]) -> Result<(), u32> {
    stays.sort_by_key(|stay| stay.comes);
    let mut free_from = [0; BETWEEN];
    for Stay { comes, goes } in stays {
        let free = free_from.iter().position(|from| *from <= comes);
        let free = free.ok_or(comes)?;
        free_from[free] = goes;
        let place = OWN + 1 + free as u8;
        steps[comes as usize] |= place << 4;
        steps[goes as usize] |= place;
    }
    Ok(())
}

/// What the host of each node brings the program `permute`: the number of steps, then the
/// steps, four to a word, the first in the low byte.
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
