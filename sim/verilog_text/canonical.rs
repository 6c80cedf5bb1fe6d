//! The text that digests are made of does not depend on names and comments, and depends on
//! everything else.

use hdl::verilog::{canonical, emit};
use lockstep::design::{
    BinaryOp, CellKind, Design, DesignModule, EnumType, ExprOp, FieldType, SignalKind, Stmt,
    StructType, Type,
};
use phasecube::machine::catalog::{CatalogEntry, CatalogGroup};
use std::sync::Arc;

/// All words that a source gives to a circuit, changed. The ports of the top module stay.
fn renamed(design: &Design) -> Design {
    let mut design = design.clone();
    let top = design.top.index();
    for (i, module) in design.modules.iter_mut().enumerate() {
        rename(module, i == top);
    }
    design
}

fn rename(module: &mut DesignModule, is_top: bool) {
    let other = |name: &mut String| *name = format!("other_{name}");
    other(&mut module.name);
    other(&mut module.doc);
    for param in &mut module.params {
        other(&mut param.name);
        other(&mut param.value);
    }
    if !is_top {
        module.clock.iter_mut().for_each(other);
    }
    for signal in &mut module.signals {
        let is_port = matches!(signal.kind, SignalKind::Input | SignalKind::Output);
        if !(is_top && is_port) {
            other(&mut signal.name);
        }
        other(&mut signal.doc);
        signal.ty = renamed_type(&signal.ty);
    }
    for cell in &mut module.cells {
        other(&mut cell.name);
        other(&mut cell.doc);
    }
    module.instances.iter_mut().for_each(|i| other(&mut i.name));
    for expr in &mut module.exprs {
        expr.ty = renamed_type(&expr.ty);
    }
}

fn renamed_type(ty: &Type) -> Type {
    match ty {
        Type::Bits(width) => Type::Bits(*width),
        Type::Enum(e) => Type::Enum(Arc::new(EnumType {
            name: format!("Other{}", e.name),
            width: e.width,
            variants: e.variants.iter().map(|v| format!("Other{v}")).collect(),
        })),
        Type::Struct(s) => Type::Struct(Arc::new(StructType {
            name: format!("Other{}", s.name),
            fields: s.fields.iter().map(renamed_field).collect(),
        })),
    }
}

fn renamed_field(field: &FieldType) -> FieldType {
    FieldType {
        name: format!("other_{}", field.name),
        offset: field.offset,
        ty: renamed_type(&field.ty),
    }
}

#[test]
fn names_and_comments_do_not_count() {
    for block in CatalogEntry::of(CatalogGroup::Block) {
        let design = block.default_design().unwrap();
        let other = renamed(&design);
        assert_ne!(emit(&design), emit(&other), "{}", block.name);
        assert!(canonical(&design) == canonical(&other), "{}", block.name);
    }
}

/// Changes the first place in a design at which `change` finds one.
fn changed(design: &Design, change: impl Fn(&mut DesignModule) -> bool) -> Option<Design> {
    let mut design = design.clone();
    design.modules.iter_mut().any(change).then_some(design)
}

/// A change of the circuit in one place, which is found or not.
type CircuitChange = fn(&mut DesignModule) -> bool;

const CHANGES: [(&str, CircuitChange); 5] = [
    ("an operator", |module| {
        let add = module.exprs.iter_mut().find_map(|expr| match &mut expr.op {
            ExprOp::Binary(op @ BinaryOp::Add, ..) => Some(op),
            _ => None,
        });
        add.map(|op| *op = BinaryOp::Sub).is_some()
    }),
    ("a number", |module| {
        let number = module.exprs.iter_mut().find_map(|expr| match &mut expr.op {
            ExprOp::Const(value) if expr.ty.width() > 1 => Some(value),
            _ => None,
        });
        number.map(|value| value.set_bit(0, !value.bit(0))).is_some()
    }),
    ("an initial value", |module| {
        let init = module.cells.iter_mut().find_map(|cell| match &mut cell.kind {
            CellKind::Register { init, .. } => Some(init),
            _ => None,
        });
        init.map(|init| init.set_bit(0, !init.bit(0))).is_some()
    }),
    ("branches", |module| {
        let branches = module.body.iter_mut().find_map(|stmt| match stmt {
            Stmt::If { then, otherwise, .. } if then != otherwise => Some((then, otherwise)),
            _ => None,
        });
        branches.map(|(a, b)| std::mem::swap(a, b)).is_some()
    }),
    ("connections", |module| {
        let mut pins = module.instances.iter_mut().map(|instance| &mut instance.pins);
        let width = |i: usize, signals: &[lockstep::design::DesignSignal]| signals[i].width();
        let kind = |i: usize, signals: &[lockstep::design::DesignSignal]| signals[i].kind.clone();
        let signals = &module.signals;
        pins.any(|pins| {
            let two = (1..pins.len()).find(|i| {
                let (a, b) = (pins[i - 1].index(), pins[*i].index());
                width(a, signals) == width(b, signals) && kind(a, signals) == kind(b, signals)
            });
            two.map(|i| pins.swap(i - 1, i)).is_some()
        })
    }),
];

#[test]
fn everything_else_counts() {
    let mut seen = [0; CHANGES.len()];
    for block in CatalogEntry::of(CatalogGroup::Block) {
        let design = block.default_design().unwrap();
        let text = canonical(&design);
        for ((what, change), seen) in CHANGES.iter().zip(&mut seen) {
            // A few blocks of each kind are enough.
            if *seen == 8 {
                continue;
            }
            if let Some(other) = changed(&design, change) {
                *seen += 1;
                assert!(canonical(&other) != text, "{what} of {}", block.name);
            }
        }
    }
    assert_eq!(seen, [8; CHANGES.len()]);
}

#[test]
fn ports_of_the_top_count() {
    let block = CatalogEntry::named("RegOf8").unwrap();
    let design = block.default_design().unwrap();
    let mut other = design.clone();
    let top = &mut other.modules[design.top.index()];
    let port = (top.signals.iter_mut()).find(|s| s.kind == SignalKind::Input);
    port.unwrap().name.push_str("_too");
    assert!(canonical(&design) != canonical(&other));
}
