//! Attributes inside a kernel. The translated copy does not carry them, so only attributes that do
//! not change the semantics are accepted.

use syn::visit::Visit;
use syn::{Attribute, Error, ItemFn, Result};

/// Attributes for readers, linters and the optimiser.
const HARMLESS: [&str; 7] = ["doc", "allow", "expect", "warn", "deny", "forbid", "inline"];

/// Rejects attributes such as `#[cfg(..)]` on the function and inside it.
pub fn check(function: &ItemFn) -> Result<()> {
    let mut found = AttributeErrors(None);
    found.visit_item_fn(function);
    match found.0 {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

struct AttributeErrors(Option<Error>);

impl Visit<'_> for AttributeErrors {
    fn visit_attribute(&mut self, attribute: &Attribute) {
        let path = attribute.path();
        if HARMLESS.iter().any(|name| path.is_ident(name)) {
            return;
        }
        let error = Error::new_spanned(
            attribute,
            "attributes in a kernel are outside the subset: simulator and lowering must read the same",
        );
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }
}
