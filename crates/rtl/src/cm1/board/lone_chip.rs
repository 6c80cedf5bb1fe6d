//! A chip of the board's CM-1, smaller because it has one processor.

use super::{LoneEjector, LoneInjector, PetitStrobes, BOARD_DIMS};
use crate::cm1::{list, Heart};
use hdl::prelude::*;

/// The router of a chip with one processor, for single petit cycles on request. It corresponds to a
/// [`Router`](crate::cm1::Router) without draining and without its buffer, which all chips share.
#[derive(LogicBlock, Circuit, Default)]
pub struct LoneChip {
    pub clock: Signal<In, Clock>,
    /// Strobes of this bit-time.
    pub strobes: Signal<In, PetitStrobes>,
    /// Levels of the incoming cube wires.
    pub cube_in: Vec<Signal<In, Bit>>,
    /// Bits on the outgoing cube wires.
    pub cube_out: Vec<Signal<Out, Bit>>,
    /// Ports of [`LoneInjector`], from here to `occupied`.
    pub offer: Signal<In, Bit>,
    pub send: Signal<In, Bit>,
    pub taken: Signal<Out, Bit>,
    pub buffered: Vec<Signal<In, Bit>>,
    pub occupied: Signal<Out, Bit>,
    /// Bits that leave the heart, for the buffer.
    pub exit: Vec<Signal<Out, Bit>>,
    /// Ports of [`LoneEjector`], from here on.
    pub deliver: Signal<Out, Bit>,
    pub delivered: Signal<Out, Bit>,
    pub parity_error: Signal<Out, Bit>,
    injector: LoneInjector,
    heart: Heart,
    ejector: LoneEjector,
}

impl LoneChip {
    /// Makes a chip with this number of rows.
    ///
    /// # Panics
    /// With fewer than two rows.
    pub fn new(rows: usize) -> Self {
        LoneChip {
            cube_in: list(BOARD_DIMS),
            cube_out: list(BOARD_DIMS),
            buffered: list(rows),
            exit: list(rows),
            injector: LoneInjector::new(rows),
            heart: Heart::new(BOARD_DIMS, rows),
            ejector: LoneEjector::new(rows),
            ..Default::default()
        }
    }
}

impl Logic for LoneChip {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, injector, heart, ejector);
        let strobes = self.strobes.val();
        self.injector.finish.next = strobes.finish;
        self.injector.take.next = strobes.take;
        link!(self, injector, offer, send, taken, occupied);
        for d in 0..BOARD_DIMS {
            self.heart.cube_in[d].next = self.cube_in[d].val();
            self.heart.decide[d].next = strobes.decide.get_bit(d);
            self.heart.hold[d].next = strobes.hold.get_bit(d);
            self.heart.turn[d].next = strobes.invert.get_bit(d);
            self.heart.parity[d].next = false;
            self.cube_out[d].next = self.heart.cube_out[d].val();
        }
        self.ejector.enter.next = strobes.enter;
        self.ejector.cube.next = strobes.cube;
        self.ejector.rest.next = strobes.rest;
        for r in 0..self.exit.len() {
            self.injector.kept[r].next = self.ejector.kept[r].val();
            self.injector.buffered[r].next = self.buffered[r].val();
            self.heart.row[r].next = self.injector.row[r].val();
            self.ejector.exit[r].next = self.heart.exit[r].val();
            self.exit[r].next = self.heart.exit[r].val();
        }
        link!(self, ejector, deliver, delivered, parity_error);
    }
}
