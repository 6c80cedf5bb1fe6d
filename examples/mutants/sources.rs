//! Single faults in sources: of circuits, the lowering, the Verilog printer, the lockstep engine
//! and the importer.

use anyhow::{bail, Context, Result};
use serde::Deserialize;
use std::ops::Range;

/// A fault in a source: one text is replaced by another in one position.
#[derive(Deserialize)]
pub struct SourceFault {
    pub name: String,
    pub file: String,
    /// Text before the position, if it is needed to make the position unique.
    #[serde(default)]
    pub after: String,
    /// Replaced text: an expression, or statements.
    pub old: String,
    pub new: String,
    /// Reason why no test can detect the fault, if there is one.
    pub equivalent: Option<String>,
}

#[derive(Deserialize)]
struct SourceFaults {
    fault: Vec<SourceFault>,
}

/// Lists of faults in sources, by part of the project.
const FAULT_LISTS: &[(&str, &str)] = &[
    ("circuits", include_str!("sources/circuits.toml")),
    ("lowering", include_str!("sources/lowering.toml")),
    ("verilog", include_str!("sources/verilog.toml")),
    ("lockstep", include_str!("sources/lockstep.toml")),
    ("import", include_str!("sources/import.toml")),
];

/// Returns all faults in sources, each with its part of the project.
pub fn source_faults() -> Result<Vec<(&'static str, SourceFault)>> {
    let mut faults = vec![];
    for (part, text) in FAULT_LISTS {
        let list: SourceFaults = toml::from_str(text).with_context(|| format!("{part}.toml"))?;
        faults.extend(list.fault.into_iter().map(|fault| (*part, fault)));
    }
    Ok(faults)
}

impl SourceFault {
    /// Returns the position in the source, and the replacement text for the copy.
    fn locate(&self, source: &str) -> Result<(Range<usize>, String)> {
        let place = format!("{}{}", self.after, self.old);
        let mut found = source.match_indices(&place);
        let (Some((at, _)), None) = (found.next(), found.next()) else {
            bail!(
                "the fault {} no longer applies: {} has not once, and once only, `{place}`",
                self.name,
                self.file
            );
        };
        let (name, old, new) = (&self.name, &self.old, &self.new);
        // A declared name would be visible only in its branch.
        let declares = |text: &str| text.starts_with("let ") && text.ends_with(';');
        if declares(old) || declares(new) {
            bail!("the fault {name} is a declaration; give its value alone, behind `after`");
        }
        let on = format!("lockstep::faults::on({name:?})");
        let either = match old.ends_with(';') {
            true => format!("if {on} {{ {new} }} else {{ {old} }}"),
            false => format!("(if {on} {{ {new} }} else {{ {old} }})"),
        };
        Ok((at + self.after.len()..at + place.len(), either))
    }
}

/// Returns the source with these faults added but inactive.
pub fn with_faults(source: &str, faults: &[&SourceFault]) -> Result<String> {
    let places: Result<Vec<_>> = faults.iter().map(|fault| fault.locate(source)).collect();
    let mut places = places?;
    places.sort_by_key(|(range, _)| range.start);
    let mut text = source.to_owned();
    for (range, either) in places.into_iter().rev() {
        text.replace_range(range, &either);
    }
    Ok(text)
}
