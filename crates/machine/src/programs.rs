//! Results of programs on the nodes of a machine: return values, exit codes, and the state of those
//! that have not ended.

use crate::program::Symbols;
use crate::values::{ProgramValue, Values};
use engine::{NodeEngine, NodePortId};
use rtl::core::Cause;
use rtl::tdma::DeliveryReason;
use serde::Serialize;
use serde_json::{json, Value as Json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Deref;

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
    /// Calls of `ctrl_send` with too many bytes, by node. Nodes without such calls are missing.
    pub refused: BTreeMap<u32, RefusedSends>,
    /// Texts that programs printed (`ctrl_print`), in the order of their arrival.
    pub prints: Vec<PrintedText>,
    /// Routed messages that nodes dropped, in the order of the reports.
    pub dropped: Vec<DroppedMessage>,
    /// Dead nodes (`--dead`). Their programs are not waited for, and their outputs are ignored.
    pub dead: BTreeSet<u32>,
    /// First node that returned as many values, printed as many texts, or dropped as many messages
    /// as the run allows. The run ends then.
    pub overflow: Option<u32>,
}

/// Text that a program printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PrintedText {
    pub node: u32,
    /// Number of finished phases.
    pub phase: u64,
    /// Text without the line end.
    pub text: String,
}

/// Routed message that a node dropped, because a link on its route is down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DroppedMessage {
    /// Node that dropped the message.
    pub node: u32,
    pub destination: u32,
    /// True if the message may have arrived nevertheless.
    pub may_have_arrived: bool,
    /// Number of finished phases.
    pub phase: u64,
}

impl DroppedMessage {
    /// Reads the report of a node about a message that it dropped. The bytes begin with the
    /// destination, low byte first. `None` if the message has arrived.
    pub fn read(node: u32, phase: u64, bytes: &[u8], why: DeliveryReason) -> Option<Self> {
        let destination = bytes.iter().take(2).rev();
        (why != DeliveryReason::Delivered).then(|| DroppedMessage {
            node,
            destination: destination.fold(0, |address, byte| address << 8 | u32::from(*byte)),
            may_have_arrived: why == DeliveryReason::Unknown,
            phase,
        })
    }
}

/// Calls of `ctrl_send` that were refused, because a message had too many bytes or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RefusedSends {
    pub calls: u64,
    /// Bytes of the longest of these messages.
    pub longest: u32,
}

/// Report of a program's runtime to its host (`firmware/runtime/ctrl.c`): a message of six bytes
/// that the program does not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuntimeReport {
    /// A `ctrl_send` of this number of bytes was refused.
    Refused(u32),
    /// Argument of a text.
    Argument(u32),
    /// Format of a text, whose arguments were sent before.
    Format(u32),
}

impl RuntimeReport {
    /// Least payload of messages between nodes with which a node can send a report. A message to the
    /// host has two bytes more.
    pub const PAYLOAD: usize = 4;
    const MARK: u8 = 0xC5;
    const REFUSED: u8 = 0xFB;
    const ARGUMENT: u8 = 0xFC;
    const FORMAT: u8 = 0xFD;

    /// Decodes a message; `None` if the program itself sent it.
    pub fn decode(message: &[u8]) -> Option<Self> {
        let (&[mark, kind], word) = message.split_first_chunk()?;
        let word = u32::from_le_bytes(word.try_into().ok()?);
        match (mark, kind) {
            (Self::MARK, Self::REFUSED) => Some(RuntimeReport::Refused(word)),
            (Self::MARK, Self::ARGUMENT) => Some(RuntimeReport::Argument(word)),
            (Self::MARK, Self::FORMAT) => Some(RuntimeReport::Format(word)),
            _ => None,
        }
    }
}

/// State of a core at the end of a run: asleep, awake or halted.
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
    /// Source line of that instruction, if known: `mine.c:23`.
    pub line: Option<String>,
    /// Last position in the program's own code in a phase, if the program reached its own code and
    /// the functions are known.
    pub from: Option<String>,
    /// Source line of that position, if known.
    pub from_line: Option<String>,
}

impl ProgramResults {
    /// Number of programs that have ended.
    pub fn ended(&self) -> u64 {
        self.exits.iter().flatten().count() as u64
    }

    /// True if the program of this node has not ended and its node is not dead.
    pub fn is_open(&self, node: u32) -> bool {
        self.exits[node as usize].is_none() && !self.dead.contains(&node)
    }

    /// Number of programs that have not ended, without those of dead nodes.
    pub fn unfinished_count(&self) -> u64 {
        let running = self.exits.iter().filter(|exit| exit.is_none()).count();
        let dead = self.dead.iter();
        let dead = dead.filter(|node| self.exits[**node as usize].is_none());
        (running - dead.count()) as u64
    }

    /// Records a refused `ctrl_send`.
    pub fn record_refused(&mut self, node: u32, bytes: u32) {
        let refused = self.refused.entry(node).or_default();
        refused.calls += 1;
        refused.longest = refused.longest.max(bytes);
    }

