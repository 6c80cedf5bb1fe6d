//! Finds gates that compute the same function or its inverse in different structures. Circuits that
//! select by the same register repeatedly have many of them.
//!
//! Gates that agree for many random operands are compared by a proof. The method is SAT sweeping,
//! as in Mishchenko, Chatterjee, Jiang and Brayton, "FRAIGs: a unifying representation for logic
//! synthesis and verification", 2005.

use super::{GateGraph, GateNode, Lit};
use batsat::{lbool, BasicSolver, SolverInterface, Var};
use std::collections::HashMap;

/// Values of a gate for random operands, 64 in each word.
type GateSample = [u64; 32];

/// Number of agreeing gates with which a new gate is compared.
const CANDIDATES: usize = 8;

/// Computes the same roots with fewer gates.
pub fn sweep(graph: &GateGraph, roots: &[(Lit, u32)]) -> (GateGraph, Vec<(Lit, u32)>) {
    let used = graph.cone(roots.iter().map(|root| root.0));
    let mut sweep = EquivalenceSweep::new();
    let mut new = vec![Lit::FALSE; graph.len()];
    for node in (0..graph.len()).filter(|node| used[*node]) {
        new[node] = sweep.node(graph.node(node), &new);
    }
    let roots = roots.iter().map(|&(lit, slot)| (moved(lit, &new), slot));
    let roots = roots.collect();
    (sweep.graph, roots)
}

fn moved(lit: Lit, new: &[Lit]) -> Lit {
    new[lit.node()].xor(lit.is_inverted())
}

struct EquivalenceSweep {
    graph: GateGraph,
    equal: EquivalenceProver,
    /// By gate: the first gate that computes the same function.
    same: Vec<Lit>,
    samples: Vec<GateSample>,
    /// Gates by sample that have not been proved equal. A gate that is one for the first random
    /// operands is stored inverted.
    alike: HashMap<GateSample, Vec<Lit>>,
    random: XorShift64,
}

impl EquivalenceSweep {
    /// Creates a graph that contains only the constant gate.
    fn new() -> Self {
        let zero = [0; 32];
        EquivalenceSweep {
            graph: GateGraph::new(),
            equal: EquivalenceProver::new(),
            same: vec![Lit::FALSE],
            samples: vec![zero],
            alike: HashMap::from([(zero, vec![Lit::FALSE])]),
            random: XorShift64(0x9E37_79B9_7F4A_7C15),
        }
    }

    /// Adds a gate of the old graph. `new` holds the new gates of its operands.
    fn node(&mut self, node: GateNode, new: &[Lit]) -> Lit {
        let lit = self.graph.add_copy(node, |lit| moved(lit, new));
        for node in self.samples.len()..self.graph.len() {
            self.take(node);
        }
        moved(lit, &self.same)
    }

    /// Compares a new gate with the existing ones.
    fn take(&mut self, node: usize) {
        let gate = self.graph.node(node);
        let sample = self.sample(gate);
        self.samples.push(sample);
        self.equal.add(gate);
        let inverted = sample[0] & 1 == 1;
        let own = Lit::new(node).xor(inverted);
        let alike = self.alike.entry(sample.map(|word| inverse(word, inverted)));
        let alike = alike.or_default();
        let mut candidates = alike.iter().take(CANDIDATES);
        let same = candidates.find(|other| self.equal.is_proved(own, **other));
        let same = same.copied().unwrap_or_else(|| {
            alike.push(own);
            own
        });
        self.same.push(same.xor(inverted));
    }

    fn sample(&mut self, node: GateNode) -> GateSample {
        std::array::from_fn(|i| {
            let mut values = [0; 3];
            for (value, lit) in values.iter_mut().zip(node.operands()) {
                *value = inverse(self.samples[lit.node()][i], lit.is_inverted());
            }
            let value = node.result(values);
            value.unwrap_or_else(|| self.random.word(i))
        })
    }
}

fn inverse(word: u64, inverted: bool) -> u64 {
    word ^ if inverted { u64::MAX } else { 0 }
}

/// Marsaglia's xorshift generator, with the same numbers in every run.
pub struct XorShift64(pub u64);

impl XorShift64 {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a word of a sample. Ones are rare in some words and zeros in others, to exercise
    /// gates of many operands.
    fn word(&mut self, i: usize) -> u64 {
        let [a, b, c] = std::array::from_fn(|_| self.next());
        match i % 4 {
            0 | 1 => a,
            2 => a & b & c,
            _ => a | b | c,
        }
    }
}

// Proves with a SAT solver that two gates compute the same function.

/// Proofs that gates are equal.
///
/// The proofs use unit propagation alone. The assumption that two gates differ must lead to a
/// contradiction gate by gate, without case splits. This finds nearly all existing proofs in little
/// time.
pub struct EquivalenceProver {
    solver: BasicSolver,
    /// By gate.
    variables: Vec<Var>,
}

impl EquivalenceProver {
    /// Creates a prover that knows only the constant gate.
    pub fn new() -> Self {
        let mut equal = EquivalenceProver { solver: BasicSolver::default(), variables: vec![] };
        equal.add(GateNode::False);
        equal
    }

