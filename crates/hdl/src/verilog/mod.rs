//! Prints a circuit as Verilog. Each distinct block becomes one module, and names are kept. The
//! output uses the subset of Verilog-2001 that Verilator, Icarus Verilog and yosys interpret
//! identically.
//!
//! The semantics are exactly those of [`lockstep::design`]. Every operand has the width of its
//! operation, so the context-dependent width rules of Verilog never change a value. Operations
//! whose value they would change are written with a concatenation or a selection. `grouping` splits
//! statements into `assign` and `always @*`. Registers and memories start with their initial
//! values.

mod analysis;
mod cells;
mod code;
mod declarations;
mod exprs;
mod grouping;
mod module;
mod names;
mod publish;
mod stmts;
mod text;
mod vectors;

#[cfg(test)]
mod tests;

use lockstep::design::{Design, DesignModule, ModuleId, SignalKind, Stmt, Type};
use module::NamedModule;
use names::{identifier, LetNames, ModuleNames};
pub use names::{signals, NamedSignal};
pub use publish::{publish, Prefix, Publication, PublishedDesign, LINT_EXCEPTIONS};
use std::collections::HashSet;
use std::fmt;
pub use text::without_comments;
pub use vectors::with_vectors;

/// Text of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerilogModule {
    /// Name of the module. Its own file would be `<name>.v`.
    pub name: String,
    /// Names of the ports in the order of the design, without the clock. A name differs from the
    /// design's if that is reserved in Verilog.
    pub ports: Vec<String>,
    /// Name of the clock.
    pub clock: Option<String>,
    /// Instances in the module: the name of each instance, and of its module.
    pub instances: Vec<(String, String)>,
    pub text: String,
}

/// Modules of a design, children before parents. The last one is the top.
///
/// [`fmt::Display`] prints all modules as one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerilogFiles {
    /// Comment lines at the top of a file. Only published Verilog has them.
    pub preamble: String,
    pub modules: Vec<VerilogModule>,
}

impl VerilogFiles {
    /// Returns the top module.
    pub fn top_module(&self) -> &VerilogModule {
        &self.modules[self.modules.len() - 1]
    }

    /// Returns the name of the top module.
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

/// Prints the modules of a design.
///
/// Modules and ports have their names in the design, and every signal has the name that [`signals`]
/// returns. Our own simulation, synthesis and waveforms use this form. [`publish`] prints for other
/// users. The same design always gives the same text.
///
/// # Panics
///
/// If the design is not well formed in the sense of [`lockstep::design::check`].
pub fn emit(design: &Design) -> VerilogFiles {
    print(design, "", LetNames::Readable, false)
}

/// Prints the modules of a design for placement. The text differs from that of [`emit`] in the names
/// of `let`s only: one that is named like a port has a number (`phase_2` for `phase_value`).
///
/// Tools for synthesis and placement are sensitive to names. Published images and measured costs are
/// made of this text, so that a better name in [`emit`] does not change them.
///
/// # Panics
///
/// As [`emit`].
pub fn emit_for_placement(design: &Design) -> VerilogFiles {
    print(design, "", LetNames::OfDesign, false)
}

/// Prints the modules with a prefix before their names. `lint_clean` has the meaning of
/// [`module::module_text`].
fn print(design: &Design, prefix: &str, lets: LetNames, lint_clean: bool) -> VerilogFiles {
    let units = grouping::plan(design);
    let mut modules_taken = HashSet::new();
    let mut named: Vec<NamedModule> = Vec::new();
    for module in &design.modules {
        let mut names = ModuleNames::new(module, lets);
        let mut name = identifier(&format!("{prefix}{}", module.name));
        // Verilator rejects a top module that contains a signal with the module's name.
        let is_taken = |name: &str| names::is_keyword(name) || names.is_taken(name);
        while is_taken(&name) || !modules_taken.insert(name.clone()) {
            name.push('_');
        }
        // Names that the printer adds later must not equal the module's name either.
        names.fresh(&name);
        named.push(NamedModule { module: name, names });
    }
    let mut order = Vec::new();
    visit(design, design.top, &mut HashSet::new(), &mut order);
    let modules = order.into_iter().map(|id| {
        let text =
            module::module_text(design, id.index(), &units[id.index()], &mut named, lint_clean);
        let NamedModule { module, names } = &named[id.index()];
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
    VerilogFiles { preamble: String::new(), modules: modules.collect() }
}

/// Collects the modules from `id` down, children first.
fn visit(design: &Design, id: ModuleId, seen: &mut HashSet<ModuleId>, order: &mut Vec<ModuleId>) {
    if seen.insert(id) {
        for instance in &design.module(id).instances {
            visit(design, instance.module, seen, order);
        }
        order.push(id);
    }
}

/// Returns the Verilog of the circuit with numbers for names and without comments.
///
/// Two circuits have the same text if they differ only in documentation and in names. These are the
/// names of modules, instances, cells, signals, parameters, types, variants and fields. The ports
/// of the top module keep their names, because its surroundings connect them by name. The digests
/// of published images and of measured blocks are computed from this text.
///
/// # Panics
///
/// If the design is not well formed in the sense of [`lockstep::design::check`].
pub fn canonical(design: &Design) -> String {
    let modules = design.modules.iter().enumerate();
    let anonymous = Design {
        modules: modules.map(|(i, module)| anonymous(module, i, design.top.index() == i)).collect(),
        top: design.top,
    };
    without_comments(&emit_for_placement(&anonymous).to_string())
}

fn anonymous(module: &DesignModule, number: usize, is_top: bool) -> DesignModule {
    let mut module = module.clone();
    module.name = format!("module_{number}");
    module.doc.clear();
    module.params.clear();
    if !is_top {
        module.clock = module.clock.map(|_| "clock".into());
    }
    for (i, signal) in module.signals.iter_mut().enumerate() {
        let is_port = matches!(signal.kind, SignalKind::Input | SignalKind::Output);
        if !(is_top && is_port) {
            // Capital letters avoid a clash with a port of the top module.
            signal.name = format!("S{i}");
        }
        signal.doc.clear();
        signal.ty = Type::Bits(signal.width());
    }
    for (i, cell) in module.cells.iter_mut().enumerate() {
        cell.name = format!("C{i}");
        cell.doc.clear();
    }
    for (i, instance) in module.instances.iter_mut().enumerate() {
        instance.name = format!("I{i}");
    }
    for expr in &mut module.exprs {
        expr.ty = Type::Bits(expr.width());
    }
    module.body.iter_mut().for_each(without_named_values);
    module
}

/// Removes the values that a default covers, because they appear only in a comment.
fn without_named_values(stmt: &mut Stmt) {
    match stmt {
        Stmt::Assign { .. } => {}
        Stmt::If { then, otherwise, .. } => {
            then.iter_mut().chain(otherwise).for_each(without_named_values)
        }
        Stmt::Case(case) => {
            case.default_values.clear();
            let arms = case.arms.iter_mut().flat_map(|arm| &mut arm.body);
            arms.chain(&mut case.default).for_each(without_named_values);
        }
    }
}
