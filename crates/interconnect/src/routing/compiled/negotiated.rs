//! Negotiation: messages may share sends at a price, which rises until no send is shared (L.
//! McMurchie, C. Ebeling, "PathFinder: A Negotiation-Based Performance-Driven Router for FPGAs",
//! 1995).

use crate::topology::Hypercube;

/// Price of a send that no message uses and that was never in conflict.
const BASE_PRICE: u32 = 16;

/// Price increase for each message that already uses the send in this round.
const SHARING_PRICE: u32 = 12;

/// Permanent price increase for each surplus message at the end of a round.
const HISTORY_PRICE: u32 = 6;

/// Upper bound on the cost of any path, exclusive.
const UNREACHED: u32 = u32::MAX / 2;

/// Returns the pairs of phases in which each message moves, by shortest paths within this order of
/// links.
///
/// No node sends two messages in a pair. The result is `None` if `rounds` rounds do not find such a
/// set of paths. After each round the function passes the round and the number of surplus sends to
/// `progress`.
pub fn negotiate(
    cube: Hypercube,
    order: &[u32],
    messages: &[[u32; 2]],
    rounds: u32,
    progress: &mut dyn FnMut(u32, usize),
) -> Option<Vec<Vec<u32>>> {
    let mut market = SendDemand::new(cube, order);
    let mut paths: Vec<Vec<u32>> = vec![vec![]; messages.len()];
    let mut finder = CheapestPath::default();
    for round in 0..rounds {
        for (path, &[from, to]) in paths.iter_mut().zip(messages) {
            if round > 0 && !market.is_crowded(from, path) {
                continue;
            }
            market.add_demand(from, path, -1);
            *path = finder.find(&market, from, to)?;
            market.add_demand(from, path, 1);
        }
        let crowded = market.end_round();
        progress(round, crowded);
        if crowded == 0 {
            return Some(paths);
        }
    }
    None
}

/// Demand for sends. A place is a send by one node in one pair of phases.
struct SendDemand<'a> {
    cube: Hypercube,
    order: &'a [u32],
    /// Messages that use each place, indexed by pair and node.
    wanted: Vec<u16>,
    /// Price increase from earlier rounds.
    history: Vec<u32>,
}

impl<'a> SendDemand<'a> {
    fn new(cube: Hypercube, order: &'a [u32]) -> Self {
        let places = order.len() * cube.nodes() as usize;
        SendDemand {
            cube,
            order,
            wanted: vec![0; places],
            history: vec![0; places],
        }
    }

    fn send_index(&self, pair: usize, node: u32) -> usize {
        pair << self.cube.dims() | node as usize
    }

    /// Price for one more message.
    fn price(&self, pair: usize, node: u32) -> u32 {
        let place = self.send_index(pair, node);
        BASE_PRICE + self.history[place] + SHARING_PRICE * u32::from(self.wanted[place])
    }

    /// Places along a path.
    fn sends_of_path<'b>(&'b self, from: u32, path: &'b [u32]) -> impl Iterator<Item = usize> + 'b {
        let mut here = from;
        path.iter().map(move |&pair| {
            let place = self.send_index(pair as usize, here);
            here ^= 1 << self.order[pair as usize];
            place
        })
    }

    fn is_crowded(&self, from: u32, path: &[u32]) -> bool {
        self.sends_of_path(from, path)
            .any(|place| self.wanted[place] > 1)
    }

    /// Adds `more` to the demand for each place of a path.
    fn add_demand(&mut self, from: u32, path: &[u32], more: i16) {
        let places: Vec<usize> = self.sends_of_path(from, path).collect();
        for place in places {
            self.wanted[place] = self.wanted[place].wrapping_add_signed(more);
        }
    }

    /// Ends a round: raises the price of places with several messages. Returns the number of
    /// surplus messages.
    fn end_round(&mut self) -> usize {
        let mut crowded = 0;
        for (wanted, history) in self.wanted.iter().zip(&mut self.history) {
            let too_many = u32::from(wanted.saturating_sub(1));
            *history += HISTORY_PRICE * too_many;
            crowded += too_many as usize;
        }
        crowded
    }
}

/// Finds cheap paths. Its buffers are reused from one message to the next.
#[derive(Default)]
struct CheapestPath {
    /// Cost of having crossed each subset of the dimensions in which the ends differ.
    cost: Vec<u32>,
    /// Indexed by pair: one bit for each subset that the pair reached more cheaply.
    cheaper: Vec<u64>,
}

impl CheapestPath {
    /// Returns the cheapest shortest path as the pairs in which it moves, or `None` if the order is
    /// too short.
    fn find(&mut self, market: &SendDemand, from: u32, to: u32) -> Option<Vec<u32>> {
        let dims: Vec<u32> = (0..market.cube.dims())
            .filter(|dim| (from ^ to) >> dim & 1 == 1)
            .collect();
        let sets = 1usize << dims.len();
        let words = sets.div_ceil(64);
        self.cost.clear();
        self.cost.resize(sets, UNREACHED);
        self.cost[0] = 0;
        self.cheaper.clear();
        self.cheaper.resize(market.order.len() * words, 0);
        // The node after crossing a subset of the dimensions.
        let node = |set: usize| {
            let crossed = dims.iter().enumerate();
            let crossed = crossed.filter(|(bit, _)| set >> bit & 1 == 1);
            crossed.fold(from, |node, (_, dim)| node ^ 1 << dim)
        };
        let nodes: Vec<u32> = (0..sets).map(node).collect();
        for (pair, dim) in market.order.iter().enumerate() {
            let Some(bit) = dims.iter().position(|differing| differing == dim) else {
                continue;
            };
            for set in (0..sets).filter(|set| set >> bit & 1 == 0) {
                if self.cost[set] == UNREACHED {
                    continue;
                }
                let crossed = set | 1 << bit;
                let cost = self.cost[set] + market.price(pair, nodes[set]);
                if cost < self.cost[crossed] {
                    self.cost[crossed] = cost;
                    self.cheaper[pair * words + crossed / 64] |= 1 << (crossed % 64);
                }
            }
        }
        self.trace_back(market.order, &dims, words)
    }

    /// Traces the path back from the full set.
    fn trace_back(&self, order: &[u32], dims: &[u32], words: usize) -> Option<Vec<u32>> {
        let mut set = (1usize << dims.len()) - 1;
        if self.cost[set] == UNREACHED {
            return None;
        }
        let mut path = vec![];
        for (pair, dim) in order.iter().enumerate().rev() {
            let came = self.cheaper[pair * words + set / 64] >> (set % 64) & 1 == 1;
            if let (true, Some(bit)) = (came, dims.iter().position(|differing| differing == dim)) {
                path.push(pair as u32);
                set &= !(1 << bit);
            }
        }
        path.reverse();
        Some(path)
    }
}
