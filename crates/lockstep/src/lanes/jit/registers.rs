//! Register allocation for the machine code.

use super::super::gates::{permuted, Gate, GateList, GateOp, GateSet};
use super::super::schedule::ScheduleStep;
use super::Isa;
use std::collections::BTreeSet;

/// Vector register.
pub type VectorReg = u8;

/// Operation on registers and vectors of the frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum VectorInstruction {
    Load {
        to: VectorReg,
        from: u32,
    },
    Store {
        to: u32,
        from: VectorReg,
    },
    Move {
        to: VectorReg,
        from: VectorReg,
    },
    Zero {
        to: VectorReg,
    },
    Not {
        to: VectorReg,
        from: VectorOperand,
    },
    /// Operation of two operands. `a` is the inverted operand of `AndNot` and `OrNot`.
    Pair {
        op: GateOp,
        to: VectorReg,
        a: VectorReg,
        b: VectorOperand,
    },
    /// Tests whether some bit is set, for the flag with this number.
    Flag {
        flag: u32,
        from: VectorReg,
    },
    /// Function of three operands. `to` is one of them unless the instruction set can do without
    /// ([`Isa::is_destructive`]).
    Lut {
        table: u8,
        to: VectorReg,
        a: VectorReg,
        b: VectorReg,
        c: VectorOperand,
    },
}

