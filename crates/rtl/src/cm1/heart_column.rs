//! The heart's columns for all dimensions except the first.

use super::{list, BitDelay, CrossingChoice, HeartSite, Pipeline};
use hdl::prelude::*;

/// A column of the heart, except the first. It sends at most one message across its cube wire and
/// packs the others into the low rows (`cm1-message-router`, sections 3.4.1 and 3.4.5).
///
/// The rows arrive packed, except the highest row, which is the cube wire of the previous column. A
/// message that stays therefore keeps its row, or falls by one row if a lower one crosses. The
/// message in the highest row falls to the first empty row.
///
/// A message whose MSGP arrives at bit-time t leaves with MSGP at t + 2. The CUBE bits follow:
/// first all except the column's own, at t + 3 to t + c + 1, then the own bit at t + c + 2. The
/// rest follows from t + c + 3 on. The message is thus two bit-times late, with CUBE rotated by
/// one. The own bit and PARITY are inverted when the message crosses.
///
/// The wire has one register at its sender (`cube_out`) and one at its receiver (the first bit of
/// the site in the highest row). The decision of the receiver uses the own CUBE bit directly from
/// the wire, and the bits of the other rows directly from the previous column. With two bits of
/// storage per site, a later register would be too late for the decision.
#[derive(LogicBlock, Circuit, Default)]
pub struct HeartColumn {
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
    /// Delay lines before the sites. The own CUBE bit is read before the line while the message
    /// waits in it.
    waiting: Vec<BitDelay>,
    sites: Vec<HeartSite>,
    crossing: CrossingChoice,
    /// A row visited so far crosses.
    crossed: Signal<Local, Bit>,
    /// The row below has a message after the column.
    below: Signal<Local, Bit>,
    /// A row visited so far was not filled. Exists only in an oblivious heart: there messages are
    /// stopped, so rows arrive with gaps, and the gaps stay.
    gap: Vec<Signal<Local, Bit>>,
}

impl HeartColumn {
    /// Makes a column with this number of rows, at least two.
    pub fn new(rows: usize) -> Self {
        HeartColumn::of(rows, Pipeline::Rotating, 1)
    }

    /// Makes column number `column` of this pipeline.
    pub fn of(rows: usize, pipeline: Pipeline, column: usize) -> Self {
        // Row j is filled from rows j, j + 1 and the highest. For the highest row but one the last
        // two are the same. The last site drives the cube wire.
        let mut sites: Vec<HeartSite> = (0..rows - 1)
            .map(|j| HeartSite::new(if j + 2 < rows { 3 } else { 2 }))
            .collect();
        sites.push(HeartSite::new(rows));
        HeartColumn {
            row: list(rows),
            moved: list(rows - 1),
            gap: list(usize::from(pipeline.oblivious())),
            sites,
            crossing: CrossingChoice::new(rows, pipeline.oblivious()),
            waiting: match pipeline.waiting(column) {
                0 => vec![],
                bits => (0..rows).map(|_| BitDelay::new(bits)).collect(),
            },
            ..Default::default()
        }
    }
}

impl Logic for HeartColumn {
    #[kernel]
    fn update(&mut self) {
        let rows = self.row.len();
        let last = rows - 1;
        for r in 0..rows {
            clock!(self, clock, sites[r]);
            self.sites[r].data.next = self.row[r].val();
            link!(self, sites[r], hold, decide);
            self.sites[r].invert.next = false;
            self.crossing.message[r].next = self.sites[r].held.val();
            self.crossing.differs[r].next = self.row[r].val();
            self.sites[last].choice[r].next = self.crossing.cross[r].val();
            self.sites[last].source[r].next = self.sites[r].passed.val();
        }
        for r in 0..self.waiting.len() {
            clock!(self, clock, waiting[r]);
            self.waiting[r].data.next = self.row[r].val();
            self.sites[r].data.next = self.waiting[r].delayed.val();
        }
        self.crossed.next = false;
        self.below.next = true;
        for k in 0..self.gap.len() {
            self.gap[k].next = false;
        }
        for j in 0..last {
            self.crossed.next = self.crossed.val() | self.crossing.cross[j].val();
            let same = self.crossing.stay[j].val() & !self.crossed.val();
            self.sites[j].choice[0].next = same;
            self.sites[j].source[0].next = self.sites[j].passed.val();
            if j + 1 < last {
                let falls = self.crossing.stay[j + 1].val() & self.crossed.val();
                let filled = same | falls;
                self.sites[j].choice[1].next = falls;
                self.sites[j].source[1].next = self.sites[j + 1].passed.val();
                self.sites[j].choice[2].next =
                    self.crossing.stay[last].val() & self.below.val() & !filled;
                self.sites[j].source[2].next = self.sites[last].passed.val();
                self.below.next = filled;
                for k in 0..self.gap.len() {
                    self.gap[k].next = self.gap[k].val() | !filled;
                    self.below.next = !self.gap[k].val();
                }
            } else {
                self.sites[j].choice[1].next =
                    self.crossing.stay[last].val() & self.below.val() & !same;
                self.sites[j].source[1].next = self.sites[last].passed.val();
            }
            link!(self, sites[j], moved[j]);
        }
        self.sites[last].invert.next = self.turn.val() | self.parity.val();
        self.cube_out.next = self.sites[last].moved.val();
    }
}
