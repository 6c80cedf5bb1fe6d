//! The switch of a chip, in which messages cross one dimension after the other.

use super::{list, FirstColumn, HeartColumn, Pipeline};
use hdl::prelude::*;

/// The heart of a chip: one column per dimension of the cube (`cm1-message-router`, section 3.4).
///
/// A message that enters at bit-time t leaves at t + 2c in its original form. Column i carries out
/// its strobes at t + 2i.
#[derive(LogicBlock, Circuit, Default)]
pub struct Heart {
    pub clock: Signal<In, Clock>,
    /// Bits from the injector, one per row.
    pub row: Vec<Signal<In, Bit>>,
    /// Levels of the incoming cube wires.
    pub cube_in: Vec<Signal<In, Bit>>,
    /// Bits on the outgoing cube wires.
    pub cube_out: Vec<Signal<Out, Bit>>,
    /// Strobe of each column: the column's own CUBE-ADDRESS bit arrives.
    pub decide: Vec<Signal<In, Bit>>,
    /// Strobe: the other CUBE-ADDRESS bits arrive.
    pub hold: Vec<Signal<In, Bit>>,
    /// Strobe: the column's own CUBE-ADDRESS bit leaves the column.
    pub turn: Vec<Signal<In, Bit>>,
    /// Strobe: PARITY leaves the column.
    pub parity: Vec<Signal<In, Bit>>,
    /// Bits that leave the heart, one per row.
    pub exit: Vec<Signal<Out, Bit>>,
    first: FirstColumn,
    /// Columns 1 to c - 1.
    later: Vec<HeartColumn>,
}

impl Heart {
    /// Makes the heart of the machine, with the [`Rotating`](Pipeline::Rotating) pipeline.
    ///
    /// # Panics
    /// If there is no dimension, or with fewer than two rows.
    pub fn new(dims: usize, rows: usize) -> Self {
        Heart::of(dims, rows, Pipeline::Rotating)
    }

    /// Makes a heart with this pipeline; [`Pipeline::times`] has its strobes.
    ///
    /// # Panics
    /// If there is no dimension, or with fewer than two rows.
    pub fn of(dims: usize, rows: usize, pipeline: Pipeline) -> Self {
        assert!(dims >= 1, "a cube has a dimension");
        assert!(rows >= 2, "with one row every message crosses every wire");
        Heart {
            clock: Signal::default(),
            row: list(rows),
            cube_in: list(dims),
            cube_out: list(dims),
            decide: list(dims),
            hold: list(dims),
            turn: list(dims),
            parity: list(dims),
            exit: list(rows),
            first: FirstColumn::of(rows, pipeline),
            later: (1..dims)
                .map(|column| HeartColumn::of(rows, pipeline, column))
                .collect(),
        }
    }
}

impl Logic for Heart {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, first);
        let last = self.row.len() - 1;
        for r in 0..self.row.len() {
            self.first.row[r].next = self.row[r].val();
        }
        link!(self, first, decide[0], hold[0], turn[0], parity[0]);
        link!(self, first, cube_out[0]);
        for r in 0..last {
            self.exit[r].next = self.first.moved[r].val();
        }
        // `exit` carries the bits from column to column.
        for i in 0..self.later.len() {
            for r in 0..last {
                self.later[i].row[r].next = self.exit[r].val();
                self.exit[r].next = self.later[i].moved[r].val();
            }
            clock!(self, clock, later[i]);
            self.later[i].row[last].next = self.cube_in[i].val();
            link!(self, later[i], decide[i + 1], hold[i + 1], turn[i + 1]);
            link!(self, later[i], parity[i + 1], cube_out[i + 1]);
        }
        self.exit[last].next = self.cube_in[self.cube_in.len() - 1].val();
    }
}
