//! Circuit as one flat list of word operations, each net assigned once.
//!
//! Every engine runs a [`Netlist`], a list without hierarchy and statements. Only [`Register`]s and
//! [`NetlistMemory`]s hold state. Between two clock edges the value of each net is a function of the nets
//! before it in the list. [`flatten`] makes a netlist from a [`Design`](crate::design::Design).
//!
//! All values are unsigned words. The width of a net is at least one bit and may exceed 64.

mod flatten;
mod names;
mod op;

pub use flatten::{flatten, FlattenError};
pub use names::{Name, NetNames};
pub use op::NetOp;

use num_bigint::BigUint;

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
        self.nets
            .iter()
            .enumerate()
            .map(|(i, net)| (NetId(i as u32), net))
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetlistMemory {
    /// Hierarchical name of the cell.
    pub name: String,
    /// Number of words, `2^(width of the addresses)`. No address is out of range.
    pub words: usize,
    /// Width of a word in bits.
    pub width: u32,
    pub read_address: NetId,
    /// Net whose operation is [`NetOp::Memory`].
    pub read_data: NetId,
    /// Absent in a read-only memory.
    pub write: Option<MemoryWrite>,
    /// First words. The rest starts as zero.
    pub init: Vec<BigUint>,
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
