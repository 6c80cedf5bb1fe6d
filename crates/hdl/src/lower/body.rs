//! Converts a recorded kernel to the body of a module. Addresses become signals. Clocks are
//! removed, because they are not signals.

use super::record::{KernelRecord, RecordedSignal};
use super::LowerError;
use crate::rust_hdl::SignalAddress;
use lockstep::design::{
    CaseArm, CaseStmt, CellKind, DesignModule, DesignSignal, Expr, ExprId, ExprOp, SignalId,
    SignalKind, SourceLocation, StateCell, Stmt, LET_NUMBER,
};
use std::collections::{HashMap, HashSet};

pub(super) struct BodyBuilder<'a> {
    kernel: &'a KernelRecord,
    targets: &'a HashMap<SignalAddress, AddressTarget>,
    path: &'a str,
    signals: HashMap<SignalId, SignalId>,
    /// Expressions copied so far, with their positions in the new list.
    exprs: HashMap<ExprId, ExprId>,
    errors: Vec<LowerError>,
    clocks: Vec<(String, String)>,
}

impl<'a> BodyBuilder<'a> {
    pub fn new(
        kernel: &'a KernelRecord,
        places: &'a HashMap<SignalAddress, AddressTarget>,
        path: &'a str,
    ) -> Self {
        BodyBuilder {
            kernel,
            targets: places,
            path,
            signals: HashMap::new(),
            exprs: HashMap::new(),
            errors: vec![],
            clocks: vec![],
        }
    }

    /// Fills in the expressions, the body and the `let`s of the module. Returns the clock
    /// connections: each clock pin with the input that drives it.
    pub fn translate(
        mut self,
        module: &mut DesignModule,
        errors: &mut Vec<LowerError>,
    ) -> Vec<(String, String)> {
        self.prints(module);
        self.lets(module);
        module.body = self.statements(&self.kernel.body, module, true);
        errors.append(&mut self.errors);
        self.clocks
    }

    fn error(&mut self, origin: Option<SourceLocation>, message: String) {
        let message = format!("{}: {message}", self.path);
        self.errors.push(LowerError { origin, message });
    }

    /// Adds the print statements as cells `print_1`, `print_2` and so on.
    fn prints(&mut self, module: &mut DesignModule) {
        let cells = module.cells.iter().map(|cell| &cell.name);
        let parts = cells.chain(module.instances.iter().map(|instance| &instance.name));
        let mut taken: HashSet<String> = parts.cloned().collect();
        let mut number = 1;
        for (i, print) in self.kernel.prints.iter().enumerate() {
            while !taken.insert(format!("print_{number}")) {
                number += 1;
            }
            let name = format!("print_{number}");
            for (recorded, signal) in self.kernel.signals.iter().enumerate() {
                let RecordedSignal::PrintPin { print, word, ty } = signal else {
                    continue;
                };
                if *print == i {
                    let pin = word.map_or("enable".into(), |word| format!("word_{word}"));
                    let id = SignalId(module.signals.len() as u32);
                    self.signals.insert(SignalId(recorded as u32), id);
                    module.signals.push(DesignSignal {
                        name: format!("{name}.{pin}"),
                        ty: ty.clone(),
                        kind: SignalKind::PinIn,
                        doc: String::new(),
                    });
                }
            }
            let words = print.words.iter();
            module.cells.push(StateCell {
                name,
                doc: String::new(),
                kind: CellKind::Print {
                    enable: self.signals[&print.enable],
                    words: words.map(|word| self.signals[word]).collect(),
                    text: print.text.clone(),
                },
            });
        }
    }

    /// Declares the `let`s, each with a unique name. A name that exists gets a number: `sum#2`. The
    /// source cannot contain such a name, so it differs from a `let` called `sum_2`.
    fn lets(&mut self, module: &mut DesignModule) {
        let mut taken: HashSet<String> = module.signals.iter().map(|s| s.name.clone()).collect();
        for (i, named) in self.kernel.signals.iter().enumerate() {
            let RecordedSignal::Let { name, ty, mutable } = named else {
                continue;
            };
            let mut unique = name.clone();
            let mut count = 2;
            // In Verilog a number follows an underscore.
            let mut identifier = name.clone();
            while !taken.insert(identifier) {
                unique = format!("{name}{LET_NUMBER}{count}");
                identifier = format!("{name}_{count}");
                count += 1;
            }
            let id = SignalId(module.signals.len() as u32);
            self.signals.insert(SignalId(i as u32), id);
            module.signals.push(DesignSignal {
                name: unique,
                ty: ty.clone(),
                kind: match mutable {
                    true => SignalKind::Variable,
                    false => SignalKind::Let,
                },
                doc: String::new(),
            });
        }
    }

    fn target_of(&self, recorded: SignalId) -> AddressTarget {
        if let Some(id) = self.signals.get(&recorded) {
            return AddressTarget::Signal(*id);
        }
        let RecordedSignal::At(address) = &self.kernel.signals[recorded.index()] else {
            unreachable!("every `let` was declared");
        };
        self.targets.get(address).cloned().unwrap_or_else(|| {
            AddressTarget::OutOfReach(
                "a signal that is not in this block: the kernel reaches outside, or the field's \
                 name begins with an underscore"
                    .into(),
            )
        })
    }

