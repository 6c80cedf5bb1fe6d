//! The switch of a chip, in which messages cross one dimension after the other.

use super::{list, Pipeline};
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
            later: (1..dims).map(|column| HeartColumn::of(rows, pipeline, column)).collect(),
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
        link!(self -> first: decide[0], hold[0], turn[0], parity[0]);
        link!(first -> self: cube_out[0]);
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
            link!(self -> later[i]: decide[i + 1], hold[i + 1], turn[i + 1]);
            link!(self -> later[i]: parity[i + 1]);
            link!(later[i] -> self: cube_out[i + 1]);
        }
        self.exit[last].next = self.cube_in[self.cube_in.len() - 1].val();
    }
}

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
    packed: Vec<Signal<Local, Bit>>,
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
            packed: list(rows - 1),
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
            link!(self -> sites[r]: hold, decide);
            self.sites[r].invert.next = false;
            self.crossing.message[r].next = self.sites[r].held.val();
            self.crossing.differs[r].next = self.row[r].val();
            self.sites[rows - 1].choice[r].next = self.crossing.cross[r].val();
            self.sites[rows - 1].source[r].next = self.sites[r].passed.val();
        }
        for j in 0..rows - 1 {
            self.packed[j].next = j == 0;
            link!(sites[j] -> self: moved[j]);
        }
        for s in 0..rows {
            for j in 0..rows - 1 {
                if j <= s {
                    self.sites[j].choice[s - j].next =
                        self.crossing.stay[s].val() & self.packed[j].val();
                    self.sites[j].source[s - j].next = self.sites[s].passed.val();
                }
            }
            if self.crossing.stay[s].val() {
                for i in 2..rows {
                    self.packed[rows - i].next = self.packed[rows - i - 1].val();
                }
                self.packed[0].next = false;
            }
        }
        self.sites[rows - 1].invert.next = self.turn.val() | self.parity.val();
        self.cube_out.next = self.sites[rows - 1].moved.val();
    }
}

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
        let mut sites: Vec<HeartSite> =
            (0..rows - 1).map(|j| HeartSite::new(if j + 2 < rows { 3 } else { 2 })).collect();
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
            link!(self -> sites[r]: hold, decide);
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
            link!(sites[j] -> self: moved[j]);
        }
        self.sites[last].invert.next = self.turn.val() | self.parity.val();
        self.cube_out.next = self.sites[last].moved.val();
    }
}

// The smallest part of the heart: two bits of storage and a switch.

/// One site of the heart: the crossing of a row and a column (`cm1-message-router`, sections 3.4
/// and 3.4.5).
///
/// A site stores two bits of a message. The first is the bit that arrived last: MSGP when the
/// column decides, then the column's own CUBE-ADDRESS bit while the others overtake it. The second
/// is the bit that leaves for the next column. Between the two is the site's part of the column's
/// switch, whose setting lasts for a petit cycle.
#[derive(LogicBlock, Circuit, Default)]
pub struct HeartSite {
    pub clock: Signal<In, Clock>,
    /// Bit that arrives on the row.
    pub data: Signal<In, Bit>,
    /// Keeps the stored bit, and the arriving bit overtakes it.
    pub hold: Signal<In, Bit>,
    /// Bit that arrived last.
    pub held: Signal<Out, Bit>,
    /// The row's bit at the switch; low while the column decides.
    pub passed: Signal<Out, Bit>,
    /// The column decides.
    pub decide: Signal<In, Bit>,
    /// Decision: the source that continues from this site, if any. The source has a message, and
    /// MSGP is one, so the site knows the outgoing bit without reading the source.
    pub choice: Vec<Signal<In, Bit>>,
    /// Bits at the switch of the rows that can continue from this site.
    pub source: Vec<Signal<In, Bit>>,
    /// Inverts the bit if it belongs to a message.
    pub invert: Signal<In, Bit>,
    /// Bit that leaves the site.
    pub moved: Signal<Out, Bit>,
    first: Reg<Bit>,
    second: Reg<Bit>,
    switch: Vec<Reg<Bit>>,
    chosen: Signal<Local, Bit>,
    occupied: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
}

impl HeartSite {
    /// Makes a site with this number of source rows.
    pub fn new(sources: usize) -> Self {
        HeartSite {
            choice: list(sources),
            source: list(sources),
            switch: list(sources),
            ..Default::default()
        }
    }
}

