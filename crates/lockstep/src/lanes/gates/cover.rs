//! Covers the graph with few functions of three operands. Cuts of up to three gates are listed for
//! every gate. The first choice is the cut with the least area flow. Refinement then picks the cut
//! that adds the least area.

use super::{GateGraph, GateList, GateNode, GateOp, Lit};
use std::collections::HashMap;

/// Number of cuts kept for each gate.
const CUTS_PER_GATE: usize = 8;

/// Number of refinement rounds.
const REFINEMENT_ROUNDS: usize = 3;

/// Values of the first, second and third variable in all eight cases.
const VARIABLES: [u8; 3] = [0xF0, 0xCC, 0xAA];

/// Function of up to three gates.
#[derive(Clone, Copy, PartialEq, Debug)]
struct LutCut {
    leaves: [u32; 3],
    size: usize,
    table: u8,
    /// Number of instructions, divided among all users.
    flow: f32,
}

/// Computes the roots with three-operand instructions. Each root comes with its destination slot.
pub fn cover(graph: &GateGraph, slots: u32, roots: &[(Lit, u32)]) -> GateList {
    let used = graph.cone(roots.iter().map(|r| r.0));
    let mut cover = LutCover::new(graph, &used, roots);
    for _ in 0..REFINEMENT_ROUNDS {
        cover.refine();
    }
    cover.gates(slots, roots)
}

impl LutCut {
    fn leaves(&self) -> &[u32] {
        &self.leaves[..self.size]
    }

    fn trivial(node: usize) -> Self {
        LutCut {
            leaves: [node as u32; 3],
            size: 1,
            table: VARIABLES[0],
            flow: 0.0,
        }
    }

    /// Returns the truth table over the leaves of a larger cut.
    fn table_over(&self, leaves: &[u32]) -> u8 {
        let mut inputs = [0; 3];
        for (input, leaf) in inputs.iter_mut().zip(self.leaves()) {
            let place = leaves.iter().position(|l| l == leaf);
            *input = VARIABLES[place.expect("a leaf of the larger cut")];
        }
        compose(self.table, inputs)
    }

    /// Removes leaves that do not affect the result.
    fn without_unused_leaves(mut self) -> Self {
        for i in (0..self.size).rev() {
            let mut inputs = VARIABLES;
            inputs[i] = !inputs[i];
            if compose(self.table, inputs) != self.table {
                continue;
            }
            let mut rest = vec![];
            for (j, leaf) in self.leaves().iter().enumerate() {
                if j != i {
                    rest.push(*leaf);
                }
            }
            let mut inputs = [0; 3];
            for (j, leaf) in self.leaves().iter().enumerate() {
                let place = rest.iter().position(|l| l == leaf);
                inputs[j] = place.map_or(0, |place| VARIABLES[place]);
            }
            self.table = compose(self.table, inputs);
            self.size = rest.len();
            self.leaves[..rest.len()].copy_from_slice(&rest);
        }
        self
    }
}

/// Returns the truth table of `table` applied to three functions.
fn compose(table: u8, [a, b, c]: [u8; 3]) -> u8 {
    let mut value = 0;
    for case in 0..8 {
        let bit = |function: u8| function >> case & 1;
        let index = bit(a) << 2 | bit(b) << 1 | bit(c);
        value |= (table >> index & 1) << case;
    }
    value
}

/// Returns the truth table with each argument moved to the position returned by `place`.
pub fn permuted(table: u8, args: &[u32], place: impl Fn(u32) -> usize) -> u8 {
    let mut inputs = [0; 3];
    for (input, &arg) in inputs.iter_mut().zip(args) {
        *input = VARIABLES[place(arg)];
    }
    compose(table, inputs)
}

struct LutCover<'a> {
    graph: &'a GateGraph,
    /// Gates to compute, in order.
    order: Vec<usize>,
    cuts: Vec<Vec<LutCut>>,
    /// Position of the chosen cut, by gate.
    chosen: Vec<usize>,
    /// Number of users of each gate among the chosen cuts and the roots.
    users: Vec<u32>,
}

