//! In which order gates are computed, so that few registers are needed.

use super::gates::Gates;

/// What it counts that an operand stands in a slot, and so needs no register all the
/// time; another value that is wanted counts one.
const SLOT: f32 = 0.3;

/// Steps after which what was asked for counts half as lately asked for.
const HALF: f32 = 40.0;

/// An order of the instructions, operands before their users, in which few values are
/// kept at the same time, and those that are kept are asked for again soon.
///
/// It is made from its end: of the instructions whose users all have their places, the
/// one comes before them that makes the fewest further values wanted (the idea of
/// Sethi and Ullman's numbers, for gates with many users), and among equals the one
/// whose operands are asked for nearby.
pub fn order(gates: &Gates) -> Vec<usize> {
    let mut order = Order::new(gates);
    let mut missing: Vec<usize> = gates.users().iter().map(Vec::len).collect();
    let mut ready: Vec<usize> = (0..missing.len()).filter(|g| missing[*g] == 0).collect();
    let mut placed = vec![];
    while let Some(best) = order.best(&ready, placed.len()) {
        let gate = ready.swap_remove(best);
        order.place(gate, placed.len());
        placed.push(gate);
        for before in gates.before(gate) {
            missing[before] -= 1;
            if missing[before] == 0 {
                ready.push(before);
            }
        }
    }
    placed.reverse();
    placed
}

struct Order<'a> {
    gates: &'a Gates,
    /// By slot: the instruction whose result is stored there.
    stored: Vec<Option<usize>>,
    is_placed: Vec<bool>,
    /// By value: when it was asked for last, if it is wanted at all.
    asked: Vec<Option<usize>>,
}

impl<'a> Order<'a> {
    fn new(gates: &'a Gates) -> Self {
        let (slots, count) = (gates.slots as usize, gates.gates.len());
        let mut stored = vec![None; slots];
        for &(value, slot) in &gates.roots {
            stored[slot as usize] = gates.gate_of(value);
        }
        Order {
            gates,
            stored,
            is_placed: vec![false; count],
            asked: vec![None; slots + count],
        }
    }

    fn value(&self, gate: usize) -> usize {
        self.gates.slots as usize + gate
    }

    /// The instruction, if it has no place yet and nothing asks for its result so far,
    /// whose result can't be stored before `gate` has read the slot that it goes to.
    fn kept_waiting(&self, gate: usize, slot: u32) -> Option<usize> {
        let stored = (*self.stored.get(slot as usize)?)?;
        let is_new = !self.is_placed[stored] && self.asked[self.value(stored)].is_none();
        (is_new && stored != gate).then_some(stored)
    }

    /// The position of the one to place next.
    fn best(&self, ready: &[usize], now: usize) -> Option<usize> {
        let costs = ready.iter().map(|gate| self.cost(*gate, now));
        let best = costs.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        best.map(|(position, _)| position)
    }

    /// How many more values are wanted if this one is placed; what is asked for lately
    /// makes it less.
    fn cost(&self, gate: usize, now: usize) -> f32 {
        let near = |asked: usize| HALF / (HALF + (now - asked) as f32);
        let own = self.asked[self.value(gate)];
        let mut cost = own.map_or(0.0, |asked| -1.0 - near(asked));
        for operand in self.gates.gates[gate].operands() {
            cost += match self.asked[operand as usize] {
                Some(asked) => -near(asked),
                None if self.gates.gate_of(operand).is_some() => 1.0,
                None if self.kept_waiting(gate, operand).is_some() => SLOT + 1.0,
                None => SLOT,
            };
        }
        cost
    }

    fn place(&mut self, gate: usize, now: usize) {
        self.is_placed[gate] = true;
        for operand in self.gates.gates[gate].operands() {
            self.asked[operand as usize] = Some(now);
            if let Some(waiting) = self.kept_waiting(gate, operand) {
                let value = self.value(waiting);
                self.asked[value] = Some(now);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::gates::Op;
    use super::*;

    /// The most results that are there at the same time and still asked for.
    fn most_kept(gates: &Gates, order: &[usize]) -> usize {
        let users = gates.users();
        let mut left: Vec<usize> = users.iter().map(Vec::len).collect();
        let (mut kept, mut most) = (0, 0);
        for &gate in order {
            for before in gates.before(gate) {
                left[before] -= 1;
                kept -= usize::from(left[before] == 0);
            }
            kept += usize::from(left[gate] > 0);
            most = most.max(kept);
        }
        most
    }

    #[test]
    fn a_tree_keeps_one_value_for_each_level() {
        let levels = 8;
        let mut gates = Gates::new(1 << levels);
        // Level after level, as nobody should compute it.
        let mut values: Vec<u32> = (0..1 << levels).collect();
        while values.len() > 1 {
            let pairs = values.chunks(2);
            values = pairs
                .map(|pair| gates.push(Op::Xor, [pair[0], pair[1], 0]))
                .collect();
        }
        gates.store(values[0], 0);
        let order = order(&gates);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..gates.gates.len()));
        assert_eq!(most_kept(&gates, &order), levels);
        let as_pushed: Vec<usize> = (0..gates.gates.len()).collect();
        assert_eq!(most_kept(&gates, &as_pushed), 1 << (levels - 1));
    }
}
