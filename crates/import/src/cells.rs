//! Combinational cells as operations of words.
//!
//! The widths and signs follow yosys' `simlib.v`: operands are extended to the width of the
//! operation, and the result is extended or truncated to the width of the output.

use super::json::{Bit, YosysCell};
use super::module::Importer;
use lockstep::netlist::{NetId, NetOp};
use num_bigint::BigUint;

impl Importer<'_> {
    /// Returns the output of a combinational cell.
    ///
    /// # Errors
    /// If the importer does not know the kind of the cell. The text describes the cell.
    pub(super) fn operation(&mut self, cell: &YosysCell, width: u32) -> Result<NetId, String> {
        let kind = cell.kind.as_str();
        let (a, b) = (cell.port("A"), cell.port("B"));
        let both = a.len().max(b.len());
        let all = both.max(width as usize);
        let value = match kind {
            "$not" => {
                let a = self.operand(cell, "A", width as usize);
                self.not(a)
            }
            "$pos" | "$buf" => self.operand(cell, "A", width as usize),
            "$neg" => {
                let (zero, a) = (self.draft.zero(width), self.operand(cell, "A", width as usize));
                self.draft.net(NetOp::Sub(zero, a), width)
            }
            "$and" | "$or" | "$xor" | "$xnor" | "$add" | "$sub" | "$mul" => {
                self.binary(cell, width)
            }
            "$div" | "$mod" => self.quotient(cell, all, kind == "$div"),
            "$reduce_and" | "$reduce_or" | "$reduce_bool" | "$reduce_xor" | "$reduce_xnor"
            | "$logic_not" => self.reduction(cell),
            "$logic_and" | "$logic_or" => {
                let [a, b] = [a, b].map(|bits| {
                    let word = self.word(bits);
                    self.draft.net(NetOp::Any(word), 1)
                });
                let op = match kind {
                    "$logic_and" => NetOp::And(a, b),
                    _ => NetOp::Or(a, b),
                };
                self.draft.net(op, 1)
            }
            "$eq" | "$eqx" | "$ne" | "$nex" => {
                let [a, b] = self.operands(cell, both);
                let equal = self.draft.net(NetOp::Eq(a, b), 1);
                match kind {
                    "$eq" | "$eqx" => equal,
                    _ => self.not(equal),
                }
            }
            "$lt" | "$le" | "$gt" | "$ge" => self.comparison(cell, both),
            "$shl" | "$sshl" | "$shr" | "$sshr" | "$shift" | "$shiftx" => {
                self.shifted(cell, a.len().max(width as usize))
            }
            "$mux" => {
                let [otherwise, then, select] =
                    ["A", "B", "S"].map(|port| self.word(cell.port(port)));
                self.draft.mux(select, then, otherwise)
            }
            "$pmux" => self.parallel_mux(cell, width),
            "$bmux" => self.binary_mux(cell, width as usize),
            "$demux" => self.demultiplexer(cell, width),
            "$bweqx" => {
                let [a, b] = [a, b].map(|bits| self.word(bits));
                let differ = self.draft.net(NetOp::Xor(a, b), width);
                self.not(differ)
            }
            "$bwmux" => {
                let [a, b, select] = ["A", "B", "S"].map(|port| self.word(cell.port(port)));
                self.merged(select, b, a)
            }
            _ => {
                return Err(format!(
                    "cells of the kind {kind} are not supported; accepted: the cells that yosys \
                     makes of synthesisable Verilog"
                ))
            }
        };
        Ok(self.draft.resize(value, width))
    }

    /// Returns the result of an operation on each bit, or of an addition, subtraction or
    /// multiplication.
    fn binary(&mut self, cell: &YosysCell, width: u32) -> NetId {
        let kind = cell.kind.as_str();
        let [a, b] = self.operands(cell, width as usize);
        let op = match kind {
            "$and" => NetOp::And(a, b),
            "$or" => NetOp::Or(a, b),
            "$add" => NetOp::Add(a, b),
            "$sub" => NetOp::Sub(a, b),
            "$mul" => NetOp::Mul(a, b),
            _ => NetOp::Xor(a, b),
        };
        let value = self.draft.net(op, width);
        match kind {
            "$xnor" => self.not(value),
            _ => value,
        }
    }

    /// Returns the bit that combines all bits of a word.
    fn reduction(&mut self, cell: &YosysCell) -> NetId {
        let kind = cell.kind.as_str();
        let a = self.word(cell.port("A"));
        let op = match kind {
            "$reduce_and" => NetOp::All(a),
            "$reduce_xor" | "$reduce_xnor" => NetOp::Parity(a),
            _ => NetOp::Any(a),
        };
        let value = self.draft.net(op, 1);
        match kind {
            "$reduce_xnor" | "$logic_not" => self.not(value),
            _ => value,
        }
    }

    /// Returns the operand of a unary operation or a shift, extended or truncated to this width. A
    /// signed operand is extended with its sign.
    fn operand(&mut self, cell: &YosysCell, port: &str, width: usize) -> NetId {
        self.extended(cell.port(port), cell.flag(&format!("{port}_SIGNED")), width)
    }

    /// Returns both operands of a binary operation. They are signed only if both are.
    fn operands(&mut self, cell: &YosysCell, width: usize) -> [NetId; 2] {
        ["A", "B"].map(|port| self.extended(cell.port(port), is_signed(cell), width))
    }

    fn extended(&mut self, bits: &[Bit], signed: bool, width: usize) -> NetId {
        let mut bits = bits.to_vec();
        let fill = match (signed, bits.last()) {
            (true, Some(sign)) => *sign,
            _ => Bit::Constant(false),
        };
        bits.resize(width, fill);
        self.word(&bits)
    }

    pub(super) fn not(&mut self, word: NetId) -> NetId {
        let width = self.draft.width(word);
        self.draft.net(NetOp::Not(word), width)
    }

    /// Returns `then` where a bit of `select` is set, and `otherwise` elsewhere.
    pub(super) fn merged(&mut self, select: NetId, then: NetId, otherwise: NetId) -> NetId {
        let width = self.draft.width(select);
        let inverse = self.not(select);
        let then = self.draft.net(NetOp::And(select, then), width);
        let otherwise = self.draft.net(NetOp::And(inverse, otherwise), width);
        self.draft.net(NetOp::Or(then, otherwise), width)
    }

    pub(super) fn repeated(&mut self, bit: NetId, width: u32) -> NetId {
        self.draft.concat(vec![bit; width as usize])
    }

    fn comparison(&mut self, cell: &YosysCell, width: usize) -> NetId {
        let mut words = self.operands(cell, width);
        if is_signed(cell) {
            // With inverted signs, signed words have the same order as unsigned words.
            for word in &mut words {
                let sign = self.draft.slice(*word, width as u32 - 1, 1);
                let inverted = self.not(sign);
                *word = self.draft.splice(*word, width as u32 - 1, inverted);
            }
        }
        let [a, b] = words;
        let (low, high, inverted) = match cell.kind.as_str() {
            "$lt" => (a, b, false),
            "$gt" => (b, a, false),
            "$le" => (b, a, true),
            _ => (a, b, true),
        };
        let less = self.draft.net(NetOp::Lt(low, high), 1);
        match inverted {
            true => self.not(less),
            false => less,
        }
    }

    /// Returns a shifted word of `width` bits, which holds operand and result.
    fn shifted(&mut self, cell: &YosysCell, width: usize) -> NetId {
        let kind = cell.kind.as_str();
        let value = match kind {
            "$shiftx" => {
                let bits = cell.port("A").to_vec();
                let word = self.word(&bits);
                self.draft.resize(word, width as u32)
            }
            _ => self.operand(cell, "A", width),
        };
        let by = self.word(cell.port("B"));
        match kind {
            "$shl" | "$sshl" => self.draft.shl(value, by),
            "$sshr" if cell.flag("A_SIGNED") => {
                // A negative word is inverted, so that the zeros shifted in become ones.
                let sign = self.draft.slice(value, width as u32 - 1, 1);
                let signs = self.repeated(sign, width as u32);
                let positive = self.draft.net(NetOp::Xor(value, signs), width as u32);
                let shifted = self.draft.shr(positive, by);
                self.draft.net(NetOp::Xor(shifted, signs), width as u32)
            }
            "$shift" | "$shiftx" if cell.flag("B_SIGNED") => {
                let bits = self.draft.width(by);
                let zero = self.draft.zero(bits);
                let opposite = self.draft.net(NetOp::Sub(zero, by), bits);
                let sign = self.draft.slice(by, bits - 1, 1);
                let (up, down) = (self.draft.shl(value, opposite), self.draft.shr(value, by));
                self.draft.mux(sign, up, down)
            }
            _ => self.draft.shr(value, by),
        }
    }

    /// Returns quotient or remainder, rounded towards zero. A division by zero has the result 0.
    fn quotient(&mut self, cell: &YosysCell, width: usize, is_quotient: bool) -> NetId {
        let bits = width as u32;
        let [a, b] = self.operands(cell, width);
        let sign = |importer: &mut Self, word| match is_signed(cell) {
            true => importer.draft.slice(word, bits - 1, 1),
            false => importer.draft.zero(1),
        };
        let (sign_a, sign_b) = (sign(self, a), sign(self, b));
        let (dividend, divisor) = (self.negated_if(sign_a, a), self.negated_if(sign_b, b));
        // Restoring division, the highest bit first. The remainder has a bit more than the words.
        let divisor = self.draft.resize(divisor, bits + 1);
        let mut rest = self.draft.zero(bits + 1);
        let mut quotient = vec![];
        for i in (0..bits).rev() {
            let bit = self.draft.slice(dividend, i, 1);
            let high = self.draft.slice(rest, 0, bits);
            rest = self.draft.concat(vec![bit, high]);
            let too_small = self.draft.net(NetOp::Lt(rest, divisor), 1);
            let less = self.draft.net(NetOp::Sub(rest, divisor), bits + 1);
            rest = self.draft.mux(too_small, rest, less);
            quotient.push(self.not(too_small));
        }
        quotient.reverse();
        let value = match is_quotient {
            true => {
                let quotient = self.draft.concat(quotient);
                let sign = self.draft.net(NetOp::Xor(sign_a, sign_b), 1);
                self.negated_if(sign, quotient)
            }
            // The remainder has the sign of the dividend.
            false => {
                let rest = self.draft.slice(rest, 0, bits);
                self.negated_if(sign_a, rest)
            }
        };
        let (zero, any) = (self.draft.zero(bits), self.draft.net(NetOp::Any(b), 1));
        self.draft.mux(any, value, zero)
    }

    fn negated_if(&mut self, condition: NetId, word: NetId) -> NetId {
        let width = self.draft.width(word);
        let zero = self.draft.zero(width);
        let negative = self.draft.net(NetOp::Sub(zero, word), width);
        self.draft.mux(condition, negative, word)
    }

    /// Selects the word whose select bit is set. If several bits are set, the highest one wins.
    fn parallel_mux(&mut self, cell: &YosysCell, width: u32) -> NetId {
        let mut value = self.word(cell.port("A"));
        let words = cell.port("B").chunks(width as usize);
        for (select, word) in cell.port("S").iter().zip(words) {
            let (select, word) = (self.word(&[*select]), self.word(word));
            value = self.draft.mux(select, word, value);
        }
        value
    }

    /// Selects the word with the number `S`.
    fn binary_mux(&mut self, cell: &YosysCell, width: usize) -> NetId {
        let words = cell.port("A").chunks(width);
        let words: Vec<NetId> = words.map(|word| self.word(word)).collect();
        let select = self.word(cell.port("S"));
        self.selected(words, select)
    }

    /// Selects the word with this number. Words that are missing are 0.
    pub(super) fn selected(&mut self, mut words: Vec<NetId>, number: NetId) -> NetId {
        let width = self.draft.width(words[0]);
        for i in 0..self.draft.width(number) {
            let bit = self.draft.slice(number, i, 1);
            let zero = self.draft.zero(width);
            let pairs = words.chunks(2).map(|pair| (pair[0], pair.get(1).copied()));
            let pairs: Vec<_> = pairs.map(|(low, high)| (low, high.unwrap_or(zero))).collect();
            words = pairs.into_iter().map(|(low, high)| self.draft.mux(bit, high, low)).collect();
        }
        words[0]
    }

    /// Places the word `A` at the position with the number `S`, and 0 elsewhere.
    fn demultiplexer(&mut self, cell: &YosysCell, width: u32) -> NetId {
        let (word, select) = (self.word(cell.port("A")), self.word(cell.port("S")));
        let (part, bits) = (self.draft.width(word), self.draft.width(select));
        let parts = (0..width / part).map(|number| {
            let number = self.draft.constant(BigUint::from(number), bits);
            let here = self.draft.net(NetOp::Eq(select, number), 1);
            let mask = self.repeated(here, part);
            self.draft.net(NetOp::And(word, mask), part)
        });
        let parts = parts.collect();
        self.draft.concat(parts)
    }
}

fn is_signed(cell: &YosysCell) -> bool {
    cell.flag("A_SIGNED") && cell.flag("B_SIGNED")
}
