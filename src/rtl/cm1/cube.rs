use super::{list, PetitControl, PetitPlan, Router, ROWS_MAX};
use crate::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// The machine: `2^C` chips, the wires between them and the petit-cycle control.
///
/// Lists are by chip, or by processor: chip times processors per chip, plus
/// processor. Bits on a cube wire can be inverted.
#[derive(LogicBlock, Circuit)]
pub struct Cm1Cube<const C: usize> {
    pub clock: Signal<In, Clock>,
    /// A petit cycle begins.
    pub start: Signal<Out, Bit>,
    /// The petit cycle that begins drains.
    pub drain: Signal<In, Bit>,
    /// As of [`Router`].
    pub send: Vec<Signal<In, Bit>>,
    pub acknowledge: Vec<Signal<Out, Bit>>,
    pub deliver: Vec<Signal<Out, Bit>>,
    pub parity_error: Vec<Signal<Out, Bit>>,
    pub returned: Vec<Signal<Out, Bit>>,
    pub occupied: Vec<Signal<Out, Bit>>,
    pub exit: Vec<Signal<Out, Bits<ROWS_MAX>>>,
    pub ejecting: Vec<Signal<Out, Bits<ROWS_MAX>>>,
    pub cube_out: Vec<Signal<Out, Bits<C>>>,
    /// The bits on these wires out of the chip arrive inverted.
    pub flip: Vec<Signal<In, Bits<C>>>,
    control: PetitControl<C>,
    chips: Vec<Router<C>>,
    arriving: Vec<Signal<Local, Bits<C>>>,
}

impl<const C: usize> Cm1Cube<C> {
    /// # Panics
    /// As [`Router::new`] and [`PetitControl::new`].
    pub fn new(rows: usize, plan: PetitPlan) -> Self {
        let chips = 1 << C;
        let processors = chips << plan.format.proc_bits;
        Cm1Cube {
            clock: Signal::default(),
            start: Signal::default(),
            drain: Signal::default(),
            send: list(processors),
            acknowledge: list(processors),
            deliver: list(processors),
            parity_error: list(processors),
            returned: list(processors),
            occupied: list(chips),
            exit: list(chips),
            ejecting: list(chips),
            cube_out: list(chips),
            flip: list(chips),
            control: PetitControl::new(plan),
            chips: (0..chips).map(|_| Router::new(rows, plan)).collect(),
            arriving: list(chips),
        }
    }
}

impl<const C: usize> Logic for Cm1Cube<C> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, control);
        self.start.next = self.control.start.val();
        let processors = self.send.len() / self.chips.len();
        for i in 0..self.chips.len() {
            self.chips[i].clock.next = self.clock.val();
            self.chips[i].drain.next = self.drain.val();
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
            for p in 0..processors {
                let s = i * processors + p;
                self.chips[i].send[p].next = self.send[s].val();
                self.acknowledge[s].next = self.chips[i].acknowledge[p].val();
                self.deliver[s].next = self.chips[i].deliver[p].val();
                self.parity_error[s].next = self.chips[i].parity_error[p].val();
                self.returned[s].next = self.chips[i].returned[p].val();
            }
            self.occupied[i].next = self.chips[i].occupied.val();
            self.exit[i].next = self.chips[i].exit.val();
            self.ejecting[i].next = self.chips[i].ejecting.val();
            self.cube_out[i].next = self.chips[i].cube_out.val();
        }
        for i in 0..self.chips.len() {
            self.arriving[i].next = 0.into();
            for d in 0..C {
                let neighbour = i ^ (1 << d);
                let bit = self.chips[neighbour].cube_out.val().get_bit(d)
                    ^ self.flip[neighbour].val().get_bit(d);
                self.arriving[i].next = self.arriving[i].val().replace_bit(d, bit);
            }
            self.chips[i].cube_in.next = self.arriving[i].val();
        }
    }
}
