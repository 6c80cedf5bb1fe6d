//! Registers and memories of a module in the making.

use super::*;

/// The pins of a register, both as wide as its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterPins {
    /// What the register holds after the next clock edge; the body drives it, on
    /// every path.
    pub d: SignalId,
    /// What it holds.
    pub q: SignalId,
}

/// The pins at which a memory is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadPort {
    /// The word to be read; the body drives it, on every path.
    pub address: SignalId,
    /// The word that `address` named at the clock edge before.
    pub data: SignalId,
}

impl Builder {
    /// A register that starts as `init`; its pins are called `name.d` and
    /// `name.q`.
    ///
    /// It keeps its value if the body drives `d` with `q`: connect them first,
    /// and assign `d` in an `if` after that.
    pub fn register(
        &mut self,
        name: &str,
        ty: Type,
        init: impl Into<BigUint>,
        doc: &str,
    ) -> RegisterPins {
        let pins = RegisterPins {
            d: self.cell_pin(name, "d", ty.clone(), SignalKind::PinIn),
            q: self.cell_pin(name, "q", ty, SignalKind::PinOut),
        };
        let RegisterPins { d, q } = pins;
        let init = init.into();
        self.cell(name, doc, CellKind::Register { d, q, init });
        pins
    }

    /// A memory of `2^address_width` words of a type, with one port to read and
    /// one to write. It starts with the words of `init`, the rest as zero. A word
    /// that is read in the clock cycle in which it is written is the old one.
    ///
    /// The pins are called `name.read_address`, `name.read_data`,
    /// `name.write_address`, `name.write_data` and `name.write_enable` (one bit);
    /// the body drives all but the second, on every path.
    pub fn memory(
        &mut self,
        name: &str,
        ty: Type,
        address_width: u32,
        init: Vec<BigUint>,
        doc: &str,
    ) -> (ReadPort, WritePort) {
        let read = self.read_port(name, ty.clone(), address_width);
        let (address, input) = (Type::Bits(address_width), SignalKind::PinIn);
        let write = WritePort {
            address: self.cell_pin(name, "write_address", address, input.clone()),
            data: self.cell_pin(name, "write_data", ty, input.clone()),
            enable: self.cell_pin(name, "write_enable", Type::BIT, input),
            disjoint: false,
        };
        self.storage(name, doc, read, Some(write), init);
        (read, write)
    }

    /// A memory of `2^address_width` words of a type that are never written: those
    /// of `words`, the rest zero. The pins are called as those of
    /// [`memory`](Self::memory).
    pub fn rom(
        &mut self,
        name: &str,
        ty: Type,
        address_width: u32,
        words: Vec<BigUint>,
        doc: &str,
    ) -> ReadPort {
        let read = self.read_port(name, ty, address_width);
        self.storage(name, doc, read, None, words);
        read
    }

    fn read_port(&mut self, name: &str, ty: Type, address_width: u32) -> ReadPort {
        let address = Type::Bits(address_width);
        ReadPort {
            address: self.cell_pin(name, "read_address", address, SignalKind::PinIn),
            data: self.cell_pin(name, "read_data", ty, SignalKind::PinOut),
        }
    }

    fn storage(
        &mut self,
        name: &str,
        doc: &str,
        read: ReadPort,
        write: Option<WritePort>,
        init: Vec<BigUint>,
    ) {
        let kind = CellKind::Memory {
            read_address: read.address,
            read_data: read.data,
            write,
            init,
        };
        self.cell(name, doc, kind);
    }

    fn cell_pin(&mut self, cell: &str, pin: &str, ty: Type, kind: SignalKind) -> SignalId {
        self.signal(&format!("{cell}.{pin}"), ty, kind, "")
    }

    fn cell(&mut self, name: &str, doc: &str, kind: CellKind) {
        self.clocked();
        self.module.cells.push(Cell {
            name: name.into(),
            doc: doc.into(),
            kind,
        });
    }
}
