//! The heart's columns for all dimensions but the first.

use super::{list, BitDelay, CrossingChoice, HeartSite, Pipeline};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// A column of the heart, not the first: it sends at most one message across
/// its cube wire and packs the others into the low rows
/// (`cm1-message-router`, sections 3.4.1 and 3.4.5).
///
/// The rows come packed, but for the highest, which is the cube wire of the
/// column before. So a message that stays keeps its row, or falls by one row if
/// a lower one crosses, and the one in the highest row falls to the first row
/// that is empty.
///
/// A message whose MSGP comes at bit-time t goes on with MSGP at t + 2, the CUBE
/// bits but the column's own at t + 3 to t + c + 1, the own bit at t + c + 2,
/// and the rest from t + c + 3 on: two bit-times late, CUBE rotated by one. Own
/// bit and PARITY are inverted when the message crosses.
///
/// The wire has a register at its sender's end (`cube_out`) and one at its
/// receiver's (the first bit of the site in the highest row). The decision of the
/// receiver takes the own CUBE bit from the wire as it comes, as it takes those
/// of the other rows from the column before: with two bits of storage per site
/// no later register can have it in time.
#[derive(LogicBlock, Circuit, Default)]
pub struct HeartColumn {
    pub clock: Signal<In, Clock>,
    /// The bits that come along the rows.
    pub row: Vec<Signal<In, Bit>>,
    /// High when the column's own CUBE-ADDRESS bit comes, after MSGP.
    pub decide: Signal<In, Bit>,
    /// High while the other CUBE-ADDRESS bits come.
    pub hold: Signal<In, Bit>,
    /// High when the own CUBE-ADDRESS bit goes on.
    pub turn: Signal<In, Bit>,
    /// High when PARITY goes on.
    pub parity: Signal<In, Bit>,
    /// The bits of the messages that stay, without the highest row.
    pub moved: Vec<Signal<Out, Bit>>,
    /// The bit on the cube wire.
    pub cube_out: Signal<Out, Bit>,
    /// Lines before the sites, where messages wait for the own bit, which comes before a line.
    waiting: Vec<BitDelay>,
    sites: Vec<HeartSite>,
    crossing: CrossingChoice,
    /// A row passed so far crosses.
    crossed: Signal<Local, Bit>,
    /// The row below, of those that go on, has a message.
    below: Signal<Local, Bit>,
    /// A row passed so far was not filled. There is this signal in an oblivious heart only: there
    /// messages are stopped, so rows come with gaps, and the gaps stay.
    gap: Vec<Signal<Local, Bit>>,
}

impl HeartColumn {
    /// A column of so many rows, at least two.
    pub fn new(rows: usize) -> Self {
        HeartColumn::of(rows, Pipeline::Rotating, 1)
    }

    /// Column number `column` of such a pipeline.
    pub fn of(rows: usize, pipeline: Pipeline, column: usize) -> Self {
        // Row j is filled from rows j, j + 1 and the highest; for the highest row
        // but one the last two are the same. The last site is the wire's.
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
