//! Permutations: one sweep if that is enough, else two.
//!
//! In a sweep up the dimensions and one down again the exchanges between neighbours are the
//! stages of a Benes network: any permutation passes, and each node has one message at a
//! time. The looping algorithm finds the exchanges (D. C. Opferman, N. T. Tsao-Wu, "On a
//! class of rearrangeable switching networks", 1971).

use super::{CompiledSchedule, Sweep};
use crate::topology::{Hypercube, Metacube};
use std::collections::HashSet;

/// The schedule of a partial permutation, a list in which each node is the source of one
/// message at most and the destination of one: one superframe if that is enough, else one up
/// and one down. `None` if it is no such list.
///
/// It is optimal: in one sweep the way of a message is the one of e-cube routing, so if two
/// need the same link there, one sweep can't be enough.
pub fn permutation(cube: Hypercube, messages: &[[u32; 2]]) -> Option<CompiledSchedule> {
    if !is_permutation(messages) {
        return None;
    }
    Some(in_one_sweep(cube, messages).unwrap_or_else(|| benes(cube, messages)))
}

fn is_permutation(messages: &[[u32; 2]]) -> bool {
    [0, 1].iter().all(|&end| {
        let mut known = HashSet::new();
        messages.iter().all(|message| known.insert(message[end]))
    })
}

/// All messages in one superframe, each by its e-cube way; `None` if two of them need a link
/// the same way.
pub fn in_one_sweep(cube: Hypercube, messages: &[[u32; 2]]) -> Option<CompiledSchedule> {
    let shape = Metacube::from(cube);
    let dims = |[source, destination]: [u32; 2]| {
        let differing = source ^ destination;
        (0..cube.dims()).filter(move |dim| differing >> dim & 1 == 1)
    };
    let schedule = CompiledSchedule {
        shape,
        order: Sweep::Up.order(shape, 1),
        pairs: messages.iter().map(|ends| dims(*ends).collect()).collect(),
    };
    schedule.check(messages).is_ok().then_some(schedule)
}

/// The schedule of a partial permutation in a sweep up and one down.
///
/// # Panics
/// If two messages have the same source or destination.
pub fn benes(cube: Hypercube, messages: &[[u32; 2]]) -> CompiledSchedule {
    let whole = completed(cube, messages);
    let (mut here, mut wanted): (Vec<u32>, Vec<u32>) =
        whole.iter().map(|&[from, to]| (from, to)).unzip();
    let dims = cube.dims();
    let mut pairs: Vec<Vec<u32>> = vec![vec![]; whole.len()];
    // From the outermost stages to the innermost.
    for dim in 0..dims - 1 {
        let halves = halves(&here, &wanted, dim);
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
    // What was filled in does not travel, nor what is at home already.
    pairs.truncate(messages.len());
    for (pairs, [source, destination]) in pairs.iter_mut().zip(messages) {
        if source == destination {
            pairs.clear();
        }
    }
    let shape = Metacube::from(cube);
    CompiledSchedule {
        shape,
        order: Sweep::UpDown.order(shape, 2),
        pairs,
    }
}

/// The messages, and after them others from the nodes that are no source to those that are
/// no destination.
fn completed(cube: Hypercube, messages: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let free = |end: usize| {
        let taken: HashSet<u32> = messages.iter().map(|message| message[end]).collect();
        assert_eq!(taken.len(), messages.len(), "a partial permutation");
        cube.addresses().filter(move |node| !taken.contains(node))
    };
    let filled = free(0).zip(free(1)).map(|(from, to)| [from, to]);
    messages.iter().copied().chain(filled).collect()
}

/// For each message the half of the network, by this bit of the address, through which it
/// goes: of two that come from the ends of a link of this dimension each takes another one,
/// and so do two that go to such ends.
fn halves(here: &[u32], wanted: &[u32], dim: u32) -> Vec<bool> {
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
        // Around a loop: beside it at the destination, then beside that at the source.
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
