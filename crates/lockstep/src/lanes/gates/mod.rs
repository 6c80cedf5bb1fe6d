//! The circuit of one lane as single-bit gates.
//!
//! * [`GateGraph`]: gates of two or three inputs. Equal gates are shared and constants are folded on
//!   construction.
//! * `blast`: builds the graph from the words of a netlist.
//! * `sweep`: merges gates that compute the same function, and proves that they do.
//! * `choices`: computes choices between many values as an OR of ANDs where no instruction chooses.
//! * `cover`: chooses instructions that compute the graph.
//! * `recipes`: the cheapest instructions for each function of three operands.

mod blast;
mod choices;
mod cover;
mod recipes;
mod sweep;

pub use blast::{bit_blast, NetLits};
pub use recipes::{permuted, CHOICE, CLEAR_AND_XOR, ORDERS, PARITY, VARIABLES};
#[cfg(test)]
pub use sweep::XorShift64;

use std::collections::HashMap;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// Output of a gate, or its inverse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(u32);

impl Lit {
    pub const FALSE: Lit = Lit(0);
    pub const TRUE: Lit = Lit(1);

    fn new(node: usize) -> Self {
        Lit((node as u32) << 1)
    }

    /// Returns the position of the gate in the graph.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns the inverse if `invert` is true.
    pub fn xor(self, invert: bool) -> Lit {
        Lit(self.0 ^ u32::from(invert))
    }

    pub fn constant(value: bool) -> Lit {
        Lit::FALSE.xor(value)
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        self.xor(true)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GateNode {
    /// Constant zero. Only the first node is of this kind.
    False,
    /// Value of this slot of the frame.
    Leaf(u32),
    And(Lit, Lit),
    /// The operands are not inverted.
    Xor(Lit, Lit),
    /// `cond` and `then` are not inverted.
    Mux {
        cond: Lit,
        then: Lit,
        otherwise: Lit,
    },
}

impl GateNode {
    /// Returns the operands.
    pub fn operands(&self) -> impl Iterator<Item = Lit> {
        let [a, b, c] = match *self {
            GateNode::False | GateNode::Leaf(_) => [None; 3],
            GateNode::And(a, b) | GateNode::Xor(a, b) => [Some(a), Some(b), None],
            GateNode::Mux { cond, then, otherwise } => [Some(cond), Some(then), Some(otherwise)],
        };
        [a, b, c].into_iter().flatten()
    }

    /// Returns the result for these operand values, or `None` if the node has no operands.
    pub fn result<T>(&self, [a, b, c]: [T; 3]) -> Option<T>
    where
        T: Copy + BitAnd<Output = T> + BitOr<Output = T> + BitXor<Output = T> + Not<Output = T>,
    {
        match self {
            GateNode::False | GateNode::Leaf(_) => None,
            GateNode::And(..) => Some(a & b),
            GateNode::Xor(..) => Some(a ^ b),
            GateNode::Mux { .. } => Some(a & b | !a & c),
        }
    }
}

/// Graph of gates. Operands come before their users.
#[derive(Clone, Debug)]
pub struct GateGraph {
    nodes: Vec<GateNode>,
    known: HashMap<GateNode, Lit>,
}

impl GateGraph {
    pub fn new() -> Self {
        GateGraph { nodes: vec![GateNode::False], known: HashMap::new() }
    }

    pub fn node(&self, index: usize) -> GateNode {
        self.nodes[index]
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn leaf(&mut self, slot: u32) -> Lit {
        self.add(GateNode::Leaf(slot))
    }

    fn add(&mut self, node: GateNode) -> Lit {
        let next = Lit::new(self.nodes.len());
        let nodes = &mut self.nodes;
        *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            next
        })
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            _ if a == Lit::FALSE || a == !b => Lit::FALSE,
            _ if a == Lit::TRUE || a == b => b,
            _ => match self.absorbed(a, b).or_else(|| self.absorbed(b, a)) {
                Some(simpler) => simpler,
                None => self.add(GateNode::And(a, b)),
            },
        }
    }

    /// Simplifies `a & b` if `b` is a conjunction or its inverse that `a` decides or reduces.
    fn absorbed(&mut self, a: Lit, b: Lit) -> Option<Lit> {
        let GateNode::And(p, q) = self.node(b.node()) else {
            return None;
        };
        let (same, opposite) = (a == p || a == q, a == !p || a == !q);
        match b.is_inverted() {
            false if same => Some(b),
            false if opposite => Some(Lit::FALSE),
            true if opposite => Some(a),
            true if same => {
                let rest = if a == p { q } else { p };
                Some(self.and(a, !rest))
            }
            _ => None,
        }
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let invert = a.is_inverted() != b.is_inverted();
        let (a, b) = (a.xor(a.is_inverted()), b.xor(b.is_inverted()));
        let (a, b) = (a.min(b), a.max(b));
        let value = match (a, b) {
            _ if a == b => Lit::FALSE,
            _ if a == Lit::FALSE => b,
            _ => self.add(GateNode::Xor(a, b)),
        };
        value.xor(invert)
    }

