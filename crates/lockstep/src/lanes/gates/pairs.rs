//! Covers the graph for backends whose instructions have two operands.

use super::{GateGraph, GateList, GateNode, GateOp, Lit};
use std::collections::HashMap;

/// Computes the roots with two-operand instructions. Each root comes with its destination slot. A
/// value may be the inverse of its gate where this saves an instruction.
pub fn cover(graph: &GateGraph, slots: u32, roots: &[(Lit, u32)]) -> GateList {
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
