//! Instruction trace of one node, with disassembly.

use crate::core::{CoreProbe, NoCore};
use engine::{EngineError, NodeEngine, Observer};
use machine::program::Symbols;
use machine::wave::{Steps, WaveSubject, Window};
use rrs_lib::instruction_string_outputter::InstructionStringOutputter;
use serde_json::{json, Value};
use std::fmt::Write;
use std::ops::Range;

/// Completed instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedInstruction {
    /// Clock cycle from the start in which the instruction completed.
    pub clock: u64,
    /// Phase of the machine from the start.
    pub step: u64,
    pub pc: u32,
    pub word: u32,
    /// Context of the core: 0 for the program, 1 for its background.
    pub context: u32,
}

/// Observer that records each instruction of one node.
pub struct InstructionTrace {
    probe: CoreProbe,
    window: Window,
    steps: Steps,
    symbols: Symbols,
    /// Instruction that is executed: its address and its context.
    current: Option<(u32, u32)>,
    /// Latest clock cycle that was observed.
    observed: u64,
    instructions: Vec<TracedInstruction>,
}

impl InstructionTrace {
    /// Traces a node in these steps of the machine.
    ///
    /// # Errors
    /// If the node has no soft core, or the engine does not show its signals.
    pub fn new(
        engine: &mut dyn NodeEngine,
        node: usize,
        subject: &WaveSubject,
        steps: Range<u64>,
        symbols: Symbols,
    ) -> Result<Self, NoCore> {
        Ok(InstructionTrace {
            probe: CoreProbe::new(engine, node)?,
            window: Window::new(engine, subject, steps),
            steps: subject.steps.clone(),
            symbols,
            current: None,
            observed: 0,
            instructions: vec![],
        })
    }

    /// Superframe and phase of an instruction. A machine without superframes has phases only.
    fn time(&self, instruction: &TracedInstruction) -> (Option<u64>, u64) {
        let step = instruction.step;
        match &self.steps.period {
            Some(period) => (Some(period.number(step)), period.step(step).into()),
            None => (None, step),
        }
    }

    /// Formats a heading and a line for each instruction.
    pub fn text(&self) -> String {
        let mut text = format!(
            "instructions of node 0x{:X}\n    clock    phase  address     instruction\n",
            self.probe.node
        );
        for instruction in &self.instructions {
            let TracedInstruction { pc, word, .. } = *instruction;
            let time = match self.time(instruction) {
                (Some(superframe), phase) => format!("{superframe}.{phase}"),
                (None, phase) => phase.to_string(),
            };
            let place = self.symbols.describe(pc).unwrap_or_default();
            let place = match instruction.context {
                0 => place,
                _ => format!("{place}, background"),
            };
            let line = format!(
                "{:>9}  {time:>7}  0x{pc:08X}  {:<24}  {place}",
                instruction.clock,
                disassemble(pc, word)
            );
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    /// Returns the instructions for `--json`.
    pub fn json(&self) -> Vec<Value> {
        let entry = |instruction: &TracedInstruction| {
            let TracedInstruction { pc, word, .. } = *instruction;
            let (superframe, phase) = self.time(instruction);
            json!({
                "node": self.probe.node,
                "clock": instruction.clock,
                "superframe": superframe,
                "phase": phase,
                "pc": pc,
                "word": word,
                "text": disassemble(pc, word),
                "function": self.symbols.at(pc).map(|at| at.to_string()),
                "line": self.symbols.line(pc).map(|line| line.to_string()),
                "context": instruction.context,
            })
        };
        self.instructions.iter().map(entry).collect()
    }
}

impl Observer for InstructionTrace {
    fn next_look(&self, clock: u64) -> Option<u64> {
        self.window.next_look(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        let time = self.window.time_at(engine, clock);
        // Another instruction has begun in clock cycles that were skipped.
        if clock != std::mem::replace(&mut self.observed, clock) + 1 {
            self.current = None;
        }
        if let Some(pc) = self.probe.fetched(engine) {
            self.current = Some((pc, self.probe.context(engine) as u32));
            return Ok(());
        }
        if let Some(word) = self.probe.retired(engine) {
            let begun = self.current.take();
            let open = || self.probe.retired_address(engine);
            let Some((pc, context)) = begun.or_else(open) else {
                return Ok(());
            };
            if let Some(time) = time {
                self.instructions.push(TracedInstruction {
                    clock,
                    step: time.t,
                    pc,
                    word,
                    context,
                });
            }
        }
        Ok(())
    }
}

/// Names of the registers in the calling convention.
const NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

/// Instructions without operands, which `rrs-lib` does not know.
const SYSTEM: [(u32, &str); 3] =
    [(0x0000_0073, "ecall"), (0x0010_0073, "ebreak"), (0x1050_0073, "wfi")];

/// Disassembles an instruction of RV32IM at this address: `addi sp, sp, -16`. An unknown one is
/// `.word 0x..`.
pub fn disassemble(pc: u32, word: u32) -> String {
    if let Some((_, name)) = SYSTEM.iter().find(|(known, _)| *known == word) {
        return (*name).to_owned();
    }
    let mut outputter = InstructionStringOutputter { insn_pc: pc };
    match rrs_lib::process_instruction(&mut outputter, word) {
        Some(text) => with_names(&text),
        None => format!(".word 0x{word:08X}"),
    }
}

/// Replaces `x2` by `sp`, and so on.
fn with_names(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric();
    let words = text.split_inclusive(|c| !is_word(c));
    let named = words.map(|word| {
        let bare = word.trim_end_matches(|c| !is_word(c));
        let number = bare.strip_prefix('x').and_then(|n| n.parse().ok());
        match number.and_then(|number: usize| NAMES.get(number)) {
            Some(name) => format!("{name}{}", &word[bare.len()..]),
            None => word.to_owned(),
        }
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts agree with `riscv64-unknown-elf-objdump -M no-aliases`, but for the targets.
    #[test]
    fn instructions_have_the_names_of_the_calling_convention() {
        for (word, text) in [
            (0xFF01_0113, "addi sp, sp, -16"),
            (0x0011_2623, "sw ra, 12(sp)"),
            (0x00C1_2083, "lw ra, 12(sp)"),
            (0x0000_8067, "jalr zero, 0x000(ra)"),
            (0xFE05_1EE3, "bne a0, zero, 0x000000fc"),
            (0x02B5_0533, "mul a0, a0, a1"),
            (0x0000_0073, "ecall"),
            (0x1050_0073, "wfi"),
            (0x0000_0000, ".word 0x00000000"),
            (0xFFFF_FFFF, ".word 0xFFFFFFFF"),
        ] {
            assert_eq!(disassemble(0x100, word), text, "{word:08X}");
        }
    }
}
