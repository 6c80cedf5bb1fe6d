//! A circuit as one flat list of word operations, each net assigned once.
//!
//! A [`Netlist`] is what every engine runs. It has no hierarchy, no statements
//! and no state outside of [`Register`]s and [`Memory`]s: between two clock
//! edges the value of each net is a function of the nets before it in the list.
//! [`flatten`] makes it from a [`Design`](crate::design::Design).
//!
//! All values are unsigned words; the width of a net is at least one bit and may
//! be more than 64.

mod flatten;
mod names;
mod op;

pub use flatten::{flatten, FlattenError};
pub use names::{Name, Names};
pub use op::Op;

use num_bigint::BigUint;

/// Points into [`Netlist::nets`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NetId(pub u32);

impl NetId {
    /// The position in the list of nets.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A word and the operation that gives its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    pub op: Op,
    /// In bits, at least one.
    pub width: u32,
}

/// A flat circuit.
#[derive(Clone, Debug, Default)]
pub struct Netlist {
    /// Topologically sorted: the operands of a net stand before it. First come
    /// those without operands, then those that depend on the first only, and so
    /// on; among these, operations of one kind stand together. Nets that nothing
    /// depends on are absent unless they have a name.
    pub nets: Vec<Net>,
    pub registers: Vec<Register>,
    pub memories: Vec<Memory>,
    /// The input ports of the top module, in order of declaration.
    pub inputs: Vec<Name>,
    /// The output ports of the top module, in order of declaration.
    pub outputs: Vec<Name>,
    /// All signals of all instances, for observation.
    pub names: Names,
}

impl Netlist {
    pub fn net(&self, id: NetId) -> &Net {
        &self.nets[id.index()]
    }

    /// Width of a net in bits.
    pub fn width(&self, id: NetId) -> u32 {
        self.net(id).width
    }

    /// The nets with their ids, in topological order.
    pub fn iter(&self) -> impl Iterator<Item = (NetId, &Net)> {
        self.nets
            .iter()
            .enumerate()
            .map(|(i, net)| (NetId(i as u32), net))
    }

    /// The net of the input port with this name.
    pub fn input(&self, name: &str) -> Option<NetId> {
        port(&self.inputs, name)
    }

    /// The net of the output port with this name.
    pub fn output(&self, name: &str) -> Option<NetId> {
        port(&self.outputs, name)
    }

    /// The net of the signal with this hierarchical name (`nodes[3].uart.tx`).
    pub fn find(&self, path: &str) -> Option<NetId> {
        self.names.get(path).map(|name| name.net)
    }
}

fn port(ports: &[Name], name: &str) -> Option<NetId> {
    ports.iter().find(|p| p.path == name).map(|p| p.net)
}

/// At the clock edge `q` takes the value of `d`; it starts as `init`.
/// All three are equally wide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Hierarchical name of the cell.
    pub name: String,
    pub d: NetId,
    /// The net whose operation is [`Op::Register`].
    pub q: NetId,
    pub init: BigUint,
}

/// At the clock edge `read_data` takes the word at `read_address` as it was
/// before the edge, and then the write port writes; `read_data` starts as zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Hierarchical name of the cell.
    pub name: String,
    /// `2^(width of the addresses)`: no address is out of range.
    pub words: usize,
    /// Of a word, in bits.
    pub width: u32,
    pub read_address: NetId,
    /// The net whose operation is [`Op::Memory`].
    pub read_data: NetId,
    /// Absent in a read-only memory.
    pub write: Option<MemoryWrite>,
    /// The first words; the rest starts as zero.
    pub init: Vec<BigUint>,
}

/// At the clock edge the word at `address` becomes `data` if `enable` is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryWrite {
    /// As wide as [`Memory::read_address`].
    pub address: NetId,
    /// As wide as a word.
    pub data: NetId,
    /// One bit.
    pub enable: NetId,
    /// The word that is written is never the one that is read in the same clock
    /// cycle.
    pub disjoint: bool,
}
