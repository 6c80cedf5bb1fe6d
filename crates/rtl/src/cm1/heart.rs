//! The switch inside a chip, in which messages cross one dimension after the other.

use super::{list, FirstColumn, HeartColumn, Pipeline};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// The heart of a chip: a column for each dimension of the cube
/// (`cm1-message-router`, section 3.4).
///
/// A message that enters at bit-time t leaves at t + 2c in its original form;
/// column i does at t + 2i what its strobes say.
#[derive(LogicBlock, Circuit, Default)]
pub struct Heart {
    pub clock: Signal<In, Clock>,
    /// The bits that come from the injector, one of each row.
    pub row: Vec<Signal<In, Bit>>,
    /// The levels of the cube wires that come in.
    pub cube_in: Vec<Signal<In, Bit>>,
    /// The bits on the cube wires that go out.
    pub cube_out: Vec<Signal<Out, Bit>>,
    /// Strobes of the columns: the own CUBE-ADDRESS bit comes.
    pub decide: Vec<Signal<In, Bit>>,
    /// The other CUBE-ADDRESS bits come.
    pub hold: Vec<Signal<In, Bit>>,
    /// The own CUBE-ADDRESS bit goes on.
    pub turn: Vec<Signal<In, Bit>>,
    /// PARITY goes on.
    pub parity: Vec<Signal<In, Bit>>,
    /// The bits that leave, one of each row.
    pub exit: Vec<Signal<Out, Bit>>,
    first: FirstColumn,
    /// Columns 1 to c - 1.
    later: Vec<HeartColumn>,
}

impl Heart {
    /// The heart of the machine.
    ///
    /// # Panics
    /// Without a dimension, or with less than two rows.
    pub fn new(dims: usize, rows: usize) -> Self {
        Heart::of(dims, rows, Pipeline::Rotating)
    }

    /// A heart with such a pipeline; [`Pipeline::times`] has its strobes.
    ///
    /// # Panics
    /// Without a dimension, or with less than two rows.
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
        // `exit` goes from column to column.
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
