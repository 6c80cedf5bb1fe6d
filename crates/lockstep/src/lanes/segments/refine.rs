//! Reduces the cost of segments by moving single instructions.

use super::super::activity_bits::{active_share, ActivityBits};
use super::super::gates::GateList;
use super::part::SegmentPart;

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
            operands: (0..count)
                .map(|gate| gates.before(gate).collect())
                .collect(),
            busy: vec![],
            size: vec![],
            always: vec![],
        };
        for (number, part) in parts.iter().enumerate() {
            part.gates
                .iter()
                .for_each(|gate| refined.of[*gate] = number);
            refined.busy.push(if part.always {
                ActivityBits::MAX
            } else {
                part.busy
            });
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
