//! The circuit of the design `torus`.

use super::{ByteProcessors, DIMS, NODES};
use crate::rtl::bytes::ByteCounter;
use crate::rtl::ends::{torus_coordinate, torus_next, torus_previous};
use crate::rtl::torus::{TorusNode, TorusPlan};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Dimensions of the torus: as many nodes as the cube of [`DIMS`] has, in two rings.
const TORUS_DIMS: usize = 2;

/// Eight nodes of the torus routing chip with queues of two bytes in a torus of 4 x 2
/// (torus-routing-chip, sections 4 and 5), and their processors and host, as it goes on a
/// board. The host is told the bytes over channels.
#[derive(LogicBlock, Circuit, Default)]
pub struct HostedTorus {
    pub clock: Signal<In, Clock>,
    /// The line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// The line to the PC.
    pub tx: Signal<Out, Bit>,
    /// Lights: a run is under way, an error, a run is over.
    pub led: Signal<Out, Bits<8>>,
    processors: ByteProcessors,
    nodes: Vec<TorusNode<8, 2>>,
    counter: ByteCounter<2>,
    send_acknowledges: Signal<Local, Bits<NODES>>,
    receive_requests: Signal<Local, Bits<NODES>>,
}

impl HostedTorus {
    /// The plan of its nodes: the paper's chip, with queues that fit.
    pub fn plan() -> TorusPlan {
        TorusPlan {
            queue: 2,
            ..TorusPlan::new(TORUS_DIMS)
        }
    }

    /// `memory` is that of [`ByteProcessors::new`].
    ///
    /// # Panics
    /// As [`ByteProcessors::new`].
    pub fn new(memory: &[u32]) -> Self {
        let node = |_| TorusNode::new(Self::plan());
        HostedTorus {
            processors: ByteProcessors::new(memory),
            nodes: (0..NODES).map(node).collect(),
            counter: ByteCounter::new(NODES * TORUS_DIMS),
            ..Default::default()
        }
    }
}

impl Logic for HostedTorus {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, processors, counter);
        self.processors.rx.next = self.rx.val();
        self.tx.next = self.processors.tx.val();
        self.led.next = self.processors.led.val();
        self.processors.count.next = self.counter.count.val();
        self.send_acknowledges.next = 0.into();
        self.receive_requests.next = 0.into();
        for i in 0..NODES {
            self.nodes[i].clock.next = self.clock.val();
            for d in 0..TORUS_DIMS {
                let before = torus_previous(DIMS, i, d);
                let after = torus_next(DIMS, i, d);
                self.nodes[i].origin[d].next = torus_coordinate(DIMS, i, d) == 0;
                self.nodes[i].data_in[d].next = self.nodes[before].data_out[d].val();
                self.nodes[i].request_in[d].next = self.nodes[before].request_out[d].val();
                self.nodes[i].acknowledge_in[d].next = self.nodes[after].acknowledge_out[d].val();
                self.counter.request[i * TORUS_DIMS + d].next = self.nodes[i].request_out[d].val();
            }
            self.nodes[i].send_data.next = self.processors.send_data.val();
            self.nodes[i].send_request.next =
                bits::<1>(0).replace_bit(0, self.processors.send_request.val().get_bit(i));
            self.nodes[i].receive_acknowledge.next =
                bits::<1>(0).replace_bit(0, self.processors.receive_acknowledge.val().get_bit(i));
            self.processors.receive_data[i].next = self.nodes[i].receive_data.val();
            let acknowledge = self.nodes[i].send_acknowledge.val().get_bit(0);
            self.send_acknowledges.next = self.send_acknowledges.val().replace_bit(i, acknowledge);
            let came = self.nodes[i].receive_request.val().get_bit(0);
            self.receive_requests.next = self.receive_requests.val().replace_bit(i, came);
        }
        self.processors.send_acknowledge.next = self.send_acknowledges.val();
        self.processors.receive_request.next = self.receive_requests.val();
    }
}
