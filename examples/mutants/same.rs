//! Comparison of two circuits, gate by gate, after constant folding.
//!
//! Circuits that compare as equal are equal for every input and state. The comparison may miss that
//! two circuits are equal.

use lockstep::design::Design;
use lockstep::netlist::{flatten, NetId, NetOp, Netlist};
use num_bigint::BigUint;
use std::collections::HashMap;

/// Returns true if two designs with the same ports and cells are equal. Their differences are then
/// overwritten, unused, or without effect.
pub fn same_netlist(one: &Design, other: &Design) -> bool {
    let (Ok(one), Ok(other)) = (flatten(one), flatten(other)) else {
        return false;
    };
    let mut gates = GateTable::default();
    gates.circuit_of(&one) == gates.circuit_of(&other)
}

/// Function of a netlist, in gates.
#[derive(PartialEq)]
struct GateCircuit {
    /// Output ports with their gates.
    outputs: Vec<(String, NetId)>,
    /// Registers: name, next value, initial value.
    registers: Vec<(String, NetId, BigUint)>,
    /// Memories: name, inputs, initial words.
    memories: Vec<(String, Vec<NetId>, Vec<BigUint>)>,
}

/// Gates of netlists, with equal gates stored once.
#[derive(Default)]
struct GateTable {
    /// Operation and width of each gate.
    gates: Vec<(NetOp, u32)>,
    numbers: HashMap<(NetOp, u32), NetId>,
}

fn ones(width: u32) -> BigUint {
    (BigUint::from(1u32) << width) - 1u32
}

