//! Prints statements as Verilog.

use super::analysis::is_whole;
use super::code::{VerilogExpr, LINE_WIDTH};
use super::exprs::{literal, select, ConditionValue, ExprPrinter, Temporary};
use super::text::IndentedLines;
use lockstep::design::{CaseStmt, ExprId, ExprOp, SignalId, Slice, Stmt, Type};
use num_bigint::BigUint;
use num_traits::Zero;
use std::collections::HashSet;

/// Prints the statements of one `always` block.
pub struct AlwaysPrinter<'e, 'a> {
    pub exprs: &'e mut ExprPrinter<'a>,
    pub lines: IndentedLines,
    /// Temporaries that the statements assign, with their width.
    pub temporaries: Vec<(String, u32)>,
    /// Signals that are assigned in some branches only, with their width. They need a value in the
    /// other branches too, otherwise synthesis would infer a latch.
    pub defaults: Vec<(String, u32)>,
    /// Assigned `let`s, with or without `mut`.
    lets: HashSet<SignalId>,
    /// Number of branches around the current statement.
    depth: usize,
}

impl<'e, 'a> AlwaysPrinter<'e, 'a> {
    pub fn new(exprs: &'e mut ExprPrinter<'a>, level: usize) -> AlwaysPrinter<'e, 'a> {
        AlwaysPrinter {
            exprs,
            lines: IndentedLines::new(level),
            temporaries: Vec::new(),
            defaults: Vec::new(),
            lets: HashSet::new(),
            depth: 0,
        }
    }

    pub fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign { target, slice, value, .. } => {
                let signal = self.exprs.module.signal(*target);
                let is_first = signal.kind.is_let() && self.lets.insert(*target);
                if is_first && self.depth > 0 {
                    let name = self.exprs.names.signal(*target).to_string();
                    self.defaults.push((name, signal.width()));
                }
                match replaced_bits(self.exprs, stmt) {
                    Some(bits) => self.replace(*target, bits),
                    None => self.assign(*target, *slice, *value),
                }
            }
            Stmt::If { cond, then, otherwise } => {
                self.exprs.begin("condition", &[*cond]);
                let decision = self.exprs.decide(*cond);
                self.flush();
                match decision {
                    ConditionValue::Known(true) => self.stmts(then),
                    ConditionValue::Known(false) => self.stmts(otherwise),
                    ConditionValue::Open(cond) => self.branch(cond, then, otherwise),
                }
            }
            Stmt::Case(case) => self.case(case),
        }
    }

    fn assign(&mut self, target: SignalId, slice: Option<Slice>, value: ExprId) {
        let name = self.exprs.names.signal(target).to_string();
        self.exprs.begin(&name, &[value]);
        let code = self.exprs.value(value);
        self.flush();
        let place = target_name(self.exprs, target, slice);
        self.lines.assignment(&place, &code);
    }

    /// Prints `t = u; t[i] = x; ..`.
    fn replace(&mut self, target: SignalId, bits: ReplacedBits) {
        let name = self.exprs.names.signal(target).to_string();
        let width = self.exprs.module.signal(target).width();
        if let Some(start) = bits.start {
            self.assign(target, None, start);
        }
        for (index, bit) in bits.bits {
            self.exprs.begin(&name, &[index, bit]);
            let index = self.exprs.index(index, width);
            let bit = self.exprs.value(bit);
            self.flush();
            self.lines.assignment(&format!("{name}[{index}]"), &bit);
        }
    }

    /// Assigns the temporaries of the expressions that were just converted.
    fn flush(&mut self) {
        for Temporary { name, width, value } in self.exprs.take_temporaries() {
            self.lines.assignment(&name, &value);
            if self.depth > 0 {
                self.defaults.push((name.clone(), width));
            }
            self.temporaries.push((name, width));
        }
    }

    fn nested(&mut self, stmts: &[Stmt]) {
        self.depth += 1;
        self.lines.level += 1;
        self.stmts(stmts);
        self.lines.level -= 1;
        self.depth -= 1;
    }

    fn branch(&mut self, cond: VerilogExpr, then: &[Stmt], otherwise: &[Stmt]) {
        if then.is_empty() {
            if !otherwise.is_empty() {
                self.branch(VerilogExpr::unary("!", cond), otherwise, &[]);
            }
            return;
        }
        self.lines.code("if (", &cond, ") begin");
        self.nested(then);
        let mut rest = otherwise;
        loop {
            match rest {
                [] => break,
                [Stmt::If { cond, then, otherwise }] if !then.is_empty() => {
                    self.exprs.begin("condition", &[*cond]);
                    let decision = self.exprs.decide(*cond);
                    let temporaries = self.exprs.take_temporaries();
                    if !temporaries.is_empty() {
                        // The temporaries are assigned first, so an `else if` is not possible.
                        self.lines.line("end else begin");
                        self.nested(rest);
                        break;
                    }
                    rest = match decision {
                        ConditionValue::Known(true) => then,
                        ConditionValue::Known(false) => otherwise,
                        ConditionValue::Open(cond) => {
                            self.lines.code("end else if (", &cond, ") begin");
                            self.nested(then);
                            otherwise
                        }
                    };
                }
                _ => {
                    self.lines.line("end else begin");
                    self.nested(rest);
                    break;
                }
            }
        }
        self.lines.line("end");
    }

    fn case(&mut self, case: &CaseStmt) {
        let empty = |body: &Vec<Stmt>| body.is_empty();
        if case.arms.iter().all(|arm| empty(&arm.body)) {
            // An empty default prints nothing. A `case` without arms needs its default too.
            if case.default.is_empty() {
                return;
            }
            if case.arms.is_empty() {
                return self.stmts(&case.default);
            }
        }
        let ty = self.exprs.module.expr(case.subject).ty.clone();
        self.exprs.begin("case", &[case.subject]);
        let subject = self.exprs.value(case.subject);
        self.flush();
        if let Some(value) = self.exprs.constant_value(case.subject, &subject) {
            let arm = case.arms.iter().find(|arm| arm.values.contains(&value));
            return self.stmts(arm.map_or(&case.default, |arm| &arm.body));
        }
        self.lines.code("case (", &subject, ")");
        self.lines.level += 1;
        let mut seen = HashSet::new();
        for arm in &case.arms {
            // A value that already occurs in an earlier arm never reaches this one.
            let fresh: Vec<BigUint> = (arm.values.iter())
                .filter(|value| seen.insert((*value).clone()))
                .cloned()
                .collect();
            if !fresh.is_empty() {
                let label = self.label(&fresh, &ty);
                self.arm(&label, "", &arm.body);
            }
        }
        let rest: Vec<String> =
            (case.default_values.iter()).map(|value| self.constant_name(value, &ty)).collect();
        self.arm("default", &rest.join(", "), &case.default);
        self.lines.level -= 1;
        self.lines.line("endcase");
    }

    fn label(&mut self, values: &[BigUint], ty: &Type) -> String {
        let indent = " ".repeat(self.lines.level * 4);
        let mut label = String::new();
        let mut length = indent.len();
        for value in values {
            let code = self.exprs.literal(value, ty).flat();
            if !label.is_empty() {
                label += ",";
                if length + code.len() + 2 > LINE_WIDTH {
                    label += &format!("\n{indent}");
                    length = indent.len();
                } else {
                    label += " ";
                }
            }
            length += code.len() + 2;
            label += &code;
        }
        label
    }

    /// Formats a constant for a comment.
    fn constant_name(&self, value: &BigUint, ty: &Type) -> String {
        let name = match ty {
            Type::Enum(e) => {
                usize::try_from(value).ok().and_then(|i| self.exprs.names.variant(e, i))
            }
            _ => None,
        };
        match name {
            Some(name) => name.to_string(),
            None => literal(value, ty.width()).flat(),
        }
    }

    /// Prints `label: x = y;` on one line if the body is one short statement.
    fn arm(&mut self, label: &str, comment: &str, body: &[Stmt]) {
        let comment = match comment {
            "" => String::new(),
            text => format!(" // {text}"),
        };
        if body.is_empty() {
            self.lines.line(&format!("{label}: ;{comment}"));
            return;
        }
        let above = std::mem::take(&mut self.lines.text);
        self.nested(body);
        let inside = std::mem::replace(&mut self.lines.text, above);
        let simple = inside.trim();
        let last = label.rsplit('\n').next().unwrap_or(label).trim_start();
        let length = self.lines.level * 4 + last.len() + simple.len() + comment.len() + 2;
        let is_assignment = matches!(body, [Stmt::Assign { .. }]);
        if is_assignment && !simple.contains('\n') && length <= LINE_WIDTH {
            self.lines.line(&format!("{label}: {simple}{comment}"));
        } else {
            self.lines.line(&format!("{label}: begin{comment}"));
            self.lines.text += &inside;
            self.lines.line("end");
        }
    }
}

