//! Interpreter of gates, for processors and systems without machine code.
//!
//! A step computes any function of three operands for all lanes of a chunk. A mispredicted jump
//! takes longer than the work of a step. The interpreter therefore jumps once for a run of steps
//! that compute the same function, and the order of the steps makes these runs long. Operands in
//! another order count as the same function.

use super::frame::ChunkFrame;
use super::gates::{permuted, GateList, GateOp, ORDERS, VARIABLES};

/// Steps on vectors of a frame. Vectors from the number of slots up are scratch. Their contents are
/// undefined after a run.
#[derive(Debug)]
pub struct GateTape {
    steps: Vec<TapeStep>,
    /// Table and end of each run of steps.
    runs: Vec<(u8, usize)>,
    /// Number of vectors: slots and scratch.
    vectors: usize,
}

/// Vectors of the result and of the operands.
#[derive(Clone, Copy, Debug)]
struct TapeStep {
    out: u32,
    args: [u32; 3],
}

impl GateTape {
    /// Orders the instructions and assigns vectors to their results.
    pub fn new(gates: &GateList) -> Self {
        let mut order = TapeOrder::new(gates);
        while let Some(gate) = order.next() {
            order.compute(gate);
        }
        order.store_the_rest();
        order.tape
    }

    /// Returns the number of vectors: slots and scratch.
    pub fn vectors(&self) -> usize {
        self.vectors
    }

    /// Returns the number of steps and the number of runs.
    pub fn counts(&self) -> (usize, usize) {
        (self.steps.len(), self.runs.len())
    }

    /// Runs on a frame with at least [`vectors`](Self::vectors) vectors.
    pub fn run(&self, frame: &mut ChunkFrame) {
        match frame.width() {
            4 => self.run_vectors(frame.words_mut().as_chunks_mut::<4>().0),
            8 => self.run_vectors(frame.words_mut().as_chunks_mut::<8>().0),
            width => unreachable!("no chunk has vectors of {width} words"),
        }
    }

    fn run_vectors<const W: usize>(&self, frame: &mut [[u64; W]]) {
        let mut start = 0;
        for &(table, end) in &self.runs {
            let steps = &self.steps[start..end];
            start = end;
            run_steps(table, frame, steps);
        }
    }

    fn push(&mut self, table: u8, out: u32, args: [u32; 3]) {
        self.steps.push(TapeStep { out, args });
        let end = self.steps.len();
        match self.runs.last_mut() {
            Some(last) if last.0 == table => last.1 = end,
            _ => self.runs.push((table, end)),
        }
    }
}

/// Returns the table and the operands of an instruction, with the operands in an order that gives
/// the smallest table.
fn normalised(op: GateOp, args: &[u32]) -> (u8, [u32; 3]) {
    let mut padded = [args.first().copied().unwrap_or(0); 3];
    padded[..args.len()].copy_from_slice(args);
    let table = op.table(VARIABLES);
    let orders = ORDERS.into_iter().map(|order| {
        let place = |variable: u32| order[variable as usize];
        let mut args = [0; 3];
        for (variable, &arg) in padded.iter().enumerate() {
            args[order[variable]] = arg;
        }
        (permuted(table, &[0, 1, 2], place), args)
    });
    orders.min_by_key(|order| order.0).expect("six orders")
}

/// Instructions under translation.
struct TapeOrder<'a> {
    gates: &'a GateList,
    /// By instruction: table and operands.
    normal: Vec<(u8, [u32; 3])>,
    users: Vec<Vec<usize>>,
    /// By instruction: operands that are not computed yet.
    missing: Vec<usize>,
    /// By table: instructions whose operands are computed.
    ready: Vec<Vec<usize>>,
    /// By value: instructions and stores that have not used it yet.
    uses: Vec<usize>,
    /// By instruction: slots that receive its result.
    slots: Vec<Vec<u32>>,
    /// By value: the vector that holds it.
    place: Vec<u32>,
    free: Vec<u32>,
    /// Stores that must wait for readers of the slot.
    late: Vec<(u32, u32)>,
    tape: GateTape,
}

