//! Steps of the evaluator from net to net, with fast paths for words of up to 64 bits.

use super::{limbs, EvalMemory, LimbPositions};
use crate::netlist::{Net, NetId, NetOp, Netlist};

/// Steps that settle the nets, one step per net in order.
#[derive(Debug)]
pub struct EvalTape {
    steps: Vec<EvalStep>,
    /// Parts of [`NarrowOp::Concat`]: a limb and its shift to the left.
    parts: Vec<(u32, u32)>,
    /// Operations of [`NarrowOp::Wide`].
    wide: Vec<WideOp>,
}

/// Operation of one net. Numbers are positions of limbs unless stated otherwise.
#[derive(Debug)]
struct EvalStep {
    out: u32,
    /// Width in bits, not used in a wide step.
    width: u32,
    op: NarrowOp,
}

/// Operation whose operands and result have up to 64 bits.
#[derive(Debug)]
enum NarrowOp {
    Not(u32),
    And(u32, u32),
    Or(u32, u32),
    Xor(u32, u32),
    Add(u32, u32),
    Sub(u32, u32),
    Mul(u32, u32),
    Eq(u32, u32),
    Lt(u32, u32),
    /// Operand and its width.
    All(u32, u32),
    Any(u32),
    Parity(u32),
    /// Condition, then, otherwise.
    Mux(u32, u32, u32),
    Shl(u32, u32),
    Shr(u32, u32),
    /// Operand and offset in bits.
    Slice(u32, u32),
    /// Low part, high part and the width of the low part.
    Pair(u32, u32, u32),
    /// First position in [`EvalTape::parts`], and the position after the last.
    Concat(u32, u32),
    BitAt(u32, u32),
    /// Memory and address.
    MemoryAt(u32, u32),
    /// Value, index, bit.
    ReplaceBit(u32, u32, u32),
    /// Any other operation, by its position in [`EvalTape::wide`].
    Wide(u32),
}

impl EvalTape {
    pub fn new(netlist: &Netlist, slots: &LimbPositions) -> Self {
        let mut tape = EvalTape { steps: vec![], parts: vec![], wide: vec![] };
        for (id, net) in netlist.iter() {
            if let NetOp::Input(_) | NetOp::Register(_) | NetOp::Memory(_) | NetOp::Const(_) =
                net.op
            {
                continue;
            }
            let operands = net.op.operands();
            let is_narrow = operands.iter().all(|&id| netlist.width(id) <= 64) && net.width <= 64;
            let op = match is_narrow {
                true => tape.narrow(netlist, slots, &net.op),
                false => {
                    tape.wide.push(WideOp::new(netlist, id));
                    NarrowOp::Wide(tape.wide.len() as u32 - 1)
                }
            };
            tape.steps.push(EvalStep { out: slots.range(id).start as u32, width: net.width, op });
        }
        tape
    }

