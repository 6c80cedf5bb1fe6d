//! Converts word operations to gates: every bit of every net becomes a bit of the graph.

use super::{GateGraph, Lit};
use crate::netlist::{Net, NetId, NetOp, Netlist};

/// Bits of all nets, by the position of the net.
pub type NetLits = Vec<LitWord>;

/// Converts the words of a netlist to gates. `source` returns the bits of inputs, registers and
/// memories, from the bits of the nets so far.
pub fn bit_blast(
    netlist: &Netlist,
    graph: &mut GateGraph,
    mut source: impl FnMut(&mut GateGraph, &NetLits, &Net) -> LitWord,
) -> NetLits {
    let mut bits: NetLits = Vec::with_capacity(netlist.nets.len());
    for net in &netlist.nets {
        let word = match &net.op {
            NetOp::Input(_) | NetOp::Register(_) | NetOp::Memory(_) | NetOp::MemoryAt { .. } => {
                source(graph, &bits, net)
            }
            op => operation(graph, &bits, op, net.width),
        };
        bits.push(word);
    }
    bits
}

fn operation(graph: &mut GateGraph, bits: &NetLits, op: &NetOp, width: u32) -> LitWord {
    let word = |id: &NetId| bits[id.index()].as_slice();
    let bit = |id: &NetId| bits[id.index()][0];
    let mut each = |a: &NetId, b: &NetId, op: fn(&mut GateGraph, Lit, Lit) -> Lit| {
        let pairs = word(a).iter().zip(word(b));
        pairs.map(|(&a, &b)| op(graph, a, b)).collect()
    };
    match op {
        NetOp::Input(_) | NetOp::Register(_) | NetOp::Memory(_) | NetOp::MemoryAt { .. } => {
            unreachable!("asked of `source`")
        }
        NetOp::Const(value) => (0..width.into()).map(|i| Lit::constant(value.bit(i))).collect(),
        NetOp::Not(a) => word(a).iter().map(|&a| !a).collect(),
        NetOp::And(a, b) => each(a, b, GateGraph::and),
        NetOp::Or(a, b) => each(a, b, GateGraph::or),
        NetOp::Xor(a, b) => each(a, b, GateGraph::xor),
        NetOp::Add(a, b) => graph.add_words(word(a), word(b), Lit::FALSE),
        NetOp::Sub(a, b) => {
            let inverse: LitWord = word(b).iter().map(|&b| !b).collect();
            graph.add_words(word(a), &inverse, Lit::TRUE)
        }
        NetOp::Mul(a, b) => graph.multiply_words(word(a), word(b)),
        NetOp::Eq(a, b) => vec![graph.equal(word(a), word(b))],
        NetOp::Lt(a, b) => vec![graph.less(word(a), word(b))],
        NetOp::All(a) => vec![graph.all(word(a))],
        NetOp::Any(a) => vec![graph.any(word(a))],
        NetOp::Parity(a) => vec![graph.parity(word(a))],
        NetOp::Mux { cond, then, otherwise } => {
            graph.mux_words(bit(cond), word(then), word(otherwise))
        }
        NetOp::Shl(a, by) => graph.shift(word(a), word(by), true),
        NetOp::Shr(a, by) => graph.shift(word(a), word(by), false),
        NetOp::Slice { value, offset } => {
            word(value)[*offset as usize..][..width as usize].to_vec()
        }
        NetOp::Concat(parts) => parts.iter().flat_map(word).copied().collect(),
        NetOp::BitAt { value, index } => vec![graph.bit_at(word(value), word(index))],
        NetOp::ReplaceBit { value, index, bit: new } => {
            graph.replace_bit(word(value), word(index), bit(new))
        }
    }
}

// Words as lists of single bits, the least significant first.

pub type LitWord = Vec<Lit>;

impl GateGraph {
    /// Adds two words of equal width and a carry. The sum wraps.
    pub(super) fn add_words(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> LitWord {
        let mut sum = vec![];
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            sum.push(self.xor(differ, carry));
            carry = self.mux(differ, carry, a);
        }
        sum
    }

    /// Multiplies two words of equal width. The product wraps.
    fn multiply_words(&mut self, a: &[Lit], b: &[Lit]) -> LitWord {
        let zeros = |word: &[Lit]| word.iter().filter(|bit| **bit == Lit::FALSE).count();
        // Each bit of the factor that is not constantly zero costs a row of adders.
        let (word, factor) = match zeros(a) > zeros(b) {
            true => (b, a),
            false => (a, b),
        };
        let mut product = vec![Lit::FALSE; word.len()];
        for (i, &bit) in factor.iter().enumerate() {
            if bit != Lit::FALSE {
                let row = word.iter().map(|&of_word| self.and(bit, of_word));
                let row: LitWord = row.take(word.len() - i).collect();
                let sum = self.add_words(&product[i..], &row, Lit::FALSE);
                product.splice(i.., sum);
            }
        }
        product
    }

