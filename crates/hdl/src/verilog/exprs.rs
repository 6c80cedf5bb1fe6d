//! Converts expressions of the description to Verilog expressions of the same width.
//!
//! Verilog can select bits from names only. A selection is therefore moved inwards to the names
//! where that keeps its value: `(a & b)[3:0]` becomes `a[3:0] & b[3:0]`. Where it would change the
//! value, the expression gets a name, a [`Temporary`].

use super::analysis::{self, ones};
use super::code::VerilogExpr;
use super::names::ModuleNames;
use lockstep::design::{
    BinaryOp, DesignModule, ExprId, ExprOp, SignalId, SignalKind, Type, UnaryOp,
};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::HashMap;

/// Name of an expression, assigned before the statement that uses it.
pub struct Temporary {
    pub name: String,
    pub width: u32,
    pub value: VerilogExpr,
}

/// Value of a condition, or its code if the value is unknown.
pub enum ConditionValue {
    Known(bool),
    Open(VerilogExpr),
}

/// Converts the expressions of a module to Verilog, one statement after the other.
pub struct ExprPrinter<'a> {
    pub module: &'a DesignModule,
    pub names: &'a mut ModuleNames,
    /// Purpose of the current statement's expressions. Temporaries are named after it.
    purpose: String,
    uses: HashMap<ExprId, u32>,
    named: HashMap<ExprId, String>,
    pending: Vec<Temporary>,
}

