//! The queue of an outgoing virtual channel, with the crosspoints that lead to it.

use super::list;
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
        link!(fifo -> arbiter: room);
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
        link!(arbiter -> fifo: push);
        link!(self -> fifo: pop);
        link!(fifo -> self: present, front);
    }
}

// The arbiter of an output queue.

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

// The storage of an output queue.

/// A FIFO of bytes. The oldest byte is in slot 0, and the others move up behind it.
#[derive(LogicBlock, Circuit, Default)]
pub struct ByteFifo<const W: usize> {
    pub clock: Signal<In, Clock>,
    /// Byte to store.
    pub flit: Signal<In, Bits<W>>,
    /// Stores `flit` in this clock cycle; requires `room`.
    pub push: Signal<In, Bit>,
    /// There is room for a byte, even if none leaves in this clock cycle.
    pub room: Signal<Out, Bit>,
    /// There is a byte.
    pub present: Signal<Out, Bit>,
    /// Oldest byte.
    pub front: Signal<Out, Bits<W>>,
    /// Removes `front` in this clock cycle; requires `present`.
    pub pop: Signal<In, Bit>,
    slots: Vec<Reg<Bits<W>>>,
    /// The slot holds a byte.
    taken: Vec<Reg<Bit>>,
}

impl<const W: usize> ByteFifo<W> {
    /// Makes a queue for `depth` bytes.
    ///
    /// # Panics
    /// If `depth` is 0.
    pub fn new(depth: usize) -> Self {
        assert!(depth > 0, "a queue holds at least one byte");
        ByteFifo { slots: list(depth), taken: list(depth), ..Default::default() }
    }
}

impl<const W: usize> Logic for ByteFifo<W> {
    #[kernel]
    fn update(&mut self) {
        let depth = self.slots.len();
        let grows = self.push.val() & !self.pop.val();
        let shrinks = self.pop.val() & !self.push.val();
        for p in 0..depth {
            dff_setup!(self, clock, slots[p]);
            clock!(self, clock, taken[p]);
            // The content of an empty slot does not matter. An empty slot loads every byte, so the
            // position of the last byte needs no logic.
            if self.pop.val() | !self.taken[p].q.val() {
                self.slots[p].d.next = self.flit.val();
                if p + 1 < depth && self.taken[p + 1].q.val() {
                    self.slots[p].d.next = self.slots[p + 1].q.val();
                }
            }
            self.taken[p].d.next = self.taken[p].q.val();
            if grows {
                if p > 0 {
                    self.taken[p].d.next = self.taken[p - 1].q.val();
                } else {
                    self.taken[p].d.next = true;
                }
            }
            if shrinks {
                if p + 1 < depth {
                    self.taken[p].d.next = self.taken[p + 1].q.val();
                } else {
                    self.taken[p].d.next = false;
                }
            }
        }
        self.room.next = !self.taken[depth - 1].q.val();
        self.present.next = self.taken[0].q.val();
        self.front.next = self.slots[0].q.val();
    }
}

/// Sends the bytes of the queues of a channel (torus-routing-chip, section 4 and Figure 12): of one
/// virtual channel, or of two that alternate.
///
/// A virtual channel is free if its request and acknowledge are equal. If both virtual channels can
/// send, the one that was not served last sends. Virtual channel 1 is the first.
#[derive(LogicBlock, Circuit)]
pub struct OutputMultiplexer<const W: usize, const V: usize> {
    pub clock: Signal<In, Clock>,
    /// The queue of the virtual channel has a byte.
    pub present: Vec<Signal<In, Bit>>,
    /// Oldest byte of the queue.
    pub front: Vec<Signal<In, Bits<W>>>,
    /// Removes `front` in this clock cycle; the byte is on the wires in the next one.
    pub pop: Vec<Signal<Out, Bit>>,
    /// Byte on the wires.
    pub data: Signal<Out, Bits<W>>,
    /// Changes when a byte arrives.
    pub request: Signal<Out, Bits<V>>,
    /// Changes when the byte has been taken.
    pub acknowledge: Signal<In, Bits<V>>,
    flit: Reg<Bits<W>>,
    requests: Reg<Bits<V>>,
    /// Virtual channel 1 was served last.
    last: Reg<Bit>,
    busy: Signal<Local, Bits<V>>,
    ready: Signal<Local, Bits<V>>,
    serve: Signal<Local, Bits<V>>,
}

impl<const W: usize, const V: usize> Default for OutputMultiplexer<W, V> {
    fn default() -> Self {
        const { assert!(V == 1 || V == 2, "one or two virtual channels") }
        OutputMultiplexer {
            clock: Signal::default(),
            present: list(V),
            front: list(V),
            pop: list(V),
            data: Signal::default(),
            request: Signal::default(),
            acknowledge: Signal::default(),
            flit: Reg::default(),
            requests: Reg::default(),
            last: Reg::default(),
            busy: Signal::default(),
            ready: Signal::default(),
            serve: Signal::default(),
        }
    }
}

impl<const W: usize, const V: usize> Logic for OutputMultiplexer<W, V> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, flit, requests, last);
        self.busy.next = self.requests.q.val() ^ self.acknowledge.val();
        self.ready.next = 0.into();
        for v in 0..V {
            let ready = self.present[v].val() & !self.busy.val().get_bit(v);
            self.ready.next = self.ready.val().replace_bit(v, ready);
        }
        self.serve.next = self.ready.val();
        if V > 1 {
            if self.ready.val().all() {
                self.serve.next = bits::<V>(0)
                    .replace_bit(0, self.last.q.val())
                    .replace_bit(V - 1, !self.last.q.val());
            }
            if self.ready.val().any() {
                self.last.d.next = self.serve.val().get_bit(V - 1);
            }
        }
        for v in 0..V {
            let serve = self.serve.val().get_bit(v);
            self.pop[v].next = serve;
            if serve {
                self.flit.d.next = self.front[v].val();
            }
        }
        self.requests.d.next = self.requests.q.val() ^ self.serve.val();
        self.data.next = self.flit.q.val();
        self.request.next = self.requests.q.val();
    }
}