    fn narrow(&mut self, netlist: &Netlist, slots: &LimbPositions, op: &NetOp) -> NarrowOp {
        let at = |id: &NetId| slots.range(*id).start as u32;
        match op {
            NetOp::Input(_) | NetOp::Register(_) | NetOp::Memory(_) | NetOp::Const(_) => {
                unreachable!("nothing to compute")
            }
            NetOp::MemoryAt { memory, address } => NarrowOp::MemoryAt(*memory, at(address)),
            NetOp::Not(a) => NarrowOp::Not(at(a)),
            NetOp::And(a, b) => NarrowOp::And(at(a), at(b)),
            NetOp::Or(a, b) => NarrowOp::Or(at(a), at(b)),
            NetOp::Xor(a, b) => NarrowOp::Xor(at(a), at(b)),
            NetOp::Add(a, b) => NarrowOp::Add(at(a), at(b)),
            NetOp::Sub(a, b) => NarrowOp::Sub(at(a), at(b)),
            NetOp::Mul(a, b) => NarrowOp::Mul(at(a), at(b)),
            NetOp::Eq(a, b) => NarrowOp::Eq(at(a), at(b)),
            NetOp::Lt(a, b) => NarrowOp::Lt(at(a), at(b)),
            NetOp::All(a) => NarrowOp::All(at(a), netlist.width(*a)),
            NetOp::Any(a) => NarrowOp::Any(at(a)),
            NetOp::Parity(a) => NarrowOp::Parity(at(a)),
            NetOp::Mux { cond, then, otherwise } => {
                NarrowOp::Mux(at(cond), at(then), at(otherwise))
            }
            NetOp::Shl(a, b) => NarrowOp::Shl(at(a), at(b)),
            NetOp::Shr(a, b) => NarrowOp::Shr(at(a), at(b)),
            NetOp::Slice { value, offset } => NarrowOp::Slice(at(value), *offset),
            NetOp::Concat(parts) if parts.len() == 2 => {
                let (low, high) = (&parts[0], &parts[1]);
                NarrowOp::Pair(at(low), at(high), netlist.width(*low))
            }
            NetOp::Concat(parts) => {
                let (first, mut offset) = (self.parts.len() as u32, 0);
                for part in parts {
                    self.parts.push((at(part), offset));
                    offset += netlist.width(*part);
                }
                NarrowOp::Concat(first, self.parts.len() as u32)
            }
            NetOp::BitAt { value, index } => NarrowOp::BitAt(at(value), at(index)),
            NetOp::ReplaceBit { value, index, bit } => {
                NarrowOp::ReplaceBit(at(value), at(index), at(bit))
            }
        }
    }

    /// Computes all nets.
    pub fn run(&self, values: &mut [u64], slots: &LimbPositions, memories: &[EvalMemory]) {
        for step in &self.steps {
            let v = |at: u32| values[at as usize];
            let mask = u64::MAX >> (64 - step.width.min(64));
            let value = match step.op {
                NarrowOp::Not(a) => !v(a) & mask,
                NarrowOp::And(a, b) => v(a) & v(b),
                NarrowOp::Or(a, b) => v(a) | v(b),
                NarrowOp::Xor(a, b) => v(a) ^ v(b),
                NarrowOp::Add(a, b) => v(a).wrapping_add(v(b)) & mask,
                NarrowOp::Sub(a, b) => v(a).wrapping_sub(v(b)) & mask,
                NarrowOp::Mul(a, b) => v(a).wrapping_mul(v(b)) & mask,
                NarrowOp::Eq(a, b) => (v(a) == v(b)).into(),
                NarrowOp::Lt(a, b) => (v(a) < v(b)).into(),
                NarrowOp::All(a, width) => (v(a).count_ones() == width).into(),
                NarrowOp::Any(a) => (v(a) != 0).into(),
                NarrowOp::Parity(a) => (v(a).count_ones() % 2).into(),
                NarrowOp::Mux(cond, then, otherwise) => {
                    // The code avoids a branch because a processor cannot predict data.
                    let chosen = v(cond).wrapping_neg();
                    v(then) & chosen | v(otherwise) & !chosen
                }
                NarrowOp::Shl(a, by) => shift(v(a), v(by), u64::checked_shl) & mask,
                NarrowOp::Shr(a, by) => shift(v(a), v(by), u64::checked_shr),
                NarrowOp::Slice(a, offset) => v(a) >> offset & mask,
                NarrowOp::Pair(low, high, offset) => v(low) | v(high) << offset,
                NarrowOp::Concat(first, end) => self.parts[first as usize..end as usize]
                    .iter()
                    .fold(0, |word, &(part, offset)| word | v(part) << offset),
                NarrowOp::MemoryAt(memory, address) => {
                    memories[memory as usize].word(v(address) as usize)[0]
                }
                NarrowOp::BitAt(a, index) => v(a) >> v(index) & 1,
                NarrowOp::ReplaceBit(a, index, bit) => v(a) & !(1 << v(index)) | v(bit) << v(index),
                NarrowOp::Wide(index) => {
                    self.wide[index as usize].run(values, slots, memories);
                    continue;
                }
            };
            values[step.out as usize] = value;
        }
    }
}

