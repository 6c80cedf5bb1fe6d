//! The smallest part of the heart: two bits of storage and a switch.

use super::list;
use hdl::prelude::*;

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
        let inverted = if decide {
            self.chosen.val()
        } else {
            self.invert.val() & self.occupied.val()
        };
        self.second.d.next = self.taken.val() ^ inverted;
        self.moved.next = self.second.q.val();
    }
}
