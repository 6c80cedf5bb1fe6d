//! Converts a netlist and its wiring to gates and to the layout of a frame.

use super::asynchronous::{ReadPlan, RegisterStates};
use super::frame::{Layout, WordSlots};
use super::gates::{bit_blast, GateGraph, GateNode, Lit, NetLits};
use super::machine::Keep;
use super::memory::may_have_parts;
use super::wiring::{InputBit, InputSources};
use super::{LaneMap, LaneWiring, LanesError};
use crate::netlist::{NetId, NetOp, Netlist, NetlistMemory};
use num_bigint::BigUint;
use std::collections::HashMap;

/// Gates of one lane, and the slot of every stored bit in the frame of a chunk. A slot is one bit
/// vector.
#[derive(Debug)]
pub struct LanePlan {
    pub lanes: usize,
    pub slots: u32,
    pub graph: GateGraph,
    /// By position of the input in the netlist.
    pub inputs: Vec<Vec<InputBit>>,
    /// Slots of the broadcast bits, by number.
    pub broadcasts: Vec<u32>,
    /// Broadcast bits driven by a helper: the helper's net, the bit of the net, and the broadcast
    /// number.
    pub helper_bits: Vec<(NetId, u32, usize)>,
    /// Slots of register bits that start as one.
    pub ones: Vec<u32>,
    pub memories: Vec<MemoryPlan>,
    /// By position of the memory in the netlist.
    pub memory_places: Vec<MemoryWords>,
    /// Roots stored in a clock cycle, with their slots.
    pub step: Vec<(Lit, u32)>,
    pub links: Vec<LaneLink>,
    /// Bits published for other lanes, by number: the slot, and whether it is inverted.
    pub published: Vec<(u32, bool)>,
    /// True if published bits depend on inputs, so that they are unknown at the previous clock
    /// edge.
    pub publish_late: bool,
    /// Roots to compute before the links are read.
    pub publish: Vec<(Lit, u32)>,
    /// Roots to compute before signals are read: first for outputs, then for other signals.
    pub looks: Vec<Vec<(Lit, u32)>>,
    /// Bits of each readable net, by position of the net.
    pub probes: Vec<Option<Vec<ProbeBit>>>,
    /// Slot in which a stop condition is computed.
    pub stop_slot: u32,
}

/// Bit that comes from other lanes.
#[derive(Debug)]
pub struct LaneLink {
    pub slot: u32,
    /// Number of the published bit.
    pub published: usize,
    pub from: LaneMap,
}

/// Words of a memory of the netlist.
#[derive(Clone, Copy, Debug)]
pub enum MemoryWords {
    Memory(MemoryPlace),
    /// Registers, the first word first.
    Registers(WordSlots),
}

/// Bits of a planned memory that are a memory of the netlist.
#[derive(Clone, Copy, Debug)]
pub struct MemoryPlace {
    /// Position in [`LanePlan::memories`].
    pub memory: usize,
    /// Position of the lowest bit in the word.
    pub low: usize,
    pub width: usize,
}

/// Slots of a memory's pins. Write data and write address have slots of their own, which hold the
/// values before the clock edge.
///
/// Memories of the netlist with the same addresses are parts of one memory, such as the bytes of a
/// word that are written separately. Their words are then found once for all.
#[derive(Debug)]
pub struct MemoryPlan {
    pub words: usize,
    /// Width of a word in bits.
    pub width: usize,
    pub init: Vec<BigUint>,
    pub read_address: WordSlots,
    pub read_data: WordSlots,
    /// Slot that is one if the read data is used. `None` if the condition is unknown.
    pub read_enable: Option<u32>,
    /// Initial address of an asynchronous read port. At a clock edge the memory then writes first,
    /// and reads the word at the next address.
    pub asynchronous: Option<usize>,
    pub write: Option<WritePlan>,
}

impl MemoryPlan {
    /// Returns the slots of all pins except the read data.
    pub fn pins(&self) -> impl Iterator<Item = u32> + '_ {
        let write = self.write.iter().flat_map(|write| {
            let pins = write.address.iter().chain(write.data.iter());
            pins.chain(write.parts.iter().map(|part| part.enable))
        });
        let read = self.read_address.iter().chain(self.read_enable);
        read.chain(write)
    }
}

#[derive(Debug)]
pub struct WritePlan {
    pub address: WordSlots,
    pub data: WordSlots,
    /// Parts of the word in ascending order.
    pub parts: Vec<WritePart>,
}