impl<'a> TapeOrder<'a> {
    fn new(gates: &'a GateList) -> Self {
        let values = gates.slots as usize + gates.gates.len();
        let mut order = TapeOrder {
            gates,
            normal: vec![],
            users: gates.users(),
            missing: (0..gates.gates.len()).map(|gate| gates.before(gate).count()).collect(),
            ready: vec![vec![]; 256],
            uses: vec![0; values],
            slots: vec![vec![]; gates.gates.len()],
            place: (0..values as u32).collect(),
            free: vec![],
            late: vec![],
            tape: GateTape { steps: vec![], runs: vec![], vectors: gates.slots as usize },
        };
        for gate in &gates.gates {
            order.normal.push(normalised(gate.op, gate.args()));
            gate.operands().for_each(|arg| order.uses[arg as usize] += 1);
        }
        for &(value, slot) in &gates.roots {
            order.uses[value as usize] += 1;
            order.slots[gates.gate_of(value).expect("a root is a result")].push(slot);
        }
        // The first instructions come first.
        for gate in (0..gates.gates.len()).rev().filter(|gate| order.missing[*gate] == 0) {
            order.ready[usize::from(order.normal[gate].0)].push(gate);
        }
        order
    }

    /// Returns the next instruction: one with the function of the previous one if possible.
    fn next(&mut self) -> Option<usize> {
        let last = self.tape.runs.last();
        let next = last.and_then(|last| self.ready[usize::from(last.0)].pop());
        next.or_else(|| self.ready.iter_mut().max_by_key(|ready| ready.len())?.pop())
    }

    fn compute(&mut self, gate: usize) {
        let (table, args) = self.normal[gate];
        let places = args.map(|arg| self.place[arg as usize]);
        for operand in self.gates.gates[gate].operands() {
            self.used(operand);
        }
        // The result goes to a slot directly if nothing reads the old value any more.
        let mut slots = std::mem::take(&mut self.slots[gate]);
        let direct = slots.iter().position(|slot| self.uses[*slot as usize] == 0);
        let value = self.gates.slots + gate as u32;
        let out = match direct {
            Some(direct) => slots.swap_remove(direct),
            None => self.free.pop().unwrap_or_else(|| {
                self.tape.vectors += 1;
                self.tape.vectors as u32 - 1
            }),
        };
        self.place[value as usize] = out;
        self.tape.push(table, out, places);
        if direct.is_some() {
            self.used(value);
        }
        self.late.extend(slots.into_iter().map(|slot| (value, slot)));
        for i in 0..self.users[gate].len() {
            let user = self.users[gate][i];
            self.missing[user] -= 1;
            if self.missing[user] == 0 {
                self.ready[usize::from(self.normal[user].0)].push(user);
            }
        }
    }

    /// Records a use of a value. After the last use its scratch vector is free.
    fn used(&mut self, value: u32) {
        self.uses[value as usize] -= 1;
        let place = self.place[value as usize];
        if self.uses[value as usize] == 0 && place >= self.gates.slots {
            self.free.push(place);
        }
    }

    /// Copies results that could not be stored before.
    fn store_the_rest(&mut self) {
        let (table, _) = normalised(GateOp::Copy, &[0]);
        for (value, slot) in std::mem::take(&mut self.late) {
            self.tape.push(table, slot, [self.place[value as usize]; 3]);
        }
    }
}

