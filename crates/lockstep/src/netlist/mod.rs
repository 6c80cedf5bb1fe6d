//! Circuit as one flat list of word operations, each net assigned once.
//!
//! Every engine runs a [`Netlist`], a list without hierarchy and statements. Only [`Register`]s and
//! [`NetlistMemory`]s hold state. Between two clock edges the value of each net is a function of the nets
//! before it in the list. [`flatten`] makes a netlist from a [`Design`](crate::design::Design),
//! and [`NetDraft`] from nets that a program adds. [`Netlist::to_module`] makes a module of a design
//! again.
//!
//! All values are unsigned words. The width of a net is at least one bit and may exceed 64.

mod draft;
mod flatten;
mod to_module;

use crate::design::Type;
pub use draft::{DraftError, DraftParts, NetDraft};
pub use flatten::{flatten, FlattenError};
use num_bigint::BigUint;
use std::collections::HashMap;

/// Position in [`Netlist::nets`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NetId(pub u32);

impl NetId {
    /// Returns the position in the list of nets.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Word and the operation that determines its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    pub op: NetOp,
    /// Width in bits, at least one.
    pub width: u32,
}

/// Flat circuit.
#[derive(Clone, Debug, Default)]
pub struct Netlist {
    /// Nets in topological order: operands come before their users. Nets without operands come
    /// first, then those that depend only on the first, and so on. Within such a level, nets are
    /// grouped by kind of operation. Unused nets are absent unless they have a name.
    pub nets: Vec<Net>,
    pub registers: Vec<Register>,
    pub memories: Vec<NetlistMemory>,
    /// Input ports of the top module, in order of declaration.
    pub inputs: Vec<Name>,
    /// Output ports of the top module, in order of declaration.
    pub outputs: Vec<Name>,
    /// All signals of all instances, for observation.
    pub names: NetNames,
}

impl NetlistMemory {
    /// Returns true if the read port is asynchronous.
    pub fn is_asynchronous(&self, netlist: &Netlist) -> bool {
        matches!(netlist.net(self.read_data).op, NetOp::MemoryAt { .. })
    }
}

impl Netlist {
    pub fn net(&self, id: NetId) -> &Net {
        &self.nets[id.index()]
    }

    /// Returns the width of a net in bits.
    pub fn width(&self, id: NetId) -> u32 {
        self.net(id).width
    }

    /// Returns the nets with their ids, in topological order.
    pub fn iter(&self) -> impl Iterator<Item = (NetId, &Net)> {
        self.nets.iter().enumerate().map(|(i, net)| (NetId(i as u32), net))
    }

    /// Returns the net of the input port with this name.
    pub fn input(&self, name: &str) -> Option<NetId> {
        port(&self.inputs, name)
    }

    /// Returns the net of the output port with this name.
    pub fn output(&self, name: &str) -> Option<NetId> {
        port(&self.outputs, name)
    }

    /// Returns the net of the signal with this hierarchical name (`nodes[3].uart.tx`).
    pub fn find(&self, path: &str) -> Option<NetId> {
        self.names.get(path).map(|name| name.net)
    }
}

fn port(ports: &[Name], name: &str) -> Option<NetId> {
    ports.iter().find(|p| p.path == name).map(|p| p.net)
}

/// Register. `q` starts as `init` and takes the value of `d` at the clock edge. All three are
/// equally wide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Hierarchical name of the cell.
    pub name: String,
    pub d: NetId,
    /// Net whose operation is [`NetOp::Register`].
    pub q: NetId,
    pub init: BigUint,
}

/// Memory. At the clock edge `read_data` takes the word at `read_address` as it was before the
/// edge. The write port then writes. `read_data` starts as zero.
///
/// If the read port is asynchronous, `read_data` is the word at `read_address` at any time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetlistMemory {
    /// Hierarchical name of the cell.
    pub name: String,
    /// Number of words, `2^(width of the addresses)`. No address is out of range.
    pub words: usize,
    /// Width of a word in bits.
    pub width: u32,
    pub read_address: NetId,
    /// Net whose operation is [`NetOp::Memory`], or [`NetOp::MemoryAt`] if the read port is
    /// asynchronous.
    pub read_data: NetId,
    /// Absent in a read-only memory.
    pub write: Option<MemoryWrite>,
    /// First words. The rest starts as zero.
    pub init: Vec<BigUint>,
    /// Memory of the source, if this is its copy for one read port. An engine may store copies
    /// once. The copies then show a word that the host sets in one of them.
    pub copy_of: Option<String>,
}

