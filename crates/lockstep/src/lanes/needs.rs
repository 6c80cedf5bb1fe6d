//! When it matters what a memory has read.
//!
//! A memory reads at every clock edge, but few circuits look at what comes out in
//! every clock cycle: they take it in some state, and the rest of the time it goes
//! no further than a multiplexer. The condition that it goes further is found here,
//! as far as it is one of registers, as what holds after the clock edge.

use super::gates::{Graph, Lit, Node};
use std::collections::HashMap;

/// Registers that a condition may depend on: it must be simpler to compute than what
/// it saves.
const REGISTERS: usize = 12;

/// Gates that a condition may take before it is given up.
const GATES: usize = 2_000;

/// What tells, before a clock edge, whether something depends on `leaves` after it:
/// where it is false no root does. `next` is what registers become, by the slot
/// that they are in.
pub fn needed(graph: &mut Graph, leaves: &[Lit], roots: &[Lit], next: &HashMap<u32, Lit>) -> Lit {
    let end = graph.len();
    let controls = controls(graph, next);
    let dependent = graph.dependent(leaves);
    // By gate: the condition under which a root depends on it.
    let mut seen = vec![Lit::FALSE; end];
    for root in roots {
        seen[root.node()] = Lit::TRUE;
    }
    for i in (0..end).rev().filter(|i| dependent[*i]) {
        let node = graph.node(i);
        for operand in node.operands() {
            if graph.len() > end + GATES {
                return Lit::TRUE;
            }
            let open = match node {
                Node::And(a, b) if operand == a => b,
                Node::And(a, _) => a,
                Node::Mux { cond, then, .. } if operand == then && operand != cond => cond,
                Node::Mux {
                    cond, otherwise, ..
                } if operand == otherwise && operand != cond => !cond,
                _ => Lit::TRUE,
            };
            let open = match dependent[open.node()] || !controls[open.node()] {
                true => Lit::TRUE,
                false => open,
            };
            let here = graph.and(seen[i], open);
            seen[operand.node()] = graph.or(seen[operand.node()], here);
        }
    }
    let now = leaves
        .iter()
        .fold(Lit::FALSE, |any, leaf| graph.or(any, seen[leaf.node()]));
    graph.substituted(now, next)
}

/// The gates that depend on few registers and nothing else.
fn controls(graph: &Graph, next: &HashMap<u32, Lit>) -> Vec<bool> {
    let mut of_gates: Vec<Option<Vec<u32>>> = vec![];
    for i in 0..graph.len() {
        let node = graph.node(i);
        let mut slots = match node {
            Node::Leaf(slot) => next.contains_key(&slot).then(|| vec![slot]),
            _ => Some(vec![]),
        };
        for operand in node.operands() {
            slots = match (slots, &of_gates[operand.node()]) {
                (Some(mut slots), Some(more)) => {
                    slots.extend(more);
                    slots.sort_unstable();
                    slots.dedup();
                    (slots.len() <= REGISTERS).then_some(slots)
                }
                _ => None,
            };
        }
        of_gates.push(slots);
    }
    of_gates.iter().map(Option::is_some).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_masked_in_the_next_clock_cycle_is_not_needed() {
        let mut graph = Graph::new();
        let [data, busy, held, start] = [0, 1, 2, 3].map(|slot| graph.leaf(slot));
        // A register takes the data while another one is set.
        let taken = graph.mux(busy, data, held);
        let next = HashMap::from([(1, !start), (2, taken)]);
        let roots = [taken, !start];
        assert_eq!(needed(&mut graph, &[data], &roots, &next), !start);
        // An input may be anything after the edge.
        let passed = graph.and(data, start);
        let roots = [taken, passed];
        assert_eq!(needed(&mut graph, &[data], &roots, &next), Lit::TRUE);
    }
}
