//! SAT search for the wiring of a cube with one failed switch (minimal-rotation-routing, property
//! 5).
//!
//! Shortest routes must connect every live pair. The number of connections is limited per switch
//! and per input.
//!
//!     cargo run --example failed_switch            the table in failed_switch_4.txt
//!     cargo run --example failed_switch -- 4 6 2   no wiring with six connections per switch
//!     cargo run --example failed_switch -- 3 3 1   none in three dimensions with one per input
//!     cargo run --example failed_switch -- 5 20 2  none in five dimensions with two per input
//!
//! The failed node is 0. For another failed node, each node is xor that one. With `any` after the
//! numbers, packets may follow any rule. Otherwise a packet takes the first usable connection to
//! the right of its input. It goes against that order at most once, so that two virtual channels
//! are enough.

use batsat::{lbool, BasicSolver, Lit, SolverInterface, Var};

/// Parameters of the search.
#[derive(Clone, Copy, Debug)]
pub struct WiringParameters {
    pub dims: usize,
    /// Maximum number of connections of a switch, and of an input.
    pub per_switch: usize,
    pub per_input: usize,
    /// Packets may follow any rule.
    pub any_rule: bool,
}

/// Output dimensions of each input, indexed by node and by the dimension of the input.
pub type SwitchWiring = Vec<Vec<Vec<usize>>>;

/// SAT problem with its variables.
struct WiringSearch {
    wanted: WiringParameters,
    solver: BasicSolver,
    /// True if input and output are connected; indexed by node, input and output.
    connected: Vec<Vec<Vec<Var>>>,
    /// True if a packet reaches its destination; indexed by node, input, remaining dimensions, and
    /// number of hops against the order.
    arrives: Vec<Vec<Vec<[Var; 2]>>>,
}

fn positive(variable: Var) -> Lit {
    Lit::new(variable, true)
}

fn negative(variable: Var) -> Lit {
    Lit::new(variable, false)
}

fn has_bit(word: usize, bit: usize) -> bool {
    word >> bit & 1 == 1
}

impl WiringSearch {
    fn new(wanted: WiringParameters) -> Self {
        let (dims, nodes) = (wanted.dims, 1 << wanted.dims);
        let mut solver = BasicSolver::default();
        let mut new = || solver.new_var_default();
        let mut connected = vec![];
        let mut arrives = vec![];
        for _ in 0..nodes {
            let mut inputs = vec![];
            let mut positions = vec![];
            for _ in 0..dims {
                inputs.push((0..dims).map(|_| new()).collect());
                positions.push((0..nodes).map(|_| [new(), new()]).collect());
            }
            connected.push(inputs);
            arrives.push(positions);
        }
        WiringSearch { wanted, solver, connected, arrives }
    }

    fn add_clause(&mut self, mut clause: Vec<Lit>) {
        self.solver.add_clause_reuse(&mut clause);
    }

    /// Adds the constraint that at most `most` of these variables are true.
    fn at_most(&mut self, variables: &[Var], most: usize) {
        // count[i][m]: more than m of the first i variables are true.
        let mut before: Vec<Option<Var>> = vec![None; most + 1];
        for variable in variables {
            let now: Vec<Var> = (0..=most).map(|_| self.solver.new_var_default()).collect();
            for (m, more) in now.iter().enumerate() {
                if let Some(already) = before[m] {
                    self.add_clause(vec![negative(already), positive(*more)]);
                }
                let fewer = if m == 0 { None } else { before[m - 1] };
                match (m, fewer) {
                    (0, _) => self.add_clause(vec![negative(*variable), positive(*more)]),
                    (_, Some(fewer)) => {
                        self.add_clause(vec![negative(*variable), negative(fewer), positive(*more)])
                    }
                    (_, None) => {}
                }
            }
            self.add_clause(vec![negative(now[most])]);
            before = now.into_iter().map(Some).collect();
        }
    }

    /// Adds the constraints on connections.
    fn limit_connections(&mut self) {
        let dims = self.wanted.dims;
        for node in 0..1 << dims {
            let mut all = vec![];
            for input in 0..dims {
                let outputs = self.connected[node][input].clone();
                for (output, variable) in outputs.iter().enumerate() {
                    let dead = |dim: usize| node ^ 1 << dim == 0;
                    if node == 0 || input == output || dead(input) || dead(output) {
                        self.add_clause(vec![negative(*variable)]);
                    }
                }
                self.at_most(&outputs, self.wanted.per_input);
                all.extend(outputs);
            }
            self.at_most(&all, self.wanted.per_switch);
        }
    }

