//! The smallest part of the heart: two bits of storage and a switch.

use super::list;
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// One site of the heart: the crossing of a row and a column
/// (`cm1-message-router`, sections 3.4 and 3.4.5).
///
/// It holds two bits of a message: the one that came last, which is MSGP when
/// the column decides and the column's own CUBE-ADDRESS bit while the others
/// overtake it, and the one that goes on to the next column. Between the two is
/// the site's part of the column's switch, which it keeps for a petit cycle.
#[derive(LogicBlock, Circuit, Default)]
pub struct HeartSite {
    pub clock: Signal<In, Clock>,
    /// The bit that comes along the row.
    pub data: Signal<In, Bit>,
    /// What is held stays, and what comes overtakes it.
    pub hold: Signal<In, Bit>,
    /// The bit that came last.
    pub held: Signal<Out, Bit>,
    /// The row's bit at the switch; low while the column decides.
    pub passed: Signal<Out, Bit>,
    /// The column decides.
    pub decide: Signal<In, Bit>,
    /// The decision: which of the sources goes on from here, if any. It has a
    /// message, and since MSGP is one, the bit that goes on is known without it.
    pub choice: Vec<Signal<In, Bit>>,
    /// The bits at the switch of the rows that can go on from here.
    pub source: Vec<Signal<In, Bit>>,
    /// Invert the bit, if it is one of a message.
    pub invert: Signal<In, Bit>,
    /// The bit that goes on.
    pub moved: Signal<Out, Bit>,
    first: Reg<Bit>,
    second: Reg<Bit>,
    switch: Vec<Reg<Bit>>,
    chosen: Signal<Local, Bit>,
    occupied: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
}

impl HeartSite {
    /// A site that so many rows lead to.
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
        let inverted = if decide {
            self.chosen.val()
        } else {
            self.invert.val() & self.occupied.val()
        };
        self.second.d.next = self.taken.val() ^ inverted;
        self.moved.next = self.second.q.val();
    }
}
