//! Signals that a statement may read and assign at its position.

use crate::random_kernels::types::{WordType, World};

/// A word that can be read.
#[derive(Clone)]
pub struct ReadableWord {
    pub text: String,
    pub ty: WordType,
    /// Number of fields in its path, 0 for a signal or `let`.
    pub depth: u32,
    /// The index of the target that it reads, if it is one.
    pub target: Option<usize>,
}

/// An assignable signal. `text` is `self.name` or `self.name[0]`.
#[derive(Clone)]
pub struct AssignTarget {
    pub text: String,
    pub ty: WordType,
    /// Its value can be read with `.val()`.
    pub readable: bool,
    pub out: bool,
    /// It has been assigned on every path to this position.
    pub assigned: bool,
    /// It may be assigned at this position.
    pub open: bool,
}

/// A number known at generation, from 0 to `max`.
#[derive(Clone)]
pub struct KnownNumber {
    pub text: String,
    pub max: usize,
}

#[derive(Clone, Default)]
pub struct KernelScope {
    pub sources: Vec<ReadableWord>,
    pub targets: Vec<AssignTarget>,
    /// Visible `let mut`s.
    pub variables: Vec<(String, WordType)>,
    /// Visible loop indices.
    pub counts: Vec<KnownNumber>,
    /// `let`s that hold `.index()` of a word of this many bits.
    pub indices: Vec<(String, usize)>,
    /// `let`s that hold a word known at generation.
    pub known: Vec<(String, WordType)>,
    /// Arrays with readable elements: `self.name`, the text after the brackets, type and length.
    pub arrays: Vec<(String, String, WordType, usize)>,
    pub in_branch: bool,
    pub in_loop: bool,
}

impl KernelScope {
    /// Adds a word and, if it is a struct, its fields.
    pub fn add_source(&mut self, world: &World, text: &str, ty: WordType, target: Option<usize>) {
        let source = ReadableWord { text: text.into(), ty, depth: 0, target };
        self.add_fields(world, source);
    }

    fn add_fields(&mut self, world: &World, source: ReadableWord) {
        if let WordType::Struct(s) = source.ty {
            for (name, ty) in &world.structs[s].fields {
                let field = ReadableWord {
                    text: format!("{}.{name}", source.text),
                    ty: *ty,
                    depth: source.depth + 1,
                    target: source.target,
                };
                self.add_fields(world, field);
            }
        }
        self.sources.push(source);
    }

    /// Marks a target as assigned as a whole.
    pub fn assigned(&mut self, world: &World, target: usize) {
        let t = &mut self.targets[target];
        if !t.assigned {
            t.assigned = true;
            if t.readable {
                let (text, ty) = (format!("{}.val()", t.text), t.ty);
                self.add_source(world, &text, ty, Some(target));
            }
        }
    }

    /// Hides the sources with this name.
    pub fn shadow(&mut self, name: &str) {
        let (field, element) = (format!("{name}."), format!("{name}["));
        self.sources.retain(|s| {
            s.text != name && !s.text.starts_with(&field) && !s.text.starts_with(&element)
        });
        self.variables.retain(|(n, _)| n != name);
        self.indices.retain(|(n, _)| n != name);
        self.known.retain(|(n, _)| n != name);
        self.counts.retain(|c| c.text != name);
        // Hides also the sources that are reached through a loop index of this name.
        let (alone, sum) = (format!("[{name}]"), format!("[{name} "));
        self.sources.retain(|s| !s.text.contains(&alone) && !s.text.contains(&sum));
    }

    /// Joins branches that began here. A target assigned in all of them counts as assigned.
    pub fn join(&mut self, world: &World, branches: &[KernelScope]) {
        for target in 0..self.targets.len() {
            if branches.iter().all(|b| b.targets[target].assigned) {
                self.assigned(world, target);
            }
        }
    }
}
