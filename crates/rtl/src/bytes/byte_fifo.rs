//! The store of an output queue.

use super::list;
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Some bytes, first in, first out. The next to go is in place 0, the others move up
/// behind it.
#[derive(LogicBlock, Circuit, Default)]
pub struct ByteFifo<const W: usize> {
    pub clock: Signal<In, Clock>,
    /// The byte that comes.
    pub flit: Signal<In, Bits<W>>,
    /// It comes in this clock cycle; there must be room.
    pub push: Signal<In, Bit>,
    /// There is room for a byte, whether or not one goes.
    pub room: Signal<Out, Bit>,
    /// There is a byte to go.
    pub present: Signal<Out, Bit>,
    /// This one.
    pub front: Signal<Out, Bits<W>>,
    /// It goes in this clock cycle; there must be one.
    pub pop: Signal<In, Bit>,
    places: Vec<Reg<Bits<W>>>,
    /// The place has a byte.
    taken: Vec<Reg<Bit>>,
}

impl<const W: usize> ByteFifo<W> {
    /// For so many bytes.
    ///
    /// # Panics
    /// If it is for none.
    pub fn new(depth: usize) -> Self {
        assert!(depth > 0, "a queue holds at least one byte");
        ByteFifo {
            places: list(depth),
            taken: list(depth),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for ByteFifo<W> {
    #[kernel]
    fn update(&mut self) {
        let depth = self.places.len();
        let grows = self.push.val() & !self.pop.val();
        let shrinks = self.pop.val() & !self.push.val();
        for p in 0..depth {
            dff_setup!(self, clock, places[p]);
            clock!(self, clock, taken[p]);
            // What an empty place has does not matter: it takes every byte, so that
            // where the last one ends up costs nothing.
            if self.pop.val() | !self.taken[p].q.val() {
                self.places[p].d.next = self.flit.val();
                if p + 1 < depth && self.taken[p + 1].q.val() {
                    self.places[p].d.next = self.places[p + 1].q.val();
                }
            }
            self.taken[p].d.next = self.taken[p].q.val();
            if grows {
                if p > 0 {
                    self.taken[p].d.next = self.taken[p - 1].q.val();
                } else {
                    self.taken[p].d.next = true;
                }
            }
            if shrinks {
                if p + 1 < depth {
                    self.taken[p].d.next = self.taken[p + 1].q.val();
                } else {
                    self.taken[p].d.next = false;
                }
            }
        }
        self.room.next = !self.taken[depth - 1].q.val();
        self.present.next = self.taken[0].q.val();
        self.front.next = self.places[0].q.val();
    }
}
