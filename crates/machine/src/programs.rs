//! Results of programs on the nodes of a machine: return values, exit codes, and the state of those
//! that have not ended.

use crate::values::{ProgramValue, Values};
use engine::{NodeEngine, NodePortId};
use rtl::core::Cause;
use serde::Serialize;
use serde_json::{json, Value as Json};
use std::collections::BTreeSet;
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

// Halted cores: node, address and cause.

/// Core that stopped for good at an instruction that it cannot execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Trap {
    pub node: u32,
    /// Address of the instruction.
    pub pc: u32,
    pub cause: Cause,
    /// Instruction word.
    pub instruction: u32,
}

impl fmt::Display for Trap {
    /// Prints address and cause, without the node.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "halted at 0x{:08X}: {} (0x{:08X})",
            self.pc, self.cause, self.instruction
        )
    }
}

/// Cores of a machine, if its nodes have any.
pub struct CoreMonitor {
    ports: Option<CorePorts>,
    /// True if all cores that can halt had halted at the latest check.
    all_halted: bool,
    /// Halted cores that were reported. `news` contains lines that are still to be reported.
    reported: BTreeSet<usize>,
    lines: Vec<String>,
}

/// Number of halted cores per phase that are reported one by one.
const REPORTED_PER_PHASE: usize = 4;

struct CorePorts {
    halted: NodePortId,
    cause: NodePortId,
    program_counter: NodePortId,
    instruction: NodePortId,
}

impl CoreMonitor {
    pub fn new(engine: &mut dyn NodeEngine) -> Self {
        let ports = |engine: &mut dyn NodeEngine| {
            Some(CorePorts {
                halted: engine.signal("halted")?,
                cause: engine.signal("cause")?,
                program_counter: engine.signal("program_counter")?,
                instruction: engine.signal("instruction")?,
            })
        };
        CoreMonitor {
            ports: ports(engine),
            all_halted: false,
            reported: BTreeSet::new(),
            lines: vec![],
        }
    }

    /// Checks the cores at the beginning of a phase. Returns true if all had already halted in the
    /// previous phase, except nodes for which `drop_stalled_node` is true. Then no program is active,
    /// and everything that the last decision sent has arrived.
    pub fn check_all_halted(
        &mut self,
        engine: &mut dyn NodeEngine,
        is_stalled: impl Fn(u32) -> bool,
    ) -> bool {
        let Some(ports) = &self.ports else {
            return false;
        };
        let mut halted = vec![];
        engine.get_all(ports.halted, &mut halted);
        let all = (0..).zip(&halted).all(|(i, h)| *h == 1 || is_stalled(i));
        let any = halted.contains(&1);
        let over = std::mem::replace(&mut self.all_halted, all && any) && self.all_halted;
        if halted.iter().filter(|h| **h == 1).count() > self.reported.len() {
            self.report_halted(engine, &halted);
        }
        over
    }

    /// Takes the lines about halted cores that were not reported before.
    pub fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    fn report_halted(&mut self, engine: &mut dyn NodeEngine, halted: &[u64]) {
        let Some(ports) = &self.ports else {
            return;
        };
        let mut more = 0usize;
        let nodes = (0..halted.len()).filter(|node| halted[*node] == 1);
        for node in nodes {
            if !self.reported.insert(node) {
                continue;
            }
            more += 1;
            if more <= REPORTED_PER_PHASE {
                let trap = ports.trap(engine, node);
                self.lines.push(format!("core of node 0x{node:X} {trap}"));
            }
        }
        if more > REPORTED_PER_PHASE {
            self.lines
                .push(format!("and {} more cores", more - REPORTED_PER_PHASE));
        }
    }

    /// All halted cores, by node.
    pub fn traps(&self, engine: &mut dyn NodeEngine) -> Vec<Trap> {
        let Some(ports) = &self.ports else {
            return vec![];
        };
        let mut halted = vec![];
        engine.get_all(ports.halted, &mut halted);
        let nodes = (0..halted.len()).filter(|node| halted[*node] == 1);
        nodes.map(|node| ports.trap(engine, node)).collect()
    }
}

impl CorePorts {
    /// Describes a halted core.
    fn trap(&self, engine: &mut dyn NodeEngine, node: usize) -> Trap {
        Trap {
            node: node as u32,
            pc: engine.get(self.program_counter, node) as u32,
            cause: Cause::from_number(engine.get(self.cause, node))
                .expect("the core knows its causes"),
            instruction: engine.get(self.instruction, node) as u32,
        }
    }
}
