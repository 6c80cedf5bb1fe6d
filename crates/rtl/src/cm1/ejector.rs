//! The ejector of a CM-1 chip.

use super::list;
use hdl::prelude::*;

/// A crossbar that sends the messages that have reached their chip to their processors. The other
/// messages keep their rows and are buffered (`cm1-message-router`, section 3.3).
///
/// Rows that go to the same processor at once are ORed. A processor receives the bits one bit-time
/// after they have left the heart: MSGP in place of the last address bit, then VP-ADDRESS, DATA and
/// PARITY. Its line is low at other times. With ejection by banks VP-ADDRESS belongs to the
/// addresses and is not sent to the processor.
#[derive(LogicBlock, Circuit, Default)]
pub struct Ejector {
    pub clock: Signal<In, Clock>,
    /// Bits that leave the heart, one per row.
    pub exit: Vec<Signal<In, Bit>>,
    /// The bits are MSGP.
    pub enter: Signal<In, Bit>,
    /// The bits belong to CUBE-ADDRESS.
    pub cube: Signal<In, Bit>,
    /// The bits belong to PROC-ADDRESS.
    pub proc: Signal<In, Bit>,
    /// The bits belong to VP-ADDRESS, and only messages whose bits equal `bank` are ejected.
    pub vp: Signal<In, Bit>,
    pub bank: Signal<In, Bit>,
    /// The messages that stay are known; record them for the injector.
    pub settle: Signal<In, Bit>,
    /// The addresses are complete.
    pub sort: Signal<In, Bit>,
    /// The messages have ended, and their last bits reach the processors.
    pub over: Signal<In, Bit>,
    /// Rows with a message that stays; valid from `settle` on.
    pub stays: Vec<Signal<Out, Bit>>,
    /// Rows whose message goes to a processor; valid from `sort` to `over`.
    pub ejecting: Vec<Signal<Out, Bit>>,
    /// Lines to the processors.
    pub deliver: Vec<Signal<Out, Bit>>,
    /// The parity is wrong; valid with the last bit of a message.
    pub parity_error: Vec<Signal<Out, Bit>>,
    one_per_processor: Parameter<Bit>,
    one_per_chip: Parameter<Bit>,
    one_bank: Parameter<Bit>,
    rows: Vec<EjectorRow>,
    stays_now: Vec<Reg<Bit>>,
    /// A lower row has a message for this chip.
    found: Signal<Local, Bit>,
    /// A lower row has a message for the same processor.
    rival: Signal<Local, Bit>,
    /// Both messages are for the same processor, in the address bits compared so far.
    same: Signal<Local, Bit>,
}

impl Ejector {
    /// Makes an ejector with these numbers of rows and processors.
    ///
    /// # Panics
    /// If the number of processors is not a power of two.
    pub fn new(rows: usize, processors: usize, mode: EjectMode) -> Self {
        assert!(processors.is_power_of_two(), "a processor's address is a field of bits");
        Ejector {
            exit: list(rows),
            stays: list(rows),
            ejecting: list(rows),
            deliver: list(processors),
            parity_error: list(processors),
            one_per_processor: Parameter::new(matches!(
                mode,
                EjectMode::PerProcessor | EjectMode::Bank
            )),
            one_per_chip: Parameter::new(mode == EjectMode::PerChip),
            one_bank: Parameter::new(mode == EjectMode::Bank),
            rows: (0..rows).map(|_| EjectorRow::new(processors)).collect(),
            stays_now: list(rows),
            ..Default::default()
        }
    }
}

impl Logic for Ejector {
    #[kernel]
    fn update(&mut self) {
        self.found.next = false;
        for r in 0..self.rows.len() {
            clock!(self, clock, rows[r]);
            self.rows[r].data.next = self.exit[r].val();
            link!(self -> rows[r]: enter, cube, proc, bank, sort, over);
            self.rows[r].vp.next = self.vp.val() & self.one_bank.val();

            let home = self.rows[r].home.val();
            self.rival.next = false;
            for q in 0..r {
                self.same.next = self.rows[q].home.val();
                for k in 0..self.rows[r].address.len() {
                    let differ = self.rows[q].address[k].val() ^ self.rows[r].address[k].val();
                    self.same.next = self.same.val() & !differ;
                }
                self.rival.next = self.rival.val() | self.same.val();
            }
            let waits = (self.one_per_chip.val() & self.found.val())
                | (self.one_per_processor.val() & self.rival.val());
            let eject = home & !waits;
            self.found.next = self.found.val() | home;
            self.rows[r].eject.next = eject;
            clock!(self, clock, stays_now[r]);
            self.stays_now[r].d.next = if self.settle.val() {
                self.rows[r].message.val() & !eject
            } else {
                self.stays_now[r].q.val()
            };
            self.stays[r].next = self.stays_now[r].q.val();
            link!(rows[r] -> self: ejecting[r]);
        }
        for p in 0..self.deliver.len() {
            self.deliver[p].next = false;
            self.parity_error[p].next = false;
            for r in 0..self.rows.len() {
                let here = self.rows[r].to[p].val();
                self.deliver[p].next = self.deliver[p].val() | (here & self.rows[r].delayed.val());
                self.parity_error[p].next =
                    self.parity_error[p].val() | (self.over.val() & here & self.rows[r].odd.val());
            }
        }
    }
}

