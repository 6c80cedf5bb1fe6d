//! Orders the instructions with few changes from one kind to another.

use super::super::gates::GateList;
use super::activity_classes::ActivityClasses;

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
        let possible = possible.map(|kind| ClassRun {
            kind,
            gates: run(kind),
        });
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
