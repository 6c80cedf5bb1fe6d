//! Computes choices between many values as an OR of ANDs, for instruction sets without a choice.
//!
//! A choice between two values takes three instructions there. A tree of choices between `n` values
//! takes `3 (n - 1)`. If exactly one of `n` conditions holds, an AND for each value and the ORs take
//! `2 n - 1`. The conditions are computed once for all bits of a word, so that this pays off for
//! words.

use super::{GateGraph, GateNode, Lit};
use std::collections::HashMap;

/// Tree of choices with a single user for each inner gate.
#[derive(Default)]
struct ChoiceTree {
    /// Shape: conditions in preorder, and the position of each leaf in `leaves`.
    shape: Vec<ShapeToken>,
    /// Different leaves.
    leaves: Vec<Lit>,
    /// Number of instructions of the tree.
    cost: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum ShapeToken {
    Condition(Lit),
    Leaf(usize),
    Constant(bool),
}

/// Returns the same functions with choices replaced where this saves instructions.
pub fn flatten_choices(graph: &GateGraph, roots: &[(Lit, u32)]) -> (GateGraph, Vec<(Lit, u32)>) {
    let used = graph.cone(roots.iter().map(|root| root.0));
    let mut trees = ChoiceTrees::new(graph, &used, roots);
    let by_node = trees.find(&used);
    let mut count: HashMap<&[ShapeToken], usize> = HashMap::new();
    for tree in by_node.values() {
        *count.entry(&tree.shape).or_default() += 1;
    }
    let mut new_graph = GateGraph::new();
    let mut new = vec![Lit::FALSE; graph.len()];
    for node in (0..graph.len()).filter(|node| used[*node]) {
        let of = |lit: Lit| new[lit.node()].xor(lit.is_inverted());
        let flat = by_node.get(&node).filter(|tree| tree.saves(count[tree.shape.as_slice()]));
        new[node] = match flat {
            Some(tree) => tree.build(&mut new_graph, of),
            None => new_graph.add_copy(graph.node(node), of),
        };
    }
    let moved = |&(lit, slot): &(Lit, u32)| (new[lit.node()].xor(lit.is_inverted()), slot);
    let roots = roots.iter().map(moved).collect();
    (new_graph, roots)
}

struct ChoiceTrees<'a> {
    graph: &'a GateGraph,
    /// Number of users by gate, including roots.
    users: Vec<usize>,
    /// Number of choices by their condition.
    chosen_by: Vec<usize>,
}

impl<'a> ChoiceTrees<'a> {
    fn new(graph: &'a GateGraph, used: &[bool], roots: &[(Lit, u32)]) -> Self {
        let mut users = vec![0; graph.len()];
        let mut chosen_by = vec![0; graph.len()];
        for node in (0..graph.len()).filter(|node| used[*node]) {
            graph.node(node).operands().for_each(|lit| users[lit.node()] += 1);
            if let GateNode::Mux { cond, .. } = graph.node(node) {
                chosen_by[cond.node()] += 1;
            }
        }
        roots.iter().for_each(|root| users[root.0.node()] += 1);
        ChoiceTrees { graph, users, chosen_by }
    }

    /// Returns the largest trees with at least two choices, by their gate.
    fn find(&mut self, used: &[bool]) -> HashMap<usize, ChoiceTree> {
        let mut inner = vec![false; self.graph.len()];
        let mut trees = HashMap::new();
        for node in (0..self.graph.len()).rev().filter(|node| used[*node]) {
            if inner[node] || !matches!(self.graph.node(node), GateNode::Mux { .. }) {
                continue;
            }
            let mut tree = ChoiceTree::default();
            self.collect(Lit::new(node), true, &mut tree, &mut inner);
            if tree.shape.len() > 3 {
                trees.insert(node, tree);
            }
        }
        trees
    }

    /// Adds a gate and the choices below it.
    fn collect(&self, lit: Lit, first: bool, tree: &mut ChoiceTree, inner: &mut [bool]) {
        let node = lit.node();
        let is_inner = first || self.users[node] == 1;
        let (cond, then, otherwise) = match self.graph.node(node) {
            GateNode::False => {
                tree.shape.push(ShapeToken::Constant(lit.is_inverted()));
                return;
            }
            GateNode::Mux { cond, then, otherwise } if is_inner => {
                tree.cost += 3;
                (cond, then, otherwise)
            }
            GateNode::And(a, b) if is_inner && self.selects(a, b) => {
                tree.cost += 1;
                (a, b, Lit::FALSE)
            }
            GateNode::And(b, a) if is_inner && self.selects(a, b) => {
                tree.cost += 1;
                (a, b, Lit::FALSE)
            }
            _ => {
                let position = tree.leaves.iter().position(|leaf| *leaf == lit);
                let position = position.unwrap_or_else(|| {
                    tree.leaves.push(lit);
                    tree.leaves.len() - 1
                });
                tree.shape.push(ShapeToken::Leaf(position));
                return;
            }
        };
        inner[node] = true;
        tree.shape.push(ShapeToken::Condition(cond));
        for arm in [then, otherwise] {
            self.collect(arm.xor(lit.is_inverted()), false, tree, inner);
        }
    }

