//! What is told of a block beside its circuit.

/// What a reader of the emitted circuit wants to know of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The name of the struct.
    pub name: &'static str,
    /// Where it is declared: `crate::module::Name`.
    pub path: &'static str,
    /// Its doc comment.
    pub doc: &'static str,
    /// Its generic parameters and their values, without those that have their default.
    pub params: Vec<(&'static str, String)>,
    /// Its fields and their doc comments.
    pub fields: &'static [(&'static str, &'static str)],
}

impl Description {
    /// The doc comment of a field, empty if there is none.
    pub(crate) fn field_doc(&self, field: &str) -> &'static str {
        self.fields
            .iter()
            .find(|(name, _)| *name == field)
            .map_or("", |(_, doc)| doc)
    }
}
