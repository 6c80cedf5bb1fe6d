//! The interface between programs that share a core and a network of bytes.

use super::list;
use hdl::prelude::*;
use smart_default::SmartDefault;

/// The processors' ends of the channels of `NODES` nodes, for programs that run one at a time.
/// `NODE_BITS` is the width of a node's number.
///
/// The mailbox works with any network whose nodes have a processor channel in each direction, with
/// one virtual channel. All programs share one register for the byte that they send. The byte is on
/// the wires for one clock cycle, as the channel requires, and only the request of one node
/// changes. Received bytes need no register: a sender with one virtual channel
/// ([`OutputMultiplexer`](super::OutputMultiplexer)) keeps the byte on the wires until it is taken.
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
