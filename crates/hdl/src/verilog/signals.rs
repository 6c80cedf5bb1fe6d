//! Names of a design's signals in the emitted Verilog.

use super::names::ModuleNames;
use lockstep::design::{Design, DesignModule, Instance, ModuleId, SignalId, SignalKind, Type};
use std::collections::HashSet;

/// Signal of a design with its name in the netlist and its name in Verilog.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedSignal {
    /// Hierarchical name in the netlist (`node.sequencer.slip_count.d`).
    pub path: String,
    /// Names in Verilog of the enclosing instances, from the top down.
    pub scopes: Vec<String>,
    /// Name of the signal in Verilog (`slip_count_next`).
    pub name: String,
    pub ty: Type,
}

impl NamedSignal {
    /// Returns the names of instances and signal, joined by dots.
    pub fn full_name(&self) -> String {
        let parts: Vec<&str> = self.scopes.iter().map(String::as_str).collect();
        [&parts[..], &[&self.name]].concat().join(".")
    }
}

/// Returns the ports, locals and cell pins of every instance: a module's own first, then the ones
/// in its instances. A pin of an instance appears as a port of the instance's module.
pub fn signals(design: &Design) -> Vec<NamedSignal> {
    let names: Vec<ModuleNames> = design.modules.iter().map(ModuleNames::new).collect();
    let mut found = vec![];
    gather(design, &names, design.top, ("", &[]), &mut found);
    found
}

fn gather(
    design: &Design,
    names: &[ModuleNames],
    id: ModuleId,
    (prefix, scopes): (&str, &[String]),
    found: &mut Vec<NamedSignal>,
) {
    let (module, names_here) = (design.module(id), &names[id.index()]);
    let ports_inside = pins_of_instances(module);
    for (i, signal) in module.signals.iter().enumerate() {
        let id = SignalId(i as u32);
        let hidden = matches!(signal.kind, SignalKind::Let | SignalKind::Constant(_));
        if hidden || ports_inside.contains(&id) {
            continue;
        }
        found.push(NamedSignal {
            path: format!("{prefix}{}", signal.name),
            scopes: scopes.to_vec(),
            name: names_here.signal(id).into(),
            ty: signal.ty.clone(),
        });
    }
    for (i, instance) in module.instances.iter().enumerate() {
        let prefix = format!("{prefix}{}.", instance.name);
        let scopes = [scopes, &[names_here.instance(i).into()]].concat();
        gather(design, names, instance.module, (&prefix, &scopes), found);
    }
}

fn pins_of_instances(module: &DesignModule) -> HashSet<SignalId> {
    let pins = |instance: &Instance| instance.pins.clone();
    module.instances.iter().flat_map(pins).collect()
}
