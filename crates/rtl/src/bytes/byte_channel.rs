//! A channel with both of its ends.

use super::{list, ByteReceiver, OutputMultiplexer};
use hdl::prelude::*;
use smart_default::SmartDefault;

/// A channel from end to end: what sends the bytes of its queues, the wires, and what
/// receives each virtual channel.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct ByteChannel<const W: usize, const V: usize> {
    pub clock: Signal<In, Clock>,
    /// The virtual channel has a byte to send.
    #[default(list(V))]
    pub offer: Vec<Signal<In, Bit>>,
    /// Byte to send.
    #[default(list(V))]
    pub flit: Vec<Signal<In, Bits<W>>>,
    /// `flit` is sent in this clock cycle.
    #[default(list(V))]
    pub sent: Vec<Signal<Out, Bit>>,
    /// A byte has arrived.
    #[default(list(V))]
    pub present: Vec<Signal<Out, Bit>>,
    /// Byte that has arrived.
    #[default(list(V))]
    pub arrived: Vec<Signal<Out, Bits<W>>>,
    /// Takes `arrived` in this clock cycle.
    #[default(list(V))]
    pub take: Vec<Signal<In, Bit>>,
    /// The wires.
    pub data: Signal<Out, Bits<W>>,
    /// A change says that a byte is on them.
    pub request: Signal<Out, Bits<V>>,
    /// A change says that it was taken.
    pub acknowledge: Signal<Out, Bits<V>>,
    sender: OutputMultiplexer<W, V>,
    #[default(list(V))]
    receivers: Vec<ByteReceiver<W>>,
    acknowledges: Signal<Local, Bits<V>>,
}

impl<const W: usize, const V: usize> Logic for ByteChannel<W, V> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sender);
        self.acknowledges.next = 0.into();
        for v in 0..V {
            self.sender.present[v].next = self.offer[v].val();
            self.sender.front[v].next = self.flit[v].val();
            self.sent[v].next = self.sender.pop[v].val();
            clock!(self, clock, receivers[v]);
            join!(self, sender, receivers[v], data);
            self.receivers[v].request.next = self.sender.request.val().get_bit(v);
            link!(self, receivers[v], take[v], present[v]);
            self.arrived[v].next = self.receivers[v].flit.val();
            let acknowledge = self.receivers[v].acknowledge.val();
            self.acknowledges.next = self.acknowledges.val().replace_bit(v, acknowledge);
        }
        self.sender.acknowledge.next = self.acknowledges.val();
        link!(self, sender, data, request);
        self.acknowledge.next = self.acknowledges.val();
    }
}
