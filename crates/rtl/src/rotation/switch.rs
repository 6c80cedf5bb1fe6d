//! The switch of minimal rotation.

use super::crossbar::kernel::{
    channels, dim, dim_of, first_lane, index_of_dim, input, queue_index, through_inputs,
};
use super::next_hop::DIM_BITS;
use super::{list, Crossbar, FirstHopChoice, FirstOne, GroupEnd, RotationPlan};
use crate::bytes::{ByteReceiver, OutputMultiplexer, OutputQueue};
use hdl::prelude::*;
use interconnect::routing::rotation::RotationRule;

/// A switch of the cube. Each virtual channel that occurs and the processor have an input and an
/// output queue. The crossbar has only the crosspoints that some route uses. Each channel has a
/// multiplexer.
///
/// Data are indexed by dimension. Requests and acknowledges are indexed by virtual channel: those
/// of a dimension together, number 0 before 1. `SCHEME` is the number of the
/// [`Scheme`](super::Scheme), `V` the maximum number of virtual channels of a dimension. Packets
/// from a processor to itself are dropped.
#[derive(LogicBlock, Circuit, Default)]
pub struct RotationSwitch<const SCHEME: usize, const V: usize> {
    pub clock: Signal<In, Clock>,
    /// Incoming channels.
    pub data_in: Vec<Signal<In, Bits<8>>>,
    pub request_in: Vec<Signal<In, Bit>>,
    pub acknowledge_out: Vec<Signal<Out, Bit>>,
    /// Outgoing channels.
    pub data_out: Vec<Signal<Out, Bits<8>>>,
    pub request_out: Vec<Signal<Out, Bit>>,
    pub acknowledge_in: Vec<Signal<In, Bit>>,
    /// Channel from the processor.
    pub send_data: Signal<In, Bits<8>>,
    pub send_request: Signal<In, Bits<1>>,
    pub send_acknowledge: Signal<Out, Bits<1>>,
    /// Channel to the processor.
    pub receive_data: Signal<Out, Bits<8>>,
    pub receive_request: Signal<Out, Bits<1>>,
    pub receive_acknowledge: Signal<In, Bits<1>>,
    /// Where a switch has failed, one word per dimension: the dimensions in which packets that
    /// arrive in it may leave. Pins.
    pub connected: Vec<Signal<In, Bits<4>>>,
    /// Where a switch has failed, per header: the first dimension of a packet. Pins.
    pub first: Vec<Signal<In, Bits<DIM_BITS>>>,
    inputs: Vec<RotationInput>,
    queues: Vec<OutputQueue<8>>,
    /// Multiplexers of the dimensions with one virtual channel.
    singles: Vec<OutputMultiplexer<8, 1>>,
    /// Multiplexers of the dimensions with two virtual channels.
    doubles: Vec<OutputMultiplexer<8, 2>>,
    to_processor: OutputMultiplexer<8, 1>,
    /// For minimal rotation: the next hop of each input from another node.
    nexts: Vec<FirstOne>,
    /// For minimal rotation: the first hop of packets from the processor.
    hops: Vec<FirstHopChoice>,
    /// For Thacker's rule: the next hop of each input.
    groups: Vec<GroupEnd>,
}

impl<const SCHEME: usize, const V: usize> RotationSwitch<SCHEME, V> {
    /// Makes a switch for a plan.
    ///
    /// # Panics
    /// If the plan has another rule or other virtual channels, queues for no bytes, or a table that
    /// is too large.
    pub fn new(plan: RotationPlan) -> Self {
        assert_eq!((plan.scheme() as usize, plan.channels), (SCHEME, V));
        let dims = plan.dims;
        let crossbar = Crossbar::of(plan.scheme(), V, dims);
        let (lanes, ports) = (crossbar.lanes().len(), 0..=crossbar.processor());
        let routes = |i| crossbar.dims_of(i).len();
        let is_processor = |i| i == crossbar.processor();
        let with = |channels| (0..dims).filter(move |d| crossbar.channels(*d) == channels);
        let minimal = plan.rule == RotationRule::Minimal;
        let rewired = usize::from(plan.rewired);
        RotationSwitch {
            data_in: list(dims),
            request_in: list(lanes),
            acknowledge_out: list(lanes),
            data_out: list(dims),
            request_out: list(lanes),
            acknowledge_in: list(lanes),
            inputs: ports
                .clone()
                .map(|i| RotationInput::new(dims, routes(i), !is_processor(i)))
                .collect(),
            queues: ports
                .clone()
                .map(|q| OutputQueue::new(plan.queue, crossbar.inputs(q).len()))
                .collect(),
            connected: list(rewired * dims),
            first: list(rewired << dims),
            singles: list(with(1).count()),
            doubles: list(with(2).count()),
            nexts: crossbar
                .through_inputs()
                .into_iter()
                .filter(|_| minimal)
                .map(|i| FirstOne::new(routes(i)))
                .collect(),
            hops: (0..usize::from(minimal)).map(|_| FirstHopChoice::new(plan)).collect(),
            groups: ports.filter(|_| !minimal).map(|_| GroupEnd::new(dims)).collect(),
            ..Default::default()
        }
    }
}