/// Bits of a word with a write enable of their own.
#[derive(Debug)]
pub struct WritePart {
    pub width: usize,
    pub enable: u32,
}

/// Location of a readable bit of a signal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ProbeBit {
    Constant(bool),
    Slot {
        slot: u32,
        inverted: bool,
        /// See [`ProbeBit::look`].
        look: Option<usize>,
    },
}

impl ProbeBit {
    /// Returns the position in [`LanePlan::looks`] of the roots that must be computed first.
    pub fn look(self) -> Option<usize> {
        match self {
            ProbeBit::Constant(_) => None,
            ProbeBit::Slot { look, .. } => look,
        }
    }
}

impl LanePlan {
    pub fn new(
        netlist: &Netlist,
        lanes: usize,
        wiring: &LaneWiring,
        keep: &Keep,
    ) -> Result<Self, LanesError> {
        let mut layout = Layout::default();
        let registers: Vec<WordSlots> =
            netlist.registers.iter().map(|r| layout.word(netlist.width(r.q))).collect();
        let reads = ReadPlan::all(netlist, &mut layout)?;
        let state = layout.end();
        let sources = InputSources::new(netlist, lanes, wiring, &mut layout)?;
        let mut graph = GateGraph::new();
        let bits = bit_blast(netlist, &mut graph, |graph, bits, net| match &net.op {
            NetOp::Input(i) => sources.bits(*i as usize, graph),
            NetOp::Register(i) => leaves(graph, registers[*i as usize]),
            NetOp::Memory(i) => leaves(graph, reads[*i as usize].slots()),
            NetOp::MemoryAt { memory, address } => {
                let address = &bits[address.index()];
                reads[*memory as usize].word(graph, net.width as usize, address)
            }
            _ => unreachable!("it has operands"),
        });
        let mut plan = LanePlan {
            lanes,
            slots: 0,
            graph,
            inputs: sources.inputs,
            broadcasts: sources.broadcasts,
            helper_bits: sources.helper_bits,
            ones: vec![],
            memories: vec![],
            memory_places: vec![],
            step: vec![],
            links: vec![],
            published: vec![],
            publish: vec![],
            publish_late: false,
            looks: vec![],
            probes: vec![None; netlist.nets.len()],
            stop_slot: layout.one(),
        };
        plan.add_links(&bits, netlist, &sources.linked, &mut layout)?;
        for &(net, bit) in &wiring.published {
            plan.add_published(bits[net.index()][bit as usize], &mut layout);
        }
        let mut states = RegisterStates::new(&bits, netlist, &registers);
        plan.add_memories(&bits, netlist, &reads, &mut states, &mut layout);
        plan.publish_late = plan.published_slots().iter().any(|slot| *slot >= state);
        let outputs: Vec<NetId> = netlist.outputs.iter().map(|o| o.net).collect();
        plan.add_look(&bits, &outputs, &mut layout);
        plan.add_look(&bits, &kept_nets(netlist, keep)?, &mut layout);
        plan.add_registers(states);
        plan.add_read_enables(state, &mut layout);
        plan.slots = layout.end();
        Ok(plan)
    }

    fn add_links(
        &mut self,
        bits: &NetLits,
        netlist: &Netlist,
        linked: &[super::wiring::LinkedBit],
        layout: &mut Layout,
    ) -> Result<(), LanesError> {
        let mut numbers = HashMap::new();
        for link in linked {
            let lit = bits[link.output.index()][link.bit as usize];
            let leaves = self.graph.leaves([lit]);
            if let Some(loop_) = linked.iter().find(|l| leaves.contains(&l.slot)) {
                let of_output = netlist.outputs.iter().find(|o| o.net == link.output);
                return Err(LanesError::LinkedLoop {
                    output: of_output.map_or(String::new(), |o| o.path.clone()),
                    bit: link.bit,
                    input: netlist.inputs[loop_.input].path.clone(),
                });
            }
            let publish = || self.add_published(lit, layout);
            let published = *numbers.entry(lit).or_insert_with(publish);
            self.links.push(LaneLink { slot: link.slot, published, from: link.from.clone() });
        }
        Ok(())
    }

    /// Publishes a bit and returns its number.
    fn add_published(&mut self, lit: Lit, layout: &mut Layout) -> usize {
        self.published.push(match self.graph.node(lit.node()) {
            GateNode::Leaf(slot) => (slot, lit.is_inverted()),
            _ => {
                let slot = layout.one();
                self.publish.push((lit, slot));
                (slot, false)
            }
        });
        self.published.len() - 1
    }

