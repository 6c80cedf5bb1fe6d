//! Flip-flops of every kind as registers without a reset.
//!
//! An asynchronous control acts at once: while it is active, the output is the forced value, and
//! the register takes that value at each clock edge.

use super::json::YosysCell;
use super::module::Importer;
use lockstep::netlist::{NetId, NetOp, Register};
use num_bigint::BigUint;

impl Importer<'_> {
    /// Returns the output of a flip-flop cell.
    pub(super) fn register(&mut self, cell: &YosysCell) -> NetId {
        let kind = cell.kind.as_str();
        let width = cell.number("WIDTH");
        let q = self.new_register(width);
        let mut d = self.word(cell.port("D"));
        let enable = self.control(cell, "EN");
        let reset = self.control(cell, "SRST");
        let value = cell.word("SRST_VALUE", 0, width);
        let held = |importer: &mut Self, d| match enable {
            Some(enable) => importer.draft.mux(enable, d, q),
            None => d,
        };
        // In `$sdffce` the synchronous reset acts only while the enable is active.
        if kind != "$sdffce" {
            d = held(self, d);
        }
        if let Some(reset) = reset {
            let value = self.draft.constant(value, width as u32);
            d = self.draft.mux(reset, value, d);
        }
        if kind == "$sdffce" {
            d = held(self, d);
        }
        let now = self.forced(cell, q, width);
        let d = self.forced(cell, d, width);
        let name = self.register_name(cell.port("Q"));
        let init = self.initial(cell.port("Q"));
        self.add_register(name, d, q, init);
        now
    }

    /// Returns a word with the asynchronous controls of a flip-flop applied.
    fn forced(&mut self, cell: &YosysCell, word: NetId, width: usize) -> NetId {
        let mut word = word;
        if let Some(reset) = self.control(cell, "ARST") {
            let value = self.draft.constant(cell.word("ARST_VALUE", 0, width), width as u32);
            word = self.draft.mux(reset, value, word);
        }
        if let Some(load) = self.control(cell, "ALOAD") {
            let value = self.word(cell.port("AD"));
            word = self.draft.mux(load, value, word);
        }
        // Set and clear have a bit for each bit of the word, and clear wins.
        if let Some(set) = self.control(cell, "SET") {
            word = self.draft.net(NetOp::Or(word, set), width as u32);
        }
        if let Some(clear) = self.control(cell, "CLR") {
            let keep = self.draft.net(NetOp::Not(clear), width as u32);
            word = self.draft.net(NetOp::And(word, keep), width as u32);
        }
        word
    }

    /// Returns a control of a cell, active high. `None` if the cell has no such port.
    pub(super) fn control(&mut self, cell: &YosysCell, port: &str) -> Option<NetId> {
        let bits = cell.port(port);
        if bits.is_empty() {
            return None;
        }
        let word = self.word(bits);
        Some(match cell.flag(&format!("{port}_POLARITY")) {
            true => word,
            false => self.draft.net(NetOp::Not(word), bits.len() as u32),
        })
    }

    /// Adds the output of a register. [`Self::add_register`] must follow before the next one.
    pub(super) fn new_register(&mut self, width: usize) -> NetId {
        let number = self.parts.registers.len() as u32;
        self.draft.net(NetOp::Register(number), width as u32)
    }

    pub(super) fn add_register(&mut self, name: String, d: NetId, q: NetId, init: BigUint) {
        self.parts.registers.push(Register { name, d, q, init });
    }

    /// Adds a register without an enable, and returns its output.
    pub(super) fn delayed(&mut self, name: String, d: NetId, init: BigUint) -> NetId {
        let q = self.new_register(self.draft.width(d) as usize);
        self.add_register(name, d, q, init);
        q
    }
}
