//! The queue of an outgoing virtual channel, with the crosspoints that lead to it.

use super::{list, ByteFifo, QueueArbiter};
use hdl::prelude::*;

/// An output queue with its column of the crossbar (torus-routing-chip, section 5, Figures 9 and
/// 11). A chip has one per outgoing virtual channel and one to the processor.
#[derive(LogicBlock, Circuit, Default)]
pub struct OutputQueue<const W: usize> {
    pub clock: Signal<In, Clock>,
    /// The byte of this input is for the queue.
    pub want: Vec<Signal<In, Bit>>,
    /// Bytes of the inputs.
    pub flit: Vec<Signal<In, Bits<W>>>,
    /// The byte is the tail of a packet.
    pub tail: Vec<Signal<In, Bit>>,
    /// The byte is taken in this clock cycle.
    pub take: Vec<Signal<Out, Bit>>,
    /// There is a byte to send.
    pub present: Signal<Out, Bit>,
    /// Byte to send.
    pub front: Signal<Out, Bits<W>>,
    /// Removes `front` in this clock cycle.
    pub pop: Signal<In, Bit>,
    arbiter: QueueArbiter,
    fifo: ByteFifo<W>,
    chosen: Signal<Local, Bits<W>>,
}

impl<const W: usize> OutputQueue<W> {
    /// Makes a queue for `depth` bytes from `inputs` inputs.
    ///
    /// # Panics
    /// Under the conditions of [`ByteFifo::new`] and [`QueueArbiter::new`].
    pub fn new(depth: usize, inputs: usize) -> Self {
        OutputQueue {
            want: list(inputs),
            flit: list(inputs),
            tail: list(inputs),
            take: list(inputs),
            arbiter: QueueArbiter::new(inputs),
            fifo: ByteFifo::new(depth),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for OutputQueue<W> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, arbiter, fifo);
        join!(self, fifo, arbiter, room);
        self.chosen.next = 0.into();
        for i in 0..self.want.len() {
            self.arbiter.want[i].next = self.want[i].val();
            self.arbiter.tail[i].next = self.tail[i].val();
            self.take[i].next = self.arbiter.take[i].val();
            if self.arbiter.take[i].val() {
                self.chosen.next = self.chosen.val() | self.flit[i].val();
            }
        }
        self.fifo.flit.next = self.chosen.val();
        join!(self, arbiter, fifo, push);
        link!(self, fifo, pop, present, front);
    }
}
