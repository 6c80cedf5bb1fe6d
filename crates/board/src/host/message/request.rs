//! Request of a host to a board, and its encoding.

use crate::host::bytes::Reader;
use crate::host::wire::HostFrame;

/// Node number that selects all nodes.
const ALL_NODES: u32 = u32::MAX;

/// Request of a host to a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostRequest {
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

impl HostRequest {
    /// Kind of the request. The reply carries it, too.
    pub(in crate::host) fn kind(&self) -> u8 {
        match self {
            HostRequest::Hello => 1,
            HostRequest::Load { .. } => 2,
            HostRequest::Start { .. } => 3,
            HostRequest::Send { .. } => 4,
            HostRequest::Finish { .. } => 5,
            HostRequest::Collect { .. } => 6,
            HostRequest::Status => 7,
            HostRequest::Where { .. } => 8,
            HostRequest::Stop => 9,
            HostRequest::Reset => 10,
        }
    }

    pub fn to_frame(&self, sequence: u16) -> HostFrame {
        let mut payload = vec![];
        match self {
            HostRequest::Hello | HostRequest::Status | HostRequest::Stop | HostRequest::Reset => {}
            HostRequest::Load {
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
            HostRequest::Start { crc } => payload.extend(crc.to_le_bytes()),
            HostRequest::Send { messages } => {
                for (node, bytes) in messages {
                    payload.extend(node.to_le_bytes());
                    payload.push(bytes.len() as u8);
                    payload.extend(bytes);
                }
            }
            HostRequest::Finish { node } => payload.extend(node.unwrap_or(ALL_NODES).to_le_bytes()),
            HostRequest::Collect { room } => payload.extend(room.to_le_bytes()),
            HostRequest::Where { first } => payload.extend(first.to_le_bytes()),
        }
        HostFrame {
            kind: self.kind(),
            sequence,
            payload,
        }
    }

    /// Decodes a request, or returns `None` if the frame is not a valid one.
    pub fn from_frame(frame: &HostFrame) -> Option<Self> {
        let mut payload = Reader(&frame.payload);
        let request = match frame.kind {
            1 => HostRequest::Hello,
            2 => HostRequest::Load {
                offset: payload.u32()?,
                total: payload.u32()?,
                crc: payload.u32()?,
                bytes: payload.rest().to_vec(),
            },
            3 => HostRequest::Start {
                crc: payload.u32()?,
            },
            4 => {
                let mut messages = vec![];
                while !payload.is_empty() {
                    let (node, length) = (payload.u32()?, payload.u8()?);
                    messages.push((node, payload.bytes(length.into())?.to_vec()));
                }
                HostRequest::Send { messages }
            }
            5 => HostRequest::Finish {
                node: Some(payload.u32()?).filter(|node| *node != ALL_NODES),
            },
            6 => HostRequest::Collect {
                room: payload.u16()?,
            },
            7 => HostRequest::Status,
            8 => HostRequest::Where {
                first: payload.u32()?,
            },
            9 => HostRequest::Stop,
            10 => HostRequest::Reset,
            _ => return None,
        };
        payload.is_empty().then_some(request)
    }
}
