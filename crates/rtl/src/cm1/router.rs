//! The router of a CM-1 chip, assembled from its parts.

use super::{
    Ejector, Heart, Injector, MessageBuffer, PetitPlan, ProcessorLines, Strobes, PROCESSORS_MAX,
};
use hdl::prelude::*;

/// The router of one chip: injector, heart, ejector and buffers
/// (`cm1-message-router`, section 3.1, Figure 3).
///
/// Addresses on the wires are relative, so a chip does not need its own address. The strobes come
/// from the [`PetitControl`](super::PetitControl), which all chips share. Bit d of `cube_in` is bit
/// d of `cube_out` of the neighbour across dimension d. No output except `exit` depends on
/// `cube_in` in the same bit-time, and `exit` is for observation only.
#[derive(LogicBlock, Circuit, Default)]
pub struct Router<const C: usize> {
    pub clock: Signal<In, Clock>,
    /// Levels of the incoming cube wires, dimension 0 lowest.
    pub cube_in: Signal<In, Bits<C>>,
    /// Bits on the outgoing cube wires.
    pub cube_out: Signal<Out, Bits<C>>,
    pub lines: ProcessorLines,
    pub strobes: Strobes<C>,
    injector: Injector,
    heart: Heart,
    ejector: Ejector,
    buffer: MessageBuffer,
}

impl<const C: usize> Router<C> {
    /// Makes the router of a chip with `rows` rows and 2^(PROC-ADDRESS bits) processors.
    ///
    /// # Panics
    /// If the plan is for another number of dimensions, if there are not 2 to 16 rows, or if the
    /// buffer is too long.
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
        link!(self.strobes, injector, start, drains => drain);
        link!(self.strobes, buffer, pointer);
        link!(self.strobes, ejector, enter, cube, proc, vp, bank);
        link!(self.strobes, ejector, settle, sort, over);
        self.cube_out.next = 0.into();
        for d in 0..C {
            self.heart.cube_in[d].next = self.cube_in.val().get_bit(d);
            self.heart.decide[d].next = self.strobes.decide.val().get_bit(d);
            self.heart.hold[d].next = self.strobes.hold.val().get_bit(d);
            self.heart.turn[d].next = self.strobes.turn.val().get_bit(d);
            self.heart.parity[d].next = self.strobes.parity.val().get_bit(d);
            self.cube_out.next = self
                .cube_out
                .val()
                .replace_bit(d, self.heart.cube_out[d].val());
        }
        self.lines.acknowledge.next = 0.into();
        self.lines.returned.next = 0.into();
        self.lines.deliver.next = 0.into();
        self.lines.parity_error.next = 0.into();
        for p in 0..self.injector.send.len() {
            self.injector.send[p].next = self.lines.send.val().get_bit(p);
            let acknowledge = self.injector.acknowledge[p].val();
            self.lines.acknowledge.next = self.lines.acknowledge.val().replace_bit(p, acknowledge);
            let returned = self.injector.returned[p].val();
            self.lines.returned.next = self.lines.returned.val().replace_bit(p, returned);
            let deliver = self.ejector.deliver[p].val();
            self.lines.deliver.next = self.lines.deliver.val().replace_bit(p, deliver);
            let wrong = self.ejector.parity_error[p].val();
            self.lines.parity_error.next = self.lines.parity_error.val().replace_bit(p, wrong);
        }
        self.lines.occupied.next = false;
        self.lines.exit.next = 0.into();
        self.lines.ejecting.next = 0.into();
        for r in 0..self.heart.row.len() {
            self.heart.row[r].next = self.injector.row[r].val();
            self.ejector.exit[r].next = self.heart.exit[r].val();
            self.buffer.exit[r].next = self.heart.exit[r].val();
            self.injector.buffered[r].next = self.buffer.buffered[r].val();
            self.injector.kept[r].next = self.ejector.kept[r].val();
            self.lines.occupied.next = self.lines.occupied.val() | self.ejector.kept[r].val();
            self.lines.exit.next = self
                .lines
                .exit
                .val()
                .replace_bit(r, self.heart.exit[r].val());
            self.lines.ejecting.next = self
                .lines
                .ejecting
                .val()
                .replace_bit(r, self.ejector.ejecting[r].val());
        }
    }
}
