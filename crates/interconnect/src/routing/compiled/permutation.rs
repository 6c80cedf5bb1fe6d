//! Schedules for permutations: one sweep if possible, else two.
//!
//! The exchanges between neighbours in a sweep up the dimensions and one down again are the stages
//! of a Benes network. Any permutation passes, and each node holds one message at a time. The
//! looping algorithm finds the exchanges (D. C. Opferman, N. T. Tsao-Wu, "On a class of
//! rearrangeable switching networks", 1971).

use super::schedule::ScheduleMove;
use super::{CompiledSchedule, SweepDirection};
use crate::topology::{Hypercube, Metacube};
use std::collections::HashSet;
use thiserror::Error;

/// Returns the schedule of a partial permutation: one superframe if possible, else one up and one
/// down.
///
/// In a partial permutation each node is the source of at most one message and the destination of
/// at most one. Other lists return `None`.
///
/// The schedule is optimal. In one sweep every message takes its e-cube path, so one sweep is not
/// enough if two messages need the same link.
pub fn schedule_permutation(cube: Hypercube, messages: &[[u32; 2]]) -> Option<CompiledSchedule> {
    if !is_permutation(messages) {
        return None;
    }
    Some(schedule_one_sweep(cube, messages).unwrap_or_else(|| schedule_benes(cube, messages)))
}

fn is_permutation(messages: &[[u32; 2]]) -> bool {
    [0, 1].iter().all(|&end| {
        let mut known = HashSet::new();
        messages.iter().all(|message| known.insert(message[end]))
    })
}

/// Schedules all messages in one superframe, each on its e-cube path. Returns `None` if two of them
/// need a link in the same direction.
pub fn schedule_one_sweep(cube: Hypercube, messages: &[[u32; 2]]) -> Option<CompiledSchedule> {
    let shape = Metacube::from(cube);
    let dims = |[source, destination]: [u32; 2]| {
        let differing = source ^ destination;
        (0..cube.dims()).filter(move |dim| differing >> dim & 1 == 1)
    };
    let schedule = CompiledSchedule {
        shape,
        order: SweepDirection::Up.order(shape, 1),
        pairs: messages.iter().map(|ends| dims(*ends).collect()).collect(),
    };
    schedule.check(messages).is_ok().then_some(schedule)
}

/// Returns the schedule of a partial permutation in one sweep up and one down.
///
/// # Panics
/// If two messages have the same source or destination.
pub fn schedule_benes(cube: Hypercube, messages: &[[u32; 2]]) -> CompiledSchedule {
    let whole = complete_permutation(cube, messages);
    let (mut here, mut wanted): (Vec<u32>, Vec<u32>) =
        whole.iter().map(|&[from, to]| (from, to)).unzip();
    let dims = cube.dims();
    let mut pairs: Vec<Vec<u32>> = vec![vec![]; whole.len()];
    // The looping algorithm works from the outermost stages to the innermost.
    for dim in 0..dims - 1 {
        let halves = choose_halves(&here, &wanted, dim);
        for (message, high) in halves.into_iter().enumerate() {
            let stages = [(&mut here, dim), (&mut wanted, 2 * dims - 1 - dim)];
            for (place, pair) in stages {
                let set = place[message] & !(1 << dim) | u32::from(high) << dim;
                if set != place[message] {
                    pairs[message].push(pair);
                    place[message] = set;
                }
            }
        }
    }
    for (message, pairs) in pairs.iter_mut().enumerate() {
        if here[message] != wanted[message] {
            pairs.push(dims - 1);
        }
        pairs.sort_unstable();
    }
    // Added messages do not travel, nor do messages to their own node.
    pairs.truncate(messages.len());
    for (pairs, [source, destination]) in pairs.iter_mut().zip(messages) {
        if source == destination {
            pairs.clear();
        }
    }
    let shape = Metacube::from(cube);
    CompiledSchedule { shape, order: SweepDirection::UpDown.order(shape, 2), pairs }
}

/// Returns the messages, followed by added ones that make the permutation complete. The added
/// messages lead from the nodes that are no source to those that are no destination.
fn complete_permutation(cube: Hypercube, messages: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let free = |end: usize| {
        let taken: HashSet<u32> = messages.iter().map(|message| message[end]).collect();
        assert_eq!(taken.len(), messages.len(), "a partial permutation");
        cube.addresses().filter(move |node| !taken.contains(node))
    };
    let filled = free(0).zip(free(1)).map(|(from, to)| [from, to]);
    messages.iter().copied().chain(filled).collect()
}

/// Returns for each message the half of the network, by this bit of the address, that it passes.
/// Two messages that start at the ends of one link of this dimension take different halves. The
/// same applies to two messages with destinations at the ends of one link.
fn choose_halves(here: &[u32], wanted: &[u32], dim: u32) -> Vec<bool> {
    let by_place = |places: &[u32]| {
        let mut found = vec![0; places.len()];
        for (message, place) in places.iter().enumerate() {
            found[*place as usize] = message;
        }
        found
    };
    let (at, to) = (by_place(here), by_place(wanted));
    let mut half = vec![None; here.len()];
    for first in 0..here.len() {
        // Follows a loop: to the message with the neighbouring destination, then to the one with
        // the neighbouring source.
        let mut message = first;
        while half[message].is_none() {
            half[message] = Some(false);
            let beside = to[(wanted[message] ^ 1 << dim) as usize];
            half[beside] = Some(true);
            message = at[(here[beside] ^ 1 << dim) as usize];
        }
    }
    half.into_iter().map(|half| half == Some(true)).collect()
}

// Schedule of a permutation for a program on the nodes: one byte for each pair of phases
// (`firmware/include/permute.h`).

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
            stays[step[0].to as usize]
                .push(TransitStay { arrival: step[0].pair, departure: step[1].pair });
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
    for TransitStay { arrival: comes, departure: goes } in stays {
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
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, b| word << 8 | u32::from(*b));
    let words = steps.chunks(4).map(word);
    std::iter::once(steps.len() as u32).chain(words).collect()
}
