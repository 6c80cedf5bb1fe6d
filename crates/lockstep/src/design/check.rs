//! Checks whether a design is well-formed, and reports its faults.
//!
//! Each check covers one module at a time and has its own file. `parts` checks signals, cells and
//! instances. `widths` checks the types and widths of expressions and statements. `flow` checks
//! that everything is assigned before it is read and that nothing keeps its old value.

mod fault;
mod flow;
mod parts;
mod walk;
mod widths;

pub use fault::DesignFault;

use super::{Design, DesignModule, DesignSignal, SourceLocation};
use std::collections::HashSet;

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
        let mut checker = Checker {
            design,
            module,
            index,
            faults: vec![],
        };
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