fn is_computed(node: GateNode) -> bool {
    !matches!(node, GateNode::False | GateNode::Leaf(_))
}

impl<'a> LutCover<'a> {
    fn new(graph: &'a GateGraph, used: &[bool], roots: &[(Lit, u32)]) -> Self {
        let mut fanout = vec![0u32; graph.len()];
        for (root, _) in roots {
            fanout[root.node()] += 1;
        }
        let in_cone = (0..graph.len()).filter(|&i| used[i]);
        for operand in in_cone.clone().flat_map(|i| graph.node(i).operands()) {
            fanout[operand.node()] += 1;
        }
        let mut cover = LutCover {
            graph,
            order: in_cone.filter(|&i| is_computed(graph.node(i))).collect(),
            cuts: vec![vec![]; graph.len()],
            chosen: vec![0; graph.len()],
            users: vec![0; graph.len()],
        };
        let mut flows = vec![0.0; graph.len()];
        for &node in &cover.order.clone() {
            cover.cuts[node] = cover.enumerate_cuts(node, fanout[node], &flows);
            flows[node] = cover.cuts[node][0].flow;
        }
        for (root, _) in roots {
            cover.add_user(root.node());
        }
        cover
    }

    /// Returns the cuts of a gate, the best first.
    fn enumerate_cuts(&self, node: usize, fanout: u32, flows: &[f32]) -> Vec<LutCut> {
        let with_own = |lit: Lit| {
            let own = LutCut::trivial(lit.node());
            let invert = lit.is_inverted();
            let cuts = self.cuts[lit.node()].iter().copied().chain([own]);
            cuts.map(move |cut| (cut, invert)).collect::<Vec<_>>()
        };
        let operands: Vec<Lit> = self.graph.node(node).operands().collect();
        let lists: Vec<Vec<(LutCut, bool)>> = operands.iter().map(|lit| with_own(*lit)).collect();
        let mut found: Vec<LutCut> = vec![];
        let mut add = |parts: &[(LutCut, bool)]| {
            let Some(mut cut) = self.join(node, parts) else {
                return;
            };
            if found.iter().any(|f| f.leaves() == cut.leaves()) {
                return;
            }
            let before: f32 = cut.leaves().iter().map(|l| flows[*l as usize]).sum();
            cut.flow = (1.0 + before) / fanout.max(1) as f32;
            found.push(cut);
        };
        for &a in &lists[0] {
            for &b in &lists[1] {
                match lists.get(2) {
                    None => add(&[a, b]),
                    Some(list) => list.iter().for_each(|&c| add(&[a, b, c])),
                }
            }
        }
        found.sort_by(|a, b| a.flow.total_cmp(&b.flow).then(a.size.cmp(&b.size)));
        found.truncate(CUTS_PER_GATE);
        found
    }

    /// Returns the cut of a gate that combines cuts of its operands, unless it has too many leaves.
    fn join(&self, node: usize, parts: &[(LutCut, bool)]) -> Option<LutCut> {
        let (mut leaves, mut size) = ([0; 3], 0);
        for leaf in parts.iter().flat_map(|(cut, _)| cut.leaves()) {
            if !leaves[..size].contains(leaf) {
                *leaves.get_mut(size)? = *leaf;
                size += 1;
            }
        }
        leaves[..size].sort_unstable();
        let mut tables = [0; 3];
        for (table, (cut, invert)) in tables.iter_mut().zip(parts) {
            *table = cut.table_over(&leaves[..size]) ^ if *invert { 0xFF } else { 0 };
        }
        let cut = LutCut {
            leaves,
            size,
            table: self.graph.node(node).result(tables)?,
            flow: 0.0,
        };
        Some(cut.without_unused_leaves())
    }

    fn cut(&self, node: usize) -> LutCut {
        self.cuts[node][self.chosen[node]]
    }

