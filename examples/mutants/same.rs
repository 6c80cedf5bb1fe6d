//! Comparison of two circuits, gate by gate, after constant folding.
//!
//! Circuits that compare as equal are equal for every input and state. The comparison may miss that
//! two circuits are equal.

use lockstep::design::Design;
use lockstep::netlist::{flatten, NetId, Netlist, Op};
use num_bigint::BigUint;
use std::collections::HashMap;

/// Returns true if two designs with the same ports and cells are equal. Their differences are then
/// overwritten, unused, or without effect.
pub fn same_netlist(one: &Design, other: &Design) -> bool {
    let (Ok(one), Ok(other)) = (flatten(one), flatten(other)) else {
        return false;
    };
    let mut gates = Gates::default();
    gates.of(&one) == gates.of(&other)
}

/// Function of a netlist, in gates.
#[derive(PartialEq)]
struct Circuit {
    /// Output ports with their gates.
    outputs: Vec<(String, NetId)>,
    /// Registers: name, next value, initial value.
    registers: Vec<(String, NetId, BigUint)>,
    /// Memories: name, inputs, initial words.
    memories: Vec<(String, Vec<NetId>, Vec<BigUint>)>,
}

/// Gates of netlists, with equal gates stored once.
#[derive(Default)]
struct Gates {
    /// Operation and width of each gate.
    gates: Vec<(Op, u32)>,
    numbers: HashMap<(Op, u32), NetId>,
}

fn ones(width: u32) -> BigUint {
    (BigUint::from(1u32) << width) - 1u32
}

impl Gates {
    fn of(&mut self, list: &Netlist) -> Circuit {
        let mut gates: Vec<NetId> = vec![];
        for (_, net) in list.iter() {
            let op = net.op.clone().map(|id| gates[id.index()]);
            gates.push(self.gate(op, net.width));
        }
        let gate = |id: NetId| gates[id.index()];
        let outputs = list.outputs.iter();
        let registers = list.registers.iter();
        let memories = list.memories.iter();
        Circuit {
            outputs: outputs.map(|o| (o.path.clone(), gate(o.net))).collect(),
            registers: registers
                .map(|r| (r.name.clone(), gate(r.d), r.init.clone()))
                .collect(),
            memories: memories
                .map(|m| {
                    let write = m.write.iter();
                    let write = write.flat_map(|w| [w.address, w.data, w.enable]);
                    let inputs = [m.read_address].into_iter().chain(write).map(gate);
                    (m.name.clone(), inputs.collect(), m.init.clone())
                })
                .collect(),
        }
    }

    fn add(&mut self, op: Op, width: u32) -> NetId {
        let next = NetId(self.gates.len() as u32);
        let id = *self.numbers.entry((op.clone(), width)).or_insert(next);
        if id == next {
            self.gates.push((op, width));
        }
        id
    }

    fn constant(&mut self, value: BigUint, width: u32) -> NetId {
        self.add(Op::Const(value), width)
    }

    fn width(&self, id: NetId) -> u32 {
        self.gates[id.index()].1
    }

