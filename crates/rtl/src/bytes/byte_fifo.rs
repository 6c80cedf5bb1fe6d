//! The storage of an output queue.

use super::list;
use hdl::prelude::*;

/// A FIFO of bytes. The oldest byte is in slot 0, and the others move up behind it.
#[derive(LogicBlock, Circuit, Default)]
pub struct ByteFifo<const W: usize> {
    pub clock: Signal<In, Clock>,
    /// Byte to store.
    pub flit: Signal<In, Bits<W>>,
    /// Stores `flit` in this clock cycle; requires `room`.
    pub push: Signal<In, Bit>,
    /// There is room for a byte, even if none leaves in this clock cycle.
    pub room: Signal<Out, Bit>,
    /// There is a byte.
    pub present: Signal<Out, Bit>,
    /// Oldest byte.
    pub front: Signal<Out, Bits<W>>,
    /// Removes `front` in this clock cycle; requires `present`.
    pub pop: Signal<In, Bit>,
    places: Vec<Reg<Bits<W>>>,
    /// The slot holds a byte.
    taken: Vec<Reg<Bit>>,
}

impl<const W: usize> ByteFifo<W> {
    /// Makes a queue for `depth` bytes.
    ///
    /// # Panics
    /// If `depth` is 0.
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
            // The content of an empty slot does not matter. An empty slot loads every byte, so the
            // position of the last byte needs no logic.
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