impl<const SCHEME: usize, const V: usize> Logic for RotationSwitch<SCHEME, V> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, to_processor);
        let dims = self.data_in.len();
        let processor = self.request_in.len();
        let pins = self.connected.len();
        for d in 0..dims {
            let m = index_of_dim(SCHEME, V, dims, d);
            let lane = first_lane(SCHEME, V, dims, d);
            if channels(SCHEME, V, dims, d) == 1 {
                clock!(self, clock, singles[m]);
                self.singles[m].acknowledge.next =
                    bits::<1>(0).replace_bit(0, self.acknowledge_in[lane].val());
                self.data_out[d].next = self.singles[m].data.val();
                self.request_out[lane].next = self.singles[m].request.val().get_bit(0);
                self.singles[m].present[0].next = self.queues[lane].present.val();
                self.singles[m].front[0].next = self.queues[lane].front.val();
                self.queues[lane].pop.next = self.singles[m].pop[0].val();
            } else {
                clock!(self, clock, doubles[m]);
                self.doubles[m].acknowledge.next = bits::<2>(0)
                    .replace_bit(0, self.acknowledge_in[lane].val())
                    .replace_bit(1, self.acknowledge_in[lane + 1].val());
                self.data_out[d].next = self.doubles[m].data.val();
                for v in 0..2 {
                    self.request_out[lane + v].next = self.doubles[m].request.val().get_bit(v);
                    self.doubles[m].present[v].next = self.queues[lane + v].present.val();
                    self.doubles[m].front[v].next = self.queues[lane + v].front.val();
                    self.queues[lane + v].pop.next = self.doubles[m].pop[v].val();
                }
            }
        }
        for i in 0..processor {
            self.inputs[i].data.next = self.data_in[dim(SCHEME, V, dims, i)].val();
            self.inputs[i].request.next = self.request_in[i].val();
            self.acknowledge_out[i].next = self.inputs[i].acknowledge.val();
        }
        self.inputs[processor].data.next = self.send_data.val();
        self.inputs[processor].request.next = self.send_request.val().get_bit(0);
        self.send_acknowledge.next =
            bits::<1>(0).replace_bit(0, self.inputs[processor].acknowledge.val());
        self.to_processor.present[0].next = self.queues[processor].present.val();
        self.to_processor.front[0].next = self.queues[processor].front.val();
        self.queues[processor].pop.next = self.to_processor.pop[0].val();
        self.to_processor.acknowledge.next = self.receive_acknowledge.val();
        self.receive_data.next = self.to_processor.data.val();
        self.receive_request.next = self.to_processor.request.val();

        for q in 0..self.queues.len() {
            clock!(self, clock, inputs[q], queues[q]);
            for k in 0..self.queues[q].want.len() {
                let i = input(SCHEME, V, dims, q, k);
                let p = queue_index(SCHEME, V, dims, q, k);
                self.queues[q].want[k].next = self.inputs[i].want[p].val();
                self.queues[q].flit[k].next = self.inputs[i].flit.val();
                self.queues[q].tail[k].next = self.inputs[i].tail.val();
                self.inputs[i].take[p].next = self.queues[q].take[k].val();
            }
        }

        // The route of each input, and the remaining header.
        for i in 0..self.inputs.len() {
            self.inputs[i].decided.next = true;
            for d in 0..dims {
                self.inputs[i].crossed[d].next = self.inputs[i].left[d].val();
            }
        }
        for n in 0..self.nexts.len() {
            let i = through_inputs(SCHEME, V, dims, n);
            for r in 0..self.nexts[n].left.len() {
                let d = dim_of(SCHEME, V, dims, i, r);
                let left = self.inputs[i].left[d].val();
                let chosen = self.nexts[n].choice[r].val();
                self.nexts[n].left[r].next = left;
                if pins > 0 {
                    let connected = self.connected[dim(SCHEME, V, dims, i)].val();
                    self.nexts[n].left[r].next = left & connected.get_bit(d);
                }
                self.inputs[i].choice[r].next = chosen;
                self.inputs[i].crossed[d].next = left & !chosen;
            }
        }
        for h in 0..self.hops.len() {
            clock!(self, clock, hops[h]);
            link!(inputs[processor] -> hops[h]: heading);
            link!(hops[h] -> inputs[processor]: decided);
            for header in 0..self.first.len() {
                self.hops[h].first[header].next = self.first[header].val();
            }
            for d in 0..dims {
                self.hops[h].left[d].next = self.inputs[processor].left[d].val();
                self.inputs[processor].choice[d].next = self.hops[h].choice[d].val();
                self.inputs[processor].crossed[d].next = self.hops[h].crossed[d].val();
            }
        }
        for i in 0..self.groups.len() {
            for d in 0..dims {
                self.groups[i].left[d].next = self.inputs[i].left[d].val();
            }
            for r in 0..self.inputs[i].choice.len() {
                let d = dim_of(SCHEME, V, dims, i, r);
                let chosen = self.groups[i].choice[d].val();
                self.inputs[i].choice[r].next = chosen;
                self.inputs[i].crossed[d].next = self.inputs[i].left[d].val() & !chosen;
            }
        }
    }
}

