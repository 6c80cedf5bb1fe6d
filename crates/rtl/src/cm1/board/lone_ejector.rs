//! How messages leave a chip of the board's CM-1.

use crate::cm1::list;
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// The ejector of a chip with one processor: the message in the lowest row that is
/// at home goes there, the others keep their rows.
///
/// It is the [`Ejector`](crate::cm1::Ejector) of the mode
/// [`PerChip`](crate::cm1::EjectMode::PerChip), with less to remember: which
/// message goes is known from the end of CUBE-ADDRESS until the next `enter`, and
/// since all of CUBE-ADDRESS is zero then, the parity of the rest is that of the
/// whole.
#[derive(LogicBlock, Circuit, Default)]
pub struct LoneEjector {
    pub clock: Signal<In, Clock>,
    /// The bits that leave the heart, one of each row.
    pub exit: Vec<Signal<In, Bit>>,
    /// They are MSGP.
    pub enter: Signal<In, Bit>,
    /// They are of CUBE-ADDRESS.
    pub cube: Signal<In, Bit>,
    /// They are of DATA, or PARITY.
    pub rest: Signal<In, Bit>,
    /// The rows that have a message that stays; from the end of CUBE-ADDRESS to the
    /// next `enter`, as the next three.
    pub kept: Vec<Signal<Out, Bit>>,
    /// The processor's bit, as it leaves the heart, if it is of DATA or PARITY.
    pub deliver: Signal<Out, Bit>,
    /// It gets a message.
    pub delivered: Signal<Out, Bit>,
    /// The message's parity is wrong, as far as it has come.
    pub parity_error: Signal<Out, Bit>,
    message: Vec<Reg<Bit>>,
    /// It is at home, as far as CUBE-ADDRESS has come.
    home: Vec<Reg<Bit>>,
    odd: Reg<Bit>,
}

impl LoneEjector {
    pub fn new(rows: usize) -> Self {
        LoneEjector {
            exit: list(rows),
            kept: list(rows),
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
            self.home[r].d.next = if self.enter.val() {
                bit
            } else {
                home & !(self.cube.val() & bit)
            };
            let goes = home & !self.delivered.val();
            self.deliver.next = self.deliver.val() | (goes & bit);
            self.delivered.next = self.delivered.val() | home;
            self.kept[r].next = message & !goes;
        }
        let counted = self.rest.val() & self.deliver.val();
        self.odd.d.next = !self.cube.val() & (self.odd.q.val() ^ counted);
        self.parity_error.next = self.odd.q.val();
    }
}