/// Performs steps that compute the same function.
fn run_steps<const W: usize>(table: u8, frame: &mut [[u64; W]], steps: &[TapeStep]) {
    macro_rules! tables {
        ($($table:literal)*) => {
            match table {
                $($table => steps_of::<$table, W>(frame, steps),)*
                _ => unreachable!("`normalised` returns no other table"),
            }
        };
    }
    // The smallest table of each function that differs in more than the order of its operands.
    tables!(0x00 0x01 0x02 0x03 0x06 0x07 0x08 0x09 0x0A 0x0B 0x0E 0x0F 0x16 0x17 0x18 0x19 0x1A 0x1B 0x1E 0x1F 0x28 0x29 0x2A 0x2B 0x2C 0x2D 0x2E 0x2F 0x3C 0x3D 0x3E 0x3F 0x68 0x69 0x6A 0x6B 0x6E 0x6F 0x7E 0x7F 0x80 0x81 0x82 0x83 0x86 0x87 0x88 0x89 0x8A 0x8B 0x8E 0x8F 0x96 0x97 0x98 0x99 0x9A 0x9B 0x9E 0x9F 0xA8 0xA9 0xAA 0xAB 0xAC 0xAD 0xAE 0xAF 0xBC 0xBD 0xBE 0xBF 0xE8 0xE9 0xEA 0xEB 0xEE 0xEF 0xFE 0xFF)
}

#[inline(never)]
fn steps_of<const TABLE: u8, const W: usize>(frame: &mut [[u64; W]], steps: &[TapeStep]) {
    for step in steps {
        let [a, b, c] = step.args.map(|arg| frame[arg as usize]);
        frame[step.out as usize] = std::array::from_fn(|i| lut::<TABLE>(a[i], b[i], c[i]));
    }
}

/// Returns the function of each bit. The compiler simplifies it for each table.
#[inline(always)]
fn lut<const TABLE: u8>(a: u64, b: u64, c: u64) -> u64 {
    let of_c = |case: u8| match TABLE >> (2 * case) & 3 {
        0 => 0,
        1 => !c,
        2 => c,
        _ => u64::MAX,
    };
    let of_b = |case: u8| {
        let (low, high) = (of_c(2 * case), of_c(2 * case + 1));
        low ^ (b & (low ^ high))
    };
    let (low, high) = (of_b(0), of_b(1));
    low ^ (a & (low ^ high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Claim: the interpreter computes every function of three operands.
    #[test]
    fn every_table() {
        let values = [0xF0F0_1234_5678_9ABC, 0xCCCC_8765_4321_0FED, 0xAAAA_0F1E_2D3C_4B5A];
        for table in 0..=u8::MAX {
            let mut gates = GateList::new(4);
            let result = gates.push(GateOp::Lut(table), [0, 1, 2]);
            gates.store(result, 3);
            let mut frame = ChunkFrame::new(4, 4);
            for (slot, value) in (0..).zip(values) {
                frame.vector_mut(slot).fill(value);
            }
            GateTape::new(&gates).run(&mut frame);
            let [a, b, c] = values;
            let case = |bit: u64| (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | c >> bit & 1;
            let expected: u64 = (0..64).map(|bit| u64::from(table >> case(bit) & 1) << bit).sum();
            assert_eq!(frame.vector(3), [expected; 4], "{table:#04x}");
        }
    }

    /// Claim: exchanged slots and results that wait for readers of a slot keep their values.
    #[test]
    fn slots_are_stored_after_their_last_use() {
        let mut gates = GateList::new(3);
        let first = gates.push(GateOp::Xor, [1, 2, 0]);
        let second = gates.push(GateOp::And, [0, 2, 0]);
        let third = gates.push(GateOp::Or, [0, 1, 0]);
        gates.store(first, 0);
        gates.store(second, 1);
        gates.store(third, 2);
        let mut frame = ChunkFrame::new(8, 4);
        let [a, b, c] = [0b1100, 0b1010, 0b0110];
        for (slot, value) in (0..).zip([a, b, c]) {
            frame.vector_mut(slot).fill(value);
        }
        let tape = GateTape::new(&gates);
        assert!(tape.vectors() <= frame.vectors());
        tape.run(&mut frame);
        let found = [0, 1, 2].map(|slot| frame.vector(slot)[0]);
        assert_eq!(found, [b ^ c, a & c, a | b]);
    }
}
