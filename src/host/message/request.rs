//! What a host asks a board for, and its bytes.

use crate::host::bytes::Reader;
use crate::host::wire::Frame;

/// In place of a node: all of them.
const ALL: u32 = u32::MAX;

/// What a host asks a board for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Who are you? A program that is half loaded is forgotten.
    Hello,
    /// A piece of a program.
    Load {
        /// Where it belongs, in bytes from address 0. 0 begins anew; pieces come in order.
        offset: u32,
        /// Bytes of the whole program, and their CRC-32.
        total: u32,
        crc: u32,
        bytes: Vec<u8>,
    },
    /// Run the program that has this CRC-32 on all nodes, from reset.
    Start { crc: u32 },
    /// Messages for the programs of nodes, all or none of them.
    Send { messages: Vec<(u32, Vec<u8>)> },
    /// No more messages will come for this node; `None`: for any.
    Finish { node: Option<u32> },
    /// What have programs told? At most so many bytes of payload. What was told once is
    /// not told again.
    Collect { room: u16 },
    /// How do things stand?
    Status,
    /// Where are the programs of the nodes from this one on?
    Where { first: u32 },
    /// End the run. The program stays loaded.
    Stop,
    /// As after power-on: no program.
    Reset,
}

impl Request {
    /// Its kind, which its reply has, too.
    pub(in crate::host) fn kind(&self) -> u8 {
        match self {
            Request::Hello => 1,
            Request::Load { .. } => 2,
            Request::Start { .. } => 3,
            Request::Send { .. } => 4,
            Request::Finish { .. } => 5,
            Request::Collect { .. } => 6,
            Request::Status => 7,
            Request::Where { .. } => 8,
            Request::Stop => 9,
            Request::Reset => 10,
        }
    }

    pub fn to_frame(&self, sequence: u16) -> Frame {
        let mut payload = vec![];
        match self {
            Request::Hello | Request::Status | Request::Stop | Request::Reset => {}
            Request::Load {
                offset,
                total,
                crc,
                bytes,
            } => {
                for number in [offset, total, crc] {
                    payload.extend(number.to_le_bytes());
                }
                payload.extend(bytes);
            }
            Request::Start { crc } => payload.extend(crc.to_le_bytes()),
            Request::Send { messages } => {
                for (node, bytes) in messages {
                    payload.extend(node.to_le_bytes());
                    payload.push(bytes.len() as u8);
                    payload.extend(bytes);
                }
            }
            Request::Finish { node } => payload.extend(node.unwrap_or(ALL).to_le_bytes()),
            Request::Collect { room } => payload.extend(room.to_le_bytes()),
            Request::Where { first } => payload.extend(first.to_le_bytes()),
        }
        Frame {
            kind: self.kind(),
            sequence,
            payload,
        }
    }

    /// What a frame asks for; `None` if that is nothing.
    pub fn of_frame(frame: &Frame) -> Option<Self> {
        let mut payload = Reader(&frame.payload);
        let request = match frame.kind {
            1 => Request::Hello,
            2 => Request::Load {
                offset: payload.u32()?,
                total: payload.u32()?,
                crc: payload.u32()?,
                bytes: payload.rest().to_vec(),
            },
            3 => Request::Start {
                crc: payload.u32()?,
            },
            4 => {
                let mut messages = vec![];
                while !payload.is_empty() {
                    let (node, length) = (payload.u32()?, payload.u8()?);
                    messages.push((node, payload.bytes(length.into())?.to_vec()));
                }
                Request::Send { messages }
            }
            5 => Request::Finish {
                node: Some(payload.u32()?).filter(|node| *node != ALL),
            },
            6 => Request::Collect {
                room: payload.u16()?,
            },
            7 => Request::Status,
            8 => Request::Where {
                first: payload.u32()?,
            },
            9 => Request::Stop,
            10 => Request::Reset,
            _ => return None,
        };
        payload.is_empty().then_some(request)
    }
}
