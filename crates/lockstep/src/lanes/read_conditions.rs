//! Determines when the data read from a memory matters.
//!
//! A memory reads at every clock edge, but few circuits use its data in every clock cycle. Most use
//! the data only in some states. In the other states the data ends at a multiplexer, or at pins
//! that a memory ignores. This module derives the condition under which the data is used. The
//! condition is limited to a function of few registers and refers to their values after the clock
//! edge.

use super::frame::Layout;
use super::gates::{GateGraph, GateNode, Lit};
use super::plan::{leaves, LanePlan, ProbeBit};
use std::collections::HashMap;

/// Largest number of registers in a condition. A condition must be simpler to compute than the read
/// that it saves.
const REGISTERS: usize = 12;

/// Number of gates after which the search for a condition stops.
const GATES: usize = 2_000;

/// Value that must be correct after the clock edge if a condition holds then.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    pub value: Lit,
    pub when: Lit,
}

impl Root {
    pub fn always(value: Lit) -> Self {
        let when = Lit::TRUE;
        Root { value, when }
    }
}

/// Returns a condition, known before a clock edge, that some root depends on `leaves` after it.
/// `next` holds the next value of each register, by slot.
pub fn needed(
    graph: &mut GateGraph,
    leaves: &[Lit],
    roots: &[Root],
    next: &HashMap<u32, Lit>,
) -> Lit {
    let end = graph.len();
    let dependent = graph.dependent(leaves);
    let mut conditions = RegisterConditions::new(graph, next);
    // By gate: the condition under which a root depends on it.
    let mut seen = vec![Lit::FALSE; end];
    for root in roots.iter().filter(|root| dependent[root.value.node()]) {
        let seen = &mut seen[root.value.node()];
        *seen = conditions.or(*seen, root.when);
    }
    for i in (0..end).rev().filter(|i| dependent[*i]) {
        let node = conditions.graph.node(i);
        for operand in node.operands().filter(|o| dependent[o.node()]) {
            if conditions.graph.len() > end + GATES {
                return Lit::TRUE;
            }
            let open = match node {
                GateNode::And(a, b) if operand == a => b,
                GateNode::And(a, _) => a,
                GateNode::Mux { cond, then, .. } if operand == then && operand != cond => cond,
                GateNode::Mux { cond, otherwise, .. }
                    if operand == otherwise && operand != cond =>
                {
                    !cond
                }
                _ => Lit::TRUE,
            };
            let open = conditions.implied(open);
            let here = conditions.and(open, seen[i]);
            let seen = &mut seen[operand.node()];
            *seen = conditions.or(*seen, here);
        }
    }
    let now = leaves.iter().fold(Lit::FALSE, |any, leaf| conditions.or(any, seen[leaf.node()]));
    graph.substituted(now, |slot| next.get(&slot).copied())
}

/// Gates that depend only on few registers.
struct RegisterConditions<'a> {
    graph: &'a mut GateGraph,
    next: &'a HashMap<u32, Lit>,
    /// Registers of each gate computed so far, in order. `None` if there are too many or if the
    /// gate also depends on something else.
    registers: Vec<Option<Vec<u32>>>,
}

impl<'a> RegisterConditions<'a> {
    fn new(graph: &'a mut GateGraph, next: &'a HashMap<u32, Lit>) -> Self {
        let registers = vec![];
        RegisterConditions { graph, next, registers }
    }

    fn contain(&mut self, lit: Lit) -> bool {
        for i in self.registers.len()..=lit.node() {
            let of_gate = self.registers_of(self.graph.node(i));
            self.registers.push(of_gate);
        }
        self.registers[lit.node()].is_some()
    }

    fn registers_of(&self, node: GateNode) -> Option<Vec<u32>> {
        let mut slots = match node {
            GateNode::Leaf(slot) if !self.next.contains_key(&slot) => return None,
            GateNode::Leaf(slot) => vec![slot],
            _ => vec![],
        };
        for operand in node.operands() {
            slots.extend(self.registers[operand.node()].as_ref()?);
        }
        slots.sort_unstable();
        slots.dedup();
        (slots.len() <= REGISTERS).then_some(slots)
    }

