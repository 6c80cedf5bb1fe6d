//! Covers the graph for backends whose instructions have two operands.

use super::{Gates, Graph, Lit, Node, Op};
use std::collections::HashMap;

/// Computes the roots with two-operand instructions. Each root comes with its destination slot. A
/// value may be the inverse of its gate where this saves an instruction.
pub fn cover(graph: &Graph, slots: u32, roots: &[(Lit, u32)]) -> Gates {
    let used = graph.cone(roots.iter().map(|r| r.0));
    let mut cover = Cover {
        gates: Gates::new(slots),
        values: vec![(0, false); graph.len()],
        known: HashMap::new(),
    };
    for (i, _) in used.iter().enumerate().filter(|(_, used)| **used) {
        cover.values[i] = cover.node(graph.node(i));
    }
    for &(lit, slot) in roots {
        let value = match cover.value(lit) {
            (value, false) => value,
            (value, true) => cover.gate(Op::Not, value, value),
        };
        cover.gates.store(value, slot);
    }
    cover.gates
}

/// Value, and whether it is the inverse of the intended one.
type Signed = (u32, bool);

struct Cover {
    gates: Gates,
    /// By gate of the graph.
    values: Vec<Signed>,
    known: HashMap<(Op, u32, u32), u32>,
}

impl Cover {
    fn value(&self, lit: Lit) -> Signed {
        let (value, inverted) = self.values[lit.node()];
        (value, inverted != lit.is_inverted())
    }

    fn gate(&mut self, op: Op, a: u32, b: u32) -> u32 {
        // Different gates of the graph may share a value.
        let (op, a, b) = match op {
            Op::And | Op::Or if a == b => return a,
            Op::AndNot | Op::Xor if a == b => (Op::Zero, 0, 0),
            _ => (op, a, b),
        };
        let gates = &mut self.gates;
        let make = || gates.push(op, [a, b, a]);
        *self.known.entry((op, a, b)).or_insert_with(make)
    }

    fn node(&mut self, node: Node) -> Signed {
        match node {
            Node::False => (self.gate(Op::Zero, 0, 0), false),
            Node::Leaf(slot) => (slot, false),
            Node::And(a, b) => self.and(self.value(a), self.value(b)),
            Node::Xor(a, b) => self.xor(self.value(a), self.value(b)),
            Node::Mux {
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

    fn and(&mut self, a: Signed, b: Signed) -> Signed {
        match (a, b) {
            ((a, false), (b, false)) => (self.gate(Op::And, a, b), false),
            ((a, false), (b, true)) => (self.gate(Op::AndNot, a, b), false),
            ((a, true), (b, false)) => (self.gate(Op::AndNot, b, a), false),
            ((a, true), (b, true)) => (self.gate(Op::Or, a, b), true),
        }
    }

    fn xor(&mut self, a: Signed, b: Signed) -> Signed {
        (self.gate(Op::Xor, a.0, b.0), a.1 != b.1)
    }
}
