//! Memories with an asynchronous read port.
//!
//! The words of most memories are read at the clock edge only. If an address depends on registers
//! only, its next value is known at the edge, so an asynchronous read port reads there too: after
//! the write, at the next address. The read data is then the word at the address until the next
//! edge. Otherwise the words become registers, and multiplexers select one of them.

use super::frame::{Layout, WordSlots};
use super::gates::{GateGraph, Lit, NetLits};
use super::plan::leaves;
use super::LanesError;
use crate::netlist::{NetId, NetOp, Netlist, NetlistMemory};
use std::collections::HashMap;

/// Largest number of bits of a memory whose words become registers.
const REGISTER_BITS: usize = 1 << 16;

/// How the lanes read a memory.
#[derive(Clone, Copy)]
pub enum ReadPlan {
    /// At the clock edge, from the address before it. The slots hold the read data.
    Clocked(WordSlots),
    /// At the clock edge, from the address after it. The slots hold the read data.
    NextAddress(WordSlots),
    /// From these registers, the first word first.
    Registers(WordSlots),
}

impl ReadPlan {
    /// Decides for all memories of a netlist, and allocates the slots.
    ///
    /// # Errors
    /// If a memory of many bits is read asynchronously at an address that depends on more than
    /// registers.
    pub fn all(netlist: &Netlist, layout: &mut Layout) -> Result<Vec<ReadPlan>, LanesError> {
        // Copies of one memory share registers. Other memories do not, although their words may be
        // equal, because the host can set the words of each.
        let mut registers: Vec<(&NetlistMemory, WordSlots)> = vec![];
        let mut reads = vec![];
        for memory in &netlist.memories {
            reads.push(match memory.is_asynchronous(netlist) {
                false => ReadPlan::Clocked(layout.word(memory.width)),
                true => match not_of_registers(netlist, memory.read_address) {
                    None => ReadPlan::NextAddress(layout.word(memory.width)),
                    Some(cause) => {
                        let copy = registers.iter().find(|(other, _)| is_copy(memory, other));
                        let slots = match copy {
                            Some((_, slots)) => *slots,
                            None => layout.word(register_bits(netlist, memory, cause)?),
                        };
                        registers.push((memory, slots));
                        ReadPlan::Registers(slots)
                    }
                },
            });
        }
        Ok(reads)
    }

    /// Returns the slots of the read data, or of all words.
    pub fn slots(self) -> WordSlots {
        let (ReadPlan::Clocked(slots) | ReadPlan::NextAddress(slots) | ReadPlan::Registers(slots)) =
            self;
        slots
    }

    pub fn is_asynchronous(self) -> bool {
        !matches!(self, ReadPlan::Clocked(_))
    }

    /// Returns true if two memories that are read in these ways can be parts of one.
    pub fn is_like(&self, other: &ReadPlan) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Returns the word that an asynchronous read port shows at this address.
    pub fn word(self, graph: &mut GateGraph, width: usize, address: &[Lit]) -> Vec<Lit> {
        let ReadPlan::Registers(slots) = self else {
            return leaves(graph, self.slots());
        };
        let words = leaves(graph, slots);
        let bit = |bit: usize| {
            let of_words: Vec<Lit> = words.iter().skip(bit).step_by(width).copied().collect();
            graph.bit_at(&of_words, address)
        };
        (0..width).map(bit).collect()
    }
}

/// Returns true if two memories are copies of one and have the same words.
fn is_copy(a: &NetlistMemory, b: &NetlistMemory) -> bool {
    let is_marked = a.copy_of.is_some() && a.copy_of == b.copy_of;
    is_marked && (a.words, a.width, a.write) == (b.words, b.width, b.write) && a.init == b.init
}