/// Formats the name of a signal or of its part.
pub fn target_name(exprs: &ExprPrinter, target: SignalId, slice: Option<Slice>) -> String {
    let name = exprs.names.signal(target);
    match slice {
        Some(s) if s.width < exprs.module.signal(target).width() => select(name, s.offset, s.width),
        _ => name.to_string(),
    }
}

/// Word with some bits replaced one after the other.
pub struct ReplacedBits {
    /// The original word; `None` if it is the target itself.
    start: Option<ExprId>,
    /// Pairs of index and bit.
    bits: Vec<(ExprId, ExprId)>,
}

/// Returns the bits that a statement replaces in a word. Such a statement is printed as
/// `word[index] = bit;`. This form requires that the statement uses the old value of the target
/// only as the word itself.
pub fn replaced_bits(exprs: &ExprPrinter, stmt: &Stmt) -> Option<ReplacedBits> {
    let module = exprs.module;
    let Stmt::Assign { target, value, .. } = stmt else {
        return None;
    };
    if !is_whole(module, stmt) || module.signal(*target).width() == 1 {
        return None;
    }
    let mut start = *value;
    let mut bits = Vec::new();
    while let ExprOp::ReplaceBit { value, index, bit } = module.expr(start).op {
        bits.insert(0, (index, bit));
        start = value;
    }
    let itself = module.expr(start).op == ExprOp::Read(*target);
    let reads_target = |id: ExprId| super::analysis::signals_read(module, id).contains(target);
    // The first replacement may still read the old value.
    let safe = if itself { 1 } else { 0 };
    let later = bits.iter().skip(safe);
    if bits.is_empty()
        || later.into_iter().any(|(i, b)| reads_target(*i) || reads_target(*b))
        || !itself && reads_target(start)
    {
        return None;
    }
    Some(ReplacedBits { start: (!itself).then_some(start), bits })
}

/// Formats the value for branches that do not assign the signal.
pub fn zero(width: u32) -> String {
    literal(&BigUint::zero(), width).flat()
}
