//! Compares several networks on the same messages.
//!
//! * `silicon`: cost of a node of each network;
//! * `run`: results for a list of messages;
//! * `load`: results under steady load;
//! * `tables`, `words`, `plots`: the report as text and pictures;
//! * `csv`, `html`: files of the report.

pub(super) mod csv;
pub(super) mod html;
mod load;
pub(super) mod plots;
mod prose;
mod run;
mod silicon;
pub(super) mod tables;
mod traffic_result;

pub use load::{LoadPoint, LoadWindow};
pub use run::{NoRun, RunReport};
pub use silicon::{PartCost, SiliconReport};
pub use tables::Section;
pub use traffic_result::TrafficResult;

use super::wrap::{wrapped, WIDTH};
use super::CostError;
use machine::networks::{Machine, NetworkNotes};
use machine::{JsonEntry, Timebase, WireCounts};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::fmt;

/// Parameters that all machines share.
#[derive(Clone, Debug, Serialize)]
pub struct Setup {
    /// Command that reproduces the comparison.
    pub command: String,
    /// Version of Phasecube.
    pub version: &'static str,
    pub dims: u32,
    pub nodes: u64,
    /// Processors per node.
    pub processors: u32,
    pub patterns: Vec<String>,
    /// Payload of a message in bytes.
    pub payload: usize,
    pub seed: u64,
    pub engine: &'static str,
    /// Values of the networks' own flags.
    #[serde(flatten, serialize_with = "as_entries")]
    pub flag_values: Vec<JsonEntry>,
    /// Tools that synthesised the circuits, if any.
    pub tools: Vec<String>,
}

fn as_entries<S: Serializer>(given: &[JsonEntry], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for entry in given {
        map.serialize_entry(entry.key, &entry.value)?;
    }
    map.end()
}

/// Properties of a machine.
#[derive(Clone, Debug, Serialize)]
pub struct MachineReport {
    pub machine: &'static str,
    pub network: &'static str,
    #[serde(flatten)]
    pub timebase: Timebase,
    #[serde(flatten)]
    pub wires: WireCounts,
    /// Number of lines that one circuit drives to all nodes.
    pub broadcast: u32,
    /// Cost of the nodes, or `None` if they were not synthesised.
    pub silicon: Option<SiliconReport>,
}

impl MachineReport {
    /// Describes a machine. `silicon` is the cost of its nodes, if they were synthesised.
    ///
    /// # Errors
    /// None for a released circuit, because the tests lower it.
    pub fn new(
        network: &'static str,
        machine: &dyn Machine,
        silicon: Option<SiliconReport>,
    ) -> Result<Self, CostError> {
        Ok(MachineReport {
            machine: machine.label(),
            network,
            timebase: machine.timebase(),
            wires: machine.wire_counts(),
            broadcast: machine.circuit().array()?.broadcast_lines(),
            silicon,
        })
    }
}

/// Network that was not requested by name and has no machine of that size.
#[derive(Clone, Debug, Serialize)]
pub struct OmittedNetwork {
    pub network: &'static str,
    /// Message of the network: the reason, and the available sizes.
    pub why: String,
}

/// `ring is left out: ..`
impl fmt::Display for OmittedNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is left out: {}", self.network, self.why)
    }
}

/// Complete comparison. Prints as tables in Markdown.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub setup: Setup,
    /// Notes about the networks.
    #[serde(skip)]
    pub notes: Vec<NetworkNotes>,
    pub left_out: Vec<OmittedNetwork>,
    /// Lists that a machine cannot run.
    pub no_runs: Vec<NoRun>,
    pub machines: Vec<MachineReport>,
    /// Results of every pattern on every machine.
    pub runs: Vec<RunReport>,
    /// Results of `relation:H` on every machine, with H messages per processor.
    pub messages_per_processor: Vec<RunReport>,
    /// Results under steady load, up to saturation.
    pub offered_load: Vec<LoadPoint>,
}

impl Comparison {
    /// Returns the machine with this label.
    fn machine(&self, label: &str) -> &MachineReport {
        let found = self.machines.iter().find(|m| m.machine == label);
        found.expect("every run is on one of the machines")
    }

    /// Names of the files of the report.
    pub const FILES: [&'static str; 6] = [
        "machines.csv",
        "runs.csv",
        "messages_per_processor.csv",
        "offered_load.csv",
        "compare.json",
        "compare.html",
    ];

    /// Returns the files of the report with their names and contents.
    pub fn files(&self) -> Vec<(String, String)> {
        let json = serde_json::to_string_pretty(self).expect("numbers and names are JSON");
        let texts: [String; Self::FILES.len()] = [
            csv::csv(&self.machines),
            csv::csv(&self.runs),
            csv::csv(&self.messages_per_processor),
            csv::csv(&self.offered_load),
            json + "\n",
            html::page(self),
        ];
        let names = Self::FILES.map(str::to_owned);
        names.into_iter().zip(texts).collect()
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", tables::headline(self))?;
        for left in &self.left_out {
            writeln!(f, "{left}\n")?;
        }
        for no_run in &self.no_runs {
            writeln!(f, "{no_run}\n")?;
        }
        write!(f, "{}", wrapped(&prose::terms(self), WIDTH))?;
        for section in tables::sections(self) {
            writeln!(f, "\n{}\n\n{}", section.title, section.table)?;
            write!(f, "{}", wrapped(&section.note, WIDTH))?;
        }
        for paragraph in prose::paragraphs(self) {
            write!(f, "\n{}", wrapped(&paragraph, WIDTH))?;
        }
        Ok(())
    }
}
