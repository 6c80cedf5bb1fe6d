//! What programs on the nodes of a machine returned, how they ended, and where those are
//! that did not.

use crate::values::{Value, Values};
use serde::Serialize;
use serde_json::{json, Value as Json};
use std::fmt;

/// What is left of the programs of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Programs {
    /// What each node gave its host.
    pub returned: Values,
    /// By node, the exit code of a program that has ended.
    pub exits: Vec<Option<u8>>,
    /// Phases that were over when the last program returned something or ended.
    pub phases: u64,
    /// Where the programs are that have not ended, by node; nothing if all have.
    pub whereabouts: Vec<Whereabouts>,
}

/// What a core is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It sleeps until the next phase.
    Asleep,
    /// It computes.
    Awake,
    /// It has met an instruction that it cannot do.
    Halted,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Asleep => "asleep",
            State::Awake => "awake",
            State::Halted => "halted",
        })
    }
}

/// Where the program of a node is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Whereabouts {
    pub node: u32,
    pub state: State,
    /// The address of its last instruction, and the function that this is in, if known.
    pub pc: u32,
    pub function: Option<String>,
    /// The last place in the program's own code in a phase, if it was there and the
    /// functions are known.
    pub from: Option<String>,
}

impl Programs {
    /// Programs that have ended.
    pub fn ended(&self) -> u64 {
        self.exits.iter().flatten().count() as u64
    }

    /// Those that have not.
    pub fn left(&self) -> u64 {
        self.exits.len() as u64 - self.ended()
    }

    /// The first node whose program has ended with another code than 0.
    pub fn failed(&self) -> Option<(u32, u8)> {
        let mut exits = (0..).zip(&self.exits);
        exits.find_map(|(node, exit)| exit.filter(|code| *code != 0).map(|code| (node, code)))
    }

    /// For `run --json`.
    pub fn json(&self) -> Json {
        let value = |value: &Value| match value {
            Value::Word(word) => json!(*word as i32),
            Value::Bytes(_) => json!(value.to_string()),
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
            "whereabouts": self.whereabouts,
        })
    }
}
