//! The ejector of a CM-1 chip.

use super::{list, EjectMode, EjectorRow};
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
    pub kept: Vec<Signal<Out, Bit>>,
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
    keeps: Vec<Reg<Bit>>,
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
        assert!(
            processors.is_power_of_two(),
            "a processor's address is a field of bits"
        );
        Ejector {
            exit: list(rows),
            kept: list(rows),
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
            keeps: list(rows),
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
            link!(self, rows[r], enter, cube, proc, bank, sort, over);
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
            clock!(self, clock, keeps[r]);
            self.keeps[r].d.next = if self.settle.val() {
                self.rows[r].message.val() & !eject
            } else {
                self.keeps[r].q.val()
            };
            self.kept[r].next = self.keeps[r].q.val();
            link!(self, rows[r], ejecting[r]);
        }
        for p in 0..self.deliver.len() {
            self.deliver[p].next = false;
            self.parity_error[p].next = false;
            for r in 0..self.rows.len() {
                let here = self.rows[r].to[p].val();
                self.deliver[p].next = self.deliver[p].val() | (here & self.rows[r].late.val());
                self.parity_error[p].next =
                    self.parity_error[p].val() | (self.over.val() & here & self.rows[r].odd.val());
            }
        }
    }
}