// The routing decision of the switch of minimal rotation.

/// Bits of a byte.
const BYTE: usize = 8;

/// Input of a virtual channel or of the processor. Reads the header of a packet and leads the
/// packet to the queue chosen from the header.
///
/// A header of zeros is stripped, and the packet is for the processor. Otherwise the packet leaves
/// in the chosen dimension, with the bit of the dimension cleared. A header of two bytes must be
/// complete before the decision. Data and tail follow unchanged. The tail is the first byte after
/// the header that is 0. A header that leads nowhere is stripped too. A packet from the processor
/// to itself is dropped.
#[derive(LogicBlock, Circuit, Default)]
pub struct RotationInput {
    pub clock: Signal<In, Clock>,
    /// Byte on the wires.
    pub data: Signal<In, Bits<BYTE>>,
    /// Changes when a byte arrives.
    pub request: Signal<In, Bit>,
    /// Changes when the byte has been taken.
    pub acknowledge: Signal<Out, Bit>,
    /// Per dimension: still to be crossed, according to the present header.
    pub left: Vec<Signal<Out, Bit>>,
    /// A header that is not 0 is present: requests a choice.
    pub heading: Signal<Out, Bit>,
    /// The choice for the present header is valid.
    pub decided: Signal<In, Bit>,
    /// Per queue towards another node: the packet goes there; at most one is high.
    pub choice: Vec<Signal<In, Bit>>,
    /// Remaining header after the hop; stable until the header has been sent.
    pub crossed: Vec<Signal<In, Bit>>,
    /// Requests to the queues, at most one high: towards other nodes, then the processor's.
    pub want: Vec<Signal<Out, Bit>>,
    /// Byte for the queue.
    pub flit: Signal<Out, Bits<BYTE>>,
    /// The byte is the tail of the packet.
    pub tail: Signal<Out, Bit>,
    /// The queue takes the byte in this clock cycle.
    pub take: Vec<Signal<In, Bit>>,
    receiver: ByteReceiver<BYTE>,
    /// The decision about the header has been made.
    body: Reg<Bit>,
    /// The packet goes to this queue; if all are low, to the processor.
    toward: Vec<Reg<Bit>>,
    /// First byte of a header of two bytes. The lists have one element for such headers, otherwise
    /// none.
    low: Vec<Reg<Bits<BYTE>>>,
    /// The first byte of a header has arrived, and the second has not.
    half: Vec<Reg<Bit>>,
    /// The first byte of a header has been sent, and the second has not.
    behind: Vec<Reg<Bit>>,
    /// The whole header is present.
    whole: Signal<Local, Bit>,
    /// The first byte of two arrives.
    first_half: Signal<Local, Bit>,
    /// The second byte is sent.
    high: Signal<Local, Bit>,
    any: Signal<Local, Bit>,
    /// A queue is chosen.
    led: Signal<Local, Bit>,
    /// The packet goes to this queue.
    route: Vec<Signal<Local, Bit>>,
    leaves: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
}