    pub fn mux(&mut self, cond: Lit, then: Lit, otherwise: Lit) -> Lit {
        if cond.is_inverted() {
            return self.mux(!cond, otherwise, then);
        }
        let then = self.assuming(cond, true, then);
        let otherwise = self.assuming(cond, false, otherwise);
        if cond == Lit::FALSE || then == otherwise {
            return otherwise;
        }
        if then == !otherwise {
            return self.xor(cond, otherwise);
        }
        match (then, otherwise) {
            (Lit::FALSE, _) => self.and(!cond, otherwise),
            (Lit::TRUE, _) => self.or(cond, otherwise),
            (_, Lit::FALSE) => self.and(cond, then),
            (_, Lit::TRUE) => self.or(!cond, then),
            _ if then.is_inverted() => {
                !self.add(GateNode::Mux { cond, then: !then, otherwise: !otherwise })
            }
            _ => self.add(GateNode::Mux { cond, then, otherwise }),
        }
    }

    /// Adds a copy of a gate of this or another graph, with operands replaced by `of`.
    pub fn add_copy(&mut self, node: GateNode, of: impl Fn(Lit) -> Lit) -> Lit {
        match node {
            GateNode::False => Lit::FALSE,
            GateNode::Leaf(slot) => self.leaf(slot),
            GateNode::And(a, b) => self.and(of(a), of(b)),
            GateNode::Xor(a, b) => self.xor(of(a), of(b)),
            GateNode::Mux { cond, then, otherwise } => self.mux(of(cond), of(then), of(otherwise)),
        }
    }

    /// Simplifies `value` under the assumption that `cond` equals `is`. `cond` is not inverted.
    fn assuming(&self, cond: Lit, is: bool, value: Lit) -> Lit {
        if value.node() == cond.node() && cond != Lit::FALSE {
            return Lit::constant(is).xor(value.is_inverted());
        }
        match self.node(value.node()) {
            GateNode::Mux { cond: inner, then, otherwise } if inner == cond => {
                let arm = if is { then } else { otherwise };
                arm.xor(value.is_inverted())
            }
            _ => value,
        }
    }

    /// Marks the roots and all gates that they depend on.
    pub fn cone(&self, roots: impl IntoIterator<Item = Lit>) -> Vec<bool> {
        let mut used = vec![false; self.len()];
        for root in roots {
            used[root.node()] = true;
        }
        for i in (0..self.len()).rev() {
            if used[i] {
                for operand in self.nodes[i].operands() {
                    used[operand.node()] = true;
                }
            }
        }
        used
    }

    /// Marks these gates and all gates that depend on one of them.
    pub fn dependent(&self, on: &[Lit]) -> Vec<bool> {
        let mut dependent = vec![false; self.len()];
        for lit in on {
            dependent[lit.node()] = true;
        }
        for i in 0..self.len() {
            let mut operands = self.nodes[i].operands();
            dependent[i] |= operands.any(|operand| dependent[operand.node()]);
        }
        dependent
    }

    /// Replaces the slots in `others` by other functions.
    pub fn substituted(&mut self, lit: Lit, others: impl Fn(u32) -> Option<Lit>) -> Lit {
        let used = self.cone([lit]);
        let mut values: HashMap<usize, Lit> = HashMap::new();
        for i in (0..used.len()).filter(|i| used[*i]) {
            let of = |lit: Lit| values[&lit.node()].xor(lit.is_inverted());
            let value = match self.node(i) {
                GateNode::Leaf(slot) => others(slot).unwrap_or(Lit::new(i)),
                node => self.add_copy(node, of),
            };
            values.insert(i, value);
        }
        values[&lit.node()].xor(lit.is_inverted())
    }

    /// Returns the slots that the roots depend on.
    pub fn leaves(&self, roots: impl IntoIterator<Item = Lit>) -> Vec<u32> {
        let used = self.cone(roots);
        let leaf = |(node, used): (&GateNode, &bool)| match node {
            GateNode::Leaf(slot) if *used => Some(*slot),
            _ => None,
        };
        self.nodes.iter().zip(&used).filter_map(leaf).collect()
    }
}

/// Functions that are one instruction of a backend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GateSet {
    /// The named operations of two operands except for [`GateOp::OrNot`].
    Pairs,
    /// The named operations, [`CHOICE`], and with SHA3 also [`PARITY`] and [`CLEAR_AND_XOR`].
    Neon { sha3: bool },
    /// Any function of three operands.
    Luts,
}

/// Returns the instructions that compute the roots. Each root comes with its destination slot.
pub fn cover(graph: &GateGraph, slots: u32, roots: &[(Lit, u32)], set: GateSet) -> GateList {
    let (graph, roots) = sweep::sweep(graph, roots);
    let (graph, roots) = match set {
        GateSet::Pairs => choices::flatten_choices(&graph, &roots),
        GateSet::Neon { .. } | GateSet::Luts => (graph, roots),
    };
    cover::cover(&graph, slots, &roots, set)
}

