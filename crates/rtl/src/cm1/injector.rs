//! The injector of a CM-1 chip.

use super::list;
use hdl::prelude::*;

/// Fills the rows of a chip: buffered messages keep their rows, and messages of processors fill the
/// empty rows, both in ascending order (`cm1-message-router`, section 3.2).
///
/// The injector decides when the MSGP bits are present (`start`) and forwards them in the same
/// bit-time. It stores no bit of a message. In a petit cycle that drains, no processor is served.
/// Buffered messages return to the processors instead of the heart: row r to processor r modulo
/// their number. Of several such rows the lowest with a message returns it. The other messages
/// continue through the heart.
#[derive(LogicBlock, Circuit, Default)]
pub struct Injector {
    pub clock: Signal<In, Clock>,
    /// The MSGP bits are present.
    pub start: Signal<In, Bit>,
    /// This petit cycle drains; sampled at `start`.
    pub drain: Signal<In, Bit>,
    /// Rows with a buffered message; sampled at `start`.
    pub stays: Vec<Signal<In, Bit>>,
    /// Bits of the buffered messages.
    pub buffered: Vec<Signal<In, Bit>>,
    /// Lines from the processors. At `start` a line says whether the processor offers a message.
    /// The rest of the message follows if it was acknowledged.
    pub send: Vec<Signal<In, Bit>>,
    /// The offered message is accepted; valid at `start`.
    pub acknowledge: Vec<Signal<Out, Bit>>,
    /// Whole messages that return to the processors, MSGP at `start`.
    pub returned: Vec<Signal<Out, Bit>>,
    /// Bits to the heart.
    pub row: Vec<Signal<Out, Bit>>,
    rows: Vec<InjectorRow>,
    returning: Vec<Reg<Bit>>,
    /// The message of a lower row returns to the processor.
    busy: Vec<Signal<Local, Bit>>,
    /// Offers that are not yet accepted.
    left: Vec<Signal<Local, Bit>>,
}

impl Injector {
    pub fn new(rows: usize, processors: usize) -> Self {
        Injector {
            stays: list(rows),
            buffered: list(rows),
            send: list(processors),
            acknowledge: list(processors),
            returned: list(processors),
            row: list(rows),
            rows: (0..rows).map(|_| InjectorRow::new(processors)).collect(),
            returning: list(rows),
            busy: list(processors),
            left: list(processors),
            ..Default::default()
        }
    }
}

impl Logic for Injector {
    #[kernel]
    fn update(&mut self) {
        let start = self.start.val();
        let processors = self.send.len();
        for p in 0..processors {
            self.acknowledge[p].next = false;
            self.returned[p].next = false;
            self.busy[p].next = false;
            self.left[p].next = start & self.send[p].val() & !self.drain.val();
        }
        for r in 0..self.row.len() {
            let stays = self.stays[r].val();
            let back = stays & self.drain.val() & !self.busy[r % processors].val();
            self.busy[r % processors].next = self.busy[r % processors].val() | stays;
            let returns = if start { back } else { self.returning[r].q.val() };
            clock!(self, clock, returning[r]);
            self.returning[r].d.next = returns;
            self.returned[r % processors].next =
                self.returned[r % processors].val() | (returns & self.buffered[r].val());

            clock!(self, clock, rows[r]);
            self.rows[r].start.next = start;
            self.rows[r].message.next = stays & !back;
            link!(self -> rows[r]: buffered[r]);
            for p in 0..processors {
                self.rows[r].send[p].next = self.send[p].val();
                self.rows[r].offer[p].next = self.left[p].val();
                self.left[p].next = self.rows[r].rest[p].val();
                self.acknowledge[p].next = self.acknowledge[p].val() | self.rows[r].take[p].val();
            }
            link!(rows[r] -> self: row[r]);
        }
    }
}

/// Takes the buffered message of the row or, if there is none, the message of the lowest processor
/// that no lower row serves (`cm1-message-router`, section 3.2).
#[derive(LogicBlock, Circuit, Default)]
pub struct InjectorRow {
    pub clock: Signal<In, Clock>,
    /// The MSGP bits are present: the row decides. The decision lasts until the next `start`.
    pub start: Signal<In, Bit>,
    /// The row has a buffered message.
    pub message: Signal<In, Bit>,
    /// Bits of the buffered message.
    pub buffered: Signal<In, Bit>,
    /// Processors that offer a message and are not served by a lower row.
    pub offer: Vec<Signal<In, Bit>>,
    /// Bits that the processors send.
    pub send: Vec<Signal<In, Bit>>,
    /// Processor that the row takes, one-hot; valid while the row decides.
    pub take: Vec<Signal<Out, Bit>>,
    /// Processors that are left for the higher rows.
    pub rest: Vec<Signal<Out, Bit>>,
    /// Bits to the heart.
    pub row: Signal<Out, Bit>,
    passing: Reg<Bit>,
    taken: Vec<Reg<Bit>>,
    served: Signal<Local, Bit>,
    chosen: Signal<Local, Bit>,
}

impl InjectorRow {
    /// Makes a row for this number of processors.
    pub fn new(processors: usize) -> Self {
        InjectorRow {
            offer: list(processors),
            send: list(processors),
            take: list(processors),
            rest: list(processors),
            taken: list(processors),
            ..Default::default()
        }
    }
}

impl Logic for InjectorRow {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, passing);
        let start = self.start.val();
        let passes = if start { self.message.val() } else { self.passing.q.val() };
        self.passing.d.next = passes;
        self.served.next = self.message.val();
        self.chosen.next = passes & self.buffered.val();
        for p in 0..self.offer.len() {
            let take = start & self.offer[p].val() & !self.served.val();
            self.take[p].next = take;
            self.rest[p].next = self.offer[p].val() & !take;
            self.served.next = self.served.val() | self.offer[p].val();
            let on = if start { take } else { self.taken[p].q.val() };
            clock!(self, clock, taken[p]);
            self.taken[p].d.next = on;
            self.chosen.next = self.chosen.val() | (on & self.send[p].val());
        }
        self.row.next = self.chosen.val();
    }
}