/// Write port. At the clock edge the word at `address` becomes `data` if `enable` is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryWrite {
    /// Address, as wide as [`NetlistMemory::read_address`].
    pub address: NetId,
    /// Data, as wide as a word.
    pub data: NetId,
    /// Enable of one bit.
    pub enable: NetId,
    /// Promise that no clock cycle writes the word that it reads.
    pub disjoint: bool,
}

/// Operation that determines the value of a net. "The result" is the value of the net.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetOp {
    /// Value set from outside, by its position in [`Netlist::inputs`](Netlist::inputs).
    Input(u32),
    /// Value of a register, by its position in [`Netlist::registers`](Netlist::registers).
    Register(u32),
    /// Word that a memory read at the last clock edge, by its position in
    /// [`Netlist::memories`](Netlist::memories).
    Memory(u32),
    /// Word at this address of a memory with an asynchronous read port, by the position of the memory
    /// in [`Netlist::memories`](Netlist::memories).
    MemoryAt { memory: u32, address: NetId },
    /// Constant that fits the width of the net.
    Const(BigUint),

    /// Inverts every bit. Operand and result are equally wide.
    Not(NetId),
    /// Bitwise AND. Operands and result are equally wide.
    And(NetId, NetId),
    /// Bitwise OR. Operands and result are equally wide.
    Or(NetId, NetId),
    /// Bitwise XOR. Operands and result are equally wide.
    Xor(NetId, NetId),
    /// Sum, which wraps. Operands and result are equally wide.
    Add(NetId, NetId),
    /// Left minus right, which wraps. Operands and result are equally wide.
    Sub(NetId, NetId),
    /// Product, which wraps. Operands and result are equally wide.
    Mul(NetId, NetId),

    /// One bit: the operands are equal. They are equally wide.
    Eq(NetId, NetId),
    /// One bit: left is below right, unsigned. The operands are equally wide.
    Lt(NetId, NetId),
    /// One bit: all bits of the operand are set.
    All(NetId),
    /// One bit: some bit of the operand is set.
    Any(NetId),
    /// One bit: an odd number of bits of the operand is set.
    Parity(NetId),

    /// `cond` has one bit. `then`, `otherwise` and the result are equally wide.
    Mux { cond: NetId, then: NetId, otherwise: NetId },

    /// Left operand shifted to the left by the right operand, which may have any width. Left
    /// operand and result are equally wide. Bits shifted out are lost, and zeros are shifted in.
    /// [`NetOp::Slice`] and [`NetOp::Concat`] express shifts by a constant.
    Shl(NetId, NetId),
    /// Like [`NetOp::Shl`], but shifted to the right.
    Shr(NetId, NetId),

    /// Bits of `value` from `offset` up, as many as the result is wide. All of them exist.
    Slice { value: NetId, offset: u32 },
    /// At least two words, the least significant first. The width of the result is the sum of
    /// theirs. Zero extension is a `Concat` with a zero.
    Concat(Vec<NetId>),

    /// Bit `index` of `value`. The index is too narrow to reach the width of `value`, and it is not
    /// constant.
    BitAt { value: NetId, index: NetId },
    /// `value` with bit `index` replaced by the one-bit `bit`. `value` and the result are equally
    /// wide. [`NetOp::BitAt`] describes the index.
    ReplaceBit { value: NetId, index: NetId, bit: NetId },
}