    fn add_memories(
        &mut self,
        bits: &NetLits,
        netlist: &Netlist,
        reads: &[ReadPlan],
        states: &mut RegisterStates,
        layout: &mut Layout,
    ) {
        let mut first = 0;
        while first < netlist.memories.len() {
            let read = reads[first];
            if let ReadPlan::Registers(slots) = read {
                let memory = &netlist.memories[first];
                states.add_words(&mut self.graph, bits, memory, slots);
                self.memory_places.push(MemoryWords::Registers(slots));
                first += 1;
                continue;
            }
            let alike = reads[first..].iter().take_while(|other| other.is_like(&read));
            let alike = &netlist.memories[first..][..alike.count()];
            let parts = parts_of_word(bits, alike);
            let next = read.is_asynchronous().then_some(&*states);
            self.add_memory(bits, parts, (read.slots(), next), layout);
            first += parts.len();
        }
    }

    /// Adds a memory that consists of these memories of the netlist. `read_data` belongs to the first
    /// one, and the others follow. An asynchronous read takes the address after the clock edge, which
    /// follows from the next values of the registers.
    fn add_memory(
        &mut self,
        bits: &NetLits,
        parts: &[NetlistMemory],
        (read_data, registers): (WordSlots, Option<&RegisterStates>),
        layout: &mut Layout,
    ) {
        let address = bits[parts[0].read_address.index()].clone();
        let first_address = registers.map(|r| r.initial_value(&mut self.graph, &address));
        let address = match registers {
            Some(registers) => registers.next_value(&mut self.graph, &address),
            None => address,
        };
        let mut store = |lits: Vec<Lit>| -> WordSlots {
            let slots = layout.word(lits.len() as u32);
            self.step.extend(lits.into_iter().zip(slots.iter()));
            slots
        };
        let read_address = store(address);
        let mut pins = |nets: &[NetId]| -> WordSlots {
            let lits = nets.iter().flat_map(|net| &bits[net.index()]);
            store(lits.copied().collect())
        };
        let write = parts[0].write.map(|write| {
            let writes = || parts.iter().filter_map(|part| part.write);
            let data: Vec<NetId> = writes().map(|write| write.data).collect();
            WritePlan {
                address: pins(&[write.address]),
                data: pins(&data),
                parts: parts
                    .iter()
                    .zip(writes())
                    .map(|(part, write)| WritePart {
                        width: part.width as usize,
                        enable: pins(&[write.enable]).first,
                    })
                    .collect(),
            }
        });
        let (mut width, mut init) = (0, vec![]);
        for part in parts {
            self.memory_places.push(MemoryWords::Memory(MemoryPlace {
                memory: self.memories.len(),
                low: width,
                width: part.width as usize,
            }));
            init.resize(part.init.len().max(init.len()), BigUint::ZERO);
            for (word, part) in init.iter_mut().zip(&part.init) {
                *word |= part << width;
            }
            width += part.width as usize;
        }
        let shown = first_address.and_then(|address| init.get(address));
        if let Some(shown) = shown {
            let slots = (read_data.first..).zip(0..width as u64);
            let ones = slots.filter(|(_, bit)| shown.bit(*bit));
            self.ones.extend(ones.map(|(slot, _)| slot));
        }
        self.memories.push(MemoryPlan {
            words: parts[0].words,
            width,
            init,
            read_address,
            read_data: WordSlots { count: width, ..read_data },
            read_enable: None,
            asynchronous: first_address,
            write,
        });
    }

    /// Makes some nets readable.
    fn add_look(&mut self, bits: &NetLits, nets: &[NetId], layout: &mut Layout) {
        let look = self.looks.len();
        let mut roots = vec![];
        let mut slots = HashMap::new();
        for net in nets {
            if self.probes[net.index()].is_some() {
                continue;
            }
            let probe = bits[net.index()].iter().map(|&lit| {
                let inverted = lit.is_inverted();
                let (slot, look) = match self.graph.node(lit.node()) {
                    GateNode::False => return ProbeBit::Constant(inverted),
                    GateNode::Leaf(slot) => (slot, None),
                    _ => {
                        let slot = *slots.entry(lit.node()).or_insert_with(|| {
                            let slot = layout.one();
                            roots.push((lit.xor(inverted), slot));
                            slot
                        });
                        (slot, Some(look))
                    }
                };
                ProbeBit::Slot { slot, inverted, look }
            });
            let probe = probe.collect();
            self.probes[net.index()] = Some(probe);
        }
        self.looks.push(roots);
    }

