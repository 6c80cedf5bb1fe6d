//! The injector of a chip of the board's CM-1.

use crate::cm1::list;
use hdl::prelude::*;

/// The injector of a chip with one processor. Like [`Injector`](crate::cm1::Injector), but it
/// decides one bit-time before MSGP and does not drain.
#[derive(LogicBlock, Circuit, Default)]
pub struct LoneInjector {
    pub clock: Signal<In, Clock>,
    /// The previous petit cycle has ended: record the rows that have a message.
    pub finish: Signal<In, Bit>,
    /// Rows that have a message; sampled at `finish`.
    pub kept: Vec<Signal<In, Bit>>,
    /// MSGP comes next: the lowest empty row takes the offered message.
    pub take: Signal<In, Bit>,
    /// The processor offers a message; sampled at `take`.
    pub offer: Signal<In, Bit>,
    /// Bits of the offered message, MSGP first.
    pub send: Signal<In, Bit>,
    /// The offered message was taken; valid from `take` to the next one.
    pub taken: Signal<Out, Bit>,
    /// Bits of the buffered messages.
    pub buffered: Vec<Signal<In, Bit>>,
    /// Bits to the heart.
    pub row: Vec<Signal<Out, Bit>>,
    /// There is a buffered message; valid from `finish` on.
    pub occupied: Signal<Out, Bit>,
    passing: Vec<Reg<Bit>>,
    takes: Vec<Reg<Bit>>,
    /// All rows visited so far have a message.
    full: Signal<Local, Bit>,
}

impl LoneInjector {
    pub fn new(rows: usize) -> Self {
        LoneInjector {
            kept: list(rows),
            buffered: list(rows),
            row: list(rows),
            passing: list(rows),
            takes: list(rows),
            ..Default::default()
        }
    }
}

impl Logic for LoneInjector {
    #[kernel]
    fn update(&mut self) {
        self.taken.next = false;
        self.occupied.next = false;
        self.full.next = true;
        for r in 0..self.row.len() {
            let passing = self.passing[r].q.val();
            clock!(self, clock, passing[r]);
            self.passing[r].d.next = if self.finish.val() {
                self.kept[r].val()
            } else {
                passing
            };
            let takes = self.takes[r].q.val();
            clock!(self, clock, takes[r]);
            self.takes[r].d.next = if self.take.val() {
                self.offer.val() & self.full.val() & !passing
            } else {
                takes
            };
            self.full.next = self.full.val() & passing;
            self.row[r].next = (passing & self.buffered[r].val()) | (takes & self.send.val());
            self.taken.next = self.taken.val() | takes;
            self.occupied.next = self.occupied.val() | passing;
        }
    }
}
