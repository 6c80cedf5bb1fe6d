//! Which instructions make up a segment, by what it costs to skip and to compute it.

use super::super::busy::Pairs;
use super::super::gates::Gates;
use super::by_root::by_root;
use super::kinds::{Kinds, ALWAYS};
use super::part::{cost, Part};
use super::refine::refine;
use super::runs::runs;
use super::SEGMENTS;

/// Instructions of a segment are no fewer than this, if possible, unless it is
/// known when they have something to do.
const SMALLEST: usize = 24;

/// Instructions of a segment before it is known whether larger ones are better.
const LARGEST: usize = 64;

/// Instructions that are done together, in order.
pub struct Group {
    pub gates: Vec<usize>,
    /// Its bit in a mask; none if it is done in every clock cycle.
    pub guard: Option<usize>,
}

/// All instructions in groups, in an order that works.
pub fn groups(gates: &Gates, activity: Option<&[Pairs]>) -> Vec<Group> {
    let parts = match activity {
        Some(activity) => known(gates, activity),
        None => {
            let mut parts = by_size(gates);
            merge(&mut parts, false);
            parts
        }
    };
    // Parts may be left over, because what is always computed stands between them; then
    // they are, too.
    let mut guards = 0..SEGMENTS;
    let group = |part: Part| Group {
        guard: if part.always { None } else { guards.next() },
        gates: part.gates,
    };
    parts.into_iter().map(group).collect()
}

/// Root by root, small ones together.
fn by_size(gates: &Gates) -> Vec<Part> {
    let part = |gates: &[usize]| Part {
        gates: gates.to_vec(),
        busy: Pairs::MAX,
        always: false,
    };
    let size = SMALLEST.max(gates.gates.len().div_ceil(SEGMENTS));
    let mut parts: Vec<Part> = vec![];
    for of_root in by_root(gates) {
        match parts.last_mut() {
            Some(last) if last.gates.len() + of_root.len() <= size => last.gates.extend(of_root),
            // Of a root that depends on much, parts of it.
            _ => parts.extend(of_root.chunks(size).map(part)),
        }
    }
    parts
}

/// Those together that have something to do in the same clock cycles, each part in the
/// order of the roots, in which results are used soon.
fn known(gates: &Gates, activity: &[Pairs]) -> Vec<Part> {
    let mut position = vec![0; gates.gates.len()];
    for (i, gate) in by_root(gates).into_iter().flatten().enumerate() {
        position[gate] = i;
    }
    let mut parts = vec![];
    for mut run in runs(gates, &Kinds::new(activity)) {
        run.gates.sort_by_key(|gate| position[*gate]);
        let always = run.kind == ALWAYS;
        let size = if always { run.gates.len() } else { LARGEST };
        parts.extend(run.gates.chunks(size).map(|gates| Part {
            gates: gates.to_vec(),
            busy: gates.iter().fold(0, |all, gate| all | activity[*gate]),
            always,
        }));
    }
    merge(&mut parts, true);
    refine(&mut parts, gates, activity);
    parts.retain(|part| !part.gates.is_empty());
    merge(&mut parts, true);
    for part in &mut parts {
        part.gates.sort_by_key(|gate| position[*gate]);
    }
    parts
}

/// Makes fewer parts, as few as there may be segments, or fewer if it is known that
/// that takes less.
fn merge(parts: &mut Vec<Part>, known: bool) {
    loop {
        let costs = (0..parts.len().saturating_sub(1)).filter_map(|i| {
            let (a, b) = (&parts[i], &parts[i + 1]);
            let size = a.gates.len() + b.gates.len();
            let growth = match known {
                true => cost(a.busy | b.busy, size) - a.cost() - b.cost(),
                false => size as f32,
            };
            (!a.always && !b.always).then_some((i, growth))
        });
        let Some((i, growth)) = costs.min_by(|a, b| a.1.total_cmp(&b.1)) else {
            return;
        };
        let guarded = parts.iter().filter(|part| !part.always).count();
        if guarded <= SEGMENTS && !(known && growth < 0.0) {
            return;
        }
        let next = parts.remove(i + 1);
        parts[i].gates.extend(next.gates);
        parts[i].busy |= next.busy;
    }
}
