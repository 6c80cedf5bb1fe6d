//! What a well-formed design is, and what is wrong with one that isn't.
//!
//! Each check is about one module at a time and has its own file: the signals,
//! cells and instances (`parts`), the types and widths of expressions and
//! statements (`widths`), and whether everything is assigned before it is read
//! and nothing keeps its old value (`flow`).

mod fault;
mod flow;
mod parts;
mod walk;
mod widths;

pub use fault::Fault;

use super::{Design, Module, Origin, Signal};
use std::collections::HashSet;

/// The widest address of a memory, in bits.
pub const MAX_ADDRESS_WIDTH: u32 = 28;

/// Says all that is wrong with a design.
///
/// In a design without faults
/// * widths match everywhere, nothing is zero bits wide, constants fit, and no
///   index or slice reaches beyond a word;
/// * only outputs, locals, lets and the inputs of cells and children are
///   assigned, and no input of a cell or child is read;
/// * a bit is read only after it has been assigned on every path;
/// * what is assigned at all is assigned on every path (a signal can't keep its
///   old value), and outputs and the inputs of cells and children are assigned;
/// * the pins of an instance are those of its module, which stands before it,
///   and each pin belongs to a cell or an instance;
/// * names are unique, and a module in which something is clocked has a clock.
///
/// Combinational loops between modules are found by
/// [`flatten`](crate::netlist::flatten).
pub fn check(design: &Design) -> Result<(), Vec<Fault>> {
    let mut faults = vec![];
    if design.top.index() >= design.modules.len() {
        faults.push(Fault::of_design(format!(
            "the top module is number {} of {}",
            design.top.0,
            design.modules.len()
        )));
    }
    let mut names = HashSet::new();
    for (index, module) in design.modules.iter().enumerate() {
        if !names.insert(&module.name) {
            faults.push(Fault::of_design(format!(
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
        // What follows relies on what was checked before.
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

/// The checks of one module.
struct Checker<'a> {
    design: &'a Design,
    module: &'a Module,
    /// The position of the module in the design.
    index: usize,
    faults: Vec<Fault>,
}

impl Checker<'_> {
    fn fault(&mut self, signal: Option<&Signal>, origin: Option<Origin>, what: String) {
        self.faults.push(Fault {
            module: self.module.name.clone(),
            signal: signal.map(|s| s.name.clone()),
            origin,
            what,
        });
    }
}
