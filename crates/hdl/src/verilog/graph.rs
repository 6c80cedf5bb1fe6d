//! Directed graphs as lists of successors.

/// Returns the number of the strongly connected component of each node (Tarjan).
pub fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = edges.len();
    let mut order = vec![NONE; count];
    let mut low = vec![0; count];
    let mut component = vec![NONE; count];
    let mut stack = Vec::new();
    let (mut clock, mut found) = (0, 0);
    for root in 0..count {
        if order[root] != NONE {
            continue;
        }
        // Nodes being visited, with the number of edges followed so far.
        let mut visits = vec![(root, 0)];
        while let Some(visit) = visits.last_mut() {
            let node = visit.0;
            if visit.1 == 0 {
                order[node] = clock;
                low[node] = clock;
                clock += 1;
                stack.push(node);
            }
            if let Some(&next) = edges[node].get(visit.1) {
                visit.1 += 1;
                if order[next] == NONE {
                    visits.push((next, 0));
                } else if component[next] == NONE {
                    low[node] = low[node].min(order[next]);
                }
                continue;
            }
            visits.pop();
            if let Some(&(parent, _)) = visits.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = stack.pop() {
                    component[member] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

/// Returns for each node whether it can be reached from `from`.
pub fn reachable(edges: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            open.extend(&edges[node]);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_one_component() {
        // 0 -> 1 -> 2 -> 1, 2 -> 3
        let edges = vec![vec![1], vec![2], vec![1, 3], vec![]];
        let component = components(&edges);
        assert_eq!(component[1], component[2]);
        assert_ne!(component[0], component[1]);
        assert_ne!(component[3], component[1]);
        assert_eq!(reachable(&edges, 1), [false, true, true, true]);
    }
}
