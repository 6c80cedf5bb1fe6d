//! Interpreter of gates, for processors without support for the machine code.

use super::gates::{GateList, GateOp};
use super::jit::PortableVector;
use super::schedule::{schedule, ScheduleStep};

/// Instructions for a portable interpreter. Each one operates on vectors of all lanes of a chunk,
/// which are `W` words long.
///
/// Vectors from the number of slots up are scratch. Their contents are undefined after a run.
#[derive(Debug)]
pub struct GateTape {
    steps: Vec<TapeStep>,
    /// Number of vectors: slots and scratch.
    vectors: usize,
}

#[derive(Clone, Copy, Debug)]
struct TapeStep {
    op: GateOp,
    out: u32,
    a: u32,
    b: u32,
}

impl GateTape {
    /// Translates instructions with two operands.
    pub fn new(gates: &GateList) -> Self {
        let steps = schedule(gates);
        let values = gates.slots as usize + gates.gates.len();
        // Location of each value, and the last step that uses it.
        let mut place: Vec<u32> = (0..values as u32).collect();
        let mut last_use = vec![0; values];
        for (position, step) in steps.iter().enumerate() {
            match step {
                ScheduleStep::Compute { gate, .. } => {
                    for &arg in gate.args() {
                        last_use[arg as usize] = position;
                    }
                }
                ScheduleStep::Store { value, .. } => last_use[*value as usize] = position,
            }
        }
        let mut tape = GateTape {
            steps: vec![],
            vectors: gates.slots as usize,
        };
        let mut free = vec![];
        for (position, step) in steps.iter().enumerate() {
            match *step {
                ScheduleStep::Compute { value, gate } => {
                    let args: Vec<u32> = gate.args().to_vec();
                    let at = |i: usize| args.get(i).map_or(0, |v| place[*v as usize]);
                    let (a, b) = (at(0), at(1));
                    let dying = args.iter().filter(|v| last_use[**v as usize] == position);
                    let mut dying: Vec<u32> = dying.map(|v| place[*v as usize]).collect();
                    dying.sort_unstable();
                    dying.dedup();
                    free.extend(dying.iter().filter(|p| **p >= gates.slots));
                    let out = match steps.get(position + 1) {
                        Some(ScheduleStep::Store { value: next, slot }) if *next == value => *slot,
                        _ => free.pop().unwrap_or_else(|| {
                            tape.vectors += 1;
                            tape.vectors as u32 - 1
                        }),
                    };
                    place[value as usize] = out;
                    let op = gate.op;
                    tape.steps.push(TapeStep { op, out, a, b });
                }
                ScheduleStep::Store { value, slot } => {
                    let from = place[value as usize];
                    if from != slot {
                        tape.steps.push(TapeStep {
                            op: GateOp::Copy,
                            out: slot,
                            a: from,
                            b: from,
                        });
                    }
                    if from >= gates.slots {
                        // From here on the slot holds the value.
                        free.push(from);
                        place[value as usize] = slot;
                    }
                }
            }
        }
        tape
    }

    /// Returns the number of vectors: slots and scratch.
    pub fn vectors(&self) -> usize {
        self.vectors
    }

    /// Runs on a frame with at least [`vectors`](Self::vectors) vectors.
    pub fn run<const W: usize>(&self, frame: &mut [[u64; W]]) {
        for step in &self.steps {
            let [a, b] = [step.a, step.b].map(|arg| PortableVector(frame[arg as usize]));
            frame[step.out as usize] = match step.op {
                GateOp::Lut(_) => unreachable!("an instruction with three operands"),
                op => op.apply([a, b, a]).0,
            };
        }
    }
}
