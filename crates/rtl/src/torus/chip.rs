//! The torus routing chip.

use super::crosspoints::kernel::{input, queue_index};
use super::{list, Crosspoints, Tail, TorusPlan};
use crate::bytes::{ByteReceiver, OutputMultiplexer, OutputQueue};
use hdl::prelude::*;

/// A torus routing chip (torus-routing-chip, Figure 9). Each virtual channel and the processor have
/// an input controller and an output queue. The crossbar has only the crosspoints that can occur.
/// Each outgoing channel has a multiplexer.
///
/// Lists are indexed by dimension. Requests and acknowledges have one bit for each of the `V`
/// virtual channels. `W` is the width of data.
#[derive(LogicBlock, Circuit, Default)]
pub struct TorusChip<const W: usize, const V: usize> {
    pub clock: Signal<In, Clock>,
    /// Packets that continue in this dimension change to virtual channel 0 here. A pin of the chip.
    pub origin: Vec<Signal<In, Bit>>,
    /// Incoming channel.
    pub data_in: Vec<Signal<In, Bits<W>>>,
    pub request_in: Vec<Signal<In, Bits<V>>>,
    pub acknowledge_out: Vec<Signal<Out, Bits<V>>>,
    /// Outgoing channel.
    pub data_out: Vec<Signal<Out, Bits<W>>>,
    pub request_out: Vec<Signal<Out, Bits<V>>>,
    pub acknowledge_in: Vec<Signal<In, Bits<V>>>,
    /// Channel from the processor.
    pub send_data: Signal<In, Bits<W>>,
    pub send_request: Signal<In, Bits<1>>,
    pub send_acknowledge: Signal<Out, Bits<1>>,
    /// Channel to the processor.
    pub receive_data: Signal<Out, Bits<W>>,
    pub receive_request: Signal<Out, Bits<1>>,
    pub receive_acknowledge: Signal<In, Bits<1>>,
    controllers: Vec<InputController<W>>,
    queues: Vec<OutputQueue<W>>,
    multiplexers: Vec<OutputMultiplexer<W, V>>,
    to_processor: OutputMultiplexer<W, 1>,
}

impl<const W: usize, const V: usize> TorusChip<W, V> {
    /// Makes a chip for `dims` dimensions.
    ///
    /// # Panics
    /// If the plan has a different number of virtual channels or data wires, or queues for no
    /// bytes.
    pub fn new(dims: usize, plan: TorusPlan) -> Self {
        assert_eq!(plan.channels, V, "virtual channels");
        let crosspoints = Crosspoints { dims, channels: V };
        let ports = 0..=crosspoints.processor();
        let controller = |i| {
            let dims = dims - crosspoints.first_dim(i);
            InputController::new(dims, crosspoints.splits(i), plan.tail)
        };
        let queue = |q| OutputQueue::new(plan.queue, crosspoints.of_queue(q).len());
        TorusChip {
            origin: list(dims),
            data_in: list(dims),
            request_in: list(dims),
            acknowledge_out: list(dims),
            data_out: list(dims),
            request_out: list(dims),
            acknowledge_in: list(dims),
            controllers: ports.clone().map(controller).collect(),
            queues: ports.map(queue).collect(),
            multiplexers: list(dims),
            ..Default::default()
        }
    }
}

