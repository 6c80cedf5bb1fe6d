//! The part of the injector that one row needs.

use super::list;
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// One row of the injector: it takes the buffered message of the row or, if
/// there is none, that of the lowest processor that is left to it
/// (`cm1-message-router`, section 3.2).
#[derive(LogicBlock, Circuit, Default)]
pub struct InjectorRow {
    pub clock: Signal<In, Clock>,
    /// The MSGP bits are there: the row decides, and keeps to it until the next.
    pub start: Signal<In, Bit>,
    /// The row has a buffered message.
    pub message: Signal<In, Bit>,
    /// Its bits.
    pub buffered: Signal<In, Bit>,
    /// The processors that offer a message and are not served by a lower row.
    pub offer: Vec<Signal<In, Bit>>,
    /// The bits that the processors send.
    pub send: Vec<Signal<In, Bit>>,
    /// The processor that the row takes, while it decides.
    pub take: Vec<Signal<Out, Bit>>,
    /// The processors that are left to the higher rows.
    pub rest: Vec<Signal<Out, Bit>>,
    /// The bits that go to the heart.
    pub row: Signal<Out, Bit>,
    passing: Reg<Bit>,
    taken: Vec<Reg<Bit>>,
    served: Signal<Local, Bit>,
    chosen: Signal<Local, Bit>,
}

impl InjectorRow {
    /// A row that so many processors lead to.
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
        let passes = if start {
            self.message.val()
        } else {
            self.passing.q.val()
        };
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