    /// Returns true if `a` probably selects a bit of a word by `a & b`.
    fn selects(&self, a: Lit, b: Lit) -> bool {
        let choices = |lit: Lit| self.chosen_by[lit.node()];
        choices(a) >= MANY_CHOICES && choices(b) < choices(a)
    }
}

/// Number of choices from which a gate counts as the condition of a word.
const MANY_CHOICES: usize = 4;

impl ChoiceTree {
    /// Returns true if it pays off to replace all trees of this shape.
    fn saves(&self, count: usize) -> bool {
        let ones = self.shape.contains(&ShapeToken::Constant(true));
        let flat = (2 * self.leaves.len() + usize::from(ones)).saturating_sub(1);
        let choices = self.shape.iter().filter(|t| matches!(t, ShapeToken::Condition(_)));
        let leaves = self.shape.len() - choices.clone().count();
        let repeated = leaves - self.leaves.len();
        let conditions = 2 * (choices.count() - 1) + repeated;
        self.cost * count > flat * count + conditions
    }

    fn build(&self, graph: &mut GateGraph, of: impl Fn(Lit) -> Lit) -> Lit {
        let mut conditions = vec![Lit::FALSE; self.leaves.len()];
        let mut ones = Lit::FALSE;
        // Conditions of the arms to come, the next one last.
        let mut open = vec![Lit::TRUE];
        for token in &self.shape {
            let path = open.pop().expect("each choice opens two arms");
            match *token {
                ShapeToken::Condition(lit) => {
                    let otherwise = graph.and(path, !of(lit));
                    let then = graph.and(path, of(lit));
                    open.extend([otherwise, then]);
                }
                ShapeToken::Leaf(leaf) => conditions[leaf] = graph.or(conditions[leaf], path),
                ShapeToken::Constant(true) => ones = graph.or(ones, path),
                ShapeToken::Constant(false) => {}
            }
        }
        let mut value = ones;
        for (&leaf, condition) in self.leaves.iter().zip(conditions) {
            let term = graph.and(condition, of(leaf));
            value = graph.or(value, term);
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::super::{cover, GateSet};
    use super::*;

    /// Returns the values of literals for each of the 64 bits of the leaves' values.
    fn values(graph: &GateGraph, lits: &[Lit], leaves: impl Fn(u32) -> u64) -> Vec<u64> {
        let mut values: Vec<u64> = vec![];
        let of = |values: &[u64], lit: Lit| {
            values[lit.node()] ^ if lit.is_inverted() { u64::MAX } else { 0 }
        };
        for i in 0..graph.len() {
            let mut operands = [0; 3];
            for (operand, lit) in operands.iter_mut().zip(graph.node(i).operands()) {
                *operand = of(&values, lit);
            }
            values.push(match graph.node(i) {
                GateNode::False => 0,
                GateNode::Leaf(slot) => leaves(slot),
                node => node.result(operands).unwrap(),
            });
        }
        lits.iter().map(|lit| of(&values, *lit)).collect()
    }

    /// A word of 16 bits chosen from seven words by four conditions, with a repeated word, a
    /// constant, an inverted word, and words that a condition clears or sets.
    fn word() -> (GateGraph, Vec<(Lit, u32)>) {
        let mut graph = GateGraph::new();
        let conditions: Vec<Lit> = (0..4).map(|slot| graph.leaf(slot)).collect();
        let mut roots = vec![];
        for bit in 0..16 {
            let leaves: Vec<Lit> = (0..5).map(|word| graph.leaf(4 + 16 * word + bit)).collect();
            let cleared = graph.and(conditions[3], leaves[4]);
            let set = graph.or(conditions[0], leaves[4]);
            let mut value = graph.mux(conditions[0], leaves[0], leaves[1]);
            value = graph.mux(conditions[1], !leaves[2], value);
            value = graph.mux(conditions[2], leaves[0], !value);
            value = graph.mux(conditions[3], leaves[3], value);
            let other = graph.mux(conditions[1], cleared, set);
            value = graph.mux(conditions[0], value, other);
            roots.push((value.xor(bit % 2 == 1), bit));
        }
        (graph, roots)
    }

    /// Claim: the functions remain, and the word takes fewer instructions.
    #[test]
    fn a_chosen_word_keeps_its_value_in_fewer_instructions() {
        let (graph, roots) = word();
        let (flat, flat_roots) = flatten_choices(&graph, &roots);
        let mut state = 1u64;
        let leaves: Vec<u64> = (0..100)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                state ^ state >> 29
            })
            .collect();
        let lits = |roots: &[(Lit, u32)]| roots.iter().map(|root| root.0).collect::<Vec<_>>();
        let leaf = |slot: u32| leaves[slot as usize];
        assert_eq!(values(&graph, &lits(&roots), leaf), values(&flat, &lits(&flat_roots), leaf));
        let count = |graph, roots: &[_]| {
            super::super::cover::cover(graph, 100, roots, GateSet::Pairs).gates.len()
        };
        let (before, after) = (count(&graph, &roots), count(&flat, &flat_roots));
        assert!(after * 10 < before * 9, "{before} instructions, then {after}");
        assert_eq!(cover(&graph, 100, &roots, GateSet::Pairs).gates.len(), after);
    }
}
