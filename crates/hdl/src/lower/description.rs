//! Documentation of a block for readers of the emitted circuit.

use lockstep::design::SourceLocation;

/// Documentation of a block: names, doc comments, parameters and locations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// Name of the struct.
    pub name: &'static str,
    /// Path of the struct: `crate::module::Name`.
    pub path: &'static str,
    /// File and line of the declaration; `None` for a block without a source.
    pub place: Option<SourceLocation>,
    /// Doc comment of the struct.
    pub doc: &'static str,
    /// Generic parameters and their values, without those that have their default.
    pub params: Vec<(&'static str, String)>,
    /// Fields of the struct.
    pub fields: &'static [FieldDescription],
}

/// A field of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDescription {
    pub name: &'static str,
    /// Doc comment of the field.
    pub doc: &'static str,
    /// File and line of the field.
    pub place: SourceLocation,
}

impl Description {
    fn field(&self, name: &str) -> Option<&FieldDescription> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns the doc comment of a field. The text is empty if there is none.
    pub(crate) fn field_doc(&self, field: &str) -> &'static str {
        self.field(field).map_or("", |field| field.doc)
    }

    /// Returns the location of the field that a signal or block belongs to (`o`, `state.d`,
    /// `list[3].line`, `bundle_member`). If there is no such field, returns the location of the
    /// struct.
    pub(crate) fn origin_of(&self, name: &str) -> Option<SourceLocation> {
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
