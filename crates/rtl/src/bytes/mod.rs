//! The byte channel, which carries the packets of the torus (torus-routing-chip, sections 4 and 5)
//! and of minimal rotation: one direction, one or two virtual channels, byte by byte.
//!
//! A channel has the wires `data`. Each virtual channel adds a `request` and, in the opposite
//! direction, an `acknowledge`. All wires come from flip-flops. Signalling is 2-cycle: a virtual
//! channel is free when request and acknowledge are equal. A byte and the change of its request
//! begin at the same clock edge, and the byte is on the wires for one clock cycle. One virtual
//! channel therefore carries at most one byte in two clock cycles, and two together one byte per
//! clock cycle.
//!
//! A byte with all its wires is a flit. `W` is 8, or 9 if bit 8 marks the tail of a packet.

mod output;

use super::list;
use hdl::prelude::*;
pub use output::{ByteFifo, OutputMultiplexer, OutputQueue, QueueArbiter};
use smart_default::SmartDefault;

/// A channel from end to end: the sender of the bytes of its queues, the wires, and a receiver for
/// each virtual channel.
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
    /// Changes when a byte is put on the wires.
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
            link!(sender -> receivers[v]: data);
            self.receivers[v].request.next = self.sender.request.val().get_bit(v);
            link!(self -> receivers[v]: take[v]);
            link!(receivers[v] -> self: present[v]);
            self.arrived[v].next = self.receivers[v].flit.val();
            let acknowledge = self.receivers[v].acknowledge.val();
            self.acknowledges.next = self.acknowledges.val().replace_bit(v, acknowledge);
        }
        self.sender.acknowledge.next = self.acknowledges.val();
        link!(sender -> self: data, request);
        self.acknowledge.next = self.acknowledges.val();
    }
}

// The receiving end of a virtual channel.

/// Holds a byte until it is taken, and then acknowledges it (torus-routing-chip, section 4 and
/// Figure 7).
///
/// Request and acknowledge differ while there is a byte. In the first clock cycle the byte is on the
/// wires, and it can already be taken. After that it is in the latch, because the sender releases
/// the wires to the other virtual channel at once.
#[derive(LogicBlock, Circuit, Default)]
pub struct ByteReceiver<const W: usize> {
    pub clock: Signal<In, Clock>,
    /// Byte on the wires.
    pub data: Signal<In, Bits<W>>,
    /// Changes when a byte arrives.
    pub request: Signal<In, Bit>,
    /// Changes when the byte has been taken.
    pub acknowledge: Signal<Out, Bit>,
    /// A byte is present.
    pub present: Signal<Out, Bit>,
    /// Byte that is present.
    pub flit: Signal<Out, Bits<W>>,
    /// Takes the byte in this clock cycle; no effect if there is none.
    pub take: Signal<In, Bit>,
    latch: Reg<Bits<W>>,
    /// The latch holds the byte.
    full: Reg<Bit>,
    acknowledged: Reg<Bit>,
}

impl<const W: usize> Logic for ByteReceiver<W> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, latch, full, acknowledged);
        let present = self.request.val() ^ self.acknowledged.q.val();
        if self.full.q.val() {
            self.flit.next = self.latch.q.val();
        } else {
            self.flit.next = self.data.val();
            self.latch.d.next = self.data.val();
        }
        self.full.d.next = present & !self.take.val();
        self.acknowledged.d.next = self.acknowledged.q.val() ^ (present & self.take.val());
        self.acknowledge.next = self.acknowledged.q.val();
        self.present.next = present;
    }
}

// The interface between programs that share a core and a network of bytes.

