//! Proves with a SAT solver that two gates compute the same function.

use super::{GateNode, Lit};
use batsat::{lbool, BasicSolver, SolverInterface, Var};

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
        let mut equal = EquivalenceProver {
            solver: BasicSolver::default(),
            variables: vec![],
        };
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
            GateNode::Mux {
                cond,
                then,
                otherwise,
            } => self.clauses(&[
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