    /// Numbers of values that a node returned, texts that it printed, and messages that it dropped.
    pub fn output_counts(&self, node: u32) -> [usize; 3] {
        let prints = self.prints.iter().filter(|text| text.node == node);
        let dropped = self.dropped.iter().filter(|message| message.node == node);
        [self.returned.0[node as usize].len(), prints.count(), dropped.count()]
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
            "refused": self.refused.iter().map(|(node, refused)| {
                json!({"node": node, "calls": refused.calls, "longest": refused.longest})
            }).collect::<Vec<_>>(),
            "overflow": self.overflow,
            "dropped": self.dropped,
            "dead": self.dead,
            "prints": self.prints,
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
        write!(f, "halted at 0x{:08X}: {} (0x{:08X})", self.pc, self.cause, self.instruction)
    }
}

/// Halted core with its position in the source of its program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LocatedTrap {
    #[serde(flatten)]
    pub trap: Trap,
    /// Function of the instruction, with its source line: `main + 0x1C (mine.c:23)`. `None` if the
    /// functions are not known.
    pub function: Option<String>,
    /// Positions of the calls that led there, the last call first. Some engines cannot read the
    /// stack.
    pub calls: Vec<String>,
}

impl Deref for LocatedTrap {
    type Target = Trap;

    fn deref(&self) -> &Trap {
        &self.trap
    }
}

impl From<Trap> for LocatedTrap {
    fn from(trap: Trap) -> Self {
        LocatedTrap { trap, function: None, calls: vec![] }
    }
}

impl fmt::Display for LocatedTrap {
    /// Prints address, cause, position and calls, without the node.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.trap)?;
        if let Some(function) = &self.function {
            write!(f, " in {function}")?;
        }
        for call in &self.calls {
            write!(f, ", called from {call}")?;
        }
        Ok(())
    }
}

/// Reads a word of the data memory of a node. `None` if the engine does not show it, or the address is
/// outside.
pub fn data_word(engine: &mut dyn NodeEngine, node: usize, address: u32) -> Option<u32> {
    CoreStack { engine, node }.word(address)
}

/// Stack of a core, as an engine shows it.
struct CoreStack<'a> {
    engine: &'a mut dyn NodeEngine,
    node: usize,
}

/// Most calls of a halted core that are reported, and most bytes of its stack that are searched.
const CALLS: usize = 8;
const STACK_SEARCHED: u32 = 4096;

const DATA_BASE: u32 = rtl::tdma::DATA_BASE as u32;

/// Path of the context that the core of a node executes.
pub const CORE_CONTEXT: &str = "node.core.current";

/// Path of the register file in a node: [`CONTEXT_WORDS`] words for each context of the core.
pub const CORE_REGISTERS: &str = "node.core.registers.words";

/// Words of the register file per context. Word 0 has the address of the instruction that was begun
/// last, with two flags in its lowest bits.
pub const CONTEXT_WORDS: usize = 32;

/// Possible paths of the data memory in a node, whose words are bytes. A memory that ignores address
/// bits is in a module of its own.
pub const CORE_DATA: [&str; 2] = ["node.data.words", "node.data"];

/// Numbers of the registers for return address and stack pointer.
const RETURN_ADDRESS: usize = 1;
const STACK_POINTER: usize = 2;

impl CoreStack<'_> {
    /// Reads a word of a memory of the node, of the first of these paths that exists.
    fn memory(&mut self, paths: &[&str], address: usize) -> Option<u64> {
        let mut words = paths.iter().map(|path| self.engine.memory_word(path, self.node, address));
        words.find_map(|word| word)
    }

    /// Reads a register of the context that is at this instruction.
    fn register(&mut self, pc: u32, register: usize) -> Option<u32> {
        let mut read = |index| self.memory(&[CORE_REGISTERS], index).map(|word| word as u32);
        let contexts = [0, 32];
        let context = contexts.into_iter().find(|c| read(*c).map(|word| word & !3) == Some(pc))?;
        read(context + register)
    }

    /// Reads a word of data.
    fn word(&mut self, address: u32) -> Option<u32> {
        let offset = address.checked_sub(DATA_BASE)? as usize;
        (0..4)
            .rev()
            .try_fold(0, |word, i| Some(word << 8 | self.memory(&CORE_DATA, offset + i)? as u32))
    }

    /// Returns the addresses of the calls that led to this instruction, the last one first. They
    /// are the return addresses in the register and on the stack, and may include old ones.
    fn calls(&mut self, pc: u32, symbols: &Symbols) -> Vec<u32> {
        let Some(sp) = self.register(pc, STACK_POINTER) else {
            return vec![];
        };
        let mut found: Vec<u32> = vec![];
        found.extend(self.register(pc, RETURN_ADDRESS));
        let first = sp.max(DATA_BASE).next_multiple_of(4);
        for address in (first..first.saturating_add(STACK_SEARCHED)).step_by(4) {
            let Some(word) = self.word(address) else {
                break;
            };
            found.push(word);
        }
        found.retain(|word| symbols.is_return_address(*word));
        found.dedup();
        found.truncate(CALLS);
        found.into_iter().map(|after| after - 4).collect()
    }
}

