//! The chip that a CM-1 is an array of.

use super::{PetitPlan, Router, POINTER_BITS, PROCESSORS_MAX, ROWS_MAX};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// A chip in a machine: its router, and the ends of its cube wires, where bits
/// can be inverted on arrival.
#[derive(LogicBlock, Circuit, Default)]
pub struct Chip<const C: usize> {
    pub clock: Signal<In, Clock>,
    /// Bits that arrive on these wires are inverted.
    pub flip: Signal<In, Bits<C>>,
    /// As of [`Router`], to the end.
    pub cube_in: Signal<In, Bits<C>>,
    pub cube_out: Signal<Out, Bits<C>>,
    pub send: Signal<In, Bits<PROCESSORS_MAX>>,
    pub acknowledge: Signal<Out, Bits<PROCESSORS_MAX>>,
    pub deliver: Signal<Out, Bits<PROCESSORS_MAX>>,
    pub parity_error: Signal<Out, Bits<PROCESSORS_MAX>>,
    pub returned: Signal<Out, Bits<PROCESSORS_MAX>>,
    pub occupied: Signal<Out, Bit>,
    pub exit: Signal<Out, Bits<ROWS_MAX>>,
    pub ejecting: Signal<Out, Bits<ROWS_MAX>>,
    pub drains: Signal<In, Bit>,
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
    router: Router<C>,
}

impl<const C: usize> Chip<C> {
    /// # Panics
    /// As [`Router::new`].
    pub fn new(rows: usize, plan: PetitPlan) -> Self {
        Chip {
            router: Router::new(rows, plan),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for Chip<C> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, router);
        self.router.cube_in.next = self.cube_in.val() ^ self.flip.val();
        link!(self, router, send, drains, start, pointer, decide, hold);
        link!(self, router, turn, parity, enter, cube, proc, settle, sort);
        link!(self, router, over, cube_out, acknowledge, deliver);
        link!(self, router, parity_error, returned, occupied, exit);
        link!(self, router, ejecting);
    }
}
