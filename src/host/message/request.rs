//! Request of a host to a board, and its encoding.

use crate::host::bytes::Reader;
use crate::host::wire::Frame;

/// Node number that selects all nodes.
const ALL: u32 = u32::MAX;

/// Request of a host to a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Identifies the board. The board discards a partially loaded program.
    Hello,
    /// Loads a piece of a program.
    Load {
        /// Position of the piece in bytes from address 0. Offset 0 starts a new program. Pieces
        /// come in order.
        offset: u32,
        /// Size of the whole program in bytes. `crc` is its CRC-32.
        total: u32,
        crc: u32,
        bytes: Vec<u8>,
    },
    /// Runs the program with this CRC-32 on all nodes, from reset.
    Start { crc: u32 },
    /// Delivers messages to the programs of nodes. The board accepts all of them or none.
    Send { messages: Vec<(u32, Vec<u8>)> },
    /// Announces the end of the messages for this node, or for all nodes if `None`.
    Finish { node: Option<u32> },
    /// Collects events in at most `room` bytes of payload. The board reports each event once.
    Collect { room: u16 },
    /// Requests the status of the board.
    Status,
    /// Requests the program states from this node on.
    Where { first: u32 },
    /// Ends the run. The program stays loaded.
    Stop,
    /// Restores the state after power-on, without a program.
    Reset,
}

impl Request {
    /// Kind of the request. The reply carries it, too.
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

    /// Decodes a request, or returns `None` if the frame is not a valid one.
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
