//! Order of the instructions before their activity is known.

use super::super::gates::GateList;

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
