//! The ejector of a chip of the board's CM-1.

use crate::cm1::list;
use hdl::prelude::*;

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
    pub kept: Vec<Signal<Out, Bit>>,
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