    /// Adds one user of a gate. Returns the number of instructions that this adds.
    fn add_user(&mut self, node: usize) -> u32 {
        let mut added = 0;
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            self.users[node] += 1;
            if self.users[node] == 1 && is_computed(self.graph.node(node)) {
                added += 1;
                open.extend(self.cut(node).leaves().iter().map(|l| *l as usize));
            }
        }
        added
    }

    /// Undoes [`Self::add_user`].
    fn remove_user(&mut self, node: usize) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            self.users[node] -= 1;
            if self.users[node] == 0 && is_computed(self.graph.node(node)) {
                open.extend(self.cut(node).leaves().iter().map(|l| *l as usize));
            }
        }
    }

    fn add_leaf_users(&mut self, node: usize) -> u32 {
        let cut = self.cut(node);
        let leaves = cut.leaves().iter();
        leaves.map(|leaf| self.add_user(*leaf as usize)).sum()
    }

    fn remove_leaf_users(&mut self, node: usize) {
        let cut = self.cut(node);
        for leaf in cut.leaves() {
            self.remove_user(*leaf as usize);
        }
    }

    /// Chooses for each used gate the cut that adds the fewest instructions.
    fn refine(&mut self) {
        for node in self.order.clone() {
            if self.users[node] == 0 {
                continue;
            }
            self.remove_leaf_users(node);
            let mut best = (u32::MAX, self.chosen[node]);
            for i in 0..self.cuts[node].len() {
                self.chosen[node] = i;
                let added = self.add_leaf_users(node);
                self.remove_leaf_users(node);
                best = best.min((added, i));
            }
            self.chosen[node] = best.1;
            self.add_leaf_users(node);
        }
    }

    fn gates(&self, slots: u32, roots: &[(Lit, u32)]) -> GateList {
        let mut gates = GateList::new(slots);
        // A gate that only inverted roots use is computed inverted.
        let mut wanted = vec![[false; 2]; self.graph.len()];
        for (root, _) in roots {
            wanted[root.node()][usize::from(root.is_inverted())] = true;
        }
        let inverted = |node: u32| {
            is_computed(self.graph.node(node as usize)) && wanted[node as usize] == [false, true]
        };
        let mut values = vec![0; self.graph.len()];
        for (i, value) in values.iter_mut().enumerate() {
            if let GateNode::Leaf(slot) = self.graph.node(i) {
                *value = slot;
            }
        }
        for &node in self.order.iter().filter(|i| self.users[**i] > 0) {
            let cut = self.cut(node);
            let mut inputs = VARIABLES;
            let mut args = [values[cut.leaves[0] as usize]; 3];
            for (i, leaf) in cut.leaves().iter().enumerate() {
                args[i] = values[*leaf as usize];
                inputs[i] ^= if inverted(*leaf) { 0xFF } else { 0 };
            }
            let mut table = compose(cut.table, inputs);
            table ^= if inverted(node as u32) { 0xFF } else { 0 };
            let op = operation(table, cut.size);
            if table == VARIABLES[1] & !VARIABLES[0] && cut.size == 2 {
                args.swap(0, 1);
            }
            values[node] = gates.push(op, args);
        }
        let mut inverses = vec![None; self.graph.len()];
        let mut zero = None;
        for &(lit, slot) in roots {
            let node = lit.node();
            if node == Lit::FALSE.node() {
                let zero = *zero.get_or_insert_with(|| gates.push(GateOp::Zero, [0; 3]));
                values[node] = zero;
            }
            let value = match lit.is_inverted() != inverted(node as u32) {
                false => values[node],
                true => *inverses[node]
                    .get_or_insert_with(|| gates.push(GateOp::Not, [values[node]; 3])),
            };
            gates.store(value, slot);
        }
        gates
    }
}

fn operation(table: u8, size: usize) -> GateOp {
    let [a, b, _] = VARIABLES;
    match table {
        _ if size != 2 => GateOp::Lut(table),
        _ if table == a & b => GateOp::And,
        _ if table == a & !b || table == b & !a => GateOp::AndNot,
        _ if table == a | b => GateOp::Or,
        _ if table == a ^ b => GateOp::Xor,
        _ => GateOp::Lut(table),
    }
}

