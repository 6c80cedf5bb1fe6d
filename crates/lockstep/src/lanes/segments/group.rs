//! Assigns instructions to segments by the cost of skipping and computing them.

use super::super::activity_bits::ActivityBits;
use super::super::gates::GateList;
use super::activity_classes::{ActivityClasses, ALWAYS};
use super::by_root::by_root;
use super::class_runs::class_runs;
use super::part::{cost, SegmentPart};
use super::refine::refine;
use super::SEGMENTS;

/// Preferred minimum number of instructions in a segment while their activity is unknown.
const SMALLEST: usize = 24;

/// Number of instructions in a segment before larger segments are tried.
const LARGEST: usize = 64;

/// Instructions that are computed together, in order.
pub struct SegmentGroup {
    pub gates: Vec<usize>,
    /// Bit in a mask, or `None` if the group is computed in every clock cycle.
    pub guard: Option<usize>,
}

/// Returns all instructions in groups, in a valid order.
pub fn groups(gates: &GateList, activity: Option<&[ActivityBits]>) -> Vec<SegmentGroup> {
    let parts = match activity {
        Some(activity) => by_activity(gates, activity),
        None => {
            let mut parts = by_size(gates);
            merge(&mut parts, false);
            parts
        }
    };
    // Instructions that are always computed can separate parts, so that more parts than segments
    // remain. The surplus parts are always computed too.
    let mut guards = 0..SEGMENTS;
    let group = |part: SegmentPart| SegmentGroup {
        guard: if part.always { None } else { guards.next() },
        gates: part.gates,
    };
    parts.into_iter().map(group).collect()
}

/// Groups the instructions root by root and joins small groups.
fn by_size(gates: &GateList) -> Vec<SegmentPart> {
    let part = |gates: &[usize]| SegmentPart {
        gates: gates.to_vec(),
        busy: ActivityBits::MAX,
        always: false,
    };
    let size = SMALLEST.max(gates.gates.len().div_ceil(SEGMENTS));
    let mut parts: Vec<SegmentPart> = vec![];
    for of_root in by_root(gates) {
        match parts.last_mut() {
            Some(last) if last.gates.len() + of_root.len() <= size => last.gates.extend(of_root),
            // A root that depends on many instructions is split.
            _ => parts.extend(of_root.chunks(size).map(part)),
        }
    }
    parts
}

/// Groups instructions that are active in the same clock cycles. Each part keeps the order of the
/// roots, in which results are used soon.
fn by_activity(gates: &GateList, activity: &[ActivityBits]) -> Vec<SegmentPart> {
    let mut position = vec![0; gates.gates.len()];
    for (i, gate) in by_root(gates).into_iter().flatten().enumerate() {
        position[gate] = i;
    }
    let mut parts = vec![];
    for mut run in class_runs(gates, &ActivityClasses::new(activity)) {
        run.gates.sort_by_key(|gate| position[*gate]);
        let always = run.kind == ALWAYS;
        let size = if always { run.gates.len() } else { LARGEST };
        parts.extend(run.gates.chunks(size).map(|gates| SegmentPart {
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

/// Merges parts until there are at most as many as segments. If the activity is known, it continues
/// while merging reduces the cost.
fn merge(parts: &mut Vec<SegmentPart>, known: bool) {
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
