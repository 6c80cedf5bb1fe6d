//! Assigns instructions to segments by the cost of skipping and computing them.

use super::super::activity::{active_share, ActivityBits};
use super::super::gates::GateList;
use super::SEGMENTS;
use std::collections::HashMap;

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

// Segments under construction and their cost.

/// Cost of skipping a segment, and additional cost of computing it, in instructions.
const SKIP_COST: f32 = 2.0;
const COMPUTE_COST: f32 = 8.0;

/// Instructions of a group under construction.
pub struct SegmentPart {
    pub gates: Vec<usize>,
    /// Pairs of clock cycles in which some instruction is active.
    pub busy: ActivityBits,
    /// True if the instructions are always computed.
    pub always: bool,
}

impl SegmentPart {
    /// Returns the average cost in instructions per clock cycle.
    pub fn cost(&self) -> f32 {
        cost(self.busy, self.gates.len())
    }
}

/// Returns the average cost of `size` instructions with this common activity.
pub fn cost(busy: ActivityBits, size: usize) -> f32 {
    SKIP_COST + active_share(busy) * (COMPUTE_COST + size as f32)
}

// Order of the instructions before their activity is known.

/// Returns the instructions depth first, by root. Each root lists those that no earlier root needs.
pub fn by_root(gates: &GateList) -> Vec<Vec<usize>> {
    let mut placed = vec![false; gates.gates.len()];
    let of_root = |&(value, _): &(u32, u32)| {
        let mut order = vec![];
        place(gates, value, &mut placed, &mut order);
        order
    };
    gates.roots.iter().map(of_root).collect()
}

/// Appends the instructions that a value needs, operands before users.
fn place(gates: &GateList, value: u32, placed: &mut [bool], order: &mut Vec<usize>) {
    let mut path: Vec<(usize, usize)> = vec![];
    let mut next = gates.gate_of(value);
    loop {
        if let Some(gate) = next.take().filter(|gate| !placed[*gate]) {
            placed[gate] = true;
            path.push((gate, 0));
        }
        let Some((gate, arg)) = path.last_mut() else {
            return;
        };
        match gates.gates[*gate].args().get(*arg) {
            Some(&value) => {
                *arg += 1;
                next = gates.gate_of(value);
            }
            None => {
                order.push(*gate);
                path.pop();
            }
        }
    }
}

// Classifies instructions by activity, so that whole segments can be idle.

/// Classes of instructions that are active in nearly the same clock cycles.
pub struct ActivityClasses {
    /// Kind of each instruction.
    pub of: Vec<usize>,
    pub count: usize,
}

/// Kind of the instructions that are always computed. The kind may be empty.
pub const ALWAYS: usize = 0;

/// Fraction of clock cycles from which unconditional computation is cheaper than detecting changes.
const ALWAYS_FROM_SHARE: f32 = 0.6;

/// Largest number of kinds.
const MAX_CLASSES: usize = 24;

/// Kind under construction.
struct ActivityClass {
    busy: ActivityBits,
    size: usize,
}

impl ActivityClass {
    /// Returns the average cost in instructions per clock cycle.
    fn cost(busy: ActivityBits, size: usize) -> f32 {
        active_share(busy) * size as f32
    }

    /// Returns the additional cost of joining other instructions to the kind.
    fn growth(&self, busy: ActivityBits, size: usize) -> f32 {
        let both = ActivityClass::cost(self.busy | busy, self.size + size);
        both - ActivityClass::cost(self.busy, self.size) - ActivityClass::cost(busy, size)
    }
}

/// Number of instructions that a separate kind must save.
const MIN_CLASS_SAVING: f32 = 2.0;

