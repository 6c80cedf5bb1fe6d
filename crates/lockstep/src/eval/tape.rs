//! Steps of the evaluator from net to net, with fast paths for words of up to 64 bits.

use super::slots::Slots;
use super::wide::Wide;
use crate::netlist::{NetId, Netlist, Op};

/// Steps that settle the nets, one step per net in order.
#[derive(Debug)]
pub struct Tape {
    steps: Vec<Step>,
    /// Parts of [`Narrow::Concat`]: a limb and its shift to the left.
    parts: Vec<(u32, u32)>,
    /// Operations of [`Narrow::Wide`].
    wide: Vec<Wide>,
}

/// Operation of one net. Numbers are positions of limbs unless stated otherwise.
#[derive(Debug)]
struct Step {
    out: u32,
    /// Width in bits, not used in a wide step.
    width: u32,
    op: Narrow,
}

/// Operation whose operands and result have up to 64 bits.
#[derive(Debug)]
enum Narrow {
    Not(u32),
    And(u32, u32),
    Or(u32, u32),
    Xor(u32, u32),
    Add(u32, u32),
    Sub(u32, u32),
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
    /// First position in [`Tape::parts`], and the position after the last.
    Concat(u32, u32),
    BitAt(u32, u32),
    /// Value, index, bit.
    ReplaceBit(u32, u32, u32),
    /// Any other operation, by its position in [`Tape::wide`].
    Wide(u32),
}

impl Tape {
    pub fn new(netlist: &Netlist, slots: &Slots) -> Self {
        let mut tape = Tape {
            steps: vec![],
            parts: vec![],
            wide: vec![],
        };
        for (id, net) in netlist.iter() {
            if let Op::Input(_) | Op::Register(_) | Op::Memory(_) | Op::Const(_) = net.op {
                continue;
            }
            let operands = net.op.operands();
            let is_narrow = operands.iter().all(|&id| netlist.width(id) <= 64) && net.width <= 64;
            let op = match is_narrow {
                true => tape.narrow(netlist, slots, &net.op),
                false => {
                    tape.wide.push(Wide::new(netlist, id));
                    Narrow::Wide(tape.wide.len() as u32 - 1)
                }
            };
            tape.steps.push(Step {
                out: slots.range(id).start as u32,
                width: net.width,
                op,
            });
        }
        tape
    }

    fn narrow(&mut self, netlist: &Netlist, slots: &Slots, op: &Op) -> Narrow {
        let at = |id: &NetId| slots.range(*id).start as u32;
        match op {
            Op::Input(_) | Op::Register(_) | Op::Memory(_) | Op::Const(_) => {
                unreachable!("nothing to compute")
            }
            Op::Not(a) => Narrow::Not(at(a)),
            Op::And(a, b) => Narrow::And(at(a), at(b)),
            Op::Or(a, b) => Narrow::Or(at(a), at(b)),
            Op::Xor(a, b) => Narrow::Xor(at(a), at(b)),
            Op::Add(a, b) => Narrow::Add(at(a), at(b)),
            Op::Sub(a, b) => Narrow::Sub(at(a), at(b)),
            Op::Eq(a, b) => Narrow::Eq(at(a), at(b)),
            Op::Lt(a, b) => Narrow::Lt(at(a), at(b)),
            Op::All(a) => Narrow::All(at(a), netlist.width(*a)),
            Op::Any(a) => Narrow::Any(at(a)),
            Op::Parity(a) => Narrow::Parity(at(a)),
            Op::Mux {
                cond,
                then,
                otherwise,
            } => Narrow::Mux(at(cond), at(then), at(otherwise)),
            Op::Shl(a, b) => Narrow::Shl(at(a), at(b)),
            Op::Shr(a, b) => Narrow::Shr(at(a), at(b)),
            Op::Slice { value, offset } => Narrow::Slice(at(value), *offset),
            Op::Concat(parts) if parts.len() == 2 => {
                let (low, high) = (&parts[0], &parts[1]);
                Narrow::Pair(at(low), at(high), netlist.width(*low))
            }
            Op::Concat(parts) => {
                let (first, mut offset) = (self.parts.len() as u32, 0);
                for part in parts {
                    self.parts.push((at(part), offset));
                    offset += netlist.width(*part);
                }
                Narrow::Concat(first, self.parts.len() as u32)
            }
            Op::BitAt { value, index } => Narrow::BitAt(at(value), at(index)),
            Op::ReplaceBit { value, index, bit } => {
                Narrow::ReplaceBit(at(value), at(index), at(bit))
            }
        }
    }

    /// Computes all nets.
    pub fn run(&self, values: &mut [u64], slots: &Slots) {
        for step in &self.steps {
            let v = |at: u32| values[at as usize];
            let mask = u64::MAX >> (64 - step.width.min(64));
            let value = match step.op {
                Narrow::Not(a) => !v(a) & mask,
                Narrow::And(a, b) => v(a) & v(b),
                Narrow::Or(a, b) => v(a) | v(b),
                Narrow::Xor(a, b) => v(a) ^ v(b),
                Narrow::Add(a, b) => v(a).wrapping_add(v(b)) & mask,
                Narrow::Sub(a, b) => v(a).wrapping_sub(v(b)) & mask,
                Narrow::Eq(a, b) => (v(a) == v(b)).into(),
                Narrow::Lt(a, b) => (v(a) < v(b)).into(),
                Narrow::All(a, width) => (v(a).count_ones() == width).into(),
                Narrow::Any(a) => (v(a) != 0).into(),
                Narrow::Parity(a) => (v(a).count_ones() % 2).into(),
                Narrow::Mux(cond, then, otherwise) => {
                    // The code avoids a branch because a processor cannot predict data.
                    let chosen = v(cond).wrapping_neg();
                    v(then) & chosen | v(otherwise) & !chosen
                }
                Narrow::Shl(a, by) => shift(v(a), v(by), u64::checked_shl) & mask,
                Narrow::Shr(a, by) => shift(v(a), v(by), u64::checked_shr),
                Narrow::Slice(a, offset) => v(a) >> offset & mask,
                Narrow::Pair(low, high, offset) => v(low) | v(high) << offset,
                Narrow::Concat(first, end) => self.parts[first as usize..end as usize]
                    .iter()
                    .fold(0, |word, &(part, offset)| word | v(part) << offset),
                Narrow::BitAt(a, index) => v(a) >> v(index) & 1,
                Narrow::ReplaceBit(a, index, bit) => v(a) & !(1 << v(index)) | v(bit) << v(index),
                Narrow::Wide(index) => {
                    self.wide[index as usize].run(values, slots);
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