impl<'a> ExprPrinter<'a> {
    pub fn new(module: &'a DesignModule, names: &'a mut ModuleNames) -> ExprPrinter<'a> {
        ExprPrinter {
            module,
            names,
            purpose: String::new(),
            uses: HashMap::new(),
            named: HashMap::new(),
            pending: Vec::new(),
        }
    }

    /// Starts with the expressions of another statement.
    pub fn begin(&mut self, purpose: &str, roots: &[ExprId]) {
        self.purpose = purpose.to_string();
        self.uses.clear();
        self.named.clear();
        for root in roots {
            self.count_use(*root);
        }
    }

    /// Takes the temporaries that must be assigned before the statement.
    pub fn take_temporaries(&mut self) -> Vec<Temporary> {
        std::mem::take(&mut self.pending)
    }

    fn count_use(&mut self, id: ExprId) {
        let uses = self.uses.entry(id).or_default();
        *uses += 1;
        if *uses == 1 {
            for operand in self.module.expr(id).op.operands() {
                self.count_use(operand);
            }
        }
    }

    fn width(&self, id: ExprId) -> u32 {
        self.module.expr(id).width()
    }

    /// Converts an expression.
    pub fn value(&mut self, id: ExprId) -> VerilogExpr {
        if let Some(name) = self.named.get(&id) {
            return VerilogExpr::atom(name);
        }
        if self.is_shared(id) {
            return VerilogExpr::atom(self.name(id));
        }
        self.operation(id)
    }

    /// Converts a one-bit condition and writes it with `&&` and `||`.
    pub fn condition(&mut self, id: ExprId) -> VerilogExpr {
        if self.is_shared(id) {
            return self.value(id);
        }
        match self.module.expr(id).op {
            ExprOp::Binary(BinaryOp::And, a, b) => {
                VerilogExpr::binary("&&", self.condition(a), self.condition(b))
            }
            ExprOp::Binary(BinaryOp::Or, a, b) => {
                VerilogExpr::binary("||", self.condition(a), self.condition(b))
            }
            ExprOp::Unary(UnaryOp::Not, a) => VerilogExpr::unary("!", self.condition(a)),
            _ => self.value(id),
        }
    }

    /// Converts a condition, or returns its value if that is known. A branch that is never taken is
    /// then not printed.
    pub fn decide(&mut self, id: ExprId) -> ConditionValue {
        let code = self.condition(id);
        match self.constant_value(id, &code) {
            Some(value) => ConditionValue::Known(value.is_one()),
            None => ConditionValue::Open(code),
        }
    }

    /// Returns the value of an expression; `None` if its Verilog contains a signal.
    pub fn constant_value(&self, id: ExprId, code: &VerilogExpr) -> Option<BigUint> {
        let mut atoms = Vec::new();
        code.atoms(&mut atoms);
        let is_name = |atom: &&str| !atom.starts_with(|c: char| c.is_ascii_digit());
        let mut names = atoms.into_iter().filter(is_name);
        (names.all(|name| self.names.is_constant(name)))
            .then(|| analysis::with_zeros(self.module, id))
    }

    fn operation(&mut self, id: ExprId) -> VerilogExpr {
        let expr = self.module.expr(id);
        let width = expr.width();
        match expr.op {
            ExprOp::Const(ref value) => self.literal(value, &expr.ty),
            ExprOp::Read(signal) => self.read(signal),
            ExprOp::Unary(op, a) => {
                let operator = match (op, self.width(a)) {
                    (UnaryOp::Not, 1) => "!",
                    (UnaryOp::Not, _) => "~",
                    (_, 1) => return self.value(a),
                    (UnaryOp::All, _) => "&",
                    (UnaryOp::Any, _) => "|",
                    (UnaryOp::Parity, _) => "^",
                };
                VerilogExpr::unary(operator, self.value(a))
            }
            ExprOp::Binary(op, a, b) if op.is_shift() => {
                let value = self.value(a);
                self.shift(op, value, b, width)
            }
            ExprOp::Binary(op, a, b) => {
                let sides = (self.value(a), self.value(b));
                match self.constant_comparison(op, (a, &sides.0), (b, &sides.1)) {
                    Some(result) => bit(result),
                    None => VerilogExpr::binary(operator(op), sides.0, sides.1),
                }
            }
            ExprOp::Mux { cond, then, otherwise } => match self.decide(cond) {
                ConditionValue::Known(taken) => self.value(if taken { then } else { otherwise }),
                ConditionValue::Open(cond) => {
                    let then = self.value(then);
                    VerilogExpr::ternary(cond, then, self.value(otherwise))
                }
            },
            ExprOp::Resize(a) => self.bits(a, 0, width),
            ExprOp::Slice { value, offset } => self.bits(value, offset, width),
            ExprOp::BitAt { value, index } => self.bit_at(value, index),
            ExprOp::ReplaceBit { value, index, bit } => self.replace_bit(value, index, bit),
        }
    }

    /// Converts `width` bits from `offset` up. Bits above the end of the expression are zero.
    fn bits(&mut self, id: ExprId, offset: u32, width: u32) -> VerilogExpr {
        let own = self.width(id);
        if let ExprOp::Resize(inner) = self.module.expr(id).op {
            if self.width(inner) <= own && !self.is_shared(id) {
                return self.bits(inner, offset, width);
            }
        }
        if offset >= own {
            return literal(&BigUint::zero(), width);
        }
        if offset + width > own {
            let zeros = literal(&BigUint::zero(), offset + width - own);
            return VerilogExpr::concat(vec![zeros, self.bits(id, offset, own - offset)]);
        }
        if width == own {
            return self.value(id);
        }
        if let Some(value) = analysis::value(self.module, id) {
            return literal(&((value >> offset) & ones(width)), width);
        }
        if self.is_shared(id) {
            return VerilogExpr::atom(select(&self.name(id), offset, width));
        }
        match self.module.expr(id).op {
            ExprOp::Unary(UnaryOp::Not, a) => {
                let operator = if width == 1 { "!" } else { "~" };
                VerilogExpr::unary(operator, self.bits(a, offset, width))
            }
            ExprOp::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor), a, b) => {
                let a = self.bits(a, offset, width);
                VerilogExpr::binary(operator(op), a, self.bits(b, offset, width))
            }
            ExprOp::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b)
                if offset == 0 =>
            {
                let a = self.bits(a, 0, width);
                VerilogExpr::binary(operator(op), a, self.bits(b, 0, width))
            }
            ExprOp::Binary(BinaryOp::Shl, a, b) if offset == 0 => {
                let a = self.bits(a, 0, width);
                self.shift(BinaryOp::Shl, a, b, width)
            }
            ExprOp::Mux { cond, then, otherwise } => match self.decide(cond) {
                ConditionValue::Known(taken) => {
                    self.bits(if taken { then } else { otherwise }, offset, width)
                }
                ConditionValue::Open(cond) => {
                    let then = self.bits(then, offset, width);
                    VerilogExpr::ternary(cond, then, self.bits(otherwise, offset, width))
                }
            },
            ExprOp::Resize(a) => self.bits(a, offset, width),
            ExprOp::Slice { value, offset: o } => self.bits(value, o + offset, width),
            _ => VerilogExpr::atom(select(&self.name(id), offset, width)),
        }
    }

    /// Returns a name for the expression, either an existing signal or a new name.
    pub fn name(&mut self, id: ExprId) -> String {
        if let ExprOp::Read(signal) = self.module.expr(id).op {
            if !matches!(self.module.signal(signal).kind, SignalKind::Constant(_)) {
                return self.names.signal(signal).to_string();
            }
        }
        if let Some(name) = self.named.get(&id) {
            return name.clone();
        }
        let wanted = format!("{}_{}", self.purpose, noun(&self.module.expr(id).op));
        let value = self.operation(id);
        let name = self.names.fresh(&wanted);
        self.named.insert(id, name.clone());
        self.pending.push(Temporary { name: name.clone(), width: self.width(id), value });
        name
    }

    /// Whether an expression gets a name because it is used repeatedly.
    fn is_shared(&self, id: ExprId) -> bool {
        self.named.contains_key(&id)
            || self.uses.get(&id).is_some_and(|uses| *uses > 1) && !self.is_short(id)
    }

    fn is_short(&self, id: ExprId) -> bool {
        match self.module.expr(id).op {
            ExprOp::Const(_) | ExprOp::Read(_) => true,
            ExprOp::Slice { value: a, .. } | ExprOp::Resize(a) | ExprOp::Unary(_, a) => {
                matches!(self.module.expr(a).op, ExprOp::Const(_) | ExprOp::Read(_))
            }
            ExprOp::BitAt { value, index } => {
                matches!(self.module.expr(value).op, ExprOp::Read(_))
                    && matches!(self.module.expr(index).op, ExprOp::Const(_) | ExprOp::Read(_))
            }
            _ => false,
        }
    }

    fn read(&self, signal: SignalId) -> VerilogExpr {
        VerilogExpr::atom(self.names.signal(signal))
    }

    /// Formats a constant, by name if its type has names.
    pub fn literal(&self, value: &BigUint, ty: &Type) -> VerilogExpr {
        if let (Type::Enum(e), Some(index)) = (ty, value.to_usize()) {
            if let Some(name) = self.names.variant(e, index) {
                return VerilogExpr::atom(name);
            }
        }
        literal(value, ty.width())
    }

    fn shift(
        &mut self,
        op: BinaryOp,
        value: VerilogExpr,
        amount: ExprId,
        width: u32,
    ) -> VerilogExpr {
        let symbol = operator(op);
        if let Some(amount) = analysis::value(self.module, amount) {
            return match amount.to_u32() {
                Some(0) => value,
                Some(n) if n < width => {
                    VerilogExpr::binary(symbol, value, VerilogExpr::atom(n.to_string()))
                }
                _ => literal(&BigUint::zero(), width),
            };
        }
        // Tools disagree on shift amounts of more than 32 bits.
        let own = self.width(amount);
        if own <= 32 {
            return VerilogExpr::binary(symbol, value, self.value(amount));
        }
        let name = self.name(amount);
        let far = VerilogExpr::unary("|", VerilogExpr::atom(select(&name, 32, own - 32)));
        let near = VerilogExpr::binary(symbol, value, VerilogExpr::atom(select(&name, 0, 32)));
        VerilogExpr::ternary(far, literal(&BigUint::zero(), width), near)
    }

    /// Returns the result of a comparison with the least or greatest word, if the other operand has
    /// no influence. Linters warn about such a comparison.
    fn constant_comparison(
        &self,
        op: BinaryOp,
        a: (ExprId, &VerilogExpr),
        b: (ExprId, &VerilogExpr),
    ) -> Option<bool> {
        use BinaryOp::{Ge, Gt, Le, Lt};
        if !matches!(op, Lt | Le | Gt | Ge) {
            return None;
        }
        let width = self.width(a.0);
        let is = |side: (ExprId, &VerilogExpr), word: BigUint| {
            *side.1 == literal(&word, width) || analysis::value(self.module, side.0) == Some(word)
        };
        let first = |side| is(side, BigUint::zero());
        let last = |side| is(side, ones(width));
        match op {
            Lt if last(a) || first(b) => Some(false),
            Ge if last(a) || first(b) => Some(true),
            Gt if first(a) || last(b) => Some(false),
            Le if first(a) || last(b) => Some(true),
            _ => None,
        }
    }

    fn bit_at(&mut self, value: ExprId, index: ExprId) -> VerilogExpr {
        match analysis::value(self.module, index).and_then(|i| i.to_u32()) {
            _ if self.width(value) == 1 => self.value(value),
            Some(index) => self.bits(value, index, 1),
            None => {
                let name = self.name(value);
                let index = self.index(index, self.width(value));
                VerilogExpr::atom(format!("{name}[{index}]"))
            }
        }
    }

    /// Converts the index of a bit in a word to exactly the required width.
    pub fn index(&mut self, index: ExprId, width: u32) -> String {
        match analysis::value(self.module, index) {
            Some(index) => index.to_string(),
            None => self.bits(index, 0, index_width(width)).flat(),
        }
    }

    fn replace_bit(&mut self, value: ExprId, index: ExprId, bit: ExprId) -> VerilogExpr {
        let width = self.width(value);
        if width == 1 {
            return self.value(bit);
        }
        if let Some(at) = analysis::value(self.module, index).and_then(|i| i.to_u32()) {
            if !self.is_short(value) {
                self.name(value);
            }
            let mut parts = Vec::new();
            if at + 1 < width {
                parts.push(self.bits(value, at + 1, width - at - 1));
            }
            parts.push(self.value(bit));
            if at > 0 {
                parts.push(self.bits(value, 0, at));
            }
            return VerilogExpr::concat(parts);
        }
        if !self.is_short(index) {
            self.name(index);
        }
        let place = literal(&BigUint::one(), width);
        let mask = self.shift(BinaryOp::Shl, place, index, width);
        let rest = VerilogExpr::binary("&", self.value(value), VerilogExpr::unary("~", mask));
        let bit = self.bits(bit, 0, width);
        let bit = self.shift(BinaryOp::Shl, bit, index, width);
        VerilogExpr::binary("|", rest, bit)
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
    }
}

