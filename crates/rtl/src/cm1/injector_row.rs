//! One row of the injector.

use super::list;
use hdl::prelude::*;

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