    fn statements(&mut self, stmts: &[Stmt], module: &mut DesignModule, top: bool) -> Vec<Stmt> {
        let mut out = vec![];
        for stmt in stmts {
            match stmt {
                Stmt::Assign { target, slice, value, origin } => match self.target_of(*target) {
                    AddressTarget::Signal(target) => out.push(Stmt::Assign {
                        target,
                        slice: *slice,
                        value: self.expr(*value, *origin, module),
                        origin: *origin,
                    }),
                    AddressTarget::ChildClock(pin) => self.clock(pin, *value, *origin, top),
                    AddressTarget::BlockClock(name) => self.error(
                        Some(*origin),
                        format!("`{name}` is an input, which the surroundings drive"),
                    ),
                    AddressTarget::OutOfReach(reason) => self.error(Some(*origin), reason),
                },
                Stmt::If { cond, then, otherwise } => {
                    let at = first_origin(stmt);
                    let cond = self.condition(*cond, at, module);
                    out.push(Stmt::If {
                        cond,
                        then: self.statements(then, module, false),
                        otherwise: self.statements(otherwise, module, false),
                    });
                }
                Stmt::Case(case) => {
                    let at = first_origin(stmt);
                    let subject = self.condition(case.subject, at, module);
                    out.push(Stmt::Case(CaseStmt {
                        subject,
                        arms: case
                            .arms
                            .iter()
                            .map(|arm| CaseArm {
                                values: arm.values.clone(),
                                body: self.statements(&arm.body, module, false),
                            })
                            .collect(),
                        default: self.statements(&case.default, module, false),
                        default_values: case.default_values.clone(),
                    }));
                }
            }
        }
        out
    }

    /// Handles `child.clock.next = self.clock.val()`, which does not assign a word.
    fn clock(&mut self, pin: String, value: ExprId, origin: SourceLocation, top: bool) {
        let source = match self.kernel.exprs[value.index()].op {
            ExprOp::Read(signal) => Some(self.target_of(signal)),
            _ => None,
        };
        match source {
            Some(AddressTarget::BlockClock(source)) if top => self.clocks.push((pin, source)),
            _ => self.error(
                Some(origin),
                format!(
                    "`{pin}` must be driven by a clock input of this block, whatever \
                     happens: clocks are not gated, chosen or made in a kernel"
                ),
            ),
        }
    }

    fn condition(
        &mut self,
        e: ExprId,
        at: Option<SourceLocation>,
        module: &mut DesignModule,
    ) -> ExprId {
        let unknown = SourceLocation { file: "", line: 0, column: 0 };
        self.expr(e, at.unwrap_or(unknown), module)
    }

    /// Copies an expression, operands first.
    fn expr(&mut self, e: ExprId, origin: SourceLocation, module: &mut DesignModule) -> ExprId {
        if let Some(copied) = self.exprs.get(&e) {
            return *copied;
        }
        let Expr { op, ty } = self.kernel.exprs[e.index()].clone();
        for operand in op.operands() {
            self.expr(operand, origin, module);
        }
        let op = match op {
            ExprOp::Read(signal) => match self.target_of(signal) {
                AddressTarget::Signal(id) => ExprOp::Read(id),
                AddressTarget::BlockClock(name) | AddressTarget::ChildClock(name) => {
                    self.error(
                        Some(origin),
                        format!("the clock `{name}` is not a word; it can only be passed on"),
                    );
                    ExprOp::Const(0u32.into())
                }
                AddressTarget::OutOfReach(reason) => {
                    self.error(Some(origin), reason);
                    ExprOp::Const(0u32.into())
                }
            },
            op => op.map_operands(|e| self.exprs[&e]),
        };
        let id = ExprId(module.exprs.len() as u32);
        module.exprs.push(Expr { op, ty });
        self.exprs.insert(e, id);
        id
    }
}

/// Returns the location of the first assignment in a statement, for messages about its condition.
fn first_origin(stmt: &Stmt) -> Option<SourceLocation> {
    let first = |stmts: &[Stmt]| stmts.iter().find_map(first_origin);
    match stmt {
        Stmt::Assign { origin, .. } => Some(*origin),
        Stmt::If { then, otherwise, .. } => first(then).or_else(|| first(otherwise)),
        Stmt::Case(case) => {
            case.arms.iter().find_map(|arm| first(&arm.body)).or_else(|| first(&case.default))
        }
    }
}

/// Item at an address, seen from the block whose kernel is built.
#[derive(Clone)]
pub(super) enum AddressTarget {
    Signal(SignalId),
    /// Clock input of the block itself.
    BlockClock(String),
    /// Clock pin of a cell or instance (`state.clock`).
    ChildClock(String),
    /// Item that a kernel must not use, with the reason.
    OutOfReach(String),
}