/// Detects whether the message of a row has reached its chip and for which processor, and steers it
/// there (`cm1-message-router`, section 3.3).
#[derive(LogicBlock, Circuit, Default)]
pub struct EjectorRow {
    pub clock: Signal<In, Clock>,
    /// Bit that leaves the heart.
    pub data: Signal<In, Bit>,
    /// The bit is MSGP.
    pub enter: Signal<In, Bit>,
    /// The bit belongs to CUBE-ADDRESS.
    pub cube: Signal<In, Bit>,
    /// The bit belongs to PROC-ADDRESS.
    pub proc: Signal<In, Bit>,
    /// The bit belongs to VP-ADDRESS. A message whose bits differ from `bank` is not ejected.
    pub vp: Signal<In, Bit>,
    pub bank: Signal<In, Bit>,
    /// The bit is the last one of the addresses: the ejector decides.
    pub sort: Signal<In, Bit>,
    /// The message has ended.
    pub over: Signal<In, Bit>,
    /// Decision: the message goes to its processor.
    pub eject: Signal<In, Bit>,
    /// The row has a message.
    pub message: Signal<Out, Bit>,
    /// The message has reached its chip, according to the address bits so far.
    pub home: Signal<Out, Bit>,
    /// PROC-ADDRESS, complete from `sort` on.
    pub address: Vec<Signal<Out, Bit>>,
    /// The message is being ejected to a processor.
    pub ejecting: Signal<Out, Bit>,
    /// Processor that the message goes to, one-hot.
    pub to: Vec<Signal<Out, Bit>>,
    /// Bits of the message, one bit-time late. MSGP replaces the last address bit, then VP-ADDRESS,
    /// DATA and PARITY follow.
    pub delayed: Signal<Out, Bit>,
    /// The bits since MSGP contain an odd number of ones.
    pub odd: Signal<Out, Bit>,
    is_message: Reg<Bit>,
    away: Reg<Bit>,
    shift: Vec<Reg<Bit>>,
    ejects: Reg<Bit>,
    delay: Reg<Bit>,
    parity: Reg<Bit>,
}

impl EjectorRow {
    /// Makes a row that leads to this number of processors, a power of two.
    pub fn new(processors: usize) -> Self {
        let address_bits = processors.ilog2() as usize;
        EjectorRow {
            address: list(address_bits),
            to: list(processors),
            shift: list(address_bits),
            ..Default::default()
        }
    }
}

impl Logic for EjectorRow {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, is_message, away, ejects, delay, parity);
        let data = self.data.val();
        let elsewhere = self.cube.val() & data;
        let other_bank = self.vp.val() & (data ^ self.bank.val());
        let away = self.away.q.val() | elsewhere | other_bank;
        self.away.d.next = away;
        self.parity.d.next = self.parity.q.val() ^ data;
        if self.enter.val() {
            self.is_message.d.next = data;
            self.away.d.next = false;
            self.parity.d.next = false;
        }
        self.message.next = self.is_message.q.val();
        self.home.next = self.is_message.q.val() & !away;
        self.odd.next = self.parity.q.val();

        // PROC-ADDRESS is shifted in least significant bit first, at the top.
        for k in 0..self.shift.len() {
            clock!(self, clock, shift[k]);
            self.address[k].next = self.shift[k].q.val();
            if self.proc.val() {
                if k + 1 < self.shift.len() {
                    self.address[k].next = self.shift[k + 1].q.val();
                } else {
                    self.address[k].next = data;
                }
            }
            self.shift[k].d.next = self.address[k].val();
        }

        if self.over.val() {
            self.ejects.d.next = false;
        }
        if self.sort.val() {
            self.ejects.d.next = self.eject.val();
        }
        self.ejecting.next = self.ejects.q.val();
        self.delay.d.next = data | self.sort.val();
        self.delayed.next = self.delay.q.val();
        for p in 0..self.to.len() {
            self.to[p].next = self.ejects.q.val();
            for k in 0..self.shift.len() {
                if (p >> k) & 1 == 1 {
                    self.to[p].next = self.to[p].val() & self.shift[k].q.val();
                } else {
                    self.to[p].next = self.to[p].val() & !self.shift[k].q.val();
                }
            }
        }
    }
}

// The kinds of ejector that a chip can have.

/// Selection of the messages that the ejector of a chip takes out in one petit cycle
/// (`cm1-message-router`, sections 3.3 and 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EjectMode {
    /// All messages that have reached their chip. Messages for the same processor are ORed.
    Or,
    /// For each processor the message in the lowest row.
    PerProcessor,
    /// The message in the lowest row.
    PerChip,
    /// Messages for one bank of virtual processors, that is, with the VP-ADDRESS that the front end
    /// selects. For each processor the message in the lowest row.
    Bank,
}
