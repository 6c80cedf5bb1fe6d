//! The router of a CM-1 chip, assembled from its parts.

use super::{list, Ejector, Heart, Injector, PetitPlan, POINTER_BITS, PROCESSORS_MAX, ROWS_MAX};
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
        assert!(plan.format.dims as usize == C, "the plan is for another number of dimensions");
        let processors = 1 << plan.format.proc_bits;
        assert!(processors <= PROCESSORS_MAX, "a chip has up to 16 processors");
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
        link!(self.strobes -> injector: start, drains -> drain);
        link!(self.strobes -> buffer: pointer);
        link!(self.strobes -> ejector: enter, cube, proc, vp, bank);
        link!(self.strobes -> ejector: settle, sort, over);
        self.cube_out.next = 0.into();
        for d in 0..C {
            self.heart.cube_in[d].next = self.cube_in.val().get_bit(d);
            self.heart.decide[d].next = self.strobes.decide.val().get_bit(d);
            self.heart.hold[d].next = self.strobes.hold.val().get_bit(d);
            self.heart.turn[d].next = self.strobes.turn.val().get_bit(d);
            self.heart.parity[d].next = self.strobes.parity.val().get_bit(d);
            self.cube_out.next = self.cube_out.val().replace_bit(d, self.heart.cube_out[d].val());
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
            self.injector.stays[r].next = self.ejector.stays[r].val();
            self.lines.occupied.next = self.lines.occupied.val() | self.ejector.stays[r].val();
            self.lines.exit.next = self.lines.exit.val().replace_bit(r, self.heart.exit[r].val());
            self.lines.ejecting.next =
                self.lines.ejecting.val().replace_bit(r, self.ejector.ejecting[r].val());
        }
    }
}

/// A chip in a machine: its router and the ends of its cube wires, where incoming bits can be
/// inverted.
#[derive(LogicBlock, Circuit, Default)]
pub struct Chip<const C: usize> {
    pub clock: Signal<In, Clock>,
    /// Inverts the bits that arrive on these wires.
    pub flip: Signal<In, Bits<C>>,
    /// Ports of [`Router`], from here on.
    pub cube_in: Signal<In, Bits<C>>,
    pub cube_out: Signal<Out, Bits<C>>,
    pub lines: ProcessorLines,
    pub strobes: Strobes<C>,
    router: Router<C>,
}

impl<const C: usize> Chip<C> {
    /// Makes a chip with this number of rows.
    ///
    /// # Panics
    /// Under the conditions of [`Router::new`].
    pub fn new(rows: usize, plan: PetitPlan) -> Self {
        Chip { router: Router::new(rows, plan), ..Default::default() }
    }
}

impl<const C: usize> Logic for Chip<C> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, router);
        self.router.cube_in.next = self.cube_in.val() ^ self.flip.val();
        link!(router -> self: cube_out);
        link!(self <-> router: lines);
        link!(self -> router: strobes);
    }
}

// The ports shared by a chip's router and the machine around it.

/// Strobes that the [`PetitControl`](super::PetitControl) broadcasts to all chips in every
/// bit-time.
#[derive(Bundle, Default)]
#[bundle(flat, flipped = StrobeSource)]
pub struct Strobes<const C: usize> {
    /// This petit cycle drains; sampled at `start`.
    pub drains: Signal<In, Bit>,
    /// MSGP is at the injectors: a petit cycle begins.
    pub start: Signal<In, Bit>,
    /// Address of the current word in the buffers.
    pub pointer: Signal<In, Bits<POINTER_BITS>>,
    /// One bit per column, column 0 lowest: the column's own CUBE-ADDRESS bit arrives.
    pub decide: Signal<In, Bits<C>>,
    /// The other CUBE-ADDRESS bits arrive.
    pub hold: Signal<In, Bits<C>>,
    /// The column's own CUBE-ADDRESS bit leaves the column.
    pub turn: Signal<In, Bits<C>>,
    /// PARITY leaves the column.
    pub parity: Signal<In, Bits<C>>,
    /// MSGP leaves the hearts.
    pub enter: Signal<In, Bit>,
    /// CUBE-ADDRESS leaves the hearts.
    pub cube: Signal<In, Bit>,
    /// PROC-ADDRESS leaves the hearts.
    pub proc: Signal<In, Bit>,
    /// VP-ADDRESS leaves the hearts and selects the bank.
    pub vp: Signal<In, Bit>,
    /// While `vp` is high: the VP-ADDRESS bit of the open bank.
    pub bank: Signal<In, Bit>,
    /// The messages that stay are known.
    pub settle: Signal<In, Bit>,
    /// The addresses are complete.
    pub sort: Signal<In, Bit>,
    /// PARITY reaches the processors.
    pub over: Signal<In, Bit>,
}

