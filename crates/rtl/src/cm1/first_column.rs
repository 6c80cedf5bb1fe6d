//! The heart's column for dimension 0, which closes the gaps between messages.

use super::{list, CrossingChoice, HeartSite, Pipeline};
use hdl::prelude::*;

/// Column 0 of the heart. Its rows come from the injector with gaps between them, so a message that
/// stays may fall to any lower row.
///
/// The timing is the same as in [`HeartColumn`](super::HeartColumn).
#[derive(LogicBlock, Circuit, Default)]
pub struct FirstColumn {
    pub clock: Signal<In, Clock>,
    /// Bits that arrive on the rows.
    pub row: Vec<Signal<In, Bit>>,
    /// High when the column's own CUBE-ADDRESS bit arrives, after MSGP.
    pub decide: Signal<In, Bit>,
    /// High while the other CUBE-ADDRESS bits arrive.
    pub hold: Signal<In, Bit>,
    /// High when the column's own CUBE-ADDRESS bit leaves the column.
    pub turn: Signal<In, Bit>,
    /// High when PARITY leaves the column.
    pub parity: Signal<In, Bit>,
    /// Bits of the messages that stay, without the highest row.
    pub moved: Vec<Signal<Out, Bit>>,
    /// Bit on the cube wire.
    pub cube_out: Signal<Out, Bit>,
    sites: Vec<HeartSite>,
    crossing: CrossingChoice,
    /// Number of messages that stay in the rows visited so far, one-hot.
    place: Vec<Signal<Local, Bit>>,
}

impl FirstColumn {
    /// Makes a column with this number of rows, at least two.
    pub fn new(rows: usize) -> Self {
        FirstColumn::of(rows, Pipeline::Rotating)
    }

    /// Makes column 0 for this pipeline.
    pub fn of(rows: usize, pipeline: Pipeline) -> Self {
        // Row j is filled from row j or a higher one. The last site drives the cube wire.
        let mut sites: Vec<HeartSite> = (0..rows - 1).map(|j| HeartSite::new(rows - j)).collect();
        sites.push(HeartSite::new(rows));
        FirstColumn {
            row: list(rows),
            moved: list(rows - 1),
            sites,
            crossing: CrossingChoice::new(rows, pipeline.oblivious()),
            place: list(rows - 1),
            ..Default::default()
        }
    }
}

impl Logic for FirstColumn {
    #[kernel]
    fn update(&mut self) {
        let rows = self.row.len();
        for r in 0..rows {
            clock!(self, clock, sites[r]);
            self.sites[r].data.next = self.row[r].val();
            link!(self, sites[r], hold, decide);
            self.sites[r].invert.next = false;
            self.crossing.message[r].next = self.sites[r].held.val();
            self.crossing.differs[r].next = self.row[r].val();
            self.sites[rows - 1].choice[r].next = self.crossing.cross[r].val();
            self.sites[rows - 1].source[r].next = self.sites[r].passed.val();
        }
        for j in 0..rows - 1 {
            self.place[j].next = j == 0;
            link!(self, sites[j], moved[j]);
        }
        for s in 0..rows {
            for j in 0..rows - 1 {
                if j <= s {
                    self.sites[j].choice[s - j].next =
                        self.crossing.stay[s].val() & self.place[j].val();
                    self.sites[j].source[s - j].next = self.sites[s].passed.val();
                }
            }
            if self.crossing.stay[s].val() {
                for i in 2..rows {
                    self.place[rows - i].next = self.place[rows - i - 1].val();
                }
                self.place[0].next = false;
            }
        }
        self.sites[rows - 1].invert.next = self.turn.val() | self.parity.val();
        self.cube_out.next = self.sites[rows - 1].moved.val();
    }
}
