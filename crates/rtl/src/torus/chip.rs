//! The torus routing chip.

use super::crosspoints::kernel::{input, queue_index};
use super::{list, Crosspoints, InputController, TorusPlan};
use crate::bytes::{OutputMultiplexer, OutputQueue};
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
                link!(self, controllers[i], origin[d]);
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
