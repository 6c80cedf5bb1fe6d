//! Cheapest instructions for functions of three operands, found by exhaustive search. Functions that
//! take more instructions than the search tries are computed gate by gate.

use super::{GateOp, GateSet};
use std::sync::OnceLock;

/// Values of the first, second and third variable in all eight cases.
pub const VARIABLES: [u8; 3] = [0xF0, 0xCC, 0xAA];

/// All orders of three operands.
pub const ORDERS: [[usize; 3]; 6] =
    [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Tables of three operands that `bsl` and its variants compute: the first operand selects.
pub const CHOICE: u8 = 0b1100_1010;

/// Table of `eor3`.
pub const PARITY: u8 = 0b1001_0110;

/// Table of `bcax`: the first operand, inverted where the second is one and the third is zero.
pub const CLEAR_AND_XOR: u8 = 0b1011_0100;

/// Instructions that compute a function.
#[derive(Clone, Debug, Default)]
pub struct Recipe {
    /// Operation and operands. Operands below 3 are the variables, and higher ones the results of
    /// the steps.
    pub steps: Vec<(GateOp, [usize; 3])>,
    /// The steps compute the inverse.
    pub inverted: bool,
}

/// Recipes of one instruction set.
pub struct Recipes {
    /// By truth table.
    exact: Vec<Option<Recipe>>,
}

impl Recipes {
    /// Returns the recipes of an instruction set.
    pub fn of(set: GateSet) -> &'static Recipes {
        static ALL: [OnceLock<Recipes>; 3] = [const { OnceLock::new() }; 3];
        let (number, depth) = match set {
            GateSet::Pairs => (0, 3),
            GateSet::Neon { sha3 } => (1 + usize::from(sha3), 2),
            GateSet::Luts => unreachable!("every function is one instruction"),
        };
        ALL[number].get_or_init(|| Recipes::search(set, depth))
    }

    /// Returns the recipe for a function or for its inverse, whichever takes fewer steps. If both
    /// take as many, `inverted` decides.
    pub fn get(&self, table: u8, inverted: bool) -> Option<Recipe> {
        let of = |inverted: bool| {
            let recipe = self.exact[usize::from(table ^ if inverted { 0xFF } else { 0 })].clone();
            recipe.map(|recipe| Recipe { inverted, ..recipe })
        };
        let recipes = [of(inverted), of(!inverted)].into_iter().flatten();
        recipes.min_by_key(|recipe| recipe.steps.len())
    }

    /// Returns the number of steps for a function or for its inverse.
    pub fn cost(&self, table: u8) -> Option<u32> {
        Some(self.get(table, false)?.steps.len() as u32)
    }

    fn search(set: GateSet, depth: usize) -> Self {
        let mut search =
            Search { set, found: vec![None; 256], tables: VARIABLES.to_vec(), steps: vec![] };
        for (variable, table) in VARIABLES.into_iter().enumerate() {
            let steps = vec![];
            search.found[usize::from(table)] = Some(Recipe { steps, inverted: false });
            let steps = vec![(GateOp::Not, [variable; 3])];
            search.found[usize::from(!table)] = Some(Recipe { steps, inverted: false });
        }
        for depth in 1..=depth {
            search.extend(depth);
        }
        Recipes { exact: search.found }
    }
}

/// Depth-first search over all sequences of instructions.
struct Search {
    set: GateSet,
    found: Vec<Option<Recipe>>,
    /// Functions computed so far.
    tables: Vec<u8>,
    steps: Vec<(GateOp, [usize; 3])>,
}

impl Search {
    fn extend(&mut self, left: usize) {
        let count = self.tables.len();
        for a in 0..count {
            for b in 0..count {
                if a < b {
                    self.step(left, GateOp::And, [a, b, a]);
                    self.step(left, GateOp::Or, [a, b, a]);
                    self.step(left, GateOp::Xor, [a, b, a]);
                }
                if a != b {
                    self.step(left, GateOp::AndNot, [a, b, a]);
                    if let GateSet::Neon { sha3 } = self.set {
                        self.step(left, GateOp::OrNot, [a, b, a]);
                        self.three(left, a, b, sha3);
                    }
                }
            }
            self.step(left, GateOp::Not, [a; 3]);
        }
    }

