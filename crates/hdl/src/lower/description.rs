//! What is told of a block beside its circuit.

use lockstep::design::Origin;

/// What a reader of the emitted circuit wants to know of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The name of the struct.
    pub name: &'static str,
    /// Where it is declared: `crate::module::Name`.
    pub path: &'static str,
    /// The same as file and line; `None` for a block without a source.
    pub place: Option<Origin>,
    /// Its doc comment.
    pub doc: &'static str,
    /// Its generic parameters and their values, without those that have their default.
    pub params: Vec<(&'static str, String)>,
    /// Its fields.
    pub fields: &'static [FieldDescription],
}

/// A field of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDescription {
    pub name: &'static str,
    /// Its doc comment.
    pub doc: &'static str,
    /// Where it is declared.
    pub place: Origin,
}

impl Description {
    fn field(&self, name: &str) -> Option<&FieldDescription> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The doc comment of a field, empty if there is none.
    pub(crate) fn field_doc(&self, field: &str) -> &'static str {
        self.field(field).map_or("", |field| field.doc)
    }

    /// The place of the field that a signal or block belongs to (`o`, `state.d`,
    /// `list[3].line`, `bundle_member`), else that of the struct.
    pub(crate) fn place_of(&self, name: &str) -> Option<Origin> {
        let name = name.split(['.', '[']).next().unwrap_or(name);
        let holds = |field: &&FieldDescription| {
            let member = name.strip_prefix(field.name);
            member.is_some_and(|member| member.starts_with('_'))
        };
        let bundles = self.fields.iter().filter(holds);
        let field = self.field(name).or(bundles.max_by_key(|f| f.name.len()));
        field.map(|field| field.place).or(self.place)
    }
}
