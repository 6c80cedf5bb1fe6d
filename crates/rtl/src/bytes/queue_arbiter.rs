//! The arbiter of an output queue.

use super::list;
use hdl::prelude::*;

/// Grants a queue to one packet at a time (torus-routing-chip, section 5: the priority chain of the
/// crossbar; section 2, assumption 5).
///
/// A free queue, full or not, goes to the first input whose byte wants it. The input owns the queue
/// until the tail of its packet is in. Another input can get the queue in the next clock cycle. A
/// byte is taken if there was room at the beginning of the clock cycle.
#[derive(LogicBlock, Circuit, Default)]
pub struct QueueArbiter {
    pub clock: Signal<In, Clock>,
    /// The byte of this input is for the queue.
    pub want: Vec<Signal<In, Bit>>,
    /// The byte is the tail of a packet.
    pub tail: Vec<Signal<In, Bit>>,
    /// The byte is taken in this clock cycle.
    pub take: Vec<Signal<Out, Bit>>,
    /// The queue has room.
    pub room: Signal<In, Bit>,
    /// A byte is taken in this clock cycle.
    pub push: Signal<Out, Bit>,
    /// The queue belongs to this input.
    owns: Vec<Reg<Bit>>,
    owned: Signal<Local, Bit>,
    /// An input with a lower number wants the queue.
    wanted: Signal<Local, Bit>,
}

impl QueueArbiter {
    /// Makes an arbiter for this number of inputs.
    ///
    /// # Panics
    /// If `inputs` is 0.
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
