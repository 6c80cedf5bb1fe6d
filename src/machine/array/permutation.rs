use std::sync::Arc;

/// A permutation of the nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permutation {
    /// The bits of the number that are set here are inverted: a link of a
    /// hypercube.
    Xor(u32),
    /// For each node another.
    Table(Arc<[u32]>),
}

impl Permutation {
    pub fn of(&self, node: usize) -> usize {
        match self {
            Permutation::Xor(mask) => node ^ *mask as usize,
            Permutation::Table(table) => table[node] as usize,
        }
    }
}
