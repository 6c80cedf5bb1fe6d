//! A chip of the board's CM-1, smaller because it has one processor.

use super::{BOARD_DIMS, HEART_DELAY, MSGP_POSITION, POSITION_BITS};
use crate::cm1::{list, Heart, PetitPlan, ROWS_MAX};
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
        link!(self -> injector: offer, send);
        link!(injector -> self: taken, occupied);
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
            self.injector.stays[r].next = self.ejector.stays[r].val();
            self.injector.buffered[r].next = self.buffered[r].val();
            self.heart.row[r].next = self.injector.row[r].val();
            self.ejector.exit[r].next = self.heart.exit[r].val();
            self.exit[r].next = self.heart.exit[r].val();
        }
        link!(ejector -> self: deliver, delivered, parity_error);
    }
}

/// The injector of a chip with one processor. Like [`Injector`](crate::cm1::Injector), but it
/// decides one bit-time before MSGP and does not drain.
#[derive(LogicBlock, Circuit, Default)]
pub struct LoneInjector {
    pub clock: Signal<In, Clock>,
    /// The previous petit cycle has ended: record the rows that have a message.
    pub finish: Signal<In, Bit>,
    /// Rows that have a message; sampled at `finish`.
    pub stays: Vec<Signal<In, Bit>>,
    /// MSGP comes next: the lowest empty row takes the offered message.
    pub take: Signal<In, Bit>,
    /// The processor offers a message; sampled at `take`.
    pub offer: Signal<In, Bit>,
    /// Bits of the offered message, MSGP first.
    pub send: Signal<In, Bit>,
    /// The offered message was taken; valid from `take` to the next one.
    pub taken: Signal<Out, Bit>,
    /// Bits of the buffered messages.
    pub buffered: Vec<Signal<In, Bit>>,
    /// Bits to the heart.
    pub row: Vec<Signal<Out, Bit>>,
    /// There is a buffered message; valid from `finish` on.
    pub occupied: Signal<Out, Bit>,
    passing: Vec<Reg<Bit>>,
    takes: Vec<Reg<Bit>>,
    /// All rows visited so far have a message.
    full: Signal<Local, Bit>,
}

impl LoneInjector {
    pub fn new(rows: usize) -> Self {
        LoneInjector {
            stays: list(rows),
            buffered: list(rows),
            row: list(rows),
            passing: list(rows),
            takes: list(rows),
            ..Default::default()
        }
    }
}

impl Logic for LoneInjector {
    #[kernel]
    fn update(&mut self) {
        self.taken.next = false;
        self.occupied.next = false;
        self.full.next = true;
        for r in 0..self.row.len() {
            let passing = self.passing[r].q.val();
            clock!(self, clock, passing[r]);
            self.passing[r].d.next = if self.finish.val() { self.stays[r].val() } else { passing };
            let takes = self.takes[r].q.val();
            clock!(self, clock, takes[r]);
            self.takes[r].d.next =
                if self.take.val() { self.offer.val() & self.full.val() & !passing } else { takes };
            self.full.next = self.full.val() & passing;
            self.row[r].next = (passing & self.buffered[r].val()) | (takes & self.send.val());
            self.taken.next = self.taken.val() | takes;
            self.occupied.next = self.occupied.val() | passing;
        }
    }
}

