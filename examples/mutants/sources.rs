//! Single faults in sources: of circuits, the lowering, the Verilog printer and the lockstep engine.

use anyhow::{bail, Context, Result};
use serde::Deserialize;
use std::ops::Range;

/// A fault in a source: in one place one text stands for another.
#[derive(Deserialize)]
pub struct SourceFault {
    pub name: String,
    pub file: String,
    /// What stands before the place, if that is needed to tell it from others.
    #[serde(default)]
    pub after: String,
    /// An expression, or statements.
    pub old: String,
    pub new: String,
    /// Why nothing can tell it, if that is so.
    pub equivalent: Option<String>,
}

#[derive(Deserialize)]
struct SourceFaults {
    fault: Vec<SourceFault>,
}

/// The lists of faults in sources, by the part of the project that they are in.
const LISTS: &[(&str, &str)] = &[
    ("circuits", include_str!("sources/circuits.toml")),
    ("lowering", include_str!("sources/lowering.toml")),
    ("verilog", include_str!("sources/verilog.toml")),
    ("lockstep", include_str!("sources/lockstep.toml")),
];

/// All faults in sources, with the part that they are in.
pub fn source_faults() -> Result<Vec<(&'static str, SourceFault)>> {
    let mut faults = vec![];
    for (part, text) in LISTS {
        let list: SourceFaults = toml::from_str(text).with_context(|| format!("{part}.toml"))?;
        faults.extend(list.fault.into_iter().map(|fault| (*part, fault)));
    }
    Ok(faults)
}

impl SourceFault {
    /// Where in the source it is, and what stands there in the copy.
    fn place(&self, source: &str) -> Result<(Range<usize>, String)> {
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
        // A name would be known in the branch alone.
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

/// The source with these faults asleep in it.
pub fn with_faults(source: &str, faults: &[&SourceFault]) -> Result<String> {
    let places: Result<Vec<_>> = faults.iter().map(|fault| fault.place(source)).collect();
    let mut places = places?;
    places.sort_by_key(|(range, _)| range.start);
    let mut text = source.to_owned();
    for (range, either) in places.into_iter().rev() {
        text.replace_range(range, &either);
    }
    Ok(text)
}