impl<const W: usize, const V: usize> Logic for TorusChip<W, V> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, to_processor);
        let dims = self.origin.len();
        let processor = dims * V;
        for d in 0..dims {
            clock!(self, clock, multiplexers[d]);
            self.multiplexers[d].acknowledge.next = self.acknowledge_in[d].val();
            self.data_out[d].next = self.multiplexers[d].data.val();
            self.request_out[d].next = self.multiplexers[d].request.val();
            self.acknowledge_out[d].next = 0.into();
            for v in 0..V {
                let i = d * V + v;
                self.controllers[i].data.next = self.data_in[d].val();
                self.controllers[i].request.next = self.request_in[d].val().get_bit(v);
                link!(self -> controllers[i]: origin[d]);
                let acknowledge = self.controllers[i].acknowledge.val();
                self.acknowledge_out[d].next =
                    self.acknowledge_out[d].val().replace_bit(v, acknowledge);
                self.multiplexers[d].present[v].next = self.queues[i].present.val();
                self.multiplexers[d].front[v].next = self.queues[i].front.val();
                self.queues[i].pop.next = self.multiplexers[d].pop[v].val();
            }
        }
        self.controllers[processor].data.next = self.send_data.val();
        self.controllers[processor].request.next = self.send_request.val().get_bit(0);
        self.controllers[processor].origin.next = false;
        self.send_acknowledge.next =
            bits::<1>(0).replace_bit(0, self.controllers[processor].acknowledge.val());
        self.to_processor.present[0].next = self.queues[processor].present.val();
        self.to_processor.front[0].next = self.queues[processor].front.val();
        self.queues[processor].pop.next = self.to_processor.pop[0].val();
        self.to_processor.acknowledge.next = self.receive_acknowledge.val();
        self.receive_data.next = self.to_processor.data.val();
        self.receive_request.next = self.to_processor.request.val();

        for q in 0..self.queues.len() {
            clock!(self, clock, controllers[q], queues[q]);
            for k in 0..self.queues[q].want.len() {
                let i = input(dims, V, q, k);
                let p = queue_index(dims, V, q, k);
                self.queues[q].want[k].next = self.controllers[i].want[p].val();
                self.queues[q].flit[k].next = self.controllers[i].flit.val();
                self.queues[q].tail[k].next = self.controllers[i].tail.val();
                self.controllers[i].take[p].next = self.queues[q].take[k].val();
            }
        }
    }
}

/// The chips of a node, in a row (torus-routing-chip, section 4 and Figure 3). The processor sends
/// to the first chip and receives from the last.
///
/// The ports are the same as in [`TorusChip`], indexed by dimension of the torus.
#[derive(LogicBlock, Circuit, Default)]
pub struct TorusNode<const W: usize, const V: usize> {
    pub clock: Signal<In, Clock>,
    /// See [`TorusChip`].
    pub origin: Vec<Signal<In, Bit>>,
    pub data_in: Vec<Signal<In, Bits<W>>>,
    pub request_in: Vec<Signal<In, Bits<V>>>,
    pub acknowledge_out: Vec<Signal<Out, Bits<V>>>,
    pub data_out: Vec<Signal<Out, Bits<W>>>,
    pub request_out: Vec<Signal<Out, Bits<V>>>,
    pub acknowledge_in: Vec<Signal<In, Bits<V>>>,
    pub send_data: Signal<In, Bits<W>>,
    pub send_request: Signal<In, Bits<1>>,
    pub send_acknowledge: Signal<Out, Bits<1>>,
    pub receive_data: Signal<Out, Bits<W>>,
    pub receive_request: Signal<Out, Bits<1>>,
    pub receive_acknowledge: Signal<In, Bits<1>>,
    /// Request from a chip to the next one, for observation only.
    pub between_request: Vec<Signal<Out, Bits<1>>>,
    /// Acknowledge from a chip to the previous one, for observation only.
    pub between_acknowledge: Vec<Signal<Out, Bits<1>>>,
    chips: Vec<TorusChip<W, V>>,
}

impl<const W: usize, const V: usize> TorusNode<W, V> {
    /// Makes a node for a plan.
    ///
    /// # Panics
    /// Under the conditions of [`TorusChip::new`].
    pub fn new(plan: TorusPlan) -> Self {
        let TorusPlan { dims, .. } = plan;
        let chip = |c| TorusChip::new(plan.chip_dims(c), plan);
        TorusNode {
            origin: list(dims),
            data_in: list(dims),
            request_in: list(dims),
            acknowledge_out: list(dims),
            data_out: list(dims),
            request_out: list(dims),
            acknowledge_in: list(dims),
            between_request: list(plan.chips() - 1),
            between_acknowledge: list(plan.chips() - 1),
            chips: (0..plan.chips()).map(chip).collect(),
            ..Default::default()
        }
    }
}