/// The processors' ends of the channels of `NODES` nodes, for programs that run one at a time.
/// `NODE_BITS` is the width of a node's number.
///
/// The mailbox works with any network whose nodes have a processor channel in each direction, with
/// one virtual channel. All programs share one register for the byte that they send. The byte is on
/// the wires for one clock cycle, as the channel requires, and only the request of one node
/// changes. Received bytes need no register: a sender with one virtual channel
/// ([`OutputMultiplexer`]) keeps the byte on the wires until it is taken.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct ByteMailbox<const NODES: usize, const NODE_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Node of the running program.
    pub node: Signal<In, Bits<NODE_BITS>>,
    /// The node's channel is free: it may send a byte.
    pub free: Signal<Out, Bit>,
    /// Byte to send.
    pub data: Signal<In, Bits<8>>,
    /// Sends `data` in this clock cycle; ignored if the channel is not free.
    pub send: Signal<In, Bit>,
    /// A byte has arrived for the node.
    pub present: Signal<Out, Bit>,
    /// Byte that has arrived.
    pub byte: Signal<Out, Bits<8>>,
    /// Takes `byte` in this clock cycle; ignored if there is none.
    pub take: Signal<In, Bit>,
    /// Wires of the channels to the nodes: one bit of each word per node, node 0 lowest. All nodes
    /// share the byte.
    pub send_data: Signal<Out, Bits<8>>,
    pub send_request: Signal<Out, Bits<NODES>>,
    pub send_acknowledge: Signal<In, Bits<NODES>>,
    /// Wires of the channels from the nodes.
    #[default(list(NODES))]
    pub receive_data: Vec<Signal<In, Bits<8>>>,
    pub receive_request: Signal<In, Bits<NODES>>,
    pub receive_acknowledge: Signal<Out, Bits<NODES>>,
    sent: Reg<Bits<8>>,
    requests: Reg<Bits<NODES>>,
    acknowledges: Reg<Bits<NODES>>,
    /// `node`, one-hot.
    owner: Signal<Local, Bits<NODES>>,
}

impl<const NODES: usize, const NODE_BITS: usize> Logic for ByteMailbox<NODES, NODE_BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, sent, requests, acknowledges);
        self.owner.next = 0.into();
        self.byte.next = 0.into();
        for i in 0..NODES {
            if self.node.val() == i as u64 {
                self.owner.next = self.owner.val().replace_bit(i, true);
                self.byte.next = self.receive_data[i].val();
            }
        }
        let owner = self.owner.val();
        let requests = self.requests.q.val();
        let acknowledges = self.acknowledges.q.val();
        let free = !((requests ^ self.send_acknowledge.val()) & owner).any();
        let waiting = (self.receive_request.val() ^ acknowledges) & owner;
        self.free.next = free;
        self.present.next = waiting.any();
        if self.send.val() & free {
            self.sent.d.next = self.data.val();
            self.requests.d.next = requests ^ owner;
        }
        if self.take.val() {
            self.acknowledges.d.next = acknowledges ^ waiting;
        }
        self.send_data.next = self.sent.q.val();
        self.send_request.next = requests;
        self.receive_acknowledge.next = acknowledges;
    }
}

// A counter of the bytes on channels.

/// Width of the count.
const COUNT_BITS: usize = 16;

/// Counts the bytes on channels with `V` virtual channels. Each change of a request is one byte. A
/// channel carries at most one byte per clock cycle.
#[derive(LogicBlock, Circuit, Default)]
pub struct ByteCounter<const V: usize> {
    pub clock: Signal<In, Clock>,
    /// Requests of each channel.
    pub request: Vec<Signal<In, Bits<V>>>,
    /// Bytes since the start, modulo 65,536; two clock cycles late.
    pub count: Signal<Out, Bits<COUNT_BITS>>,
    before: Vec<Reg<Bits<V>>>,
    moved: Vec<Reg<Bit>>,
    total: Reg<Bits<COUNT_BITS>>,
    sum: Signal<Local, Bits<COUNT_BITS>>,
}

impl<const V: usize> ByteCounter<V> {
    /// Makes a counter for this number of channels.
    pub fn new(channels: usize) -> Self {
        ByteCounter {
            request: list(channels),
            before: list(channels),
            moved: list(channels),
            ..Default::default()
        }
    }
}

impl<const V: usize> Logic for ByteCounter<V> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, total);
        self.sum.next = 0.into();
        for c in 0..self.request.len() {
            clock!(self, clock, before[c], moved[c]);
            self.before[c].d.next = self.request[c].val();
            self.moved[c].d.next = (self.request[c].val() ^ self.before[c].q.val()).any();
            self.sum.next = self.sum.val() + self.moved[c].q.val().resized::<COUNT_BITS>();
        }
        self.total.d.next = self.total.q.val() + self.sum.val();
        self.count.next = self.total.q.val();
    }
}

/// Signals the beginning of a step in every clock cycle. Nodes with request and acknowledge signals
/// have no steps of their own.
#[derive(LogicBlock, Circuit, Default)]
pub struct ConstantStep {
    pub clock: Signal<In, Clock>,
    /// Always high.
    pub start: Signal<Out, Bit>,
}

impl Logic for ConstantStep {
    #[kernel]
    fn update(&mut self) {
        self.start.next = true;
    }
}