/// Computes the roots with two-operand instructions. Each root comes with its destination slot. A
/// value may be the inverse of its gate where this saves an instruction.
pub fn cover_pairs(graph: &GateGraph, slots: u32, roots: &[(Lit, u32)]) -> GateList {
    let used = graph.cone(roots.iter().map(|r| r.0));
    let mut cover = PairCover {
        gates: GateList::new(slots),
        values: vec![(0, false); graph.len()],
        known: HashMap::new(),
    };
    for (i, _) in used.iter().enumerate().filter(|(_, used)| **used) {
        cover.values[i] = cover.node(graph.node(i));
    }
    for &(lit, slot) in roots {
        let value = match cover.value(lit) {
            (value, false) => value,
            (value, true) => cover.gate(GateOp::Not, value, value),
        };
        cover.gates.store(value, slot);
    }
    cover.gates
}

/// Value, and whether it is the inverse of the intended one.
type PolarValue = (u32, bool);

struct PairCover {
    gates: GateList,
    /// By gate of the graph.
    values: Vec<PolarValue>,
    known: HashMap<(GateOp, u32, u32), u32>,
}

impl PairCover {
    fn value(&self, lit: Lit) -> PolarValue {
        let (value, inverted) = self.values[lit.node()];
        (value, inverted != lit.is_inverted())
    }

    fn gate(&mut self, op: GateOp, a: u32, b: u32) -> u32 {
        // Different gates of the graph may share a value.
        let (op, a, b) = match op {
            GateOp::And | GateOp::Or if a == b => return a,
            GateOp::AndNot | GateOp::Xor if a == b => (GateOp::Zero, 0, 0),
            _ => (op, a, b),
        };
        let gates = &mut self.gates;
        let make = || gates.push(op, [a, b, a]);
        *self.known.entry((op, a, b)).or_insert_with(make)
    }

    fn node(&mut self, node: GateNode) -> PolarValue {
        match node {
            GateNode::False => (self.gate(GateOp::Zero, 0, 0), false),
            GateNode::Leaf(slot) => (slot, false),
            GateNode::And(a, b) => self.and(self.value(a), self.value(b)),
            GateNode::Xor(a, b) => self.xor(self.value(a), self.value(b)),
            GateNode::Mux {
                cond,
                then,
                otherwise,
            } => {
                let otherwise = self.value(otherwise);
                let differ = self.xor(self.value(then), otherwise);
                let change = self.and(self.value(cond), differ);
                self.xor(otherwise, change)
            }
        }
    }

    fn and(&mut self, a: PolarValue, b: PolarValue) -> PolarValue {
        match (a, b) {
            ((a, false), (b, false)) => (self.gate(GateOp::And, a, b), false),
            ((a, false), (b, true)) => (self.gate(GateOp::AndNot, a, b), false),
            ((a, true), (b, false)) => (self.gate(GateOp::AndNot, b, a), false),
            ((a, true), (b, true)) => (self.gate(GateOp::Or, a, b), true),
        }
    }

    fn xor(&mut self, a: PolarValue, b: PolarValue) -> PolarValue {
        (self.gate(GateOp::Xor, a.0, b.0), a.1 != b.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_adder_is_two_instructions() {
        let mut graph = GateGraph::new();
        let [a, b, c] = [0, 1, 2].map(|slot| graph.leaf(slot));
        let differ = graph.xor(a, b);
        let sum = graph.xor(differ, c);
        let carry = graph.mux(differ, c, a);
        let gates = cover(&graph, 3, &[(sum, 0), (!carry, 1)]);
        let ops: Vec<GateOp> = gates.gates.iter().map(|g| g.op).collect();
        let majority = 0b1110_1000u8;
        assert_eq!(ops.len(), 2);
        assert!(
            ops.contains(&GateOp::Lut(0x96)) && ops.contains(&GateOp::Lut(!majority)),
            "{ops:?}"
        );
    }

    #[test]
    fn tables_compose() {
        let [a, b, c] = VARIABLES;
        assert_eq!(compose(a & b, [b, c, 0]), b & c);
        assert_eq!(compose(0x96, [a, a, c]), c);
    }
}
