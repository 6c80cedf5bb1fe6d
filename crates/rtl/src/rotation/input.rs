//! The routing decision of the switch of minimal rotation.

use super::list;
use crate::bytes::ByteReceiver;
use hdl::prelude::*;

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
    keeps: Signal<Local, Bit>,
    /// The second byte is sent.
    high: Signal<Local, Bit>,
    any: Signal<Local, Bit>,
    /// A queue is chosen.
    led: Signal<Local, Bit>,
    /// The packet goes to this queue.
    way: Vec<Signal<Local, Bit>>,
    leaves: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
}

impl RotationInput {
    /// Makes an input for headers of `dims` bits and packets that may go to `ways` other nodes.
    /// `home` is true if packets may be for the processor.
    pub fn new(dims: usize, ways: usize, home: bool) -> Self {
        let wide = usize::from(dims > BYTE);
        RotationInput {
            left: list(dims),
            choice: list(ways),
            crossed: list(dims),
            want: list(ways + usize::from(home)),
            take: list(ways + usize::from(home)),
            toward: list(ways),
            low: list(wide),
            half: list(wide),
            behind: list(wide),
            way: list(ways),
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
        let ways = self.choice.len();
        let wide = self.low.len();
        link!(self, receiver, data, request, acknowledge);
        let present = self.receiver.present.val();
        let byte = self.receiver.flit.val();
        let body = self.body.q.val();

        self.whole.next = present & !body;
        self.keeps.next = false;
        self.high.next = false;
        for w in 0..wide {
            self.whole.next = present & !body & self.half[w].q.val();
            self.keeps.next = present & !body & !self.half[w].q.val();
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
        for r in 0..ways {
            self.led.next = self.led.val() | self.choice[r].val();
        }
        let home = self.whole.val() & !(self.any.val() & self.led.val());
        let heading = self.whole.val() & self.any.val();
        self.heading.next = heading;

        self.leaves.next = false;
        for r in 0..ways {
            let chosen = heading & self.decided.val() & self.choice[r].val();
            self.way[r].next = self.toward[r].q.val() | chosen;
            self.leaves.next = self.leaves.val() | self.way[r].val();
            self.want[r].next = present & self.way[r].val();
        }
        let stays = present & body & !self.leaves.val();
        self.taken.next = false;
        if self.want.len() > ways {
            self.want[ways].next = stays;
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
        self.receiver.take.next = taken | home | self.keeps.val();

        if home {
            self.body.d.next = true;
        }
        if taken {
            self.body.d.next = !tail;
        }
        for r in 0..ways {
            dff_setup!(self, clock, toward[r]);
            if taken {
                self.toward[r].d.next = self.way[r].val() & !tail;
            }
        }
        for w in 0..wide {
            dff_setup!(self, clock, low[w], half[w], behind[w]);
            if self.keeps.val() {
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
