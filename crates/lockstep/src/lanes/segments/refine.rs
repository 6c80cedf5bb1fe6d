//! Reduces the cost of segments by moving single instructions.

use super::super::busy::{share, Pairs};
use super::super::gates::Gates;
use super::part::Part;

/// Largest number of passes over all instructions.
const ROUNDS: usize = 6;

/// Cost of a value used by another part, in instructions: to keep it, to compare it with its
/// predecessor, and to fetch it.
const KEEP: f32 = 1.0;
const COMPARE: f32 = 1.0;
const FETCH: f32 = 0.5;

/// Smallest saving that justifies a move.
const LEAST: f32 = 0.001;

/// Largest number of parts. Real circuits hardly ever reach it.
const PARTS: usize = u128::BITS as usize;

/// Moves single instructions to other parts if this reduces the cost. Most of them are in one part
/// and used in another.
pub fn refine(parts: &mut [Part], gates: &Gates, activity: &[Pairs]) {
    if parts.len() > PARTS {
        return;
    }
    let mut refined = Refined::new(parts, gates, activity);
    for _ in 0..ROUNDS {
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

struct Refined<'a> {
    activity: &'a [Pairs],
    /// By instruction: its part.
    of: Vec<usize>,
    users: Vec<Vec<usize>>,
    operands: Vec<Vec<usize>>,
    /// By part.
    busy: Vec<Pairs>,
    size: Vec<usize>,
    always: Vec<bool>,
}

impl<'a> Refined<'a> {
    fn new(parts: &[Part], gates: &Gates, activity: &'a [Pairs]) -> Self {
        let count = gates.gates.len();
        let mut refined = Refined {
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
            refined
                .busy
                .push(if part.always { Pairs::MAX } else { part.busy });
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
                let growth = (share(grown) - share(self.busy[to])) * self.size[to] as f32;
                self.of[gate] = to;
                let cost = self.cost(gate) + growth;
                self.of[gate] = from;
                if cost + LEAST < best.1 {
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
        let operands: f32 = operands.map(|operand| self.handed_over(*operand)).sum();
        share(self.busy[self.of[gate]]) + self.handed_over(gate) + operands
    }

    fn handed_over(&self, gate: usize) -> f32 {
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
            fetched += FETCH * share(self.busy[reader]);
        }
        let compared = if is_compared { COMPARE } else { 0.0 };
        share(self.busy[from]) * (KEEP + compared) + fetched
    }
}
