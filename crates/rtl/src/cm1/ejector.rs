//! How messages leave a chip of the CM-1.

use super::{list, EjectMode, EjectorRow};
use hdl::cells::{Parameter, Reg};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// The ejector of a chip: a crossbar that takes the messages that are at home
/// to their processors; the others stay in their rows and are buffered
/// (`cm1-message-router`, section 3.3).
///
/// Rows that go to the same processor at once are ORed. A processor sees, one
/// bit-time after they have left the heart, MSGP in place of the addresses'
/// last bit, then VP-ADDRESS, DATA and PARITY; its line is low at other times. With ejection by
/// banks VP-ADDRESS is one of the addresses, and does not come.
#[derive(LogicBlock, Circuit, Default)]
pub struct Ejector {
    pub clock: Signal<In, Clock>,
    /// The bits that leave the heart, one of each row.
    pub exit: Vec<Signal<In, Bit>>,
    /// They are MSGP.
    pub enter: Signal<In, Bit>,
    /// They are of CUBE-ADDRESS.
    pub cube: Signal<In, Bit>,
    /// They are of PROC-ADDRESS.
    pub proc: Signal<In, Bit>,
    /// They are of VP-ADDRESS, and only those whose bit is `bank` are ejected.
    pub vp: Signal<In, Bit>,
    pub bank: Signal<In, Bit>,
    /// Whether messages stay is known: take note for the injector.
    pub settle: Signal<In, Bit>,
    /// The addresses are complete.
    pub sort: Signal<In, Bit>,
    /// The messages are over, and their last bits reach the processors.
    pub over: Signal<In, Bit>,
    /// The rows that have a message that stays; from `settle` on.
    pub kept: Vec<Signal<Out, Bit>>,
    /// The rows whose message goes to a processor; from `sort` to `over`.
    pub ejecting: Vec<Signal<Out, Bit>>,
    /// What the processors get.
    pub deliver: Vec<Signal<Out, Bit>>,
    /// With the last bit of a message: its parity is wrong.
    pub parity_error: Vec<Signal<Out, Bit>>,
    one_per_processor: Parameter<Bit>,
    one_per_chip: Parameter<Bit>,
    one_bank: Parameter<Bit>,
    rows: Vec<EjectorRow>,
    keeps: Vec<Reg<Bit>>,
    /// A lower row is at home.
    found: Signal<Local, Bit>,
    /// A lower row is at home at the same processor.
    rival: Signal<Local, Bit>,
    /// It is the same processor, as far as compared.
    same: Signal<Local, Bit>,
}

impl Ejector {
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