    /// Adds the next gate of the graph.
    pub fn add(&mut self, node: GateNode) {
        // `false` excludes the variable from the solver's decisions.
        let variable = self.solver.new_var(lbool::UNDEF, false);
        self.variables.push(variable);
        let own = Lit::new(self.variables.len() - 1);
        match node {
            GateNode::False => self.clauses(&[&[!own]]),
            GateNode::Leaf(_) => {}
            GateNode::And(a, b) => self.clauses(&[&[!own, a], &[!own, b], &[own, !a, !b]]),
            GateNode::Xor(a, b) => {
                self.clauses(&[&[!own, a, b], &[!own, !a, !b], &[own, !a, b], &[own, a, !b]])
            }
            GateNode::Mux { cond, then, otherwise } => self.clauses(&[
                &[!own, !cond, then],
                &[own, !cond, !then],
                &[!own, cond, otherwise],
                &[own, cond, !otherwise],
            ]),
        }
    }

    /// Returns true if two gates are proved equal. Equal gates may lack a proof.
    pub fn is_proved(&mut self, a: Lit, b: Lit) -> bool {
        let mut differ = |a: Lit, b: Lit| {
            let assumed = [self.literal(a), self.literal(b)];
            self.solver.solve_limited(&assumed) != lbool::FALSE
        };
        if differ(a, !b) || differ(!a, b) {
            return false;
        }
        // Later proofs can use this equality.
        self.clauses(&[&[a, !b], &[!a, b]]);
        true
    }

    fn clauses(&mut self, clauses: &[&[Lit]]) {
        for clause in clauses {
            let mut clause = clause.iter().map(|lit| self.literal(*lit)).collect();
            self.solver.add_clause_reuse(&mut clause);
        }
    }

    fn literal(&self, lit: Lit) -> batsat::Lit {
        batsat::Lit::new(self.variables[lit.node()], !lit.is_inverted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equivalent_gates_are_merged() {
        let mut graph = GateGraph::new();
        let [a, b, new, held] = [0, 1, 2, 3].map(|slot| graph.leaf(slot));
        // If `a` is zero, both equal `held`.
        let both = graph.and(a, b);
        let one = graph.mux(both, new, held);
        let other = graph.mux(a, one, held);
        assert_ne!(one, other);
        let (swept, roots) = sweep(&graph, &[(one, 4), (!other, 5), (held, 6)]);
        assert_eq!(roots[1].0, !roots[0].0);
        assert_eq!(swept.node(roots[2].0.node()), GateNode::Leaf(3));
    }

    #[test]
    fn gates_that_differ_rarely_are_not_merged() {
        let mut graph = GateGraph::new();
        let leaves: Vec<Lit> = (0..24).map(|slot| graph.leaf(slot)).collect();
        let all = |graph: &mut GateGraph, leaves: &[Lit]| {
            let leaves = leaves.iter();
            leaves.fold(Lit::TRUE, |all, leaf| graph.and(all, *leaf))
        };
        // Each is one in a single case of 2^24.
        let one = all(&mut graph, &leaves);
        let inverses: Vec<Lit> = leaves.iter().map(|leaf| !*leaf).collect();
        let other = all(&mut graph, &inverses);
        let (_, roots) = sweep(&graph, &[(one, 30), (other, 31)]);
        assert_ne!(roots[0].0, Lit::FALSE);
        assert_ne!(roots[1].0, Lit::FALSE);
        assert_ne!(roots[0].0, roots[1].0);
    }

    /// Claim: an implication does not make two gates equal. No sample distinguishes these two.
    #[test]
    fn implied_gates_are_not_merged() {
        let mut graph = GateGraph::new();
        let leaves: Vec<Lit> = (0..100).map(|slot| graph.leaf(slot)).collect();
        let (mut all, mut but_the_last) = (Lit::TRUE, Lit::TRUE);
        for leaf in leaves {
            but_the_last = all;
            all = graph.and(all, leaf);
        }
        let (_, roots) = sweep(&graph, &[(but_the_last, 100), (all, 101)]);
        assert_ne!(roots[0].0, roots[1].0);
    }
}

#[cfg(test)]
mod equal_tests {
    use super::super::GateGraph;
    use super::*;

    /// Claim: an AND of an XOR with one of its operands is not constant.
    #[test]
    fn satisfiable_gates_are_not_proved_zero() {
        let mut graph = GateGraph::new();
        let [a, b] = [0, 1].map(|slot| graph.leaf(slot));
        let differ = graph.xor(a, b);
        let mut gates = vec![];
        for differ in [differ, !differ] {
            for operand in [a, !a, b, !b] {
                gates.push(graph.and(differ, operand));
            }
        }
        let mut equal = EquivalenceProver::new();
        for i in 1..graph.len() {
            equal.add(graph.node(i));
        }
        for gate in gates {
            assert!(!equal.is_proved(gate, Lit::FALSE));
        }
    }
}
