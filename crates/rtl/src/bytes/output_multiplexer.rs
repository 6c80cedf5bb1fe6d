//! The sending end of a channel.

use super::list;
use hdl::prelude::*;

/// Sends the bytes of the queues of a channel (torus-routing-chip, section 4 and Figure
/// 12): of one virtual channel, or of two in turns.
///
/// A byte goes if its virtual channel is free: request and acknowledge are equal. If
/// both could send, the one goes that was not served last; at the start that is
/// virtual channel 1.
#[derive(LogicBlock, Circuit)]
pub struct OutputMultiplexer<const W: usize, const V: usize> {
    pub clock: Signal<In, Clock>,
    /// The queue of the virtual channel has a byte.
    pub present: Vec<Signal<In, Bit>>,
    /// Oldest byte of the queue.
    pub front: Vec<Signal<In, Bits<W>>>,
    /// Removes `front` in this clock cycle; the byte is on the wires in the next one.
    pub pop: Vec<Signal<Out, Bit>>,
    /// The byte on the wires.
    pub data: Signal<Out, Bits<W>>,
    /// Changes when a byte comes.
    pub request: Signal<Out, Bits<V>>,
    /// Changes when it has been taken.
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
