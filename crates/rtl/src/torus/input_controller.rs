//! The routing decision of the torus routing chip.

use super::{list, Tail};
use crate::bytes::ByteReceiver;
use hdl::prelude::*;

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
    way: Vec<Signal<Local, Bit>>,
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
            way: list(dims),
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
        link!(self, receiver, data, request, acknowledge);
        let present = self.receiver.present.val();
        let word = self.receiver.flit.val();
        let zero = word.resized::<ADDRESS_BITS>() == 0;

        self.heading.next = false;
        self.passing.next = false;
        self.leaves.next = false;
        for k in 0..dims {
            self.heading.next = self.heading.val() | self.head[k].q.val();
            self.way[k].next = self.toward[k].q.val() | (self.head[k].q.val() & !zero);
            self.leaves.next = self.leaves.val() | self.way[k].val();
        }
        for p in 0..passes {
            self.passing.next = self.passing.val() | self.pass[p].q.val();
        }
        let strip = self.heading.val() & zero;
        let ends = if W > ADDRESS_BITS {
            word.get_bit(W - 1)
        } else {
            zero
        };
        self.tail.next = ends & !self.heading.val() & !self.passing.val();
        // Adding all ones subtracts one.
        let less = if self.heading.val() {
            !bits::<W>(0)
        } else {
            bits::<W>(0)
        };
        self.flit.next = word + less;

        for k in 0..dims {
            self.want[k + splits].next = present & self.way[k].val();
        }
        if splits > 0 {
            self.want[0].next = present & self.way[0].val() & self.origin.val();
            self.want[splits].next = present & self.way[0].val() & !self.origin.val();
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
                self.toward[k].d.next = self.way[k].val() & !self.tail.val();
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
