//! A node of the torus.

use super::{list, TorusChip, TorusPlan};
use hdl::prelude::*;

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
        link!(self, chips[0], send_data, send_request, send_acknowledge);
        link!(self, chips[last], receive_data, receive_request);
        link!(self, chips[last], receive_acknowledge);
    }
}