impl ActivityClasses {
    pub fn new(activity: &[ActivityBits]) -> Self {
        let mut sizes: HashMap<ActivityBits, usize> = HashMap::new();
        for busy in activity {
            *sizes.entry(*busy).or_default() += 1;
        }
        let mut sizes: Vec<(ActivityBits, usize)> = sizes.into_iter().collect();
        sizes.sort_by_key(|&(busy, size)| (std::cmp::Reverse(size), busy));
        let mut kinds = vec![ActivityClass { busy: ActivityBits::MAX, size: 0 }];
        let mut kind_of: HashMap<ActivityBits, usize> = HashMap::new();
        for (busy, size) in sizes {
            let kind = if active_share(busy) >= ALWAYS_FROM_SHARE {
                ALWAYS
            } else {
                let growth = |kind: &usize| kinds[*kind].growth(busy, size);
                let best = (1..kinds.len()).min_by(|a, b| growth(a).total_cmp(&growth(b)));
                match best {
                    Some(kind)
                        if kinds.len() == MAX_CLASSES || growth(&kind) < MIN_CLASS_SAVING =>
                    {
                        kind
                    }
                    _ => {
                        kinds.push(ActivityClass { busy: 0, size: 0 });
                        kinds.len() - 1
                    }
                }
            };
            kinds[kind].busy |= busy;
            kinds[kind].size += size;
            kind_of.insert(busy, kind);
        }
        ActivityClasses {
            of: activity.iter().map(|busy| kind_of[busy]).collect(),
            count: kinds.len(),
        }
    }
}

// Orders the instructions with few changes from one kind to another.

/// Instructions of one kind that can be computed one after the other.
pub struct ClassRun {
    pub kind: usize,
    pub gates: Vec<usize>,
}

/// Returns all instructions in few runs, operands before their users.
///
/// The next run is of a kind whose remaining instructions can all be computed. Otherwise it is of
/// the kind with the most computable instructions.
pub fn class_runs(gates: &GateList, kinds: &ActivityClasses) -> Vec<ClassRun> {
    let users = gates.users();
    let missing = (0..gates.gates.len()).map(|gate| gates.before(gate).count());
    let mut missing: Vec<usize> = missing.collect();
    let mut ready: Vec<Vec<usize>> = vec![vec![]; kinds.count];
    let mut left = vec![0; kinds.count];
    for (i, &kind) in kinds.of.iter().enumerate() {
        left[kind] += 1;
        if missing[i] == 0 {
            ready[kind].push(i);
        }
    }
    let mut runs = vec![];
    loop {
        // Returns the instructions of a kind that can be computed before any other kind.
        let run = |kind: usize| {
            let (mut run, mut missing) = (ready[kind].clone(), missing.clone());
            let mut next = 0;
            while let Some(&gate) = run.get(next) {
                next += 1;
                for &user in &users[gate] {
                    missing[user] -= 1;
                    if missing[user] == 0 && kinds.of[user] == kind {
                        run.push(user);
                    }
                }
            }
            run
        };
        let possible = (0..kinds.count).filter(|kind| left[*kind] > 0);
        let possible = possible.map(|kind| ClassRun { kind, gates: run(kind) });
        let best = possible.max_by_key(|run| (run.gates.len() == left[run.kind], run.gates.len()));
        let Some(best) = best else {
            return runs;
        };
        left[best.kind] -= best.gates.len();
        ready[best.kind].clear();
        for &gate in &best.gates {
            for &user in &users[gate] {
                missing[user] -= 1;
                if missing[user] == 0 && kinds.of[user] != best.kind {
                    ready[kinds.of[user]].push(user);
                }
            }
        }
        runs.push(best);
    }
}

// Reduces the cost of segments by moving single instructions.

/// Largest number of passes over all instructions.
const MAX_PASSES: usize = 6;

/// Cost of a value used by another part, in instructions: to keep it, to compare it with its
/// predecessor, and to fetch it.
const KEEP: f32 = 1.0;
const COMPARE: f32 = 1.0;
const FETCH: f32 = 0.5;

/// Smallest saving that justifies a move.
const MIN_SAVING: f32 = 0.001;

/// Largest number of parts. Real circuits hardly ever reach it.
const MAX_PARTS: usize = u128::BITS as usize;

