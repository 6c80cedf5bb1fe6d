//! Results of programs on the nodes of a machine: return values, exit codes, and the state of those
//! that have not ended.

use crate::values::{ProgramValue, Values};
use serde::Serialize;
use serde_json::{json, Value as Json};
use std::fmt;

/// Results of the programs of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramResults {
    /// Values that each node returned to its host.
    pub returned: Values,
    /// Exit code of each node's program, if it has ended.
    pub exits: Vec<Option<u8>>,
    /// Number of finished phases at the last return value or exit.
    pub phases: u64,
    /// States of the programs that have not ended, by node. Empty if all have ended.
    pub unfinished: Vec<ProgramState>,
}

/// State of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CoreState {
    /// The core sleeps until the next phase.
    Asleep,
    /// The core computes.
    Awake,
    /// The core stopped at an instruction that it cannot execute.
    Halted,
}

impl fmt::Display for CoreState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CoreState::Asleep => "asleep",
            CoreState::Awake => "awake",
            CoreState::Halted => "halted",
        })
    }
}

/// State of the program of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramState {
    pub node: u32,
    pub state: CoreState,
    /// Address of the last instruction. `function` is the function that contains it, if known.
    pub pc: u32,
    pub function: Option<String>,
    /// Last position in the program's own code in a phase, if the program reached its own code and
    /// the functions are known.
    pub from: Option<String>,
}

impl ProgramResults {
    /// Number of programs that have ended.
    pub fn ended(&self) -> u64 {
        self.exits.iter().flatten().count() as u64
    }

    /// Number of programs that have not ended.
    pub fn unfinished_count(&self) -> u64 {
        self.exits.len() as u64 - self.ended()
    }

    /// First node whose program ended with another code than 0.
    pub fn failed(&self) -> Option<(u32, u8)> {
        let mut exits = (0..).zip(&self.exits);
        exits.find_map(|(node, exit)| exit.filter(|code| *code != 0).map(|code| (node, code)))
    }

    /// Results for `run --json`.
    pub fn json(&self) -> Json {
        let value = |value: &ProgramValue| match value {
            ProgramValue::Word(word) => json!(*word as i32),
            ProgramValue::Bytes(_) => json!(value.to_string()),
        };
        let nodes = self.returned.0.iter().zip(&self.exits).enumerate();
        let nodes: Vec<Json> = nodes
            .map(|(node, (values, exit))| {
                let values: Vec<Json> = values.iter().map(value).collect();
                json!({"node": node, "exit": exit, "values": values})
            })
            .collect();
        json!({
            "phases": self.phases,
            "ended": self.ended(),
            "nodes": nodes,
            "whereabouts": self.unfinished,
        })
    }
}