    /// Returns a condition implied by `lit`: `lit` itself if it is a condition, otherwise true.
    fn implied(&mut self, lit: Lit) -> Lit {
        match self.contain(lit) {
            true => lit,
            false => Lit::TRUE,
        }
    }

    /// Returns a condition implied by both: their AND, or `a` alone if the AND depends on too many
    /// registers.
    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let both = self.graph.and(a, b);
        match self.contain(both) {
            true => both,
            false => a,
        }
    }

    /// Returns a condition implied by each of the two: their OR, or true if the OR depends on too
    /// many registers.
    fn or(&mut self, a: Lit, b: Lit) -> Lit {
        let any = self.graph.or(a, b);
        self.implied(any)
    }
}

// Part of a [`LanePlan`] that lets memories read only when their data is used.

impl LanePlan {
    /// Adds a read enable to each memory for which a condition is found. The slots below
    /// `registers` belong to registers, except for read data.
    pub(super) fn add_read_enables(&mut self, registers: u32, layout: &mut Layout) {
        let of_registers = self.step.iter().filter(|root| root.1 < registers);
        let next = of_registers.map(|&(lit, slot)| (slot, lit)).collect();
        let shown = self.published.iter().map(|p| p.0);
        let probes = self.probes.iter().flatten().flatten();
        let looked_at = probes.filter_map(|bit| match *bit {
            ProbeBit::Slot { slot, .. } => Some(slot),
            ProbeBit::Constant(_) => None,
        });
        let mut seen: Vec<Lit> = shown.chain(looked_at).map(|slot| self.graph.leaf(slot)).collect();
        let looks = self.looks.iter().flatten();
        seen.extend(self.publish.iter().chain(looks).map(|root| root.0));
        // The conditions depend only on next values of registers, so they are not roots here.
        let stored = self.step.len();
        for i in 0..self.memories.len() {
            let mut roots = self.step_roots(stored);
            roots.extend(seen.iter().map(|&value| Root::always(value)));
            let data = leaves(&mut self.graph, self.memories[i].read_data);
            let needed = needed(&mut self.graph, &data, &roots, &next);
            if needed != Lit::TRUE {
                let slot = layout.one();
                self.step.push((needed, slot));
                self.memories[i].read_enable = Some(slot);
            }
        }
    }

