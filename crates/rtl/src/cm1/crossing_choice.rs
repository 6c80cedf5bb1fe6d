//! The routing rule of the CM-1 for one column of a heart.

use super::list;
use hdl::prelude::*;

/// Chooses the message of a column that crosses its cube wire (`cm1-message-router`, section
/// 3.4.1). The lowest row that differs in the column's dimension crosses. If no row differs and all
/// rows are full, the highest row crosses in desperation.
#[derive(LogicBlock, Circuit, Default)]
pub struct CrossingChoice {
    /// The row has a message.
    pub message: Vec<Signal<In, Bit>>,
    /// The message's address differs from the chip's in the column's dimension.
    pub differs: Vec<Signal<In, Bit>>,
    /// The row's message crosses.
    pub cross: Vec<Signal<Out, Bit>>,
    /// The row has a message that stays.
    pub stay: Vec<Signal<Out, Bit>>,
    /// In an oblivious choice: the row's message may not cross and is stopped.
    pub stopped: Vec<Signal<Out, Bit>>,
    wanted: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
}

impl CrossingChoice {
    /// Makes the rule for this number of rows, oblivious or adaptive.
    pub fn new(rows: usize, oblivious: bool) -> Self {
        CrossingChoice {
            message: list(rows),
            differs: list(rows),
            cross: list(rows),
            stay: list(rows),
            stopped: list(if oblivious { rows } else { 0 }),
            ..Default::default()
        }
    }
}

impl Logic for CrossingChoice {
    #[kernel]
    fn update(&mut self) {
        self.wanted.next = false;
        self.full.next = true;
        for r in 0..self.message.len() {
            let wants = self.message[r].val() & self.differs[r].val();
            self.cross[r].next = wants & !self.wanted.val();
            self.wanted.next = self.wanted.val() | wants;
            self.full.next = self.full.val() & self.message[r].val();
        }
        if self.full.val() & !self.wanted.val() {
            self.cross[self.message.len() - 1].next = true;
        }
        for r in 0..self.message.len() {
            self.stay[r].next = self.message[r].val() & !self.cross[r].val();
        }
        for r in 0..self.stopped.len() {
            // The message differs but another one crosses, or it would cross in desperation.
            let stops = self.message[r].val() & (self.differs[r].val() ^ self.cross[r].val());
            self.stopped[r].next = stops;
            self.cross[r].next = self.cross[r].val() & !stops;
            self.stay[r].next = self.stay[r].val() & !stops;
        }
    }
}