/// The ejector of a chip with one processor. Of the messages that have reached the chip, the one in
/// the lowest row goes to the processor. The others keep their rows.
///
/// Corresponds to the [`Ejector`](crate::cm1::Ejector) of the mode
/// [`PerChip`](crate::cm1::EjectMode::PerChip), with less state. The ejected message is known from
/// the end of CUBE-ADDRESS until the next `enter`. All bits of CUBE-ADDRESS are then zero, so the
/// parity of the rest is the parity of the whole message.
#[derive(LogicBlock, Circuit, Default)]
pub struct LoneEjector {
    pub clock: Signal<In, Clock>,
    /// Bits that leave the heart, one per row.
    pub exit: Vec<Signal<In, Bit>>,
    /// The bits are MSGP.
    pub enter: Signal<In, Bit>,
    /// The bits belong to CUBE-ADDRESS.
    pub cube: Signal<In, Bit>,
    /// The bits belong to DATA, or are PARITY.
    pub rest: Signal<In, Bit>,
    /// Rows with a message that stays. Like the next three outputs, valid from the end of
    /// CUBE-ADDRESS to the next `enter`.
    pub stays: Vec<Signal<Out, Bit>>,
    /// Bit for the processor while DATA or PARITY leaves the heart.
    pub deliver: Signal<Out, Bit>,
    /// The processor gets a message.
    pub delivered: Signal<Out, Bit>,
    /// The parity of the message is wrong, according to the bits so far.
    pub parity_error: Signal<Out, Bit>,
    message: Vec<Reg<Bit>>,
    /// The message has reached its chip, according to the bits of CUBE-ADDRESS so far.
    home: Vec<Reg<Bit>>,
    odd: Reg<Bit>,
}

impl LoneEjector {
    pub fn new(rows: usize) -> Self {
        LoneEjector {
            exit: list(rows),
            stays: list(rows),
            message: list(rows),
            home: list(rows),
            ..Default::default()
        }
    }
}

impl Logic for LoneEjector {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, odd);
        self.deliver.next = false;
        self.delivered.next = false;
        for r in 0..self.exit.len() {
            let bit = self.exit[r].val();
            let message = self.message[r].q.val();
            let home = self.home[r].q.val();
            clock!(self, clock, message[r]);
            self.message[r].d.next = if self.enter.val() { bit } else { message };
            clock!(self, clock, home[r]);
            self.home[r].d.next =
                if self.enter.val() { bit } else { home & !(self.cube.val() & bit) };
            let goes = home & !self.delivered.val();
            self.deliver.next = self.deliver.val() | (goes & bit);
            self.delivered.next = self.delivered.val() | home;
            self.stays[r].next = message & !goes;
        }
        let counted = self.rest.val() & self.deliver.val();
        self.odd.d.next = !self.cube.val() & (self.odd.q.val() ^ counted);
        self.parity_error.next = self.odd.q.val();
    }
}

// The petit cycle of the board's CM-1, read from a table.

/// Strobes of the chips in a bit-time; see the outputs of the
/// [`PetitControl`](crate::cm1::PetitControl) with these names.
#[word]
#[derive(Default)]
pub struct PetitStrobes {
    pub decide: Bits<BOARD_DIMS>,
    pub hold: Bits<BOARD_DIMS>,
    /// `turn` or `parity`.
    pub invert: Bits<BOARD_DIMS>,
    pub enter: Bit,
    pub cube: Bit,
    /// DATA or PARITY leaves the hearts.
    pub rest: Bit,
    /// The bit-time before MSGP: the injectors decide.
    pub take: Bit,
    /// All bits of the petit cycle have arrived.
    pub finish: Bit,
}

/// The control of single petit cycles: a table of strobes in one block RAM, and the counter that
/// reads it.
#[derive(LogicBlock, Circuit, Default)]
pub struct PetitTable {
    pub clock: Signal<In, Clock>,
    /// Begins a petit cycle, if none is in progress.
    pub go: Signal<In, Bit>,
    /// A petit cycle is in progress.
    pub running: Signal<Out, Bit>,
    /// Position of the bit that the injectors need in the next bit-time; 0 while no petit cycle is
    /// in progress.
    pub position: Signal<Out, Bits<POSITION_BITS>>,
    /// Strobes of the current bit-time.
    pub strobes: Signal<Out, PetitStrobes>,
    words: Rom<PetitStrobes, POSITION_BITS>,
    counter: Reg<Bits<POSITION_BITS>>,
    runs: Reg<Bit>,
}

