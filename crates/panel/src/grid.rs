//! Places of the nodes on the panel.

use serde::Serialize;

/// Grid of LEDs. Neighbours in the grid are neighbours in the cube: row and column are Gray codes of the
/// upper and the lower half of the address, as in `firmware/starc/star.h` (`tdma-hypercube`, section
/// on the grid).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Grid {
    pub rows: usize,
    pub columns: usize,
    #[serde(skip)]
    column_bits: u32,
}

impl Grid {
    /// Grid of this number of nodes, a power of two. It has as many columns as rows, or half as
    /// many.
    pub fn of(nodes: usize) -> Self {
        let bits = nodes.max(1).ilog2();
        let column_bits = bits / 2;
        Grid { rows: 1 << (bits - column_bits), columns: 1 << column_bits, column_bits }
    }

    /// Row and column of a node.
    pub fn place(self, node: usize) -> (usize, usize) {
        (from_gray(node >> self.column_bits), from_gray(node & (self.columns - 1)))
    }

    /// Node at a row and a column.
    pub fn node(self, row: usize, column: usize) -> usize {
        (row ^ row >> 1) << self.column_bits | (column ^ column >> 1)
    }

    /// Sorts values by node into values by place, row after row.
    pub fn arrange(self, by_node: &[u8]) -> Vec<u8> {
        let places =
            (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (row, column)));
        places.map(|(row, column)| by_node[self.node(row, column)]).collect()
    }
}

fn from_gray(code: usize) -> usize {
    let mut value = code;
    let mut shift = code >> 1;
    while shift != 0 {
        value ^= shift;
        shift >>= 1;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neighbours in the grid, also across its edges, differ in one address bit.
    #[test]
    fn neighbours_in_the_grid_are_neighbours_in_the_cube() {
        for bits in 0..=12 {
            let grid = Grid::of(1 << bits);
            assert_eq!(grid.rows * grid.columns, 1 << bits);
            for node in 0..1 << bits {
                let (row, column) = grid.place(node);
                assert_eq!(grid.node(row, column), node);
                let right = grid.node(row, (column + 1) % grid.columns);
                let below = grid.node((row + 1) % grid.rows, column);
                let expected = |length: usize| u32::from(length > 1);
                assert_eq!((node ^ right).count_ones(), expected(grid.columns), "{node}");
                assert_eq!((node ^ below).count_ones(), expected(grid.rows), "{node}");
            }
        }
    }
}
