//! Whose packet an output queue takes.

use super::list;
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Gives a queue to one packet after the other (torus-routing-chip, section 5: the
/// priority chain of the crossbar; section 2, assumption 5).
///
/// A queue that belongs to nobody goes to the first input whose byte wants it, full
/// or not, and stays with it until the tail of the packet is in. Another can have it in
/// the next clock cycle. A byte is taken if there was room at the begin of the clock cycle.
#[derive(LogicBlock, Circuit, Default)]
pub struct QueueArbiter {
    pub clock: Signal<In, Clock>,
    /// The byte of this input is for the queue.
    pub want: Vec<Signal<In, Bit>>,
    /// It is the tail of a packet.
    pub tail: Vec<Signal<In, Bit>>,
    /// It is taken in this clock cycle.
    pub take: Vec<Signal<Out, Bit>>,
    /// The queue has room.
    pub room: Signal<In, Bit>,
    /// Some byte is taken.
    pub push: Signal<Out, Bit>,
    /// The queue belongs to this input.
    owns: Vec<Reg<Bit>>,
    owned: Signal<Local, Bit>,
    /// An input before this one wants the queue.
    wanted: Signal<Local, Bit>,
}

impl QueueArbiter {
    /// For so many inputs.
    ///
    /// # Panics
    /// If there are none.
    pub fn new(inputs: usize) -> Self {
        assert!(inputs > 0, "a queue has at least one input");
        QueueArbiter {
            want: list(inputs),
            tail: list(inputs),
            take: list(inputs),
            owns: list(inputs),
            ..Default::default()
        }
    }
}

impl Logic for QueueArbiter {
    #[kernel]
    fn update(&mut self) {
        self.owned.next = false;
        for i in 0..self.want.len() {
            self.owned.next = self.owned.val() | self.owns[i].q.val();
        }
        self.wanted.next = false;
        self.push.next = false;
        for i in 0..self.want.len() {
            let want = self.want[i].val();
            let first = want & !self.owned.val() & !self.wanted.val();
            let has = self.owns[i].q.val() | first;
            let take = has & want & self.room.val();
            clock!(self, clock, owns[i]);
            self.owns[i].d.next = has & !(take & self.tail[i].val());
            self.take[i].next = take;
            self.push.next = self.push.val() | take;
            self.wanted.next = self.wanted.val() | want;
        }
    }
}
