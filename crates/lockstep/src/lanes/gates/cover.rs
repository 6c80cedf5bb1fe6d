//! Covers the graph with few instructions. Functions of up to three operands are listed for every
//! gate (cuts). The first choice is the cut with the least area flow. Refinement then picks the cut
//! that adds the fewest instructions.

use super::recipes::{compose, Recipes, VARIABLES};
use super::{GateGraph, GateList, GateNode, GateOp, GateSet, Lit};
use std::collections::HashMap;

/// Number of cuts kept for each gate.
const CUTS_PER_GATE: usize = 8;

const REFINEMENT_ROUNDS: usize = 3;

/// Function of up to three gates.
#[derive(Clone, Copy, PartialEq, Debug)]
struct LutCut {
    leaves: [u32; 3],
    size: usize,
    table: u8,
    /// Number of instructions, divided among all users.
    flow: f32,
}

/// Computes the roots. Each root comes with its destination slot.
pub fn cover(graph: &GateGraph, slots: u32, roots: &[(Lit, u32)], set: GateSet) -> GateList {
    let used = graph.cone(roots.iter().map(|r| r.0));
    let mut cover = LutCover::new(graph, &used, roots, set);
    for _ in 0..REFINEMENT_ROUNDS {
        cover.refine();
    }
    match set {
        GateSet::Luts => cover.luts(slots, roots),
        _ => cover.recipes(slots, roots, Recipes::of(set)),
    }
}

impl LutCut {
    fn leaves(&self) -> &[u32] {
        &self.leaves[..self.size]
    }

    fn trivial(node: usize) -> Self {
        LutCut { leaves: [node as u32; 3], size: 1, table: VARIABLES[0], flow: 0.0 }
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

struct LutCover<'a> {
    graph: &'a GateGraph,
    /// Number of instructions by truth table, or `None` for a function to avoid.
    costs: Vec<Option<u32>>,
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
    fn new(graph: &'a GateGraph, used: &[bool], roots: &[(Lit, u32)], set: GateSet) -> Self {
        let cost = |table| match set {
            GateSet::Luts => Some(1),
            _ => Recipes::of(set).cost(table),
        };
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
            costs: (0..=u8::MAX).map(cost).collect(),
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
            let Some(cost) = self.costs[usize::from(cut.table)] else {
                return;
            };
            let before: f32 = cut.leaves().iter().map(|l| flows[*l as usize]).sum();
            cut.flow = (cost as f32 + before) / fanout.max(1) as f32;
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
        let cut = LutCut { leaves, size, table: self.graph.node(node).result(tables)?, flow: 0.0 };
        Some(cut.without_unused_leaves())
    }

    fn cut(&self, node: usize) -> LutCut {
        self.cuts[node][self.chosen[node]]
    }

    /// Returns the number of instructions of the chosen cut.
    fn cost(&self, node: usize) -> u32 {
        self.costs[usize::from(self.cut(node).table)].expect("other cuts are not listed")
    }

    /// Adds one user of a gate. Returns the number of instructions that this adds.
    fn add_user(&mut self, node: usize) -> u32 {
        let mut added = 0;
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            self.users[node] += 1;
            if self.users[node] == 1 && is_computed(self.graph.node(node)) {
                added += self.cost(node);
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
                let added = self.cost(node) + self.add_leaf_users(node);
                self.remove_leaf_users(node);
                best = best.min((added, i));
            }
            self.chosen[node] = best.1;
            self.add_leaf_users(node);
        }
    }

    /// Returns by gate whether all roots need its inverse.
    fn inverted(&self, roots: &[(Lit, u32)]) -> Vec<bool> {
        let mut wanted = vec![[false; 2]; self.graph.len()];
        for (root, _) in roots {
            wanted[root.node()][usize::from(root.is_inverted())] = true;
        }
        let inverted =
            |(node, wanted)| is_computed(self.graph.node(node)) && wanted == [false, true];
        wanted.into_iter().enumerate().map(inverted).collect()
    }

