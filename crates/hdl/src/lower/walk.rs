//! Walks a block tree: scopes, their signals, and the record of each scope.

use super::bundle::flat_name;
use super::record::{read_record, BlockRecord, BundleRecord};
use super::LowerError;
use crate::rust_hdl::tree::{self, SignalInfo, TreeVisitor};
use crate::rust_hdl::Block;

/// Block in the tree.
pub(crate) struct BlockScope {
    /// Name of the field that holds the block (`nodes[3]`).
    pub name: String,
    /// Path from the top, for messages.
    pub path: String,
    pub record: Option<BlockRecord>,
    pub atoms: Vec<AtomInfo>,
    pub children: Vec<BlockScope>,
}

/// Signal or constant of a block.
pub(crate) struct AtomInfo {
    /// Name of the field. A member of a bundle has its flat name. Fields of a `rust-hdl` interface
    /// follow after a dot.
    pub name: String,
    /// Doc comment of a bundle member.
    pub member_doc: Option<&'static str>,
    pub signal: SignalInfo,
}

/// Walks the tree and reads the record of every block.
pub(crate) fn walk(block: &dyn Block) -> (BlockScope, Vec<LowerError>) {
    let mut walker = Walker::default();
    tree::visit(block, &mut walker);
    let top = walker.done.expect("a block opens a scope");
    (top, walker.errors)
}

#[derive(Default)]
struct Walker {
    open: Vec<BlockScope>,
    namespaces: Vec<Namespace>,
    done: Option<BlockScope>,
    errors: Vec<LowerError>,
}

/// Field between a block and its signals.
struct Namespace {
    name: String,
    /// `None` for an interface of `rust-hdl`.
    bundle: Option<BundleRecord>,
}

impl Walker {
    fn full_name(&self, name: &str) -> String {
        let inner = name.to_string();
        self.namespaces.iter().rev().fold(inner, |name, space| {
            let Namespace { name: field, bundle } = space;
            match bundle {
                Some(bundle) => flat_name(field, bundle.flat, &name),
                None => format!("{field}.{name}"),
            }
        })
    }

    /// Returns the documentation of a member in the innermost bundle.
    fn member_doc(&self, name: &str) -> Option<&'static str> {
        let bundle = self.namespaces.last()?.bundle.as_ref()?;
        let name = name.split('[').next()?;
        let mut docs = bundle.docs.iter();
        docs.find(|(member, _)| *member == name).map(|(_, doc)| *doc)
    }
}

impl TreeVisitor for Walker {
    fn begin_block(&mut self, name: &str, node: &dyn Block) {
        let name = self.full_name(name);
        let path = match self.open.last() {
            Some(parent) => format!("{}.{name}", parent.path),
            None => name.clone(),
        };
        let (record, mut errors) = read_record(node);
        // A cell has no source location of its own.
        let place = match self.open.last().and_then(|parent| parent.record.as_ref()) {
            Some(BlockRecord::Kernel(parent)) => parent.description.origin_of(&name),
            _ => None,
        };
        for error in &mut errors {
            error.origin = error.origin.or(place);
            error.message = format!("{path}: {}", error.message);
        }
        self.errors.append(&mut errors);
        self.open.push(BlockScope { name, path, record, atoms: vec![], children: vec![] });
    }

    fn begin_group(&mut self, name: &str, node: &dyn Block) {
        let bundle = match read_record(node) {
            (Some(BlockRecord::Bundle(bundle)), _) => Some(bundle),
            _ => None,
        };
        self.namespaces.push(Namespace { name: name.to_string(), bundle });
    }

    fn signal(&mut self, name: &str, signal: SignalInfo) {
        let atom =
            AtomInfo { name: self.full_name(name), member_doc: self.member_doc(name), signal };
        if let Some(scope) = self.open.last_mut() {
            scope.atoms.push(atom);
        }
    }

    fn end_group(&mut self) {
        self.namespaces.pop();
    }

    fn end_block(&mut self) {
        let scope = self.open.pop().expect("scopes nest");
        match self.open.last_mut() {
            Some(parent) => parent.children.push(scope),
            None => self.done = Some(scope),
        }
    }
}