/// Shifts a word. The result is zero if all bits are shifted out.
fn shift(a: u64, by: u64, op: impl Fn(u64, u32) -> Option<u64>) -> u64 {
    u32::try_from(by).ok().and_then(|by| op(a, by)).unwrap_or(0)
}

/// Operation of one net with operands or a result of more than 64 bits.
#[derive(Debug)]
pub struct WideOp {
    net: NetId,
    op: NetOp,
    width: u32,
    operand_widths: Vec<u32>,
}

impl WideOp {
    pub fn new(netlist: &Netlist, net: NetId) -> Self {
        let Net { op, width } = netlist.net(net).clone();
        let operands = op.operands().into_iter();
        WideOp { operand_widths: operands.map(|id| netlist.width(id)).collect(), net, op, width }
    }

    /// Computes the net.
    pub fn run(&self, values: &mut [u64], slots: &LimbPositions, memories: &[EvalMemory]) {
        let out = slots.range(self.net);
        let (before, rest) = values.split_at_mut(out.start);
        let (out, width) = (&mut rest[..out.len()], self.width);
        let v = |id: &NetId| &before[slots.range(*id)];
        match &self.op {
            NetOp::Input(_) | NetOp::Register(_) | NetOp::Memory(_) | NetOp::Const(_) => {
                unreachable!("nothing to compute")
            }
            NetOp::MemoryAt { memory, address } => {
                let address = limbs::amount(v(address)) as usize;
                out.copy_from_slice(memories[*memory as usize].word(address));
            }
            NetOp::Not(a) => limbs::not(out, v(a), width),
            NetOp::And(a, b) => limbs::bitwise(out, v(a), v(b), |a, b| a & b),
            NetOp::Or(a, b) => limbs::bitwise(out, v(a), v(b), |a, b| a | b),
            NetOp::Xor(a, b) => limbs::bitwise(out, v(a), v(b), |a, b| a ^ b),
            NetOp::Add(a, b) => limbs::add(out, v(a), v(b), width),
            NetOp::Sub(a, b) => limbs::sub(out, v(a), v(b), width),
            NetOp::Mul(a, b) => limbs::mul(out, v(a), v(b), width),
            NetOp::Eq(a, b) => out[0] = (v(a) == v(b)).into(),
            NetOp::Lt(a, b) => out[0] = limbs::less(v(a), v(b)).into(),
            NetOp::All(a) => out[0] = limbs::all(v(a), self.operand_widths[0]).into(),
            NetOp::Any(a) => out[0] = limbs::any(v(a)).into(),
            NetOp::Parity(a) => out[0] = limbs::parity(v(a)).into(),
            NetOp::Mux { cond, then, otherwise } => match v(cond)[0] {
                0 => out.copy_from_slice(v(otherwise)),
                _ => out.copy_from_slice(v(then)),
            },
            NetOp::Shl(a, by) => limbs::shl(out, v(a), limbs::amount(v(by)), width),
            NetOp::Shr(a, by) => limbs::shr(out, v(a), limbs::amount(v(by)), width),
            NetOp::Slice { value, offset } => limbs::shr(out, v(value), (*offset).into(), width),
            NetOp::Concat(parts) => {
                out.fill(0);
                let mut offset = 0;
                for (part, width) in parts.iter().zip(&self.operand_widths) {
                    limbs::insert(out, v(part), offset);
                    offset += width;
                }
            }
            NetOp::BitAt { value, index } => {
                out[0] = limbs::bit(v(value), limbs::amount(v(index))).into()
            }
            NetOp::ReplaceBit { value, index, bit } => {
                limbs::replace_bit(out, v(value), limbs::amount(v(index)), v(bit)[0] == 1)
            }
        }
    }
}
