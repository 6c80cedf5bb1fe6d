//! Part of a [`LanePlan`] that lets memories read only when their data is used.

use super::gates::Lit;
use super::layout::Layout;
use super::needs::{needed, Root};
use super::plan::{leaves, LanePlan, ProbeBit};
use std::collections::HashMap;

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
        let mut seen: Vec<Lit> = shown
            .chain(looked_at)
            .map(|slot| self.graph.leaf(slot))
            .collect();
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
    fn step_roots(&self, stored: usize) -> Vec<Root> {
        let values: HashMap<u32, Lit> = self.step.iter().map(|&(lit, slot)| (slot, lit)).collect();
        let mut when = HashMap::new();
        for memory in &self.memories {
            let read = memory.read_enable.map(|enable| values[&enable]);
            let read = read.unwrap_or(Lit::TRUE);
            when.extend(memory.read_address.iter().map(|pin| (pin, read)));
            if let Some(write) = &memory.write {
                let pins = write.address.iter().chain(write.data.iter());
                when.extend(pins.map(|pin| (pin, values[&write.enable])));
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
    use super::super::gates::GateNode;
    use super::super::options::Keep;
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
        let name = |path: &str, net| Name {
            path: path.into(),
            net,
            ty: Type::BIT,
        };
        let memory = |read_data, write| NetlistMemory {
            name: String::new(),
            words: 2,
            width: 1,
            read_address: address,
            read_data,
            write,
            init: vec![],
        };
        let write = MemoryWrite {
            address,
            data: from,
            enable: copies,
            disjoint: false,
        };
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
        let copies = plan.memories[1].write.as_ref().unwrap().enable;
        let value = |slot| plan.step.iter().find(|root| root.1 == slot).unwrap().0;
        // The next value of the register equals the input.
        let GateNode::Leaf(register) = plan.graph.node(value(copies).node()) else {
            panic!("the enable is the register");
        };
        assert_eq!(from.map(value), Some(value(register)));
        assert_eq!(to, None, "it is shown always");
    }
}
