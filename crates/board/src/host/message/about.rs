//! Description of a board, and its encoding.

use crate::host::bytes::Reader;

/// Description of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Largest frame payload that the board accepts, in bytes.
    pub payload: u16,
    /// Number of dimensions of the cube.
    pub dims: u8,
    pub nodes: u32,
    /// Size of a node's program store in bytes. `data` is the size of its data memory, which
    /// includes the stack.
    pub program: u32,
    pub data: u32,
    /// Largest message between a node and its host, in bytes.
    pub message: u8,
    /// Network as on the command line, such as `tdma`. `name` describes it in words.
    pub network: String,
    pub name: String,
}

impl About {
    pub(super) fn write(&self, payload: &mut Vec<u8>) {
        payload.extend(self.payload.to_le_bytes());
        payload.push(self.dims);
        for number in [self.nodes, self.program, self.data] {
            payload.extend(number.to_le_bytes());
        }
        payload.push(self.message);
        payload.push(self.network.len() as u8);
        payload.extend(self.network.bytes());
        payload.extend(self.name.bytes());
    }

    pub(super) fn read(payload: &mut Reader) -> Option<Self> {
        Some(About {
            payload: payload.u16()?,
            dims: payload.u8()?,
            nodes: payload.u32()?,
            program: payload.u32()?,
            data: payload.u32()?,
            message: payload.u8()?,
            network: {
                let length = payload.u8()?.into();
                String::from_utf8_lossy(payload.bytes(length)?).into_owned()
            },
            name: payload.text(),
        })
    }
}