/// Moves single instructions to other parts if this reduces the cost. Most of them are in one part
/// and used in another.
pub fn refine(parts: &mut [SegmentPart], gates: &GateList, activity: &[ActivityBits]) {
    if parts.len() > MAX_PARTS {
        return;
    }
    let mut refined = Refinement::new(parts, gates, activity);
    for _ in 0..MAX_PASSES {
        if refined.round() == 0 {
            break;
        }
    }
    let of = refined.of;
    for part in parts.iter_mut() {
        part.gates.clear();
        part.busy = 0;
    }
    for (gate, part) in of.into_iter().enumerate() {
        parts[part].gates.push(gate);
        parts[part].busy |= activity[gate];
    }
}

struct Refinement<'a> {
    activity: &'a [ActivityBits],
    /// By instruction: its part.
    of: Vec<usize>,
    users: Vec<Vec<usize>>,
    operands: Vec<Vec<usize>>,
    /// By part.
    busy: Vec<ActivityBits>,
    size: Vec<usize>,
    always: Vec<bool>,
}

impl<'a> Refinement<'a> {
    fn new(parts: &[SegmentPart], gates: &GateList, activity: &'a [ActivityBits]) -> Self {
        let count = gates.gates.len();
        let mut refined = Refinement {
            activity,
            of: vec![0; count],
            users: gates.users(),
            operands: (0..count).map(|gate| gates.before(gate).collect()).collect(),
            busy: vec![],
            size: vec![],
            always: vec![],
        };
        for (number, part) in parts.iter().enumerate() {
            part.gates.iter().for_each(|gate| refined.of[*gate] = number);
            refined.busy.push(if part.always { ActivityBits::MAX } else { part.busy });
            refined.size.push(part.gates.len());
            refined.always.push(part.always);
        }
        refined
    }

    /// Makes one pass and returns the number of moved instructions.
    fn round(&mut self) -> usize {
        let mut moved = 0;
        for gate in 0..self.of.len() {
            let from = self.of[gate];
            let part = |gate: &usize| self.of[*gate];
            let operands: Vec<usize> = self.operands[gate].iter().map(part).collect();
            let users: Vec<usize> = self.users[gate].iter().map(part).collect();
            let first = operands.iter().copied().max().unwrap_or(0);
            let last = users.iter().copied().min().unwrap_or(from);
            let mut best = (from, self.cost(gate));
            for &to in operands.iter().chain(&users) {
                if !(first..=last).contains(&to) || to == best.0 || to == from {
                    continue;
                }
                let grown = self.busy[to] | self.activity[gate];
                let growth =
                    (active_share(grown) - active_share(self.busy[to])) * self.size[to] as f32;
                self.of[gate] = to;
                let cost = self.cost(gate) + growth;
                self.of[gate] = from;
                if cost + MIN_SAVING < best.1 {
                    best = (to, cost);
                }
            }
            let to = best.0;
            if to != from {
                self.of[gate] = to;
                self.busy[to] |= self.activity[gate];
                self.size[to] += 1;
                self.size[from] -= 1;
                moved += 1;
            }
        }
        moved
    }

    /// Returns the cost of an instruction, including the transfer of its operands and result.
    fn cost(&self, gate: usize) -> f32 {
        let operands = self.operands[gate].iter();
        let operands: f32 = operands.map(|operand| self.transfer_cost(*operand)).sum();
        active_share(self.busy[self.of[gate]]) + self.transfer_cost(gate) + operands
    }

    fn transfer_cost(&self, gate: usize) -> f32 {
        let from = self.of[gate];
        let readers = self.users[gate].iter().map(|user| 1u128 << self.of[*user]);
        let mut readers = readers.fold(0, |all, reader| all | reader) & !(1 << from);
        if readers == 0 {
            return 0.0;
        }
        let (mut is_compared, mut fetched) = (false, 0.0);
        while readers != 0 {
            let reader = readers.trailing_zeros() as usize;
            readers &= readers - 1;
            is_compared |= !self.always[reader];
            fetched += FETCH * active_share(self.busy[reader]);
        }
        let compared = if is_compared { COMPARE } else { 0.0 };
        active_share(self.busy[from]) * (KEEP + compared) + fetched
    }
}