    /// Returns instructions that compute any function of three operands.
    fn luts(&self, slots: u32, roots: &[(Lit, u32)]) -> GateList {
        let mut gates = GateList::new(slots);
        // A gate that only inverted roots use is computed inverted.
        let inverted = self.inverted(roots);
        let inverted = |node: u32| inverted[node as usize];
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

impl LutCover<'_> {
    /// Returns instructions of a smaller set.
    fn recipes(&self, slots: u32, roots: &[(Lit, u32)], recipes: &Recipes) -> GateList {
        let inverted = self.inverted(roots);
        let mut shared =
            SharedGates { gates: GateList::new(slots), known: HashMap::new(), recipes };
        let mut values = vec![(0, false); self.graph.len()];
        for (i, value) in values.iter_mut().enumerate() {
            if let GateNode::Leaf(slot) = self.graph.node(i) {
                *value = (slot, false);
            }
        }
        for &node in self.order.iter().filter(|i| self.users[**i] > 0) {
            let cut = self.cut(node);
            let leaves: Vec<PolarValue> =
                cut.leaves().iter().map(|leaf| values[*leaf as usize]).collect();
            values[node] = shared.function(cut.table, &leaves, inverted[node]);
        }
        for &(lit, slot) in roots {
            let (value, inverted) = match lit.node() == Lit::FALSE.node() {
                true => (shared.gate(GateOp::Zero, [0; 3]), false),
                false => values[lit.node()],
            };
            let value = match inverted != lit.is_inverted() {
                false => value,
                true => shared.gate(GateOp::Not, [value; 3]),
            };
            shared.gates.store(value, slot);
        }
        shared.gates
    }
}

/// Value, and whether it is the inverse of the intended one.
type PolarValue = (u32, bool);

/// Instructions in which equal ones are shared.
struct SharedGates<'a> {
    gates: GateList,
    known: HashMap<(GateOp, [u32; 3]), u32>,
    recipes: &'a Recipes,
}

impl SharedGates<'_> {
    fn gate(&mut self, op: GateOp, mut args: [u32; 3]) -> u32 {
        match op {
            GateOp::And | GateOp::Or | GateOp::Xor => args[..2].sort_unstable(),
            _ => {}
        }
        let arity = op.arity();
        args[arity..].fill(0);
        let gates = &mut self.gates;
        let known = self.known.entry((op, args));
        *known.or_insert_with(|| gates.push(op, args))
    }

    /// Computes a function or its inverse. If both are as cheap, `inverted` decides.
    fn function(&mut self, table: u8, leaves: &[PolarValue], inverted: bool) -> PolarValue {
        // Different gates of the graph may share a value.
        let (mut args, mut inputs) = (vec![], [0; 3]);
        for (input, &(value, inverted)) in inputs.iter_mut().zip(leaves) {
            let place = args.iter().position(|arg| *arg == value);
            let place = place.unwrap_or_else(|| {
                args.push(value);
                args.len() - 1
            });
            *input = VARIABLES[place] ^ if inverted { 0xFF } else { 0 };
        }
        let composed = compose(table, inputs);
        if composed == 0 || composed == 0xFF {
            return (self.gate(GateOp::Zero, [0; 3]), composed == 0xFF);
        }
        for (variable, &value) in VARIABLES.iter().zip(&args) {
            if composed == *variable || composed == !*variable {
                return (value, composed != *variable);
            }
        }
        let Some(recipe) = self.recipes.get(composed, inverted) else {
            // The cover has chosen the function for operands that are not inverted.
            let leaf = |&(value, inverted): &PolarValue| match inverted {
                false => (value, false),
                true => (self.gate(GateOp::Not, [value; 3]), false),
            };
            let leaves: Vec<PolarValue> = leaves.iter().map(leaf).collect();
            return self.function(table, &leaves, inverted);
        };
        args.resize(3, args[0]);
        for (op, operands) in recipe.steps {
            let value = self.gate(op, operands.map(|operand| args[operand]));
            args.push(value);
        }
        (args[args.len() - 1], recipe.inverted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operations(set: GateSet) -> Vec<GateOp> {
        let mut graph = GateGraph::new();
        let [a, b, c] = [0, 1, 2].map(|slot| graph.leaf(slot));
        let differ = graph.xor(a, b);
        let sum = graph.xor(differ, c);
        let carry = graph.mux(differ, c, a);
        let gates = cover(&graph, 3, &[(sum, 0), (carry, 1)], set);
        gates.gates.iter().map(|gate| gate.op).collect()
    }

    #[test]
    fn a_full_adder_of_each_instruction_set() {
        assert_eq!(operations(GateSet::Pairs).len(), 5);
        let choices = |ops: &[GateOp]| ops.iter().filter(|op| matches!(op, GateOp::Lut(_))).count();
        let neon = operations(GateSet::Neon { sha3: false });
        assert_eq!((neon.len(), choices(&neon)), (3, 1), "{neon:?}");
        assert_eq!(operations(GateSet::Neon { sha3: true }).len(), 3);
    }

    #[test]
    fn a_full_adder_is_two_instructions() {
        let mut graph = GateGraph::new();
        let [a, b, c] = [0, 1, 2].map(|slot| graph.leaf(slot));
        let differ = graph.xor(a, b);
        let sum = graph.xor(differ, c);
        let carry = graph.mux(differ, c, a);
        let gates = cover(&graph, 3, &[(sum, 0), (!carry, 1)], GateSet::Luts);
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
