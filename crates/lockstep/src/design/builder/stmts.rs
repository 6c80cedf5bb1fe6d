//! Statements of a module under construction.

use super::*;
use std::panic::Location;

impl Builder {
    /// Appends an assignment to a signal.
    #[track_caller]
    pub fn assign(&mut self, target: SignalId, value: ExprId) {
        self.assign_part(target, None, value);
    }

    /// Appends an assignment to one bit of a signal.
    #[track_caller]
    pub fn assign_bit(&mut self, target: SignalId, offset: u32, value: ExprId) {
        self.assign_slice(target, offset, value);
    }

    /// Appends an assignment to the bits of a signal from `offset` up. The value determines their
    /// number.
    #[track_caller]
    pub fn assign_slice(&mut self, target: SignalId, offset: u32, value: ExprId) {
        let width = self.module.expr(value).width();
        let whole = offset == 0 && width == self.module.signal(target).width();
        self.assign_part(target, (!whole).then_some(Slice { offset, width }), value);
    }

    #[track_caller]
    fn assign_part(&mut self, target: SignalId, slice: Option<Slice>, value: ExprId) {
        let here = Location::caller();
        self.module.body.push(Stmt::Assign {
            target,
            slice,
            value,
            origin: SourceLocation {
                file: here.file(),
                line: here.line(),
                column: here.column(),
            },
        });
    }

    /// Appends the assignment of one signal to another.
    #[track_caller]
    pub fn connect(&mut self, target: SignalId, from: SignalId) {
        let value = self.read(from);
        self.assign(target, value);
    }

    /// Appends statements that are executed if a one-bit condition holds.
    pub fn if_(&mut self, cond: ExprId, then: impl FnOnce(&mut Builder)) {
        self.if_else(cond, then, |_| {});
    }

    /// Appends statements that are executed if a one-bit condition holds, and others that are
    /// executed if it does not.
    pub fn if_else(
        &mut self,
        cond: ExprId,
        then: impl FnOnce(&mut Builder),
        otherwise: impl FnOnce(&mut Builder),
    ) {
        let (then, otherwise) = (self.inner(then), self.inner(otherwise));
        self.module.body.push(Stmt::If {
            cond,
            then,
            otherwise,
        });
    }

    /// Begins a case statement on the value of a word. [`CaseBuilder::otherwise`] ends it.
    ///
    /// ```
    /// # use lockstep::design::{Builder, Type};
    /// # let mut m = Builder::new("m", "");
    /// # let [state, out] = [m.input("state", Type::Bits(2), ""), m.output("out", Type::BIT, "")];
    /// # let [state, on, off] = [m.read(state), m.constant(1u8, 1), m.constant(0u8, 1)];
    /// m.case(state)
    ///     .on([0u8, 3], |m| m.assign(out, on))
    ///     .otherwise(|m| m.assign(out, off));
    /// ```
    pub fn case(&mut self, subject: ExprId) -> CaseBuilder<'_> {
        CaseBuilder {
            builder: self,
            subject,
            arms: vec![],
        }
    }

    /// Returns the statements that `body` appends, removed from the module's body.
    fn inner(&mut self, body: impl FnOnce(&mut Builder)) -> Vec<Stmt> {
        let outer = std::mem::take(&mut self.module.body);
        body(self);
        std::mem::replace(&mut self.module.body, outer)
    }
}

/// Case statement under construction. Only [`otherwise`](Self::otherwise) adds it to the body.
#[derive(Debug)]
#[must_use = "a case is added to the body by `otherwise`"]
pub struct CaseBuilder<'a> {
    builder: &'a mut Builder,
    subject: ExprId,
    arms: Vec<CaseArm>,
}

impl CaseBuilder<'_> {
    /// Adds statements that are executed if the word has one of these values and no earlier arm has
    /// it.
    pub fn on<V: Into<BigUint>>(
        mut self,
        values: impl IntoIterator<Item = V>,
        body: impl FnOnce(&mut Builder),
    ) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        let body = self.builder.inner(body);
        self.arms.push(CaseArm { values, body });
        self
    }

    /// Ends the case with statements that are executed if no arm has the value.
    pub fn otherwise(self, body: impl FnOnce(&mut Builder)) {
        let default = self.builder.inner(body);
        self.builder.module.body.push(Stmt::Case(CaseStmt {
            subject: self.subject,
            arms: self.arms,
            default,
            default_values: vec![],
        }));
    }
}
