//! Orders the gates so that few registers are needed.

use super::gates::{Gate, GateList};

/// Cost of an operand in a slot, which does not occupy a register all the time. Another pending
/// value costs 1.
const SLOT_COST: f32 = 0.3;

/// Number of steps after which the weight of a recent use is halved.
const USE_HALF_LIFE: f32 = 40.0;

/// Orders the instructions so that few values are live at once and live values are used again soon.
/// Operands come before their users.
///
/// The order is built from its end. A value is pending if a placed instruction uses it and its own
/// instruction is not placed yet. Candidates are the instructions whose users are all placed. The
/// candidate that adds the fewest pending values comes next (the idea of Sethi and Ullman's
/// numbers, for gates with many users). Among equals, the candidate whose operands are used nearby
/// wins.
pub fn order(gates: &GateList) -> Vec<usize> {
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
    gates: &'a GateList,
    /// By slot: the instruction whose result is stored there.
    stored: Vec<Option<usize>>,
    is_placed: Vec<bool>,
    /// By value: the step of its most recent use, or `None` if it is not pending.
    last_use: Vec<Option<usize>>,
}

impl<'a> Order<'a> {
    fn new(gates: &'a GateList) -> Self {
        let (slots, count) = (gates.slots as usize, gates.gates.len());
        let mut stored = vec![None; slots];
        for &(value, slot) in &gates.roots {
            stored[slot as usize] = gates.gate_of(value);
        }
        Order { gates, stored, is_placed: vec![false; count], last_use: vec![None; slots + count] }
    }

    fn value(&self, gate: usize) -> usize {
        self.gates.slots as usize + gate
    }

    /// Returns the instruction whose result goes to `slot`, if it must wait until `gate` has read
    /// the slot. An instruction that is already placed or pending does not count.
    fn delayed_store(&self, gate: usize, slot: u32) -> Option<usize> {
        let stored = (*self.stored.get(slot as usize)?)?;
        let is_new = !self.is_placed[stored] && self.last_use[self.value(stored)].is_none();
        (is_new && stored != gate).then_some(stored)
    }

    /// Returns the position in `ready` of the instruction to place next.
    fn best(&self, ready: &[usize], now: usize) -> Option<usize> {
        let costs = ready.iter().map(|gate| self.cost(*gate, now));
        let best = costs.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        best.map(|(position, _)| position)
    }

    /// Returns the number of values that become pending if this instruction is placed. Recent uses
    /// reduce it.
    fn cost(&self, gate: usize, now: usize) -> f32 {
        let near = |requested: usize| USE_HALF_LIFE / (USE_HALF_LIFE + (now - requested) as f32);
        let own = self.last_use[self.value(gate)];
        let mut cost = own.map_or(0.0, |requested| -1.0 - near(requested));
        for operand in self.gates.gates[gate].operands() {
            cost += match self.last_use[operand as usize] {
                Some(requested) => -near(requested),
                None if self.gates.gate_of(operand).is_some() => 1.0,
                None if self.delayed_store(gate, operand).is_some() => SLOT_COST + 1.0,
                None => SLOT_COST,
            };
        }
        cost
    }

    fn place(&mut self, gate: usize, now: usize) {
        self.is_placed[gate] = true;
        for operand in self.gates.gates[gate].operands() {
            self.last_use[operand as usize] = Some(now);
            if let Some(waiting) = self.delayed_store(gate, operand) {
                let value = self.value(waiting);
                self.last_use[value] = Some(now);
            }
        }
    }
}

// Schedules the computation of each gate and the store to each slot.

/// Step of a schedule. Values are numbered as in [`GateList`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ScheduleStep {
    Compute {
        value: u32,
        gate: Gate,
    },
    /// Stores a value in a slot. No later step uses the old value of the slot.
    Store {
        value: u32,
        slot: u32,
    },
}

/// Orders the instructions. Each slot is stored after the last use of its old value.
pub fn schedule(gates: &GateList) -> Vec<ScheduleStep> {
    let order = order(gates);
    let mut last_use = vec![0; gates.slots as usize];
    let mut computed = vec![0; gates.gates.len()];
    for (position, &gate) in order.iter().enumerate() {
        computed[gate] = position;
        for &arg in gates.gates[gate].args() {
            if gates.gate_of(arg).is_none() {
                last_use[arg as usize] = position;
            }
        }
    }
    let mut stores: Vec<Vec<(u32, u32)>> = vec![vec![]; order.len()];
    for &(value, slot) in &gates.roots {
        let gate = gates.gate_of(value).expect("a root is a result");
        let position = computed[gate].max(last_use[slot as usize]);
        stores[position].push((value, slot));
    }
    let mut steps = vec![];
    for (&gate, mut stores) in order.iter().zip(stores) {
        let value = gates.slots + gate as u32;
        let gate = gates.gates[gate];
        steps.push(ScheduleStep::Compute { value, gate });
        stores.sort_by_key(|store| store.0 != value);
        let stores = stores.into_iter();
        steps.extend(stores.map(|(value, slot)| ScheduleStep::Store { value, slot }));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::super::gates::GateOp;
    use super::*;

    /// Returns the largest number of results that are live at once.
    fn max_live_values(gates: &GateList, order: &[usize]) -> usize {
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
    fn a_tree_needs_one_live_value_per_level() {
        let levels = 8;
        let mut gates = GateList::new(1 << levels);
        // Level by level is the order that keeps the most values.
        let mut values: Vec<u32> = (0..1 << levels).collect();
        while values.len() > 1 {
            let pairs = values.chunks(2);
            values = pairs.map(|pair| gates.push(GateOp::Xor, [pair[0], pair[1], 0])).collect();
        }
        gates.store(values[0], 0);
        let order = order(&gates);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..gates.gates.len()));
        assert_eq!(max_live_values(&gates, &order), levels);
        let as_pushed: Vec<usize> = (0..gates.gates.len()).collect();
        assert_eq!(max_live_values(&gates, &as_pushed), 1 << (levels - 1));
    }
}