/// Lines between a chip and its processors, processor 0 lowest, and signals for observation.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct ProcessorLines {
    /// Lines from the processors to the injector, processor 0 lowest. At `start` a line says
    /// whether the processor offers a message. The rest of the message follows if it was
    /// acknowledged.
    pub send: Signal<In, Bits<PROCESSORS_MAX>>,
    /// The offered message is accepted; valid at `start`.
    pub acknowledge: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// Lines from the ejector. A line is low until MSGP, VP-ADDRESS, DATA and PARITY follow; MSGP
    /// comes one bit-time after `sort`.
    pub deliver: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// The parity is wrong; valid with PARITY.
    pub parity_error: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// Returned messages when the router drains: whole messages, MSGP at `start`.
    pub returned: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// The buffers hold a message; valid at `start`.
    pub occupied: Signal<Out, Bit>,
    /// Bits that leave the heart, row 0 lowest.
    pub exit: Signal<Out, Bits<ROWS_MAX>>,
    /// Rows whose message is being ejected to a processor; valid after `sort`.
    pub ejecting: Signal<Out, Bits<ROWS_MAX>>,
}

// The buffer of messages that were not ejected, as a delay line.

/// Address bits of a memory: 256 words of 16 bits fill one block RAM of an iCE40.
const BANK_BITS: usize = 8;

/// Buffers the bits that leave the heart until the next petit cycle begins (`cm1-message-router`,
/// section 3.1; there in memory outside the chip).
///
/// Every row is delayed by one bit-time more than the pointer has values. There is one memory per
/// 256 values.
#[derive(LogicBlock, Circuit, Default)]
pub struct MessageBuffer {
    pub clock: Signal<In, Clock>,
    /// Counts up by one in each bit-time and wraps.
    pub pointer: Signal<In, Bits<POINTER_BITS>>,
    /// Bits that leave the heart.
    pub exit: Vec<Signal<In, Bit>>,
    /// Bits that left the heart earlier.
    pub buffered: Vec<Signal<Out, Bit>>,
    memories: Vec<Memory<Bits<ROWS_MAX>, BANK_BITS>>,
    /// Memory that is read, if there are several.
    bank: Vec<Reg<Bits<POINTER_BITS>>>,
    written: Signal<Local, Bits<ROWS_MAX>>,
    read: Signal<Local, Bits<ROWS_MAX>>,
}

impl MessageBuffer {
    /// Makes a buffer for `rows` rows, whose pointer has `words` values.
    ///
    /// # Panics
    /// If there are too many rows or values.
    pub fn new(rows: usize, words: usize) -> Self {
        assert!(rows <= ROWS_MAX, "a word of the buffer has 16 bits");
        assert!((1..=1 << POINTER_BITS).contains(&words), "the buffer has 1 to 4,096 words");
        let memories = words.div_ceil(1 << BANK_BITS);
        MessageBuffer {
            exit: list(rows),
            buffered: list(rows),
            memories: list(memories),
            bank: list(usize::from(memories > 1)),
            ..Default::default()
        }
    }
}

impl Logic for MessageBuffer {
    #[kernel]
    fn update(&mut self) {
        self.written.next = 0.into();
        for r in 0..self.exit.len() {
            self.written.next = self.written.val().replace_bit(r, self.exit[r].val());
        }
        let bank = self.pointer.val() >> (BANK_BITS as u64);
        for i in 0..self.bank.len() {
            clock!(self, clock, bank[i]);
            self.bank[i].d.next = bank;
        }
        self.read.next = self.memories[0].read_data.val();
        for m in 0..self.memories.len() {
            let address = self.pointer.val().resized::<BANK_BITS>();
            clock!(self, clock, memories[m]);
            self.memories[m].read_address.next = address;
            self.memories[m].write_address.next = address;
            self.memories[m].write_data.next = self.written.val();
            self.memories[m].write_enable.next = true;
            for i in 0..self.bank.len() {
                self.memories[m].write_enable.next = bank == m as u64;
                if self.bank[i].q.val() == m as u64 {
                    self.read.next = self.memories[m].read_data.val();
                }
            }
        }
        for r in 0..self.exit.len() {
            self.buffered[r].next = self.read.val().get_bit(r);
        }
    }
}
