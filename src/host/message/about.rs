//! What a board is, and its bytes.

use crate::host::bytes::Reader;

/// What a board is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Bytes of payload of a frame that it takes, at most.
    pub payload: u16,
    /// Dimensions of the cube.
    pub dims: u8,
    pub nodes: u32,
    /// Bytes of a node's program store, and of its data memory, stack included.
    pub program: u32,
    pub data: u32,
    /// Bytes of a message between a node and its host, at most.
    pub message: u8,
    /// Its network, as on the command line: `tdma`; and what it is, in words.
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
