//! A whole CM-1, in one simulation of `rust-hdl`.

use super::{list, Chip, PetitControl, PetitPlan, PROCESSORS_MAX, ROWS_MAX};
use crate::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// The machine as one block: `2^C` chips, the wires between them and the
/// petit-cycle control. Lists are by chip.
#[derive(LogicBlock, Circuit)]
pub struct Cm1Cube<const C: usize> {
    pub clock: Signal<In, Clock>,
    /// The petit cycle that begins drains.
    pub drain: Signal<In, Bit>,
    /// A petit cycle begins.
    pub start: Signal<Out, Bit>,
    /// As of [`Chip`], to the end.
    pub flip: Vec<Signal<In, Bits<C>>>,
    pub cube_out: Vec<Signal<Out, Bits<C>>>,
    pub send: Vec<Signal<In, Bits<PROCESSORS_MAX>>>,
    pub acknowledge: Vec<Signal<Out, Bits<PROCESSORS_MAX>>>,
    pub deliver: Vec<Signal<Out, Bits<PROCESSORS_MAX>>>,
    pub parity_error: Vec<Signal<Out, Bits<PROCESSORS_MAX>>>,
    pub returned: Vec<Signal<Out, Bits<PROCESSORS_MAX>>>,
    pub occupied: Vec<Signal<Out, Bit>>,
    pub exit: Vec<Signal<Out, Bits<ROWS_MAX>>>,
    pub ejecting: Vec<Signal<Out, Bits<ROWS_MAX>>>,
    control: PetitControl<C>,
    chips: Vec<Chip<C>>,
    arriving: Vec<Signal<Local, Bits<C>>>,
}

impl<const C: usize> Cm1Cube<C> {
    /// # Panics
    /// As [`Chip::new`] and [`PetitControl::new`].
    pub fn new(rows: usize, plan: PetitPlan) -> Self {
        let chips = 1 << C;
        Cm1Cube {
            clock: Signal::default(),
            drain: Signal::default(),
            start: Signal::default(),
            flip: list(chips),
            cube_out: list(chips),
            send: list(chips),
            acknowledge: list(chips),
            deliver: list(chips),
            parity_error: list(chips),
            returned: list(chips),
            occupied: list(chips),
            exit: list(chips),
            ejecting: list(chips),
            control: PetitControl::new(plan),
            chips: (0..chips).map(|_| Chip::new(rows, plan)).collect(),
            arriving: list(chips),
        }
    }
}

impl<const C: usize> Logic for Cm1Cube<C> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, control);
        self.control.drain.next = self.drain.val();
        self.start.next = self.control.start.val();
        for i in 0..self.chips.len() {
            self.arriving[i].next = 0.into();
            for d in 0..C {
                let bit = self.chips[i ^ (1 << d)].cube_out.val().get_bit(d);
                self.arriving[i].next = self.arriving[i].val().replace_bit(d, bit);
            }
            self.chips[i].clock.next = self.clock.val();
            self.chips[i].cube_in.next = self.arriving[i].val();
            self.chips[i].flip.next = self.flip[i].val();
            self.chips[i].send.next = self.send[i].val();
            self.chips[i].drains.next = self.control.drains.val();
            self.chips[i].start.next = self.control.start.val();
            self.chips[i].pointer.next = self.control.pointer.val();
            self.chips[i].decide.next = self.control.decide.val();
            self.chips[i].hold.next = self.control.hold.val();
            self.chips[i].turn.next = self.control.turn.val();
            self.chips[i].parity.next = self.control.parity.val();
            self.chips[i].enter.next = self.control.enter.val();
            self.chips[i].cube.next = self.control.cube.val();
            self.chips[i].proc.next = self.control.proc.val();
            self.chips[i].settle.next = self.control.settle.val();
            self.chips[i].sort.next = self.control.sort.val();
            self.chips[i].over.next = self.control.over.val();
            self.cube_out[i].next = self.chips[i].cube_out.val();
            self.acknowledge[i].next = self.chips[i].acknowledge.val();
            self.deliver[i].next = self.chips[i].deliver.val();
            self.parity_error[i].next = self.chips[i].parity_error.val();
            self.returned[i].next = self.chips[i].returned.val();
            self.occupied[i].next = self.chips[i].occupied.val();
            self.exit[i].next = self.chips[i].exit.val();
            self.ejecting[i].next = self.chips[i].ejecting.val();
        }
    }
}