impl NetOp {
    /// Returns the operands, in order.
    pub fn operands(&self) -> Vec<NetId> {
        use NetOp::*;
        match self {
            Input(_) | Register(_) | Memory(_) | Const(_) => vec![],
            Not(a) | All(a) | Any(a) | Parity(a) | Slice { value: a, .. } => vec![*a],
            MemoryAt { address, .. } => vec![*address],
            And(a, b) | Or(a, b) | Xor(a, b) | Add(a, b) | Sub(a, b) => vec![*a, *b],
            Mul(a, b) | Eq(a, b) | Lt(a, b) | Shl(a, b) | Shr(a, b) => vec![*a, *b],
            BitAt { value, index } => vec![*value, *index],
            Mux { cond, then, otherwise } => vec![*cond, *then, *otherwise],
            ReplaceBit { value, index, bit } => vec![*value, *index, *bit],
            Concat(parts) => parts.clone(),
        }
    }

    /// Returns the same operation on other operands.
    pub fn map(self, mut f: impl FnMut(NetId) -> NetId) -> NetOp {
        use NetOp::*;
        match self {
            Input(_) | Register(_) | Memory(_) | Const(_) => self,
            MemoryAt { memory, address } => MemoryAt { memory, address: f(address) },
            Not(a) => Not(f(a)),
            All(a) => All(f(a)),
            Any(a) => Any(f(a)),
            Parity(a) => Parity(f(a)),
            And(a, b) => And(f(a), f(b)),
            Or(a, b) => Or(f(a), f(b)),
            Xor(a, b) => Xor(f(a), f(b)),
            Add(a, b) => Add(f(a), f(b)),
            Sub(a, b) => Sub(f(a), f(b)),
            Mul(a, b) => Mul(f(a), f(b)),
            Eq(a, b) => Eq(f(a), f(b)),
            Lt(a, b) => Lt(f(a), f(b)),
            Shl(a, b) => Shl(f(a), f(b)),
            Shr(a, b) => Shr(f(a), f(b)),
            Mux { cond, then, otherwise } => {
                Mux { cond: f(cond), then: f(then), otherwise: f(otherwise) }
            }
            Slice { value, offset } => Slice { value: f(value), offset },
            Concat(parts) => Concat(parts.into_iter().map(f).collect()),
            BitAt { value, index } => BitAt { value: f(value), index: f(index) },
            ReplaceBit { value, index, bit } => {
                ReplaceBit { value: f(value), index: f(index), bit: f(bit) }
            }
        }
    }
}

/// Net with its name in the design.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// Hierarchical name (`nodes[3].uart.tx`): the instances from the top down and the signal,
    /// joined by dots.
    pub path: String,
    pub net: NetId,
    /// Type for displaying the value, as wide as the net.
    pub ty: Type,
}

/// Names of a netlist: the signals of a module in order of declaration, then those of its
/// instances.
///
/// The list contains inputs, outputs, locals and the pins of cells and instances. A local that is
/// never assigned has no value and no name. A net may have several names.
#[derive(Clone, Debug, Default)]
pub struct NetNames {
    list: Vec<Name>,
    by_path: HashMap<String, usize>,
}

impl NetNames {
    pub fn get(&self, path: &str) -> Option<&Name> {
        self.by_path.get(path).map(|&i| &self.list[i])
    }

    pub fn iter(&self) -> impl Iterator<Item = &Name> {
        self.list.iter()
    }

    /// Returns up to `count` names, the most similar to `path` first. A name with `path` among its
    /// parts is more similar than any other: `value.q` for `value`.
    pub fn nearest(&self, path: &str, count: usize) -> Vec<&Name> {
        let similarity = |name: &Name| {
            let is_part = name.path.split('.').any(|part| part == path);
            strsim::jaro_winkler(path, &name.path) + f64::from(u8::from(is_part))
        };
        let mut names: Vec<(f64, &Name)> = self.iter().map(|n| (similarity(n), n)).collect();
        names.sort_by(|a, b| b.0.total_cmp(&a.0));
        names.into_iter().take(count).map(|(_, n)| n).collect()
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds a name. If the path already exists for another net, the path is returned as an error. A
    /// pin `nodes[3].tx` and the port `tx` of the instance `nodes[3]` are the same net.
    fn add(&mut self, name: Name) -> Result<(), String> {
        match self.get(&name.path) {
            Some(known) if known.net == name.net => Ok(()),
            Some(_) => Err(name.path),
            None => {
                self.by_path.insert(name.path.clone(), self.list.len());
                self.list.push(name);
                Ok(())
            }
        }
    }
}