    /// Adds the registers that are used, and the words of memories. All other roots must have been
    /// added before.
    fn add_registers(&mut self, states: RegisterStates) {
        let mut next = states.bits;
        let mut wanted: Vec<u32> = self.published.iter().map(|p| p.0).collect();
        for place in &self.memory_places {
            if let MemoryWords::Registers(slots) = place {
                wanted.extend(slots.iter());
            }
        }
        for bit in self.probes.iter().flatten().flatten() {
            if let ProbeBit::Slot { slot, .. } = bit {
                wanted.push(*slot);
            }
        }
        let roots = self.step.iter().chain(&self.publish);
        let roots = roots.chain(self.looks.iter().flatten());
        wanted.extend(self.graph.leaves(roots.map(|root| root.0)));
        while let Some(slot) = wanted.pop() {
            if let Some((d, one)) = next.remove(&slot) {
                self.step.push((d, slot));
                if one {
                    self.ones.push(slot);
                }
                let wanted_before = self.graph.leaves([d]);
                wanted.extend(wanted_before.into_iter().filter(|s| next.contains_key(s)));
            }
        }
        // The order of the circuit keeps related registers together.
        self.step.sort_by_key(|root| root.1);
    }

    /// Returns the slots of published bits that are stored, and the slots from which the others are
    /// computed.
    pub fn published_slots(&self) -> Vec<u32> {
        let computed: Vec<u32> = self.publish.iter().map(|root| root.1).collect();
        let mut shown = self.graph.leaves(self.publish.iter().map(|root| root.0));
        let published = self.published.iter().map(|published| published.0);
        shown.extend(published.filter(|slot| !computed.contains(slot)));
        shown
    }

    /// Returns the OR of these bits.
    pub fn any(&self, graph: &mut GateGraph, bits: &[ProbeBit]) -> Lit {
        bits.iter().fold(Lit::FALSE, |any, &bit| {
            let bit = self.lit(graph, bit);
            graph.or(any, bit)
        })
    }

    fn lit(&self, graph: &mut GateGraph, bit: ProbeBit) -> Lit {
        match bit {
            ProbeBit::Constant(value) => Lit::constant(value),
            ProbeBit::Slot { slot, inverted, look } => {
                let roots = look.map(|look| &self.looks[look]);
                let root = roots.and_then(|roots| roots.iter().find(|r| r.1 == slot));
                let lit = match root {
                    Some((lit, _)) => *lit,
                    None => graph.leaf(slot),
                };
                lit.xor(inverted)
            }
        }
    }
}

/// Returns the first of these memories, and those after it with the same addresses that fit one
/// word with it.
fn parts_of_word<'a>(bits: &NetLits, memories: &'a [NetlistMemory]) -> &'a [NetlistMemory] {
    let addresses = |memory: &NetlistMemory| {
        let nets = [Some(memory.read_address), memory.write.map(|w| w.address)];
        nets.map(|net| net.map(|net| &bits[net.index()]))
    };
    let first = &memories[0];
    let mut width = 0;
    let fits = |memory: &&NetlistMemory| {
        width += memory.width as usize;
        let is_alike = memory.words == first.words && addresses(memory) == addresses(first);
        is_alike && may_have_parts(memory.words, width)
    };
    let parts = match first.write {
        Some(_) => memories.iter().take_while(fits).count(),
        None => 1,
    };
    &memories[..parts.max(1)]
}

pub(super) fn leaves(graph: &mut GateGraph, slots: WordSlots) -> Vec<Lit> {
    slots.iter().map(|slot| graph.leaf(slot)).collect()
}

/// Returns the nets to keep, in order.
fn kept_nets(netlist: &Netlist, keep: &Keep) -> Result<Vec<NetId>, LanesError> {
    match keep {
        Keep::Outputs => Ok(vec![]),
        Keep::All => Ok(netlist.names.iter().map(|name| name.net).collect()),
        Keep::Named(paths) => {
            let net = |path: &String| {
                let net = netlist.find(path);
                net.ok_or_else(|| super::access::no_signal(netlist, path, |_| true))
            };
            paths.iter().map(net).collect()
        }
    }
}
