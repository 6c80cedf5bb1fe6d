//! Reasons why a design cannot be imported.

use lockstep::netlist::DraftError;
use std::fmt;
use thiserror::Error;

/// Reason why a design cannot be imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The text is not the JSON of yosys.
    #[error("this is not a JSON netlist of yosys: {0}")]
    Json(#[from] serde_json::Error),
    /// The JSON has no module, or several and none marked as the top.
    #[error("the JSON netlist has {modules} modules and {tops} top modules; accepted: one top module, flattened")]
    Top { modules: usize, tops: usize },
    /// Parts of the design that the netlist cannot express.
    #[error("{}", lines(.0))]
    Faults(Vec<ImportFault>),
    /// A combinational loop, or two signals with one name.
    #[error(transparent)]
    Netlist(#[from] DraftError),
}

fn lines(faults: &[ImportFault]) -> String {
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// Part of a design that the netlist cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportFault {
    /// Position in the source, `file:line.column-line.column`, if yosys knows it.
    pub place: Option<String>,
    /// Object, its fault, and what is accepted.
    pub what: String,
}

impl fmt::Display for ImportFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}