    fn value(&self, id: NetId) -> Option<&BigUint> {
        match &self.gates[id.index()].0 {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    fn is_zero(&self, id: NetId) -> bool {
        self.value(id) == Some(&BigUint::ZERO)
    }

    fn is_ones(&self, id: NetId) -> bool {
        self.value(id) == Some(&ones(self.width(id)))
    }

    fn inverse(&mut self, id: NetId) -> NetId {
        self.gate(Op::Not(id), self.width(id))
    }

    /// Returns whether each is the inverse of the other.
    fn are_inverse(&self, a: NetId, b: NetId) -> bool {
        let of = |id: NetId| &self.gates[id.index()].0;
        *of(a) == Op::Not(b) || *of(b) == Op::Not(a)
    }

    /// Returns the gate for an operation on gates, in its simplest known form.
    fn gate(&mut self, op: Op, width: u32) -> NetId {
        if let Some(value) = self.folded(&op, width) {
            return self.constant(value, width);
        }
        match op {
            Op::Not(a) => match self.gates[a.index()].0 {
                Op::Not(inner) => inner,
                _ => self.add(op, width),
            },
            Op::And(a, b) => match () {
                () if self.is_zero(a) || self.is_ones(b) || a == b => a,
                () if self.is_zero(b) || self.is_ones(a) => b,
                () if self.are_inverse(a, b) => self.constant(BigUint::ZERO, width),
                () => self.add(Op::And(a.min(b), a.max(b)), width),
            },
            Op::Or(a, b) => match () {
                () if self.is_zero(b) || self.is_ones(a) || a == b => a,
                () if self.is_zero(a) || self.is_ones(b) => b,
                () if self.are_inverse(a, b) => self.constant(ones(width), width),
                () => self.add(Op::Or(a.min(b), a.max(b)), width),
            },
            Op::Xor(a, b) => match () {
                () if self.is_zero(b) => a,
                () if self.is_zero(a) => b,
                () if self.is_ones(b) => self.inverse(a),
                () if self.is_ones(a) => self.inverse(b),
                () if a == b => self.constant(BigUint::ZERO, width),
                () => self.add(Op::Xor(a.min(b), a.max(b)), width),
            },
            Op::Add(a, b) if self.is_zero(b) => a,
            Op::Add(a, b) if self.is_zero(a) => b,
            Op::Add(a, b) => self.add(Op::Add(a.min(b), a.max(b)), width),
            Op::Sub(a, b) | Op::Shl(a, b) | Op::Shr(a, b) if self.is_zero(b) => a,
            Op::Eq(a, b) if a == b => self.constant(1u32.into(), 1),
            Op::Eq(a, b) => self.add(Op::Eq(a.min(b), a.max(b)), width),
            Op::Lt(a, b) if a == b || self.is_zero(b) => self.constant(BigUint::ZERO, 1),
            Op::All(a) | Op::Any(a) | Op::Parity(a) if self.width(a) == 1 => a,
            Op::Mux {
                cond,
                then,
                otherwise,
            } => self.choice(cond, then, otherwise, width),
            Op::Slice { value, offset } => self.slice(value, offset, width),
            op => self.add(op, width),
        }
    }

    fn choice(&mut self, cond: NetId, then: NetId, otherwise: NetId, width: u32) -> NetId {
        if then == otherwise || self.is_ones(cond) {
            return then;
        }
        if self.is_zero(cond) {
            return otherwise;
        }
        if let Op::Not(inner) = self.gates[cond.index()].0 {
            return self.choice(inner, otherwise, then, width);
        }
        if width == 1 {
            if self.is_ones(then) {
                return self.gate(Op::Or(cond, otherwise), 1);
            }
            if self.is_zero(otherwise) {
                return self.gate(Op::And(cond, then), 1);
            }
            let not = self.inverse(cond);
            if self.is_zero(then) {
                return self.gate(Op::And(not, otherwise), 1);
            }
            if self.is_ones(otherwise) {
                return self.gate(Op::Or(not, then), 1);
            }
        }
        let op = Op::Mux {
            cond,
            then,
            otherwise,
        };
        self.add(op, width)
    }

    fn slice(&mut self, value: NetId, offset: u32, width: u32) -> NetId {
        if offset == 0 && width == self.width(value) {
            return value;
        }
        match self.gates[value.index()].0.clone() {
            Op::Slice {
                value: of,
                offset: from,
            } => self.slice(of, from + offset, width),
            Op::Concat(parts) => {
                let mut at = 0;
                for part in parts {
                    let end = at + self.width(part);
                    if at <= offset && offset + width <= end {
                        return self.slice(part, offset - at, width);
                    }
                    at = end;
                }
                self.add(Op::Slice { value, offset }, width)
            }
            Op::Const(of) => self.constant((of >> offset) & ones(width), width),
            _ => self.add(Op::Slice { value, offset }, width),
        }
    }

    /// Returns the value if all operands are constant.
    fn folded(&self, op: &Op, width: u32) -> Option<BigUint> {
        let bit = |is: bool| BigUint::from(u32::from(is));
        let value = |id: &NetId| self.value(*id);
        Some(match op {
            Op::Not(a) => ones(width) ^ value(a)?,
            Op::And(a, b) => value(a)? & value(b)?,
            Op::Or(a, b) => value(a)? | value(b)?,
            Op::Xor(a, b) => value(a)? ^ value(b)?,
            Op::Add(a, b) => (value(a)? + value(b)?) & ones(width),
            Op::Sub(a, b) => (value(a)? + ones(width) + 1u32 - value(b)?) & ones(width),
            Op::Eq(a, b) => bit(value(a)? == value(b)?),
            Op::Lt(a, b) => bit(value(a)? < value(b)?),
            Op::All(a) => bit(*value(a)? == ones(self.width(*a))),
            Op::Any(a) => bit(*value(a)? != BigUint::ZERO),
            Op::Parity(a) => bit(value(a)?.count_ones() % 2 == 1),
            Op::Concat(parts) => {
                let (mut word, mut at) = (BigUint::ZERO, 0);
                for part in parts {
                    word |= value(part)? << at;
                    at += self.width(*part);
                }
                word
            }
            _ => return None,
        })
    }
}
