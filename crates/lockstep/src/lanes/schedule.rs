use super::gates::{Gate, Gates};

/// What is done, in order. Values are numbered as in [`Gates`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Step {
    /// Computes a value.
    Compute { value: u32, gate: Gate },
    /// Puts a value into a slot that is not looked at from then on, but for
    /// the value itself.
    Store { value: u32, slot: u32 },
}

/// Puts instructions into an order in which each slot is stored when nothing
/// asks for its old value any more, results are used soon, and few are held back
/// because their slot is still in use.
pub fn schedule(gates: &Gates) -> Vec<Step> {
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
        steps.push(Step::Compute { value, gate });
        stores.sort_by_key(|store| store.0 != value);
        let stores = stores.into_iter();
        steps.extend(stores.map(|(value, slot)| Step::Store { value, slot }));
    }
    steps
}

fn order(gates: &Gates) -> Vec<usize> {
    by_root(gates).into_iter().flatten().collect()
}

/// The instructions depth first, by root: for each those that are not there yet.
/// A root whose slot others look at comes after those, unless they go round in a
/// circle.
pub fn by_root(gates: &Gates) -> Vec<Vec<usize>> {
    let mut root_of_slot = vec![None; gates.slots as usize];
    for (root, &(_, slot)) in gates.roots.iter().enumerate() {
        root_of_slot[slot as usize] = Some(root);
    }
    // For each root, those that look at its slot.
    let mut readers: Vec<Vec<usize>> = vec![vec![]; gates.roots.len()];
    let mut seen = vec![usize::MAX; gates.slots as usize + gates.gates.len()];
    for (root, &(value, _)) in gates.roots.iter().enumerate() {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if std::mem::replace(&mut seen[value as usize], root) == root {
                continue;
            }
            match gates.gate_of(value) {
                Some(gate) => open.extend(gates.gates[gate].args()),
                None => {
                    if let Some(owner) = root_of_slot[value as usize].filter(|o| *o != root) {
                        readers[owner].push(root);
                    }
                }
            }
        }
    }
    let mut placed = vec![false; gates.gates.len()];
    let of_root = |root: usize| {
        let mut order = vec![];
        place(gates, gates.roots[root].0, &mut placed, &mut order);
        order
    };
    readers_first(&readers).into_iter().map(of_root).collect()
}

/// The roots, readers before what they read where that is possible.
fn readers_first(readers: &[Vec<usize>]) -> Vec<usize> {
    let mut visited = vec![false; readers.len()];
    let mut order = vec![];
    for root in 0..readers.len() {
        let mut path = vec![(root, 0)];
        if std::mem::replace(&mut visited[root], true) {
            continue;
        }
        while let Some((root, next)) = path.last_mut() {
            match readers[*root].get(*next) {
                Some(&reader) => {
                    *next += 1;
                    if !std::mem::replace(&mut visited[reader], true) {
                        path.push((reader, 0));
                    }
                }
                None => {
                    order.push(*root);
                    path.pop();
                }
            }
        }
    }
    order
}

/// Appends what a value needs, operands before users.
fn place(gates: &Gates, value: u32, placed: &mut [bool], order: &mut Vec<usize>) {
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