impl PetitTable {
    /// Makes the table of a plan.
    ///
    /// # Panics
    /// If the plan is for another cube, or if a petit cycle is too long for the table.
    pub fn new(plan: PetitPlan) -> Self {
        assert!(plan.format.dims as usize == BOARD_DIMS, "the board has a 3-cube");
        let positions = MSGP_POSITION + plan.over() + 1;
        assert!(
            positions < 1 << POSITION_BITS,
            "a petit cycle has {positions} bit-times with its first four, and 127 at most"
        );
        PetitTable {
            words: Rom::new((0..=positions).map(|position| strobes(plan, position))),
            ..Default::default()
        }
    }
}

/// Strobes of the bit-time in which the bit of this position is at the injectors.
fn strobes(plan: PetitPlan, position: u32) -> PetitStrobes {
    let dims = plan.format.dims;
    let Some(time) = position.checked_sub(MSGP_POSITION) else {
        return PetitStrobes { take: position + 1 == MSGP_POSITION, ..PetitStrobes::default() };
    };
    // A column acts two bit-times later than the previous one.
    let columns = |strobe: &dyn Fn(u32) -> bool| {
        let column = |d: &u32| time.checked_sub(2 * d).is_some_and(strobe);
        let columns = (0..dims).filter(column);
        columns.map(|d| 1u64 << d).sum::<u64>().into()
    };
    PetitStrobes {
        decide: columns(&|t| t == 1),
        hold: columns(&|t| (2..=dims).contains(&t)),
        invert: columns(&|t| t == dims + 1 || t == plan.format.length()),
        enter: time == plan.exit(),
        cube: (plan.exit() + 1..=plan.home()).contains(&time),
        rest: (plan.home() + 1..plan.over()).contains(&time),
        take: false,
        finish: time == plan.over(),
    }
}

impl Logic for PetitTable {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, words, counter, runs);
        let runs = self.runs.q.val();
        let finish = self.words.data.val().finish;
        self.runs.d.next = (runs | self.go.val()) & !finish;
        self.counter.d.next =
            if runs & !finish { self.counter.q.val() + 1 } else { bits::<POSITION_BITS>(0) };
        self.words.address.next = self.counter.q.val();
        self.running.next = runs;
        self.position.next = self.counter.q.val();
        self.strobes.next = self.words.data.val();
    }
}

/// Buffers the bits that leave the hearts of all chips until the next petit cycle.
///
/// A bit is stored at the position that it had at the injector. There is one memory per 16 rows.
#[derive(LogicBlock, Circuit, Default)]
pub struct RowBuffer {
    pub clock: Signal<In, Clock>,
    /// Position of the bits requested for the next clock cycle.
    pub position: Signal<In, Bits<POSITION_BITS>>,
    /// Bits that leave the hearts.
    pub exit: Vec<Signal<In, Bit>>,
    /// Requested bits.
    pub buffered: Vec<Signal<Out, Bit>>,
    memories: Vec<Memory<Bits<ROWS_MAX>, POSITION_BITS>>,
    written: Vec<Signal<Local, Bits<ROWS_MAX>>>,
}

impl RowBuffer {
    /// Makes a buffer for `rows` rows, counted over all chips.
    pub fn new(rows: usize) -> Self {
        let memories = rows.div_ceil(ROWS_MAX);
        RowBuffer {
            exit: list(rows),
            buffered: list(rows),
            memories: (0..memories).map(|_| Memory::default().disjoint()).collect(),
            written: list(memories),
            ..Default::default()
        }
    }
}

impl Logic for RowBuffer {
    #[kernel]
    fn update(&mut self) {
        for m in 0..self.memories.len() {
            self.written[m].next = 0.into();
        }
        for r in 0..self.exit.len() {
            let m = r / ROWS_MAX;
            let written = self.written[m].val();
            self.written[m].next = written.replace_bit(r % ROWS_MAX, self.exit[r].val());
            self.buffered[r].next = self.memories[m].read_data.val().get_bit(r % ROWS_MAX);
        }
        for m in 0..self.memories.len() {
            clock!(self, clock, memories[m]);
            self.memories[m].read_address.next = self.position.val();
            self.memories[m].write_address.next = self.position.val() - HEART_DELAY;
            self.memories[m].write_enable.next = true;
            self.memories[m].write_data.next = self.written[m].val();
        }
    }
}
