//! A block tree as `rust-hdl` shows it: scopes, their signals, and what each
//! scope says of itself.

use super::record::{ask, Address, Record};
use super::LowerError;
use rust_hdl::prelude::{Atom, AtomKind, Block, Probe, TypeDescriptor};

/// A block in the tree.
pub(crate) struct Scope {
    /// The name of the field that holds it (`nodes[3]`).
    pub name: String,
    /// Its path from the top, for messages.
    pub path: String,
    pub record: Option<Record>,
    pub atoms: Vec<AtomInfo>,
    pub children: Vec<Scope>,
}

/// A signal or constant of a block.
pub(crate) struct AtomInfo {
    /// The name of the field; fields of an interface follow after a dot.
    pub name: String,
    pub address: Address,
    pub kind: AtomKind,
    pub descriptor: TypeDescriptor,
    /// The present value as a Verilog literal: that of a constant.
    pub literal: String,
}

/// Walks the tree and asks every block what it is.
pub(crate) fn walk(block: &dyn Block) -> (Scope, Vec<LowerError>) {
    let mut walker = Walker::default();
    block.accept("top", &mut walker);
    let top = walker.done.expect("a block opens a scope");
    (top, walker.errors)
}

#[derive(Default)]
struct Walker {
    open: Vec<Scope>,
    namespaces: Vec<String>,
    done: Option<Scope>,
    errors: Vec<LowerError>,
}

/// `nodes$3` is element 3 of the list `nodes`.
fn readable(name: &str) -> String {
    let mut parts = name.split('$');
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        if part.chars().all(|c| c.is_ascii_digit()) {
            out.push_str(&format!("[{part}]"));
        } else {
            out.push_str(&format!(".{part}"));
        }
    }
    out
}

impl Probe for Walker {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        let mut name = readable(name);
        for space in self.namespaces.iter().rev() {
            name = format!("{space}.{name}");
        }
        let path = match self.open.last() {
            Some(parent) => format!("{}.{name}", parent.path),
            None => name.clone(),
        };
        let (record, mut errors) = ask(node);
        for error in &mut errors {
            error.message = format!("{path}: {}", error.message);
        }
        self.errors.append(&mut errors);
        self.open.push(Scope {
            name,
            path,
            record,
            atoms: vec![],
            children: vec![],
        });
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespaces.push(readable(name));
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let mut name = readable(name);
        for space in self.namespaces.iter().rev() {
            name = format!("{space}.{name}");
        }
        let atom = AtomInfo {
            name,
            address: Address::of(signal),
            kind: signal.kind(),
            descriptor: signal.descriptor(),
            literal: signal.verilog().to_string(),
        };
        if let Some(scope) = self.open.last_mut() {
            scope.atoms.push(atom);
        }
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespaces.pop();
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        let scope = self.open.pop().expect("scopes nest");
        match self.open.last_mut() {
            Some(parent) => parent.children.push(scope),
            None => self.done = Some(scope),
        }
    }
}