impl GateTable {
    fn circuit_of(&mut self, list: &Netlist) -> GateCircuit {
        let mut gates: Vec<NetId> = vec![];
        for (_, net) in list.iter() {
            let op = net.op.clone().map(|id| gates[id.index()]);
            gates.push(self.gate(op, net.width));
        }
        let gate = |id: NetId| gates[id.index()];
        let outputs = list.outputs.iter();
        let registers = list.registers.iter();
        let memories = list.memories.iter();
        GateCircuit {
            outputs: outputs.map(|o| (o.path.clone(), gate(o.net))).collect(),
            registers: registers.map(|r| (r.name.clone(), gate(r.d), r.init.clone())).collect(),
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

    fn add(&mut self, op: NetOp, width: u32) -> NetId {
        let next = NetId(self.gates.len() as u32);
        let id = *self.numbers.entry((op.clone(), width)).or_insert(next);
        if id == next {
            self.gates.push((op, width));
        }
        id
    }

    fn constant(&mut self, value: BigUint, width: u32) -> NetId {
        self.add(NetOp::Const(value), width)
    }

    fn width(&self, id: NetId) -> u32 {
        self.gates[id.index()].1
    }

    fn value(&self, id: NetId) -> Option<&BigUint> {
        match &self.gates[id.index()].0 {
            NetOp::Const(value) => Some(value),
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
        self.gate(NetOp::Not(id), self.width(id))
    }

    /// Returns whether each is the inverse of the other.
    fn are_inverse(&self, a: NetId, b: NetId) -> bool {
        let of = |id: NetId| &self.gates[id.index()].0;
        *of(a) == NetOp::Not(b) || *of(b) == NetOp::Not(a)
    }

    /// Returns the gate for an operation on gates, in its simplest known form.
    fn gate(&mut self, op: NetOp, width: u32) -> NetId {
        if let Some(value) = self.folded(&op, width) {
            return self.constant(value, width);
        }
        match op {
            NetOp::Not(a) => match self.gates[a.index()].0 {
                NetOp::Not(inner) => inner,
                _ => self.add(op, width),
            },
            NetOp::And(a, b) => match () {
                () if self.is_zero(a) || self.is_ones(b) || a == b => a,
                () if self.is_zero(b) || self.is_ones(a) => b,
                () if self.are_inverse(a, b) => self.constant(BigUint::ZERO, width),
                () => self.add(NetOp::And(a.min(b), a.max(b)), width),
            },
            NetOp::Or(a, b) => match () {
                () if self.is_zero(b) || self.is_ones(a) || a == b => a,
                () if self.is_zero(a) || self.is_ones(b) => b,
                () if self.are_inverse(a, b) => self.constant(ones(width), width),
                () => self.add(NetOp::Or(a.min(b), a.max(b)), width),
            },
            NetOp::Xor(a, b) => match () {
                () if self.is_zero(b) => a,
                () if self.is_zero(a) => b,
                () if self.is_ones(b) => self.inverse(a),
                () if self.is_ones(a) => self.inverse(b),
                () if a == b => self.constant(BigUint::ZERO, width),
                () => self.add(NetOp::Xor(a.min(b), a.max(b)), width),
            },
            NetOp::Add(a, b) if self.is_zero(b) => a,
            NetOp::Add(a, b) if self.is_zero(a) => b,
            NetOp::Add(a, b) => self.add(NetOp::Add(a.min(b), a.max(b)), width),
            NetOp::Sub(a, b) | NetOp::Shl(a, b) | NetOp::Shr(a, b) if self.is_zero(b) => a,
            NetOp::Eq(a, b) if a == b => self.constant(1u32.into(), 1),
            NetOp::Eq(a, b) => self.add(NetOp::Eq(a.min(b), a.max(b)), width),
            NetOp::Lt(a, b) if a == b || self.is_zero(b) => self.constant(BigUint::ZERO, 1),
            NetOp::All(a) | NetOp::Any(a) | NetOp::Parity(a) if self.width(a) == 1 => a,
            NetOp::Mux { cond, then, otherwise } => self.mux(cond, then, otherwise, width),
            NetOp::Slice { value, offset } => self.slice(value, offset, width),
            op => self.add(op, width),
        }
    }

    fn mux(&mut self, cond: NetId, then: NetId, otherwise: NetId, width: u32) -> NetId {
        if then == otherwise || self.is_ones(cond) {
            return then;
        }
        if self.is_zero(cond) {
            return otherwise;
        }
        if let NetOp::Not(inner) = self.gates[cond.index()].0 {
            return self.mux(inner, otherwise, then, width);
        }
        if width == 1 {
            if self.is_ones(then) {
                return self.gate(NetOp::Or(cond, otherwise), 1);
            }
            if self.is_zero(otherwise) {
                return self.gate(NetOp::And(cond, then), 1);
            }
            let not = self.inverse(cond);
            if self.is_zero(then) {
                return self.gate(NetOp::And(not, otherwise), 1);
            }
            if self.is_ones(otherwise) {
                return self.gate(NetOp::Or(not, then), 1);
            }
        }
        let op = NetOp::Mux { cond, then, otherwise };
        self.add(op, width)
    }

    fn slice(&mut self, value: NetId, offset: u32, width: u32) -> NetId {
        if offset == 0 && width == self.width(value) {
            return value;
        }
        match self.gates[value.index()].0.clone() {
            NetOp::Slice { value: of, offset: from } => self.slice(of, from + offset, width),
            NetOp::Concat(parts) => {
                let mut at = 0;
                for part in parts {
                    let end = at + self.width(part);
                    if at <= offset && offset + width <= end {
                        return self.slice(part, offset - at, width);
                    }
                    at = end;
                }
                self.add(NetOp::Slice { value, offset }, width)
            }
            NetOp::Const(of) => self.constant((of >> offset) & ones(width), width),
            _ => self.add(NetOp::Slice { value, offset }, width),
        }
    }

    /// Returns the value if all operands are constant.
    fn folded(&self, op: &NetOp, width: u32) -> Option<BigUint> {
        let bit = |is: bool| BigUint::from(u32::from(is));
        let value = |id: &NetId| self.value(*id);
        Some(match op {
            NetOp::Not(a) => ones(width) ^ value(a)?,
            NetOp::And(a, b) => value(a)? & value(b)?,
            NetOp::Or(a, b) => value(a)? | value(b)?,
            NetOp::Xor(a, b) => value(a)? ^ value(b)?,
            NetOp::Add(a, b) => (value(a)? + value(b)?) & ones(width),
            NetOp::Sub(a, b) => (value(a)? + ones(width) + 1u32 - value(b)?) & ones(width),
            NetOp::Eq(a, b) => bit(value(a)? == value(b)?),
            NetOp::Lt(a, b) => bit(value(a)? < value(b)?),
            NetOp::All(a) => bit(*value(a)? == ones(self.width(*a))),
            NetOp::Any(a) => bit(*value(a)? != BigUint::ZERO),
            NetOp::Parity(a) => bit(value(a)?.count_ones() % 2 == 1),
            NetOp::Concat(parts) => {
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