impl<const W: usize, const V: usize> Logic for TorusNode<W, V> {
    #[kernel]
    fn update(&mut self) {
        let last = self.chips.len() - 1;
        for c in 0..self.chips.len() {
            clock!(self, clock, chips[c]);
            for d in 0..self.chips[c].origin.len() {
                // Only the last chip may have fewer dimensions than the first.
                let dim = c * self.chips[0].origin.len() + d;
                self.chips[c].origin[d].next = self.origin[dim].val();
                self.chips[c].data_in[d].next = self.data_in[dim].val();
                self.chips[c].request_in[d].next = self.request_in[dim].val();
                self.acknowledge_out[dim].next = self.chips[c].acknowledge_out[d].val();
                self.data_out[dim].next = self.chips[c].data_out[d].val();
                self.request_out[dim].next = self.chips[c].request_out[d].val();
                self.chips[c].acknowledge_in[d].next = self.acknowledge_in[dim].val();
            }
            if c > 0 {
                self.chips[c].send_data.next = self.chips[c - 1].receive_data.val();
                self.chips[c].send_request.next = self.chips[c - 1].receive_request.val();
                self.chips[c - 1].receive_acknowledge.next = self.chips[c].send_acknowledge.val();
                self.between_request[c - 1].next = self.chips[c - 1].receive_request.val();
                self.between_acknowledge[c - 1].next = self.chips[c].send_acknowledge.val();
            }
        }
        link!(self -> chips[0]: send_data, send_request);
        link!(chips[0] -> self: send_acknowledge);
        link!(chips[last] -> self: receive_data, receive_request);
        link!(self -> chips[last]: receive_acknowledge);
    }
}

// The routing decision of the torus routing chip.

/// Width of an address: with eight wires a ring has up to 256 nodes.
const ADDRESS_BITS: usize = 8;

/// Input controller of a virtual channel or of the processor (torus-routing-chip, section 5 and
/// Figure 10).
///
/// The first byte of a packet is its address in the first dimension that the controller examines.
/// If the address is zero, the controller strips it, and the next byte is the address in the next
/// dimension. After the last dimension the packet is for the processor. If the address is not zero,
/// the packet leaves in this dimension with its address decremented. The remaining addresses, the
/// data and the tail follow unchanged.
///
/// The controller counts the remaining addresses, so a zero address is not taken for the tail. The
/// controller of the paper takes it for the tail.
#[derive(LogicBlock, Circuit, Default)]
pub struct InputController<const W: usize> {
    pub clock: Signal<In, Clock>,
    /// Byte on the wires.
    pub data: Signal<In, Bits<W>>,
    /// Changes when a byte arrives.
    pub request: Signal<In, Bit>,
    /// Changes when the byte has been taken.
    pub acknowledge: Signal<Out, Bit>,
    /// Packets that continue in their dimension change to virtual channel 0 here.
    pub origin: Signal<In, Bit>,
    /// Requests to the queues, at most one high. First the controller's own dimension: virtual
    /// channels 0 and 1 if packets can continue on both, otherwise one queue. Then one queue for
    /// each later dimension, and the processor's queue.
    pub want: Vec<Signal<Out, Bit>>,
    /// Byte for the queue.
    pub flit: Signal<Out, Bits<W>>,
    /// The byte is the tail of the packet.
    pub tail: Signal<Out, Bit>,
    /// The queue takes the byte in this clock cycle.
    pub take: Vec<Signal<In, Bit>>,
    receiver: ByteReceiver<W>,
    /// The next byte is the address in this dimension, relative to the controller's first one.
    head: Vec<Reg<Bit>>,
    /// Element `p`: `p + 1` addresses come before the data.
    pass: Vec<Reg<Bit>>,
    /// The packet leaves in this dimension; if all are low, to the processor.
    toward: Vec<Reg<Bit>>,
    heading: Signal<Local, Bit>,
    passing: Signal<Local, Bit>,
    /// The packet leaves in a dimension, not to the processor.
    leaves: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    /// The packet leaves in this dimension.
    route: Vec<Signal<Local, Bit>>,
}

