//! Where programs, which share a core, and a network of bytes meet.

use super::list;
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;
use smart_default::SmartDefault;

/// The processors' ends of the channels of `NODES` nodes, for programs of which one at a
/// time does something; `NODE_BITS` are those of a node's number.
///
/// It belongs to no network: a node is anything that has a processor's channel each way,
/// with one virtual channel. What programs send is in one register for all: it is on the
/// wires for one clock cycle, as the channel has it, and only one node's request changes.
/// What comes has none: a sender with one virtual channel
/// ([`OutputMultiplexer`](super::OutputMultiplexer)) keeps the byte on the wires until it
/// is taken.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct ByteMailbox<const NODES: usize, const NODE_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// The node whose program this is.
    pub node: Signal<In, Bits<NODE_BITS>>,
    /// Its channel is free: it may send a byte.
    pub free: Signal<Out, Bit>,
    /// The byte that the processor sends.
    pub data: Signal<In, Bits<8>>,
    /// High in the clock cycle in which it sends `data`; of no effect if the channel is not free.
    pub send: Signal<In, Bit>,
    /// A byte has come for it.
    pub present: Signal<Out, Bit>,
    /// This one.
    pub byte: Signal<Out, Bits<8>>,
    /// It takes it in this clock cycle; of no effect if there is none.
    pub take: Signal<In, Bit>,
    /// The wires of the channels to the nodes, a bit of a word for each, node 0 lowest. The
    /// byte is the same for all.
    pub send_data: Signal<Out, Bits<8>>,
    pub send_request: Signal<Out, Bits<NODES>>,
    pub send_acknowledge: Signal<In, Bits<NODES>>,
    /// The wires of the channels from them.
    #[default(list(NODES))]
    pub receive_data: Vec<Signal<In, Bits<8>>>,
    pub receive_request: Signal<In, Bits<NODES>>,
    pub receive_acknowledge: Signal<Out, Bits<NODES>>,
    sent: Reg<Bits<8>>,
    requests: Reg<Bits<NODES>>,
    acknowledges: Reg<Bits<NODES>>,
    /// The node, one-hot.
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