    /// Adds the constraint on a packet at an input: it arrives only if a connection leads it to a
    /// position from which it arrives.
    fn constrain_hop(&mut self, node: usize, input: usize, left: usize, wraps: usize) {
        let dims = self.wanted.dims;
        let right = (1..dims).map(|by| (input + dims - by) % dims);
        let outputs: Vec<usize> =
            right.filter(|to| has_bit(left, *to) && node ^ 1 << to != 0).collect();
        let here = negative(self.arrives[node][input][left][wraps]);
        let connected = |search: &Self, to: &usize| search.connected[node][input][*to];
        let mut led = vec![here];
        for (place, to) in outputs.iter().enumerate() {
            let rest = left & !(1 << to);
            let up = usize::from(*to > input && !self.wanted.any_rule);
            let home = (rest == 0).then_some(None);
            let next =
                (wraps + up < 2).then(|| Some(self.arrives[node ^ 1 << to][*to][rest][wraps + up]));
            // Destination, another position, or a forbidden hop.
            let next = if wraps + up < 2 { home.or(next) } else { None };
            if self.wanted.any_rule {
                let taken = self.solver.new_var_default();
                self.add_clause(vec![negative(taken), positive(connected(self, to))]);
                if let Some(Some(next)) = next {
                    self.add_clause(vec![negative(taken), positive(next)]);
                }
                led.push(positive(taken));
                continue;
            }
            led.push(positive(connected(self, to)));
            let mut taken = vec![here, negative(connected(self, to))];
            taken.extend(outputs[..place].iter().map(|to| positive(connected(self, to))));
            match next {
                Some(None) => {}
                Some(Some(next)) => {
                    taken.push(positive(next));
                    self.add_clause(taken);
                }
                None => self.add_clause(taken),
            }
        }
        self.add_clause(led);
    }

    /// Requires for every live pair more than one hop apart a first hop from which the packet
    /// arrives.
    fn require_routes(&mut self) {
        let nodes = 1 << self.wanted.dims;
        for source in 1..nodes {
            for left in (1..nodes).filter(|left: &usize| left.count_ones() > 1) {
                if source ^ left == 0 {
                    continue;
                }
                let firsts = (0..self.wanted.dims)
                    .filter(|dim| has_bit(left, *dim) && source ^ 1 << dim != 0);
                let clause: Vec<Lit> = firsts
                    .map(|dim| {
                        positive(self.arrives[source ^ 1 << dim][dim][left & !(1 << dim)][0])
                    })
                    .collect();
                self.add_clause(clause);
            }
        }
    }

    fn solution(mut self) -> Option<SwitchWiring> {
        if self.solver.solve_limited(&[]) != lbool::TRUE {
            return None;
        }
        let dims = self.wanted.dims;
        let mut wiring = vec![];
        for inputs in &self.connected {
            let outputs = |input: &Vec<Var>| -> Vec<usize> {
                let set = |to: &usize| self.solver.value_var(input[*to]) == lbool::TRUE;
                (0..dims).filter(set).collect()
            };
            wiring.push(inputs.iter().map(outputs).collect());
        }
        Some(wiring)
    }
}

/// Returns a wiring, if there is one.
pub fn search(wanted: WiringParameters) -> Option<SwitchWiring> {
    let mut search = WiringSearch::new(wanted);
    search.limit_connections();
    let nodes = 1 << wanted.dims;
    for node in 1..nodes {
        for input in 0..wanted.dims {
            for left in (1..nodes).filter(|left| !has_bit(*left, input) && node ^ left != 0) {
                for wraps in 0..2 {
                    search.constrain_hop(node, input, left, wraps);
                }
            }
        }
    }
    search.require_routes();
    search.solution()
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (any_rule, numbers) = match words.split_last() {
        Some((last, numbers)) if last == "any" => (true, numbers),
        _ => (false, &words[..]),
    };
    let numbers: Option<Vec<usize>> = numbers.iter().map(|word| word.parse().ok()).collect();
    let [dims, per_switch, per_input] = match numbers.as_deref() {
        Some([]) => [4, 7, 2],
        Some([dims @ 2..=6, per_switch, per_input]) => [*dims, *per_switch, *per_input],
        _ => {
            eprintln!("accepted: nothing, or DIMS (2 to 6), PER_SWITCH and PER_INPUT, then any");
            std::process::exit(2);
        }
    };
    let wanted = WiringParameters { dims, per_switch, per_input, any_rule };
    let Some(wiring) = search(wanted) else {
        println!("There is no such wiring.");
        return;
    };
    println!("# The wiring of a {dims}-cube of rotation switches of which node 0 has failed; for");
    println!(
        "# another one, each node is xor that one. For every node the dimensions to which its"
    );
    println!("# inputs 0, 1, .. lead. Found by `cargo run --example failed_switch`.");
    for (node, inputs) in wiring.iter().enumerate().skip(1) {
        let outputs = |to: &Vec<usize>| match to.is_empty() {
            true => "-".to_owned(),
            false => to.iter().map(usize::to_string).collect(),
        };
        let inputs: Vec<String> = inputs.iter().map(outputs).collect();
        println!("{node:0dims$b} {}", inputs.join(" "));
    }
}