/// Positions in a program of an instruction of a node's core, and of the calls that led there, the last
/// call first: `main + 0x1C (mine.c:23)`. Without symbols only the address of the instruction.
pub fn call_chain(
    engine: &mut dyn NodeEngine,
    node: usize,
    pc: u32,
    symbols: &Symbols,
) -> Vec<String> {
    let calls = described_calls(engine, node, pc, symbols);
    let here = symbols.describe(pc).unwrap_or_else(|| format!("0x{pc:08X}"));
    std::iter::once(here).chain(calls).collect()
}

/// Positions in a program of the calls that led to this instruction, the last call first.
fn described_calls(
    engine: &mut dyn NodeEngine,
    node: usize,
    pc: u32,
    symbols: &Symbols,
) -> Vec<String> {
    let calls = CoreStack { engine, node }.calls(pc, symbols);
    let calls = calls.iter().filter_map(|call| symbols.describe(*call));
    calls.collect()
}

/// Cores of a machine, if its nodes have any.
pub struct CoreMonitor {
    ports: Option<CorePorts>,
    /// True if all cores that can halt had halted at the latest check.
    all_halted: bool,
    /// Halted cores that were reported. `lines` are still to be printed.
    reported: BTreeSet<usize>,
    lines: Vec<String>,
    symbols: Symbols,
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
            symbols: Symbols::default(),
        }
    }

    /// Reports positions in a program with these functions.
    #[must_use]
    pub fn with_symbols(mut self, symbols: Symbols) -> Self {
        self.symbols = symbols;
        self
    }

    /// Adds the position in the program to a trap.
    fn locate(&self, engine: &mut dyn NodeEngine, trap: Trap) -> LocatedTrap {
        LocatedTrap {
            function: self.symbols.describe(trap.pc),
            calls: described_calls(engine, trap.node as usize, trap.pc, &self.symbols),
            trap,
        }
    }

    /// All halted cores with their positions, by node.
    pub fn located_traps(&self, engine: &mut dyn NodeEngine) -> Vec<LocatedTrap> {
        let traps = self.traps(engine);
        traps.into_iter().map(|trap| self.locate(engine, trap)).collect()
    }

    /// Checks the cores at the beginning of a phase. Returns true if all had already halted in the
    /// previous phase, except nodes for which `is_stalled` is true. Then no program is active,
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
        engine.nonzero(ports.halted, &mut halted);
        let mut others = halted.iter().copied().peekable();
        let mut has_halted = |node: usize| others.next_if_eq(&node).is_some();
        let mut nodes = 0..engine.nodes();
        let all = !halted.is_empty() && nodes.all(|i| has_halted(i) || is_stalled(i as u32));
        let over = std::mem::replace(&mut self.all_halted, all) && self.all_halted;
        if halted.len() > self.reported.len() {
            self.report_halted(engine, &halted);
        }
        over
    }

    /// True if the core of this node had halted at the latest check.
    pub fn has_halted(&self, node: u32) -> bool {
        self.reported.contains(&(node as usize))
    }

    /// Takes the lines about halted cores that were not reported before.
    pub fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    fn report_halted(&mut self, engine: &mut dyn NodeEngine, halted: &[usize]) {
        let Some(ports) = &self.ports else {
            return;
        };
        let mut more = 0usize;
        for &node in halted {
            if !self.reported.insert(node) {
                continue;
            }
            more += 1;
            if more <= REPORTED_PER_PHASE {
                let trap = ports.trap(engine, node);
                let trap = self.locate(engine, trap);
                self.lines.push(format!("core of node 0x{node:X} {trap}"));
            }
        }
        if more > REPORTED_PER_PHASE {
            self.lines.push(format!("and {} more cores", more - REPORTED_PER_PHASE));
        }
    }

    /// All halted cores, by node.
    pub fn traps(&self, engine: &mut dyn NodeEngine) -> Vec<Trap> {
        let Some(ports) = &self.ports else {
            return vec![];
        };
        let mut halted = vec![];
        engine.nonzero(ports.halted, &mut halted);
        let traps = halted.into_iter().map(|node| ports.trap(engine, node));
        traps.collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_the_runtime_are_told_from_messages() {
        let decode = RuntimeReport::decode;
        let report = [0xC5, 0xFB, 10, 1, 0, 0];
        assert_eq!(decode(&report), Some(RuntimeReport::Refused(266)));
        assert_eq!(decode(&report[..5]), None);
        let format = [0xC5, 0xFD, 1, 0, 0, 0x80];
        assert_eq!(decode(&format), Some(RuntimeReport::Format(0x8000_0001)));
        assert_eq!(decode(&[0xC5, 0xFA, 10, 1, 0, 0]), None);
        assert_eq!(decode(&[0xC4, 0xFB, 10, 1, 0, 0]), None);
        assert_eq!(decode(&[0xC5, 0xFB, 10, 1, 0, 0, 0]), None);
        assert_eq!(decode(&[]), None);
    }
}