    fn three(&mut self, left: usize, a: usize, b: usize, sha3: bool) {
        for c in (0..self.tables.len()).filter(|c| *c != a && *c != b) {
            self.step(left, GateOp::Lut(CHOICE), [a, b, c]);
            if sha3 {
                self.step(left, GateOp::Lut(CLEAR_AND_XOR), [a, b, c]);
                if a < b && b < c {
                    self.step(left, GateOp::Lut(PARITY), [a, b, c]);
                }
            }
        }
    }

    /// Adds a step and continues with the remaining ones.
    fn step(&mut self, left: usize, op: GateOp, args: [usize; 3]) {
        let table = op.table(args.map(|arg| self.tables[arg]));
        let mut known = self.tables.iter();
        let useless = match op {
            GateOp::Not => known.any(|known| *known == table),
            // With two-operand functions the inverse of a value is as useful as the value.
            _ if self.set == GateSet::Pairs => known.any(|k| *k == table || *k == !table),
            _ => known.any(|known| *known == table),
        };
        let is_inverse = op == GateOp::Not && self.set == GateSet::Pairs && left > 1;
        if useless || is_inverse || table == 0 || table == 0xFF {
            return;
        }
        self.steps.push((op, args));
        let found = &mut self.found[usize::from(table)];
        if found.as_ref().is_none_or(|found| found.steps.len() > self.steps.len()) {
            *found = Some(Recipe { steps: self.steps.clone(), inverted: false });
        }
        if left > 1 {
            self.tables.push(table);
            self.extend(left - 1);
            self.tables.pop();
        }
        self.steps.pop();
    }
}

/// Returns the truth table of `table` applied to three functions.
pub fn compose(table: u8, [a, b, c]: [u8; 3]) -> u8 {
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

impl GateOp {
    /// Returns the truth table of the operation on these functions.
    pub fn table(self, [a, b, c]: [u8; 3]) -> u8 {
        match self {
            GateOp::Zero => 0,
            GateOp::Copy => a,
            GateOp::Not => !a,
            GateOp::And => a & b,
            GateOp::AndNot => a & !b,
            GateOp::Or => a | b,
            GateOp::OrNot => a | !b,
            GateOp::Xor => a ^ b,
            GateOp::Lut(table) => compose(table, [a, b, c]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEON: [GateSet; 2] = [GateSet::Neon { sha3: false }, GateSet::Neon { sha3: true }];

    /// Claim: each recipe computes its function.
    #[test]
    fn recipes_compute_their_functions() {
        for set in [GateSet::Pairs].into_iter().chain(NEON) {
            let mut missing = 0;
            for table in 1..0xFF {
                for prefer in [false, true] {
                    let Some(recipe) = Recipes::of(set).get(table, prefer) else {
                        missing += 1;
                        continue;
                    };
                    let mut values = VARIABLES.to_vec();
                    for (op, args) in recipe.steps {
                        values.push(op.table(args.map(|arg| values[arg])));
                    }
                    let last = *values.last().unwrap();
                    if VARIABLES.contains(&table) || VARIABLES.contains(&!table) {
                        continue;
                    }
                    assert_eq!(last, table ^ if recipe.inverted { 0xFF } else { 0 });
                }
            }
            println!("{set:?}: no recipe for {missing} tables");
        }
    }

    #[test]
    fn known_costs() {
        let [a, b, c] = VARIABLES;
        let mux = a & b | !a & c;
        let majority = a & b | a & c | b & c;
        let cost = |set, table| Recipes::of(set).cost(table).unwrap();
        assert_eq!([mux, a ^ b ^ c, a ^ b & c].map(|t| cost(GateSet::Pairs, t)), [3, 2, 2]);
        assert_eq!([mux, majority, a ^ b ^ c].map(|t| cost(NEON[0], t)), [1, 2, 2]);
        assert_eq!([mux, majority, a ^ b ^ c].map(|t| cost(NEON[1], t)), [1, 2, 1]);
        assert_eq!(cost(NEON[1], a ^ b & !c), 1);
    }
}