    /// Returns the roots stored in a clock cycle. A memory pin matters only if the memory uses it.
    fn step_roots(&mut self, stored: usize) -> Vec<Root> {
        let values: HashMap<u32, Lit> = self.step.iter().map(|&(lit, slot)| (slot, lit)).collect();
        let mut when = HashMap::new();
        for memory in &self.memories {
            let read = memory.read_enable.map(|enable| values[&enable]);
            let read = read.unwrap_or(Lit::TRUE);
            when.extend(memory.read_address.iter().map(|pin| (pin, read)));
            if let Some(write) = &memory.write {
                let (mut any, mut data) = (Lit::FALSE, write.data.iter());
                for part in &write.parts {
                    let enable = values[&part.enable];
                    any = self.graph.or(any, enable);
                    when.extend(data.by_ref().take(part.width).map(|pin| (pin, enable)));
                }
                when.extend(write.address.iter().map(|pin| (pin, any)));
            }
        }
        let root = |&(value, slot): &(Lit, u32)| Root {
            value,
            when: when.get(&slot).copied().unwrap_or(Lit::TRUE),
        };
        self.step[..stored].iter().map(root).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_data_is_not_needed() {
        let mut graph = GateGraph::new();
        let [data, busy, held, start] = [0, 1, 2, 3].map(|slot| graph.leaf(slot));
        // A register takes the data while another one is set.
        let taken = graph.mux(busy, data, held);
        let next = HashMap::from([(1, !start), (2, taken)]);
        let roots = [taken, !start].map(Root::always);
        assert_eq!(needed(&mut graph, &[data], &roots, &next), !start);
        // An input may have any value after the edge.
        let passed = graph.and(data, start);
        let roots = [taken, passed].map(Root::always);
        assert_eq!(needed(&mut graph, &[data], &roots, &next), Lit::TRUE);
    }

    #[test]
    fn a_root_is_needed_only_under_its_condition() {
        let mut graph = GateGraph::new();
        let [data, enable, start] = [0, 1, 2].map(|slot| graph.leaf(slot));
        let next = HashMap::from([(1, start)]);
        let value = graph.xor(data, start);
        let mut needed = |when| needed(&mut graph, &[data], &[Root { value, when }], &next);
        assert_eq!(needed(enable), start);
        assert_eq!(needed(Lit::TRUE), Lit::TRUE);
        assert_eq!(needed(Lit::FALSE), Lit::FALSE);
        // The data may affect the condition itself. An input may have any value after the edge.
        assert_eq!(needed(data), Lit::TRUE);
        assert_eq!(needed(start), Lit::TRUE);
    }

    #[test]
    fn conditions_on_too_many_registers_are_dropped() {
        let mut graph = GateGraph::new();
        let data = graph.leaf(0);
        let slots = 1..=REGISTERS as u32 + 1;
        let registers: Vec<Lit> = slots.clone().map(|slot| graph.leaf(slot)).collect();
        let inverted = slots.zip(&registers).map(|(slot, lit)| (slot, !*lit));
        let next: HashMap<u32, Lit> = inverted.collect();
        // A chain of gates, each enabled by one register.
        let mut needed = |registers: &[Lit]| {
            let value = registers.iter().fold(data, |product, lit| graph.and(product, *lit));
            needed(&mut graph, &[data], &[Root::always(value)], &next)
        };
        let (of_all, of_few) = (needed(&registers), needed(&registers[1..]));
        assert_eq!(of_all, !registers[0]);
        let zeros = registers[1..].iter();
        let all_zero = zeros.rev().fold(Lit::TRUE, |all, lit| graph.and(all, !*lit));
        assert_eq!(of_few, all_zero);
    }
}

#[cfg(test)]
mod reads_tests {
    use super::super::gates::GateNode;
    use super::super::machine::Keep;
    use super::super::LaneWiring;
    use super::*;
    use crate::design::Type;
    use crate::netlist::{MemoryWrite, Name, Net, NetId, NetOp, Netlist, NetlistMemory, Register};
    use num_bigint::BigUint;

    /// A memory is written with the data read from another one while a register is set.
    #[test]
    fn a_memory_reads_when_another_one_is_written() {
        let ops = [
            NetOp::Input(0),
            NetOp::Input(1),
            NetOp::Register(0),
            NetOp::Memory(0),
            NetOp::Memory(1),
        ];
        let nets = ops.map(|op| Net { op, width: 1 }).to_vec();
        let [start, address, copies, from, to] = [0, 1, 2, 3, 4].map(NetId);
        let name = |path: &str, net| Name { path: path.into(), net, ty: Type::BIT };
        let memory = |read_data, write| NetlistMemory {
            name: String::new(),
            words: 2,
            width: 1,
            read_address: address,
            read_data,
            write,
            init: vec![],
            copy_of: None,
        };
        let write = MemoryWrite { address, data: from, enable: copies, disjoint: false };
        let netlist = Netlist {
            nets,
            registers: vec![Register {
                name: String::new(),
                d: start,
                q: copies,
                init: BigUint::ZERO,
            }],
            memories: vec![memory(from, None), memory(to, Some(write))],
            inputs: vec![name("start", start), name("address", address)],
            outputs: vec![name("out", to)],
            ..Netlist::default()
        };
        let plan = LanePlan::new(&netlist, 2, &LaneWiring::new(), &Keep::Outputs).unwrap();
        let [from, to] = [0, 1].map(|memory| plan.memories[memory].read_enable);
        let copies = plan.memories[1].write.as_ref().unwrap().parts[0].enable;
        let value = |slot| plan.step.iter().find(|root| root.1 == slot).unwrap().0;
        // The next value of the register equals the input.
        let GateNode::Leaf(register) = plan.graph.node(value(copies).node()) else {
            panic!("the enable is the register");
        };
        assert_eq!(from.map(value), Some(value(register)));
        assert_eq!(to, None, "it is shown always");
    }
}