/// Instruction on whole bit vectors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GateOp {
    Zero,
    Copy,
    Not,
    And,
    /// The first operand where the second is zero.
    AndNot,
    Or,
    /// The first operand where the second is one, and ones elsewhere.
    OrNot,
    Xor,
    /// Any function of three operands. Bit `4a + 2b + c` of the table is the value for operands
    /// `a`, `b`, `c`.
    Lut(u8),
}

impl GateOp {
    /// Returns the number of operands.
    pub fn arity(self) -> usize {
        match self {
            GateOp::Zero => 0,
            GateOp::Copy | GateOp::Not => 1,
            GateOp::And | GateOp::AndNot | GateOp::Or | GateOp::OrNot | GateOp::Xor => 2,
            GateOp::Lut(_) => 3,
        }
    }
}

/// Instruction with its operands. The operands are values as numbered in [`GateList`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Gate {
    pub op: GateOp,
    args: [u32; 3],
}

impl Gate {
    pub fn args(&self) -> &[u32] {
        &self.args[..self.op.arity()]
    }

    /// Returns the operands without duplicates.
    pub fn operands(&self) -> impl Iterator<Item = u32> + '_ {
        let args = self.args();
        let is_first = |i: &usize| !args[..*i].contains(&args[*i]);
        (0..args.len()).filter(is_first).map(|i| args[i])
    }
}

/// Instructions that compute some roots. Values below `slots` are the slots of the frame before
/// anything is stored. Higher values are the results of the instructions, in order.
#[derive(Clone, Debug)]
pub struct GateList {
    pub slots: u32,
    /// Operands come before their users.
    pub gates: Vec<Gate>,
    /// Values and their destination slots.
    pub roots: Vec<(u32, u32)>,
}

impl GateList {
    pub fn new(slots: u32) -> Self {
        GateList { slots, gates: vec![], roots: vec![] }
    }

    /// Returns the same instructions for a frame with more slots.
    pub fn with_slots(&self, slots: u32) -> Self {
        let value = |value: u32| match self.gate_of(value) {
            None => value,
            Some(gate) => slots + gate as u32,
        };
        let gates = self.gates.iter().map(|gate| Gate { op: gate.op, args: gate.args.map(value) });
        let roots = self.roots.iter().map(|&(root, slot)| (value(root), slot));
        GateList { slots, gates: gates.collect(), roots: roots.collect() }
    }

    /// Returns the instruction that computes a value, or `None` for a slot.
    pub fn gate_of(&self, value: u32) -> Option<usize> {
        value.checked_sub(self.slots).map(|i| i as usize)
    }

    /// Returns the instructions that compute the operands of one, without duplicates.
    pub fn before(&self, gate: usize) -> impl Iterator<Item = usize> + '_ {
        let operands = self.gates[gate].operands();
        operands.filter_map(|operand| self.gate_of(operand))
    }

    /// Returns the users of the result of each instruction, without duplicates.
    pub fn users(&self) -> Vec<Vec<usize>> {
        let mut users = vec![vec![]; self.gates.len()];
        for user in 0..self.gates.len() {
            for gate in self.before(user) {
                users[gate].push(user);
            }
        }
        users
    }

    /// Stores a value in a slot. Storing a slot in itself has no effect.
    pub fn store(&mut self, value: u32, slot: u32) {
        let value = match self.gate_of(value) {
            None if value == slot => return,
            None => self.push(GateOp::Copy, [value; 3]),
            Some(_) => value,
        };
        self.roots.push((value, slot));
    }

    /// Appends an instruction and returns its result. Arguments beyond its operands are ignored.
    pub fn push(&mut self, op: GateOp, args: [u32; 3]) -> u32 {
        self.gates.push(Gate { op, args });
        self.slots + self.gates.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_fold() {
        let mut graph = GateGraph::new();
        let [a, b, c] = [0, 1, 2].map(|slot| graph.leaf(slot));
        let ab = graph.and(a, b);
        assert_eq!(graph.and(b, a), ab);
        assert_eq!(graph.and(ab, !a), Lit::FALSE);
        assert_eq!(graph.and(!ab, !a), !a);
        let not_b = graph.and(a, !b);
        assert_eq!(graph.and(a, !ab), not_b);
        assert_eq!(graph.xor(a, a), Lit::FALSE);
        let x = graph.xor(a, b);
        assert_eq!(graph.xor(!a, b), !x);
        assert_eq!(graph.mux(a, b, !b), !x);
        assert_eq!(graph.mux(a, a, b), graph.or(a, b));
        let m = graph.mux(a, b, c);
        assert_eq!(graph.mux(a, m, c), m);
        assert_eq!(graph.mux(!a, !c, !b), !m);
        assert_eq!(graph.leaves([m]), [0, 1, 2]);
        assert_eq!(graph.leaves([ab]), [0, 1]);
    }
}
