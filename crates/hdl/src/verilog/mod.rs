//! Verilog for a circuit: one module for each distinct block, names kept, in
//! the subset of Verilog-2001 that Verilator, Icarus Verilog and yosys agree on.
//!
//! The meaning is exactly that of [`lockstep::design`]. Every operand has the width
//! of its operation, so that the widths which Verilog derives from the context
//! never change a value; what would, is written with a concatenation or a
//! selection. Statements become `assign` or `always @*` as `grouping` splits
//! them. Registers and memories start with the values that they are given.

mod access;
mod canonical;
mod cells;
mod code;
mod comments;
mod constant;
mod declarations;
mod exprs;
mod graph;
mod grouping;
mod header;
mod keywords;
mod lines;
mod module;
mod names;
mod publish;
mod signals;
mod stmts;
mod unused;
mod vectors;

#[cfg(test)]
mod tests;

pub use canonical::canonical;
pub use comments::without_comments;
pub use publish::{publish, Prefix, Publication, Published, LINT_EXCEPTIONS};
pub use signals::{signals, NamedSignal};
pub use vectors::with_vectors;

use lockstep::design::{Design, ModuleId};
use module::Named;
use names::{identifier, Names};
use std::collections::HashSet;
use std::fmt;

/// The text of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerilogModule {
    /// The name of the module; a file of its own would be called `<name>.v`.
    pub name: String,
    /// The names of its ports in the order of the design, the clock not among
    /// them. They differ from the design's where those are words of Verilog.
    pub ports: Vec<String>,
    /// The name of its clock.
    pub clock: Option<String>,
    /// What it is made of: the name of each instance, and of its module.
    pub instances: Vec<(String, String)>,
    pub text: String,
}

/// The modules of a design, children before parents; the last one is the top.
///
/// Printed with [`fmt::Display`], it is one file that holds all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerilogFiles {
    /// Comment lines on top of a file; none but in what is published.
    pub preamble: String,
    pub modules: Vec<VerilogModule>,
}

impl VerilogFiles {
    /// The top module.
    pub fn top_module(&self) -> &VerilogModule {
        &self.modules[self.modules.len() - 1]
    }

    /// The name of the top module.
    pub fn top(&self) -> &str {
        &self.top_module().name
    }
}

impl fmt::Display for VerilogFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.preamble)?;
        for (i, module) in self.modules.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            f.write_str(&module.text)?;
        }
        Ok(())
    }
}

/// Prints a design: the modules that its top is made of.
///
/// Modules and ports are called as in the design, and every signal stands under the name
/// that [`signals`] gives: the form for simulators, synthesis and waveforms of our own.
/// [`publish`] prints for others. The same design always gives the same text.
///
/// # Panics
///
/// If the design is not well formed in the sense of [`lockstep::design::check`].
pub fn emit(design: &Design) -> VerilogFiles {
    print(design, "", false)
}

/// The modules, their names behind a prefix; `lint_clean` as in [`module::module_text`].
fn print(design: &Design, prefix: &str, lint_clean: bool) -> VerilogFiles {
    let units = grouping::plan(design);
    let mut modules_taken = HashSet::new();
    let mut named: Vec<Named> = Vec::new();
    for module in &design.modules {
        let mut names = Names::new(module);
        let mut name = identifier(&format!("{prefix}{}", module.name));
        // Verilator refuses a module on top with a signal of the module's name.
        let is_taken = |name: &str| keywords::is_keyword(name) || names.is_taken(name);
        while is_taken(&name) || !modules_taken.insert(name.clone()) {
            name.push('_');
        }
        // Nor may what the printer names later be called so.
        names.fresh(&name);
        named.push(Named {
            module: name,
            names,
        });
    }
    let mut order = Vec::new();
    visit(design, design.top, &mut HashSet::new(), &mut order);
    let modules = order.into_iter().map(|id| {
        let text = module::module_text(
            design,
            id.index(),
            &units[id.index()],
            &mut named,
            lint_clean,
        );
        let Named { module, names } = &named[id.index()];
        let ports = design.module(id).ports();
        let instances = design.module(id).instances.iter().enumerate();
        VerilogModule {
            instances: instances
                .map(|(i, instance)| {
                    let of = &named[instance.module.index()].module;
                    (names.instance(i).into(), of.clone())
                })
                .collect(),
            name: module.clone(),
            ports: ports.map(|(id, _)| names.signal(id).into()).collect(),
            clock: names.clock().map(Into::into),
            text,
        }
    });
    VerilogFiles {
        preamble: String::new(),
        modules: modules.collect(),
    }
}

/// The modules below and including `id`, children first.
fn visit(design: &Design, id: ModuleId, seen: &mut HashSet<ModuleId>, order: &mut Vec<ModuleId>) {
    if seen.insert(id) {
        for instance in &design.module(id).instances {
            visit(design, instance.module, seen, order);
        }
        order.push(id);
    }
}