/// Returns the number of registers for the words of a memory. Its address depends on `cause`.
fn register_bits(
    netlist: &Netlist,
    memory: &NetlistMemory,
    cause: NetId,
) -> Result<u32, LanesError> {
    let bits = memory.words * memory.width as usize;
    match bits <= REGISTER_BITS {
        true => Ok(bits as u32),
        false => Err(LanesError::AsynchronousRead {
            memory: memory.name.clone(),
            bits,
            cause: describe(netlist, cause),
        }),
    }
}

/// Returns a net without operands, other than a register, on which this net depends.
fn not_of_registers(netlist: &Netlist, net: NetId) -> Option<NetId> {
    let mut seen = vec![false; netlist.nets.len()];
    let mut open = vec![net];
    while let Some(net) = open.pop() {
        if std::mem::replace(&mut seen[net.index()], true) {
            continue;
        }
        match &netlist.net(net).op {
            NetOp::Input(_) | NetOp::Memory(_) | NetOp::MemoryAt { .. } => return Some(net),
            op => open.extend(op.operands()),
        }
    }
    None
}

/// Describes an input or the read data of a memory.
fn describe(netlist: &Netlist, net: NetId) -> String {
    match netlist.net(net).op {
        NetOp::Input(i) => format!("the input `{}`", netlist.inputs[i as usize].path),
        NetOp::Memory(i) | NetOp::MemoryAt { memory: i, .. } => {
            format!("the memory `{}`", netlist.memories[i as usize].name)
        }
        _ => unreachable!("it has operands"),
    }
}

/// Next and first value of each register bit, by slot.
pub struct RegisterStates {
    pub bits: HashMap<u32, (Lit, bool)>,
}

impl RegisterStates {
    pub fn new(bits: &NetLits, netlist: &Netlist, slots: &[WordSlots]) -> Self {
        let mut states = HashMap::new();
        for (register, slots) in netlist.registers.iter().zip(slots) {
            let next = bits[register.d.index()].iter().copied();
            for (i, (d, q)) in (0..).zip(next.zip(slots.iter())) {
                states.insert(q, (d, register.init.bit(i)));
            }
        }
        RegisterStates { bits: states }
    }

    /// Returns the value of these bits after the next clock edge. They depend on registers only.
    pub fn next_value(&self, graph: &mut GateGraph, lits: &[Lit]) -> Vec<Lit> {
        let next = |slot| self.bits.get(&slot).map(|(d, _)| *d);
        lits.iter().map(|lit| graph.substituted(*lit, next)).collect()
    }

    /// Returns the first value of these bits. They depend on registers only.
    pub fn initial_value(&self, graph: &mut GateGraph, lits: &[Lit]) -> usize {
        let first = |slot| self.bits.get(&slot).map(|(_, one)| Lit::constant(*one));
        let bits = lits.iter().map(|lit| graph.substituted(*lit, first) == Lit::TRUE);
        bits.enumerate().map(|(i, bit)| usize::from(bit) << i).sum()
    }

    /// Adds the words of a memory as registers, the first word first.
    pub fn add_words(
        &mut self,
        graph: &mut GateGraph,
        bits: &NetLits,
        memory: &NetlistMemory,
        slots: WordSlots,
    ) {
        let width = memory.width as usize;
        for word in 0..memory.words {
            let written = memory.write.map(|write| {
                let address = bits[write.address.index()].iter().enumerate();
                let here = address.map(|(i, lit)| lit.xor(word >> i & 1 == 0));
                let here = here.collect::<Vec<_>>();
                let enable = bits[write.enable.index()][0];
                let here = here.into_iter().fold(enable, |all, lit| graph.and(all, lit));
                (here, &bits[write.data.index()])
            });
            for bit in 0..width {
                let slot = slots.first + (word * width + bit) as u32;
                let now = graph.leaf(slot);
                let next = match written {
                    Some((here, data)) => graph.mux(here, data[bit], now),
                    None => now,
                };
                let one = memory.init.get(word).is_some_and(|init| init.bit(bit as u64));
                self.bits.insert(slot, (next, one));
            }
        }
    }
}
