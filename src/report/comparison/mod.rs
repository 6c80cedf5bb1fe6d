//! Several networks on the same messages, one beside the other.
//!
//! * `silicon`: what a node of each costs;
//! * `run`: what each did with a list of messages;
//! * `load`: what each does with messages that come by and by;
//! * `tables`, `words`, `plots`: what a person reads of it;
//! * `csv`, `html`: the files that it goes into.

mod carried;
pub(super) mod csv;
pub(super) mod html;
mod load;
pub(super) mod plots;
mod run;
mod silicon;
pub(super) mod tables;
mod words;

pub use carried::Carried;
pub use load::{LoadPoint, LoadWindow};
pub use run::{NoRun, RunReport};
pub use silicon::{PartCost, SiliconReport};
pub use tables::Section;

use super::wrap::{wrapped, WIDTH};
use super::CostError;
use crate::machine::{Entry, Timebase, Wires};
use crate::networks::{Machine, Notes};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::fmt;

/// What all machines were given.
#[derive(Clone, Debug, Serialize)]
pub struct Setup {
    /// What makes this again.
    pub command: String,
    /// Of Phasecube.
    pub version: &'static str,
    pub dims: u32,
    pub nodes: u64,
    /// On each node.
    pub processors: u32,
    pub patterns: Vec<String>,
    /// Bytes of payload of a message.
    pub payload: usize,
    pub seed: u64,
    pub engine: &'static str,
    /// What networks were given by flags of their own.
    #[serde(flatten, serialize_with = "as_entries")]
    pub given: Vec<Entry>,
    /// What the circuits were synthesised with, if they were.
    pub tools: Vec<String>,
}

fn as_entries<S: Serializer>(given: &[Entry], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for entry in given {
        map.serialize_entry(entry.key, &entry.value)?;
    }
    map.end()
}

/// A machine, before it has carried anything.
#[derive(Clone, Debug, Serialize)]
pub struct MachineReport {
    pub machine: &'static str,
    pub network: &'static str,
    #[serde(flatten)]
    pub timebase: Timebase,
    #[serde(flatten)]
    pub wires: Wires,
    /// Lines that one circuit drives to all nodes.
    pub broadcast: u32,
    /// `None` if the nodes were not synthesised.
    pub silicon: Option<SiliconReport>,
}

impl MachineReport {
    /// Of a machine whose nodes cost so much, if they were synthesised.
    ///
    /// # Errors
    /// None that a released circuit has: it is lowered in the tests.
    pub fn new(
        network: &'static str,
        machine: &dyn Machine,
        silicon: Option<SiliconReport>,
    ) -> Result<Self, CostError> {
        Ok(MachineReport {
            machine: machine.label(),
            network,
            timebase: machine.timebase(),
            wires: machine.wires(),
            broadcast: machine.circuit().array()?.broadcast(),
            silicon,
        })
    }
}

/// A network that was not named, and has no machine of that size.
#[derive(Clone, Debug, Serialize)]
pub struct LeftOut {
    pub network: &'static str,
    /// What it says of it: why, and of which size there are.
    pub why: String,
}

/// `ring is left out: ..`
impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is left out: {}", self.network, self.why)
    }
}

/// All of it; prints as tables in Markdown.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub setup: Setup,
    /// What is to be told of the networks.
    #[serde(skip)]
    pub notes: Vec<Notes>,
    pub left_out: Vec<LeftOut>,
    /// Lists that a machine has no run of.
    pub no_runs: Vec<NoRun>,
    pub machines: Vec<MachineReport>,
    /// Every pattern on every machine.
    pub runs: Vec<RunReport>,
    /// `relation:H` on every machine: H messages per processor.
    pub messages_per_processor: Vec<RunReport>,
    /// Messages that come by and by, up to saturation.
    pub offered_load: Vec<LoadPoint>,
}

impl Comparison {
    /// The machine of this label.
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

    /// The files of the report: names and contents.
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
        write!(f, "{}", wrapped(&words::terms(self), WIDTH))?;
        for section in tables::sections(self) {
            writeln!(f, "\n{}\n\n{}", section.title, section.table)?;
            write!(f, "{}", wrapped(&section.note, WIDTH))?;
        }
        for paragraph in words::paragraphs(self) {
            write!(f, "\n{}", wrapped(&paragraph, WIDTH))?;
        }
        Ok(())
    }
}