impl VectorInstruction {
    /// Returns the vector of the frame that the instruction reads or writes, if any.
    pub fn vector(&self) -> Option<u32> {
        let operand = match *self {
            VectorInstruction::Load { from, .. } => return Some(from),
            VectorInstruction::Store { to, .. } => return Some(to),
            VectorInstruction::Not { from, .. } => from,
            VectorInstruction::Pair { b, .. } => b,
            VectorInstruction::Lut { c, .. } => c,
            VectorInstruction::Move { .. }
            | VectorInstruction::Zero { .. }
            | VectorInstruction::Flag { .. } => return None,
        };
        match operand {
            VectorOperand::Vector(vector) => Some(vector),
            VectorOperand::Reg(_) => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum VectorOperand {
    Reg(VectorReg),
    Vector(u32),
}

/// An operand used again within this many steps is worth a register.
const NEAR: usize = 24;

/// Keeps each value in a register from its computation on. If none is free, the value whose next
/// use is furthest away is evicted. A value that must be saved first counts as [`NEAR`] steps
/// nearer.
///
/// Slots from `flags` up are flags.
pub fn assign(
    steps: &[ScheduleStep],
    gates: &GateList,
    flags: u32,
    isa: Isa,
) -> Vec<VectorInstruction> {
    let values = gates.slots as usize + gates.gates.len();
    let mut uses: Vec<Vec<usize>> = vec![vec![]; values];
    for (position, step) in steps.iter().enumerate().rev() {
        let (gate, stored);
        let args = match step {
            ScheduleStep::Compute { gate: g, .. } => {
                gate = *g;
                gate.args()
            }
            ScheduleStep::Store { value, .. } => {
                stored = [*value];
                &stored
            }
        };
        for &arg in args {
            let uses = &mut uses[arg as usize];
            if uses.last() != Some(&position) {
                uses.push(position);
            }
        }
    }
    let home = |value: usize| (value < gates.slots as usize).then_some(value as u32);
    let mut assignment = Assignment {
        out: vec![],
        uses,
        register: vec![None; values],
        home: (0..values).map(home).collect(),
        holds: vec![None; isa.registers()],
        pinned: vec![false; isa.registers()],
        flags,
        vectors: gates.slots,
        free_vectors: BTreeSet::new(),
        leaving: BTreeSet::new(),
        isa,
    };
    for (position, step) in steps.iter().enumerate() {
        assignment.step(position, *step);
    }
    assignment.out
}

struct Assignment {
    out: Vec<VectorInstruction>,
    /// By value: its remaining uses as step positions, the next one last.
    uses: Vec<Vec<usize>>,
    /// By value.
    register: Vec<Option<VectorReg>>,
    /// By value: the vector that also holds it.
    home: Vec<Option<u32>>,
    /// By register.
    holds: Vec<Option<u32>>,
    /// By register: it must not change in the current step.
    pinned: Vec<bool>,
    /// Slots from here up are flags, and then vectors for values.
    flags: u32,
    vectors: u32,
    free_vectors: BTreeSet<u32>,
    /// Vectors that become free after the current step, which may still read them.
    leaving: BTreeSet<u32>,
    isa: Isa,
}

impl Assignment {
    fn step(&mut self, position: usize, step: ScheduleStep) {
        match step {
            ScheduleStep::Compute { value, gate } => self.compute(position, value, gate),
            ScheduleStep::Store { value, slot } => {
                let from = self.in_register(value);
                if let Some(flag) = slot.checked_sub(self.flags) {
                    self.out.push(VectorInstruction::Flag { flag, from });
                } else {
                    self.out.push(VectorInstruction::Store { to: slot, from });
                    self.release_home(value);
                    self.home[value as usize] = Some(slot);
                }
                self.used(position, value);
            }
        }
        self.pinned.fill(false);
        self.free_vectors.append(&mut self.leaving);
    }

    fn compute(&mut self, position: usize, value: u32, gate: Gate) {
        let args: Vec<u32> = gate.operands().collect();
        // All operands go to registers, except for one that is not needed again soon.
        let in_memory = self.memory_operand(position, &gate, &args);
        for &arg in args.iter().filter(|arg| Some(**arg) != in_memory) {
            self.in_register(arg);
        }
        let operands: Vec<VectorOperand> = args.iter().map(|arg| self.operand(*arg)).collect();
        for &arg in &args {
            self.used(position, arg);
        }
        let to = match gate.op {
            GateOp::Lut(table) if args.len() == 3 => self.lut(table, &args, &operands),
            op => {
                // Registers of operands without further uses are free again.
                let to = self.free_register();
                self.simple(op, to, gate, &args, &operands);
                to
            }
        };
        if !self.uses[value as usize].is_empty() {
            self.holds[to as usize] = Some(value);
            self.register[value as usize] = Some(to);
        }
    }

    /// Returns the operand that is read from the frame, if any.
    fn memory_operand(&self, position: usize, gate: &Gate, args: &[u32]) -> Option<u32> {
        let next = |arg: &u32| {
            let uses = &self.uses[*arg as usize];
            let later = uses.iter().rev().find(|p| **p > position);
            later.map_or(usize::MAX, |p| p - position)
        };
        let absent = args.iter().copied();
        let absent = absent.filter(|arg| self.register[*arg as usize].is_none());
        let candidate = absent.max_by_key(next)?;
        if !self.isa.has_memory_operands() {
            // A copy is a load.
            return (gate.op == GateOp::Copy && next(&candidate) > NEAR).then_some(candidate);
        }
        // A three-operand function overwrites an operand, so it can load one that is not in a
        // register.
        let is_ok = match gate.op {
            GateOp::AndNot => self.isa.gate_set() == GateSet::Luts || candidate == args[0],
            _ => true,
        };
        (is_ok && next(&candidate) > NEAR).then_some(candidate)
    }

    fn simple(
        &mut self,
        op: GateOp,
        to: VectorReg,
        gate: Gate,
        args: &[u32],
        operands: &[VectorOperand],
    ) {
        let instruction = match (op, operands) {
            (GateOp::Zero, _) => VectorInstruction::Zero { to },
            (GateOp::Copy, [VectorOperand::Reg(from)]) => {
                VectorInstruction::Move { to, from: *from }
            }
            (GateOp::Copy, [VectorOperand::Vector(from)]) => {
                VectorInstruction::Load { to, from: *from }
            }
            (GateOp::Not, [from]) => VectorInstruction::Not { to, from: *from },
            // A value that is stored unchanged is compared with itself.
            (GateOp::Xor, [from]) => {
                let a = match *from {
                    VectorOperand::Reg(reg) => reg,
                    VectorOperand::Vector(from) => {
                        self.out.push(VectorInstruction::Load { to, from });
                        to
                    }
                };
                let b = VectorOperand::Reg(a);
                VectorInstruction::Pair { op, to, a, b }
            }
            (
                GateOp::And | GateOp::Or | GateOp::Xor,
                [VectorOperand::Reg(a), b] | [b, VectorOperand::Reg(a)],
            ) => {
                let (a, b) = (*a, *b);
                VectorInstruction::Pair { op, to, a, b }
            }
            (GateOp::AndNot | GateOp::OrNot, [b, VectorOperand::Reg(a)]) => {
                let (a, b) = (*a, *b);
                VectorInstruction::Pair { op, to, a, b }
            }
            // With two different operands, the first variable of the table is unused.
            (op, [first, second]) => {
                let in_memory = matches!(first, VectorOperand::Vector(_));
                let (b, c) = if in_memory { (second, first) } else { (first, second) };
                let place = |arg: u32| match (arg == args[0]) == in_memory {
                    true => 2,
                    false => 1,
                };
                let table = match op {
                    GateOp::Lut(table) => permuted(table, gate.args(), place),
                    _ => permuted(0b0011_0000, gate.args(), place),
                };
                let VectorOperand::Reg(b) = *b else {
                    unreachable!("one operand at most isn't in a register");
                };
                let (a, c) = (to, *c);
                VectorInstruction::Lut { table, to, a, b, c }
            }
            (GateOp::Lut(table), [from]) => {
                // The table depends on one value only.
                let (b, c) = match *from {
                    VectorOperand::Reg(reg) => (reg, *from),
                    VectorOperand::Vector(_) => (to, *from),
                };
                let table = permuted(table, gate.args(), |_| 2);
                let a = to;
                VectorInstruction::Lut { table, to, a, b, c }
            }
            _ => unreachable!("{op:?} of {} operands", operands.len()),
        };
        self.out.push(instruction);
    }

    /// Emits a function of three different values. The result overwrites one of them.
    fn lut(&mut self, table: u8, args: &[u32], operands: &[VectorOperand]) -> VectorReg {
        // Prefers a value without further uses, then one in the frame, then a copy.
        let is_free = |i: &usize| match operands[*i] {
            VectorOperand::Reg(reg) => self.holds[reg as usize].is_none(),
            VectorOperand::Vector(_) => false,
        };
        let in_memory = (0..3).find(|i| matches!(operands[*i], VectorOperand::Vector(_)));
        let dying = (0..3).find(is_free);
        let (first, to) = match (dying, in_memory) {
            (Some(i), _) => {
                let VectorOperand::Reg(to) = operands[i] else {
                    unreachable!("it is in a register");
                };
                (i, to)
            }
            (None, Some(i)) => {
                let to = self.free_register();
                if let VectorOperand::Vector(from) = operands[i] {
                    self.out.push(VectorInstruction::Load { to, from });
                }
                (i, to)
            }
            (None, None) if !self.isa.is_destructive(table) => (0, self.free_register()),
            (None, None) => {
                let to = self.free_register();
                if let VectorOperand::Reg(from) = operands[0] {
                    self.out.push(VectorInstruction::Move { to, from });
                }
                (0, to)
            }
        };
        let mut rest = (0..3).filter(|i| *i != first);
        let (mut second, mut third) = (rest.next().unwrap_or(0), rest.next().unwrap_or(0));
        if matches!(operands[second], VectorOperand::Vector(_)) {
            std::mem::swap(&mut second, &mut third);
        }
        let VectorOperand::Reg(b) = operands[second] else {
            unreachable!("one operand at most isn't in a register");
        };
        let a = match operands[first] {
            VectorOperand::Reg(a) if !self.isa.is_destructive(table) => a,
            _ => to,
        };
        let c = operands[third];
        let place = |arg: u32| match arg {
            arg if arg == args[first] => 0,
            arg if arg == args[second] => 1,
            _ => 2,
        };
        let table = permuted(table, args, place);
        self.out.push(VectorInstruction::Lut { table, to, a, b, c });
        to
    }

    /// Returns the location of a value. If a register holds it, the register is pinned for this
    /// step.
    fn operand(&mut self, value: u32) -> VectorOperand {
        match self.register[value as usize] {
            Some(reg) => {
                self.pinned[reg as usize] = true;
                VectorOperand::Reg(reg)
            }
            None => VectorOperand::Vector(self.home[value as usize].expect("it was computed")),
        }
    }

    /// Brings a value into a register and pins the register for this step.
    fn in_register(&mut self, value: u32) -> VectorReg {
        let reg = match self.register[value as usize] {
            Some(reg) => reg,
            None => {
                let to = self.free_register();
                let from = self.home[value as usize].expect("it was computed");
                self.out.push(VectorInstruction::Load { to, from });
                self.holds[to as usize] = Some(value);
                self.register[value as usize] = Some(to);
                to
            }
        };
        self.pinned[reg as usize] = true;
        reg
    }

    /// Returns a register to overwrite. Its value is saved first if necessary.
    fn free_register(&mut self) -> VectorReg {
        if let Some(reg) = self.holds.iter().position(Option::is_none) {
            return reg as VectorReg;
        }
        let next = |value: u32| *self.uses[value as usize].last().expect("else it is free");
        // Saving a value costs about as much as loading two.
        let cost = |reg: &usize| {
            let value = self.holds[*reg].expect("none is free");
            let next = next(value);
            match self.home[value as usize] {
                Some(_) => (next, true),
                None => (next - next.min(NEAR), false),
            }
        };
        let candidates = (0..self.holds.len()).filter(|reg| !self.pinned[*reg]);
        let reg = candidates.max_by_key(cost).expect("few are pinned");
        let value = self.holds[reg].take().expect("none is free");
        self.register[value as usize] = None;
        if self.home[value as usize].is_none() {
            let to = self.free_vectors.pop_first().unwrap_or_else(|| {
                self.vectors += 1;
                self.vectors - 1
            });
            let from = reg as VectorReg;
            self.out.push(VectorInstruction::Store { to, from });
            self.home[value as usize] = Some(to);
        }
        reg as VectorReg
    }

    /// Records that a step has used a value. After the last use its register and vector are free.
    fn used(&mut self, position: usize, value: u32) {
        let uses = &mut self.uses[value as usize];
        while uses.last().is_some_and(|next| *next <= position) {
            uses.pop();
        }
        if uses.is_empty() {
            if let Some(reg) = self.register[value as usize].take() {
                self.holds[reg as usize] = None;
            }
            self.release_home(value);
        }
    }

    fn release_home(&mut self, value: u32) {
        if let Some(vector) = self.home[value as usize].filter(|v| *v >= self.flags) {
            self.leaving.insert(vector);
            self.home[value as usize] = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{emit, part};
    use super::*;
    use crate::lanes::frame::ChunkFrame;
    use crate::lanes::gates::{cover, GateGraph, GateNode, Lit, XorShift64};
    use crate::lanes::tape::GateTape;

    const ALL: [Isa; 6] =
        [Isa::Avx2, Isa::Avx512Quarter, Isa::Avx512Half, Isa::Avx512, Isa::Neon, Isa::NeonSha3];

    /// Number of slots of the random graphs.
    const SLOTS: u32 = 40;

    fn below(random: &mut XorShift64, limit: usize) -> usize {
        (random.next() >> 16) as usize % limit
    }

    fn random_graph(random: &mut XorShift64, gates: usize) -> (GateGraph, Vec<(Lit, u32)>) {
        let mut graph = GateGraph::new();
        let mut lits: Vec<Lit> = (0..SLOTS).map(|slot| graph.leaf(slot)).collect();
        for _ in 0..gates {
            let mut lit = || lits[below(random, lits.len())].xor(below(random, 2) == 1);
            let (a, b, c) = (lit(), lit(), lit());
            lits.push(match below(random, 4) {
                0 => graph.and(a, b),
                1 => graph.xor(a, b),
                _ => graph.mux(a, b, c),
            });
        }
        let mut roots = vec![];
        for slot in (0..SLOTS).filter(|slot| slot % 3 != 0) {
            roots.push((lits[below(random, lits.len())].xor(below(random, 2) == 1), slot));
        }
        (graph, roots)
    }

    /// Returns the values of all gates.
    fn values(graph: &GateGraph, frame: &[u64]) -> Vec<u64> {
        let mut values: Vec<u64> = vec![];
        for i in 0..graph.len() {
            let mut operands = [0; 3];
            for (operand, lit) in operands.iter_mut().zip(graph.node(i).operands()) {
                *operand = value(&values, lit);
            }
            values.push(match graph.node(i) {
                GateNode::False => 0,
                GateNode::Leaf(slot) => frame[slot as usize],
                node => node.result(operands).unwrap(),
            });
        }
        values
    }

    fn value(values: &[u64], lit: Lit) -> u64 {
        values[lit.node()] ^ if lit.is_inverted() { u64::MAX } else { 0 }
    }

    /// Performs instructions as their documentation states.
    fn perform(instructions: &[VectorInstruction], frame: &mut Vec<u64>, isa: Isa) {
        let mut registers = vec![0xDEAD_BEEF_u64; isa.registers()];
        for instruction in instructions {
            if let Some(vector) = instruction.vector() {
                frame.resize(frame.len().max(vector as usize + 1), 0);
                let moves = matches!(
                    instruction,
                    VectorInstruction::Load { .. } | VectorInstruction::Store { .. }
                );
                assert!(moves || isa.has_memory_operands(), "{instruction:?}");
            }
            let operand = |registers: &[u64], operand: VectorOperand| match operand {
                VectorOperand::Reg(reg) => registers[reg as usize],
                VectorOperand::Vector(vector) => frame[vector as usize],
            };
            match *instruction {
                VectorInstruction::Load { to, from } => {
                    registers[to as usize] = frame[from as usize];
                }
                VectorInstruction::Store { to, from } => {
                    frame[to as usize] = registers[from as usize];
                }
                VectorInstruction::Move { to, from } => {
                    registers[to as usize] = registers[from as usize];
                }
                VectorInstruction::Zero { to } => registers[to as usize] = 0,
                VectorInstruction::Not { to, from } => {
                    registers[to as usize] = !operand(&registers, from);
                }
                VectorInstruction::Pair { op, to, a, b } => {
                    let (a, b) = (registers[a as usize], operand(&registers, b));
                    registers[to as usize] = match op {
                        GateOp::And => a & b,
                        GateOp::AndNot => !a & b,
                        GateOp::Or => a | b,
                        GateOp::OrNot => !a | b,
                        GateOp::Xor => a ^ b,
                        _ => panic!("{op:?} has other operands"),
                    };
                }
                VectorInstruction::Lut { table, to, a, b, c } => {
                    let overwritten = match isa.has_memory_operands() {
                        true => to == a,
                        false => [a, b].contains(&to) || c == VectorOperand::Reg(to),
                    };
                    assert!(overwritten || !isa.is_destructive(table), "{instruction:?}");
                    let (a, b) = (registers[a as usize], registers[b as usize]);
                    let c = operand(&registers, c);
                    let case = |bit: u32| (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | c >> bit & 1;
                    let bit = |bit: u32| u64::from(table >> case(bit) & 1) << bit;
                    registers[to as usize] = (0..64).map(bit).sum();
                }
                VectorInstruction::Flag { .. } => panic!("the graph has none"),
            }
        }
    }

    /// Returns the slots after the interpreter has run on them.
    fn interpreted(gates: &GateList, before: &[u64]) -> Vec<u64> {
        let tape = GateTape::new(gates);
        let mut frame = ChunkFrame::new(tape.vectors(), 4);
        for (slot, &value) in (0..).zip(before) {
            frame.vector_mut(slot).fill(value);
        }
        tape.run(&mut frame);
        (0..SLOTS).map(|slot| frame.vector(slot)[3]).collect()
    }

    /// Claim: cover, schedule and register allocation of every instruction set keep the functions of
    /// random graphs, with and without values that must be saved. So does the interpreter. Every
    /// allocated instruction can be encoded.
    #[test]
    fn every_instruction_set_computes_random_graphs() {
        let mut random = XorShift64(0x9E37_79B9_7F4A_7C15);
        for gates in (0..60).map(|i| 5 * i + i * i / 4) {
            let (graph, roots) = random_graph(&mut random, gates);
            let before: Vec<u64> = (0..SLOTS).map(|_| random.next()).collect();
            let mut after = before.clone();
            let values = values(&graph, &before);
            roots.iter().for_each(|&(lit, slot)| after[slot as usize] = value(&values, lit));
            for isa in ALL {
                let gates = cover(&graph, SLOTS, &roots, isa.gate_set());
                let mut frame = before.clone();
                let part = part(&gates, SLOTS, isa);
                perform(&part.instructions, &mut frame, isa);
                assert_eq!(frame[..SLOTS as usize], after, "{isa:?}");
                assert!(emit(&[part], isa).is_ok(), "{isa:?}");
                assert_eq!(interpreted(&gates, &before), after, "{isa:?}");
            }
        }
    }
}
