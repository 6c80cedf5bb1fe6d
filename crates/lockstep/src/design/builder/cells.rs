//! Registers and memories of a module under construction.

use super::*;

/// Pins of a register. Both have the width of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterPins {
    /// Value of the register after the next clock edge. The body must drive it on every path.
    pub d: SignalId,
    /// Present value of the register.
    pub q: SignalId,
}

/// Pins of a memory's read port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadPort {
    /// Address to read. The body must drive it on every path.
    pub address: SignalId,
    /// Word at the value of `address` at the previous clock edge.
    pub data: SignalId,
}

impl Builder {
    /// Adds a register with the initial value `init`. Its pins are called `name.d` and `name.q`.
    ///
    /// The register keeps its value if the body drives `d` with `q`. To write it conditionally,
    /// connect them first and then assign `d` in an `if`.
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

    /// Adds a memory of `2^address_width` words with one read port and one write port. `init` holds
    /// the first words, and the rest starts as zero. A read in the same clock cycle as a write of
    /// the word returns the old word.
    ///
    /// The pins are called `name.read_address`, `name.read_data`, `name.write_address`,
    /// `name.write_data` and `name.write_enable` (one bit). The body must drive all except
    /// `name.read_data` on every path.
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

    /// Adds a read-only memory of `2^address_width` words. `words` holds the first words, and the
    /// rest is zero. The pins have the same names as in [`memory`](Self::memory).
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
        self.module.cells.push(StateCell {
            name: name.into(),
            doc: doc.into(),
            kind,
        });
    }
}