    pub(super) fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut less = Lit::FALSE;
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            less = self.mux(differ, b, less);
        }
        less
    }

    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: LitWord = a.iter().zip(b).map(|(&a, &b)| !self.xor(a, b)).collect();
        self.all(&same)
    }

    pub(super) fn all(&mut self, bits: &[Lit]) -> Lit {
        self.reduce(bits, Lit::TRUE, GateGraph::and)
    }

    pub(super) fn any(&mut self, bits: &[Lit]) -> Lit {
        self.reduce(bits, Lit::FALSE, GateGraph::or)
    }

    pub(super) fn parity(&mut self, bits: &[Lit]) -> Lit {
        self.reduce(bits, Lit::FALSE, GateGraph::xor)
    }

    fn reduce(&mut self, bits: &[Lit], none: Lit, op: fn(&mut Self, Lit, Lit) -> Lit) -> Lit {
        let bits = bits.iter();
        bits.copied().reduce(|a, b| op(self, a, b)).unwrap_or(none)
    }

    pub(super) fn mux_words(&mut self, cond: Lit, then: &[Lit], otherwise: &[Lit]) -> LitWord {
        let arms = then.iter().zip(otherwise);
        arms.map(|(&t, &o)| self.mux(cond, t, o)).collect()
    }

    /// Shifts `a` by a variable number of bits, to the left if `up` is true. Zeros are shifted in.
    pub(super) fn shift(&mut self, a: &[Lit], by: &[Lit], up: bool) -> LitWord {
        let width = a.len();
        let mut word = a.to_vec();
        // Each higher bit of the amount alone shifts out every bit.
        let stages = by.len().min((usize::BITS - (width - 1).leading_zeros()) as usize);
        for (stage, &bit) in by[..stages].iter().enumerate() {
            let distance = 1 << stage;
            let moved: LitWord = (0..width)
                .map(|i| {
                    let from = match up {
                        true => i.checked_sub(distance),
                        false => Some(i + distance).filter(|i| *i < width),
                    };
                    from.map_or(Lit::FALSE, |from| word[from])
                })
                .collect();
            word = self.mux_words(bit, &moved, &word);
        }
        let out = self.any(&by[stages..]);
        word.iter().map(|&bit| self.and(bit, !out)).collect()
    }

    /// Returns the bit at `index`. Every index must be within the word.
    pub fn bit_at(&mut self, value: &[Lit], index: &[Lit]) -> Lit {
        let mut candidates = value[..1 << index.len()].to_vec();
        for &bit in index {
            let pairs = candidates.chunks(2);
            candidates = pairs.map(|pair| self.mux(bit, pair[1], pair[0])).collect();
        }
        candidates[0]
    }

    /// Returns the word with the bit at `index` replaced.
    pub(super) fn replace_bit(&mut self, value: &[Lit], index: &[Lit], new: Lit) -> LitWord {
        let mut here = vec![Lit::TRUE];
        for &bit in index.iter().rev() {
            here = here
                .iter()
                .flat_map(|&prefix| [self.and(prefix, !bit), self.and(prefix, bit)])
                .collect();
        }
        let bits = value.iter().enumerate();
        bits.map(|(i, &old)| match here.get(i) {
            Some(&here) => self.mux(here, new, old),
            None => old,
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::GateNode;
    use super::*;
    use crate::design::{BinaryOp, Builder, Design, Type};
    use crate::eval::Evaluator;
    use crate::netlist::flatten;
    use std::sync::Arc;

    /// Claim: the gates of every operation agree with the evaluator for all 3-bit words.
    #[test]
    fn gates_of_every_operation_match_the_evaluator() {
        use BinaryOp::*;
        let mut m = Builder::new("operations", "");
        let word = || Type::Bits(3);
        let inputs = ["a", "b"].map(|name| m.input(name, word(), ""));
        let all = [And, Or, Xor, Add, Sub, Mul, Eq, Ne, Lt, Le, Gt, Ge, Shl, Shr];
        for op in all {
            let ty = if op.is_comparison() { Type::BIT } else { word() };
            let output = m.output(&format!("{op:?}"), ty, "");
            let [a, b] = inputs.map(|input| m.read(input));
            let value = m.binary(op, a, b);
            m.assign(output, value);
        }
        let netlist = Arc::new(flatten(&Design::from(m.finish())).unwrap());
        let mut graph = GateGraph::new();
        let bits = bit_blast(&netlist, &mut graph, |graph, _, net| match &net.op {
            NetOp::Input(port) => {
                let bits = 0..net.width;
                bits.map(|bit| graph.leaf(3 * port + bit)).collect()
            }
            _ => unreachable!("nothing is kept"),
        });
        // By gate, one bit for each of the 64 pairs of words.
        let mut values: Vec<u64> = vec![];
        for i in 0..graph.len() {
            let of = |lit: Lit| values[lit.node()] ^ if lit.is_inverted() { u64::MAX } else { 0 };
            let mut operands = [0; 3];
            for (value, lit) in operands.iter_mut().zip(graph.node(i).operands()) {
                *value = of(lit);
            }
            let value = match graph.node(i) {
                GateNode::False => 0,
                GateNode::Leaf(slot) => (0..64).map(|case| (case >> slot & 1) << case).sum(),
                node => node.result(operands).unwrap(),
            };
            values.push(value);
        }
        let mut evaluator = Evaluator::new(netlist.clone());
        for case in 0..64 {
            evaluator.set(netlist.inputs[0].net, case & 7);
            evaluator.set(netlist.inputs[1].net, case >> 3);
            evaluator.settle();
            for output in &netlist.outputs {
                let word = bits[output.net.index()].iter().enumerate();
                let word = word.map(|(i, lit)| {
                    let bit = values[lit.node()] >> case & 1 == 1;
                    u64::from(bit != lit.is_inverted()) << i
                });
                let shown: u64 = word.sum();
                assert_eq!(shown, evaluator.get(output.net), "{}, {case:#o}", output.path);
            }
        }
    }
}