impl Logic for HeartSite {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, first, second);
        let decide = self.decide.val();
        self.held.next = self.first.q.val();
        if self.hold.val() {
            self.passed.next = !decide & self.data.val();
        } else {
            self.passed.next = !decide & self.first.q.val();
            self.first.d.next = self.data.val();
        }
        self.chosen.next = false;
        self.occupied.next = false;
        self.taken.next = false;
        for k in 0..self.choice.len() {
            let on = self.switch[k].q.val();
            clock!(self, clock, switch[k]);
            self.switch[k].d.next = if decide { self.choice[k].val() } else { on };
            self.chosen.next = self.chosen.val() | self.choice[k].val();
            self.occupied.next = self.occupied.val() | on;
            self.taken.next = self.taken.val() | (on & self.source[k].val());
        }
        let inverted =
            if decide { self.chosen.val() } else { self.invert.val() & self.occupied.val() };
        self.second.d.next = self.taken.val() ^ inverted;
        self.moved.next = self.second.q.val();
    }
}

/// Chooses the message of a column that crosses its cube wire (`cm1-message-router`, section
/// 3.4.1). The lowest row that differs in the column's dimension crosses. If no row differs and all
/// rows are full, the highest row crosses in desperation.
#[derive(LogicBlock, Circuit, Default)]
pub struct CrossingChoice {
    /// The row has a message.
    pub message: Vec<Signal<In, Bit>>,
    /// The message's address differs from the chip's in the column's dimension.
    pub differs: Vec<Signal<In, Bit>>,
    /// The row's message crosses.
    pub cross: Vec<Signal<Out, Bit>>,
    /// The row has a message that stays.
    pub stay: Vec<Signal<Out, Bit>>,
    /// In an oblivious choice: the row's message may not cross and is stopped.
    pub stopped: Vec<Signal<Out, Bit>>,
    wanted: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
}

impl CrossingChoice {
    /// Makes the rule for this number of rows, oblivious or adaptive.
    pub fn new(rows: usize, oblivious: bool) -> Self {
        CrossingChoice {
            message: list(rows),
            differs: list(rows),
            cross: list(rows),
            stay: list(rows),
            stopped: list(if oblivious { rows } else { 0 }),
            ..Default::default()
        }
    }
}

impl Logic for CrossingChoice {
    #[kernel]
    fn update(&mut self) {
        self.wanted.next = false;
        self.full.next = true;
        for r in 0..self.message.len() {
            let wants = self.message[r].val() & self.differs[r].val();
            self.cross[r].next = wants & !self.wanted.val();
            self.wanted.next = self.wanted.val() | wants;
            self.full.next = self.full.val() & self.message[r].val();
        }
        if self.full.val() & !self.wanted.val() {
            self.cross[self.message.len() - 1].next = true;
        }
        for r in 0..self.message.len() {
            self.stay[r].next = self.message[r].val() & !self.cross[r].val();
        }
        for r in 0..self.stopped.len() {
            // The message differs but another one crosses, or it would cross in desperation.
            let stops = self.message[r].val() & (self.differs[r].val() ^ self.cross[r].val());
            self.stopped[r].next = stops;
            self.cross[r].next = self.cross[r].val() & !stops;
            self.stay[r].next = self.stay[r].val() & !stops;
        }
    }
}

// A delay line that holds the bits of a row until an address bit arrives.

/// Delays each bit by `bits` bit-times (`cm1-message-router`, section 3.4.3).
#[derive(LogicBlock, Circuit, Default)]
pub struct BitDelay {
    pub clock: Signal<In, Clock>,
    /// Incoming bit.
    pub data: Signal<In, Bit>,
    /// Bit that came `bits` bit-times ago.
    pub delayed: Signal<Out, Bit>,
    bits: Vec<Reg<Bit>>,
}

impl BitDelay {
    /// Makes a line of `bits` bits; with 0 bits the output is the input.
    pub fn new(bits: usize) -> Self {
        BitDelay { bits: list(bits), ..Default::default() }
    }
}

impl Logic for BitDelay {
    #[kernel]
    fn update(&mut self) {
        self.delayed.next = self.data.val();
        for i in 0..self.bits.len() {
            clock!(self, clock, bits[i]);
            self.bits[i].d.next = self.delayed.val();
            self.delayed.next = self.bits[i].q.val();
        }
    }
}
