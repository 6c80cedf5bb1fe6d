//! Names and their scopes.

use crate::diagnostic::Position;
use crate::types::{Shape, Type};
use crate::Options;
use std::collections::HashMap;

pub type SymbolId = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    Variable,
    Function,
    Typedef,
}

#[derive(Clone, Debug)]
pub struct Symbol {
    pub name: String,
    pub kind: SymbolKind,
    pub shape: Shape,
    /// Value of a constant.
    pub constant: Option<i64>,
    /// Number of enclosing regions that only some processors execute.
    pub where_depth: usize,
    pub is_assigned: bool,
    /// First place where a pvar is read.
    pub read: Option<Position>,
}

/// All names of the file, and those that are visible.
pub struct Scopes {
    symbols: Vec<Symbol>,
    names: Vec<HashMap<String, SymbolId>>,
    tags: Vec<HashMap<String, Type>>,
}

impl Scopes {
    pub fn new(options: &Options) -> Self {
        let mut scopes =
            Scopes { symbols: vec![], names: vec![HashMap::new()], tags: vec![HashMap::new()] };
        let dims = options.dims;
        for (name, value) in [
            ("STAR_DIMENSIONS", i64::from(dims)),
            ("STAR_PROCESSORS", 1 << dims),
            ("STAR_PHASES", 2 * i64::from(dims)),
            ("STAR_MAX_PAYLOAD", crate::VALUE_BYTES as i64),
        ] {
            scopes.declare_constant(name, Some(value));
        }
        scopes
    }

    pub fn push(&mut self) {
        self.names.push(HashMap::new());
        self.tags.push(HashMap::new());
    }

    pub fn pop(&mut self) {
        self.names.pop();
        self.tags.pop();
    }

    pub fn is_file_scope(&self) -> bool {
        self.names.len() == 1
    }

    pub fn declare(&mut self, symbol: Symbol) -> SymbolId {
        let id = self.symbols.len();
        let is_file_scope = self.is_file_scope();
        if let Some(names) = self.names.last_mut() {
            // A second declaration of the same variable at file scope continues the first.
            let again = names.get(&symbol.name).copied();
            if let Some(id) = again.filter(|_| is_file_scope) {
                self.symbols[id].shape = symbol.shape;
                self.symbols[id].is_assigned |= symbol.is_assigned;
                return id;
            }
            names.insert(symbol.name.clone(), id);
        }
        self.symbols.push(symbol);
        id
    }

    pub fn declare_constant(&mut self, name: &str, constant: Option<i64>) {
        self.declare(Symbol {
            name: name.to_owned(),
            kind: SymbolKind::Variable,
            shape: Shape::default(),
            constant,
            where_depth: 0,
            is_assigned: true,
            read: None,
        });
    }

    pub fn find(&self, name: &str) -> Option<SymbolId> {
        let mut scopes = self.names.iter().rev();
        scopes.find_map(|names| names.get(name).copied())
    }

    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id]
    }

    pub fn symbol_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.symbols[id]
    }

    /// Visible symbol of this kind.
    pub fn find_kind(&self, name: &str, kind: SymbolKind) -> Option<&Symbol> {
        let symbol = self.symbol(self.find(name)?);
        (symbol.kind == kind).then_some(symbol)
    }

    pub fn declare_tag(&mut self, tag: &str, definition: Type) {
        if let Some(tags) = self.tags.last_mut() {
            tags.insert(tag.to_owned(), definition);
        }
    }

    pub fn find_tag(&self, tag: &str) -> Option<&Type> {
        let mut scopes = self.tags.iter().rev();
        scopes.find_map(|tags| tags.get(tag))
    }

    /// Name and first read of each pvar that is never assigned.
    pub fn never_assigned(&self) -> Vec<(Position, String)> {
        let parallel = self
            .symbols
            .iter()
            .filter(|s| s.shape.is_parallel && s.kind == SymbolKind::Variable && !s.is_assigned);
        let read = parallel.filter_map(|s| Some((s.read?, s.name.clone())));
        read.collect()
    }
}
