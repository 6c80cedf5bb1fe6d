//! The inside of a chip of the CM-1, put together.

use super::{
    Ejector, Heart, Injector, MessageBuffer, PetitPlan, POINTER_BITS, PROCESSORS_MAX, ROWS_MAX,
};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// The router of one chip: injector, heart, ejector and buffers
/// (`cm1-message-router`, section 3.1, Figure 3).
///
/// Addresses on the wires are relative, so a chip needs none of its own. It does
/// what the strobes of the [`PetitControl`](super::PetitControl) say, which all
/// chips share. Bit d of `cube_in` is bit d of `cube_out` of the neighbour across
/// dimension d; no output depends on `cube_in` in the same bit-time but `exit`,
/// which is there to be watched.
#[derive(LogicBlock, Circuit, Default)]
pub struct Router<const C: usize> {
    pub clock: Signal<In, Clock>,
    /// The levels of the cube wires that come in, dimension 0 lowest.
    pub cube_in: Signal<In, Bits<C>>,
    /// The bits on the cube wires that go out.
    pub cube_out: Signal<Out, Bits<C>>,
    /// The processors' lines to the injector, processor 0 lowest: at `start`
    /// whether it offers a message, then the rest of it, if it was acknowledged.
    pub send: Signal<In, Bits<PROCESSORS_MAX>>,
    /// The message offered is taken, at `start`.
    pub acknowledge: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// The lines from the ejector: low, then MSGP, VP-ADDRESS, DATA and
    /// PARITY, MSGP one bit-time after `sort`.
    pub deliver: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// With PARITY: it is wrong.
    pub parity_error: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// When the router drains: whole messages, MSGP at `start`.
    pub returned: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// There is a message in the buffers; at `start`.
    pub occupied: Signal<Out, Bit>,
    /// The bits that leave the heart, row 0 lowest.
    pub exit: Signal<Out, Bits<ROWS_MAX>>,
    /// The rows whose message is on its way to a processor; after `sort`.
    pub ejecting: Signal<Out, Bits<ROWS_MAX>>,
    /// This petit cycle drains; read at `start`.
    pub drains: Signal<In, Bit>,
    /// As of [`PetitControl`](super::PetitControl), to the end.
    pub start: Signal<In, Bit>,
    pub pointer: Signal<In, Bits<POINTER_BITS>>,
    pub decide: Signal<In, Bits<C>>,
    pub hold: Signal<In, Bits<C>>,
    pub turn: Signal<In, Bits<C>>,
    pub parity: Signal<In, Bits<C>>,
    pub enter: Signal<In, Bit>,
    pub cube: Signal<In, Bit>,
    pub proc: Signal<In, Bit>,
    pub settle: Signal<In, Bit>,
    pub sort: Signal<In, Bit>,
    pub over: Signal<In, Bit>,
    injector: Injector,
    heart: Heart,
    ejector: Ejector,
    buffer: MessageBuffer,
}

impl<const C: usize> Router<C> {
    /// The router of a chip with so many rows and 2^(PROC-ADDRESS bits)
    /// processors.
    ///
    /// # Panics
    /// If the plan is for another number of dimensions, if there are not 2 to 16
    /// rows, or if the buffer is too long.
    pub fn new(rows: usize, plan: PetitPlan) -> Self {
        assert!(
            plan.format.dims as usize == C,
            "the plan is for another number of dimensions"
        );
        let processors = 1 << plan.format.proc_bits;
        assert!(
            processors <= PROCESSORS_MAX,
            "a chip has up to 16 processors"
        );
        Router {
            injector: Injector::new(rows, processors),
            heart: Heart::new(C, rows),
            ejector: Ejector::new(rows, processors, plan.mode),
            buffer: MessageBuffer::new(rows, plan.buffered() as usize - 1),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for Router<C> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, injector, heart, ejector, buffer);
        link!(self, injector, start);
        self.injector.drain.next = self.drains.val();
        link!(self, buffer, pointer);
        link!(self, ejector, enter, cube, proc, settle, sort, over);
        self.cube_out.next = 0.into();
        for d in 0..C {
            self.heart.cube_in[d].next = self.cube_in.val().get_bit(d);
            self.heart.decide[d].next = self.decide.val().get_bit(d);
            self.heart.hold[d].next = self.hold.val().get_bit(d);
            self.heart.turn[d].next = self.turn.val().get_bit(d);
            self.heart.parity[d].next = self.parity.val().get_bit(d);
            self.cube_out.next = self
                .cube_out
                .val()
                .replace_bit(d, self.heart.cube_out[d].val());
        }
        self.acknowledge.next = 0.into();
        self.returned.next = 0.into();
        self.deliver.next = 0.into();
        self.parity_error.next = 0.into();
        for p in 0..self.injector.send.len() {
            self.injector.send[p].next = self.send.val().get_bit(p);
            let acknowledge = self.injector.acknowledge[p].val();
            self.acknowledge.next = self.acknowledge.val().replace_bit(p, acknowledge);
            let returned = self.injector.returned[p].val();
            self.returned.next = self.returned.val().replace_bit(p, returned);
            let deliver = self.ejector.deliver[p].val();
            self.deliver.next = self.deliver.val().replace_bit(p, deliver);
            let wrong = self.ejector.parity_error[p].val();
            self.parity_error.next = self.parity_error.val().replace_bit(p, wrong);
        }
        self.occupied.next = false;
        self.exit.next = 0.into();
        self.ejecting.next = 0.into();
        for r in 0..self.heart.row.len() {
            self.heart.row[r].next = self.injector.row[r].val();
            self.ejector.exit[r].next = self.heart.exit[r].val();
            self.buffer.exit[r].next = self.heart.exit[r].val();
            self.injector.buffered[r].next = self.buffer.buffered[r].val();
            self.injector.kept[r].next = self.ejector.kept[r].val();
            self.occupied.next = self.occupied.val() | self.ejector.kept[r].val();
            self.exit.next = self.exit.val().replace_bit(r, self.heart.exit[r].val());
            self.ejecting.next = self
                .ejecting
                .val()
                .replace_bit(r, self.ejector.ejecting[r].val());
        }
    }
}