impl<const W: usize> InputController<W> {
    /// Makes a controller for `dims` dimensions, its own first. `splits` is true if packets can
    /// continue in the first one on two virtual channels.
    pub fn new(dims: usize, splits: bool, tail: Tail) -> Self {
        assert_eq!(W, tail.data_wires(), "the tail has a wire, or has none");
        let passes = match tail {
            Tail::Zero => dims - 1,
            Tail::Wire | Tail::Naive => 0,
        };
        let queues = dims + usize::from(splits) + 1;
        InputController {
            want: list(queues),
            take: list(queues),
            head: (0..dims).map(|dim| Reg::new(dim == 0)).collect(),
            pass: list(passes),
            toward: list(dims),
            route: list(dims),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for InputController<W> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, receiver);
        let dims = self.head.len();
        let passes = self.pass.len();
        let splits = self.want.len() - dims - 1;
        link!(self -> receiver: data, request);
        link!(receiver -> self: acknowledge);
        let present = self.receiver.present.val();
        let word = self.receiver.flit.val();
        let zero = word.resized::<ADDRESS_BITS>() == 0;

        self.heading.next = false;
        self.passing.next = false;
        self.leaves.next = false;
        for k in 0..dims {
            self.heading.next = self.heading.val() | self.head[k].q.val();
            self.route[k].next = self.toward[k].q.val() | (self.head[k].q.val() & !zero);
            self.leaves.next = self.leaves.val() | self.route[k].val();
        }
        for p in 0..passes {
            self.passing.next = self.passing.val() | self.pass[p].q.val();
        }
        let strip = self.heading.val() & zero;
        let ends = if W > ADDRESS_BITS { word.get_bit(W - 1) } else { zero };
        self.tail.next = ends & !self.heading.val() & !self.passing.val();
        // Adding all ones subtracts one.
        let less = if self.heading.val() { !bits::<W>(0) } else { bits::<W>(0) };
        self.flit.next = word + less;

        for k in 0..dims {
            self.want[k + splits].next = present & self.route[k].val();
        }
        if splits > 0 {
            self.want[0].next = present & self.route[0].val() & self.origin.val();
            self.want[splits].next = present & self.route[0].val() & !self.origin.val();
        }
        self.want[dims + splits].next = present & !self.heading.val() & !self.leaves.val();
        self.taken.next = false;
        for q in 0..self.take.len() {
            self.taken.next = self.taken.val() | self.take[q].val();
        }
        self.receiver.take.next = self.taken.val() | strip;

        for k in 0..dims {
            dff_setup!(self, clock, head[k], toward[k]);
            if self.taken.val() {
                self.head[k].d.next = self.tail.val() & (k == 0);
                self.toward[k].d.next = self.route[k].val() & !self.tail.val();
            }
            if present & strip {
                if k > 0 {
                    self.head[k].d.next = self.head[k - 1].q.val();
                } else {
                    self.head[k].d.next = false;
                }
            }
        }
        for p in 0..passes {
            dff_setup!(self, clock, pass[p]);
            if self.taken.val() {
                // After the address of dimension `k`, the remaining addresses come before the data.
                self.pass[p].d.next = self.head[passes - 1 - p].q.val();
                if p + 1 < passes {
                    self.pass[p].d.next =
                        self.head[passes - 1 - p].q.val() | self.pass[p + 1].q.val();
                }
            }
        }
    }
}
