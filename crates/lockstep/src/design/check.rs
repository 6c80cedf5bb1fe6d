//! Checks whether a design is well-formed, and reports its faults.
//!
//! Each check covers one module at a time.
//!
//! * `parts`: signals, cells and instances.
//! * `statements`: types and widths of expressions and statements, bits that are read before they
//!   are assigned, and signals that keep their old value.

mod parts;
mod statements;

use super::{Design, DesignModule, DesignSignal, SourceLocation};
use crate::design::{ExprId, Stmt};
use std::collections::HashSet;
use std::fmt;

/// Fault of an output, or of an input of a cell or child, that no statement assigns.
pub const UNDRIVEN: &str = "is never assigned: undriven";

/// Largest width of a memory address, in bits.
pub const MAX_ADDRESS_WIDTH: u32 = 28;

/// Checks a design and returns all its faults.
///
/// A design without faults has these properties:
/// * Widths match everywhere and are at least one bit. Constants fit. No index or slice reaches
///   beyond a word.
/// * Only outputs, locals, lets and the inputs of cells and children are assigned. Inputs of cells
///   and children are never read.
/// * A bit is read only after it has been assigned on every path.
/// * Every assigned signal is assigned on every path, so that none keeps its old value. Outputs and
///   the inputs of cells and children are always assigned.
/// * The pins of an instance are those of its module, which precedes it in the list. Each pin
///   belongs to a cell or an instance.
/// * Names are unique. A module with clocked parts has a clock.
///
/// [`flatten`](crate::netlist::flatten) detects combinational loops between modules.
pub fn check(design: &Design) -> Result<(), Vec<DesignFault>> {
    let mut faults = vec![];
    if design.top.index() >= design.modules.len() {
        faults.push(DesignFault::for_design(format!(
            "the top module is number {} of {}",
            design.top.0,
            design.modules.len()
        )));
    }
    let mut names = HashSet::new();
    for (index, module) in design.modules.iter().enumerate() {
        if !names.insert(&module.name) {
            faults.push(DesignFault::for_design(format!(
                "two modules are called {}; names of modules must be unique",
                module.name
            )));
        }
        let mut checker = Checker { design, module, index, faults: vec![] };
        // Each check relies on the previous ones.
        if checker.ids_exist() {
            checker.parts();
            checker.widths();
            if checker.faults.is_empty() {
                checker.flow();
            }
        }
        faults.append(&mut checker.faults);
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(faults),
    }
}

/// Checks of one module.
struct Checker<'a> {
    design: &'a Design,
    module: &'a DesignModule,
    /// Position of the module in the design.
    index: usize,
    faults: Vec<DesignFault>,
}

impl Checker<'_> {
    fn fault(
        &mut self,
        signal: Option<&DesignSignal>,
        origin: Option<SourceLocation>,
        what: String,
    ) {
        self.faults.push(DesignFault {
            module: self.module.name.clone(),
            signal: signal.map(|s| s.name.clone()),
            origin,
            what,
        });
    }
}

/// A fault of a design, with the module and the signal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct DesignFault {
    /// Name of the module, empty if the fault concerns the design as a whole.
    pub module: String,
    /// Name of the affected signal, cell or instance.
    pub signal: Option<String>,
    /// Source location of the fault or of a nearby statement.
    pub origin: Option<SourceLocation>,
    /// Description of the fault and of what is accepted.
    pub what: String,
}

impl DesignFault {
    fn for_design(what: String) -> Self {
        DesignFault { module: String::new(), signal: None, origin: None, what }
    }
}

impl fmt::Display for DesignFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = self.origin {
            write!(f, "{origin}: ")?;
        }
        if !self.module.is_empty() {
            write!(f, "module {}: ", self.module)?;
        }
        if let Some(signal) = &self.signal {
            write!(f, "{signal}: ")?;
        }
        write!(f, "{}", self.what)
    }
}

// Traversals of the statements of a module, for the checks.

/// Returns every statement of a body, outer statements before inner ones.
fn stmts(body: &[Stmt]) -> impl Iterator<Item = &Stmt> {
    let mut open: Vec<&Stmt> = body.iter().rev().collect();
    std::iter::from_fn(move || {
        let stmt = open.pop()?;
        match stmt {
            Stmt::Assign { .. } => {}
            Stmt::If { then, otherwise, .. } => {
                open.extend(otherwise.iter().rev().chain(then.iter().rev()))
            }
            Stmt::Case(case) => {
                let arms = case.arms.iter().rev().map(|arm| &arm.body);
                for body in std::iter::once(&case.default).chain(arms) {
                    open.extend(body.iter().rev());
                }
            }
        }
        Some(stmt)
    })
}

/// Returns the expression that the statement itself evaluates.
fn expr(stmt: &Stmt) -> ExprId {
    match stmt {
        Stmt::Assign { value, .. } => *value,
        Stmt::If { cond, .. } => *cond,
        Stmt::Case(case) => case.subject,
    }
}

/// Returns the source location of a statement: its own or that of the first assignment in it.
fn origin(stmt: &Stmt) -> Option<SourceLocation> {
    stmts(std::slice::from_ref(stmt)).find_map(|stmt| match stmt {
        Stmt::Assign { origin, .. } => Some(*origin),
        _ => None,
    })
}

/// Returns, for every expression, the source location of the first statement that uses it.
fn origins(module: &DesignModule) -> Vec<Option<SourceLocation>> {
    let mut origins = vec![None; module.exprs.len()];
    for stmt in stmts(&module.body) {
        let (origin, mut open) = (origin(stmt), vec![expr(stmt)]);
        while let Some(id) = open.pop() {
            if origins[id.index()].is_none() && origin.is_some() {
                origins[id.index()] = origin;
                open.extend(module.expr(id).op.operands());
            }
        }
    }
    origins
}
