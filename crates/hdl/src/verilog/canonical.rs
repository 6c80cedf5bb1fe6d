//! Text of a circuit that does not depend on the names of its parts.

use super::{emit, without_comments};
use lockstep::design::{Design, DesignModule, SignalKind, Stmt, Type};

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
        modules: modules
            .map(|(i, module)| anonymous(module, i, design.top.index() == i))
            .collect(),
        top: design.top,
    };
    without_comments(&emit(&anonymous).to_string())
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
        Stmt::If {
            then, otherwise, ..
        } => then
            .iter_mut()
            .chain(otherwise)
            .for_each(without_named_values),
        Stmt::Case(case) => {
            case.default_values.clear();
            let arms = case.arms.iter_mut().flat_map(|arm| &mut arm.body);
            arms.chain(&mut case.default).for_each(without_named_values);
        }
    }
}
