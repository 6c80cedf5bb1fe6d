//! Schedules for permutations: one sweep if possible, else two.
//!
//! The exchanges between neighbours in a sweep up the dimensions and one down again are the stages
//! of a Benes network. Any permutation passes, and each node holds one message at a time. The
//! looping algorithm finds the exchanges (D. C. Opferman, N. T. Tsao-Wu, "On a class of
//! rearrangeable switching networks", 1971).

use super::{CompiledSchedule, SweepDirection};
use crate::topology::{Hypercube, Metacube};
use std::collections::HashSet;

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
    CompiledSchedule {
        shape,
        order: SweepDirection::UpDown.order(shape, 2),
        pairs,
    }
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
