//! Schedules the computation of each gate and the store to each slot.

use super::gates::{Gate, GateList};
use super::order::order;

/// Step of a schedule. Values are numbered as in [`GateList`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ScheduleStep {
    /// Computes a value.
    Compute { value: u32, gate: Gate },
    /// Stores a value in a slot. No later step uses the old value of the slot.
    Store { value: u32, slot: u32 },
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