impl RotationInput {
    /// Makes an input for headers of `dims` bits and packets that may go to `routes` other nodes.
    /// `home` is true if packets may be for the processor.
    pub fn new(dims: usize, routes: usize, home: bool) -> Self {
        let wide = usize::from(dims > BYTE);
        RotationInput {
            left: list(dims),
            choice: list(routes),
            crossed: list(dims),
            want: list(routes + usize::from(home)),
            take: list(routes + usize::from(home)),
            toward: list(routes),
            low: list(wide),
            half: list(wide),
            behind: list(wide),
            route: list(routes),
            ..Default::default()
        }
    }
}

impl Logic for RotationInput {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, body);
        clock!(self, clock, receiver);
        let dims = self.left.len();
        let routes = self.choice.len();
        let wide = self.low.len();
        link!(self -> receiver: data, request);
        link!(receiver -> self: acknowledge);
        let present = self.receiver.present.val();
        let byte = self.receiver.flit.val();
        let body = self.body.q.val();

        self.whole.next = present & !body;
        self.first_half.next = false;
        self.high.next = false;
        for w in 0..wide {
            self.whole.next = present & !body & self.half[w].q.val();
            self.first_half.next = present & !body & !self.half[w].q.val();
            self.high.next = self.behind[w].q.val();
        }
        self.any.next = false;
        for d in 0..dims {
            if d < BYTE {
                self.left[d].next = byte.get_bit(d);
                for w in 0..wide {
                    self.left[d].next = self.low[w].q.val().get_bit(d);
                }
            } else {
                self.left[d].next = byte.get_bit(d - BYTE);
            }
            self.any.next = self.any.val() | self.left[d].val();
        }
        self.led.next = !self.decided.val();
        for r in 0..routes {
            self.led.next = self.led.val() | self.choice[r].val();
        }
        let home = self.whole.val() & !(self.any.val() & self.led.val());
        let heading = self.whole.val() & self.any.val();
        self.heading.next = heading;

        self.leaves.next = false;
        for r in 0..routes {
            let chosen = heading & self.decided.val() & self.choice[r].val();
            self.route[r].next = self.toward[r].q.val() | chosen;
            self.leaves.next = self.leaves.val() | self.route[r].val();
            self.want[r].next = present & self.route[r].val();
        }
        let stays = present & body & !self.leaves.val();
        self.taken.next = false;
        if self.want.len() > routes {
            self.want[routes].next = stays;
        } else {
            self.taken.next = stays;
        }
        self.flit.next = byte;
        for d in 0..dims {
            if d < BYTE {
                if !body {
                    self.flit.next = self.flit.val().replace_bit(d, self.crossed[d].val());
                }
            } else if self.high.val() {
                self.flit.next = self.flit.val().replace_bit(d - BYTE, self.crossed[d].val());
            }
        }
        self.tail.next = body & !self.high.val() & (byte == 0);
        for q in 0..self.take.len() {
            self.taken.next = self.taken.val() | self.take[q].val();
        }
        let taken = self.taken.val();
        let tail = self.tail.val();
        self.receiver.take.next = taken | home | self.first_half.val();

        if home {
            self.body.d.next = true;
        }
        if taken {
            self.body.d.next = !tail;
        }
        for r in 0..routes {
            dff_setup!(self, clock, toward[r]);
            if taken {
                self.toward[r].d.next = self.route[r].val() & !tail;
            }
        }
        for w in 0..wide {
            dff_setup!(self, clock, low[w], half[w], behind[w]);
            if self.first_half.val() {
                self.low[w].d.next = byte;
                self.half[w].d.next = true;
            }
            if home | taken {
                self.half[w].d.next = false;
            }
            if taken {
                self.behind[w].d.next = !body;
                // The first byte is sent from where it was stored, so the second byte is not taken.
                self.receiver.take.next = body;
            }
        }
    }
}