/// Returns a noun for the result of an operation, used as the end of a name.
fn noun(op: &ExprOp) -> &'static str {
    match op {
        ExprOp::Const(_) | ExprOp::Read(_) => "value",
        ExprOp::Binary(BinaryOp::Add, ..) => "sum",
        ExprOp::Binary(BinaryOp::Sub, ..) => "difference",
        ExprOp::Binary(BinaryOp::Mul, ..) => "product",
        ExprOp::Binary(BinaryOp::Shl | BinaryOp::Shr, ..) => "shifted",
        ExprOp::Mux { .. } => "choice",
        ExprOp::BitAt { .. } => "bit",
        ExprOp::Binary(op, ..) if op.is_comparison() => "test",
        _ => "word",
    }
}

fn bit(value: bool) -> VerilogExpr {
    VerilogExpr::atom(if value { "1'b1" } else { "1'b0" })
}

/// Returns the width of an index into a word.
pub fn index_width(width: u32) -> u32 {
    (width - 1).checked_ilog2().map_or(1, |log| log + 1)
}

/// Formats the selection `name[7:4]`. The part must not be the whole word.
pub fn select(name: &str, offset: u32, width: u32) -> String {
    match width {
        1 => format!("{name}[{offset}]"),
        _ => format!("{name}[{}:{offset}]", offset + width - 1),
    }
}

/// Formats a sized literal: a bit, a small number in decimal, a large one in hexadecimal.
pub fn literal(value: &BigUint, width: u32) -> VerilogExpr {
    VerilogExpr::atom(if width == 1 {
        format!("1'b{value}")
    } else if *value < BigUint::from(1000u32) {
        format!("{width}'d{value}")
    } else {
        let digits = value.to_str_radix(16);
        let mut text = format!("{width}'h");
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i) & 3 == 0 {
                text.push('_');
            }
            text.push(digit);
        }
        text
    })
}
