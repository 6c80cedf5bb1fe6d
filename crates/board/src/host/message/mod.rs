//! Messages between host and board: requests, replies and their contents (docs/host-protocol.md).

mod contents;
#[cfg(test)]
mod tests;

use crate::host::wire::{HostFrame, Reader};
pub use contents::{About, NodeProgramState, ProgramEvent, State, Status};

// Request of a host to a board, and its encoding.

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
            HostRequest::Load { offset, total, crc, bytes } => {
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
        HostFrame { kind: self.kind(), sequence, payload }
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
            3 => HostRequest::Start { crc: payload.u32()? },
            4 => {
                let mut messages = vec![];
                while !payload.is_empty() {
                    let (node, length) = (payload.u32()?, payload.u8()?);
                    messages.push((node, payload.bytes(length.into())?.to_vec()));
                }
                HostRequest::Send { messages }
            }
            5 => {
                HostRequest::Finish { node: Some(payload.u32()?).filter(|node| *node != ALL_NODES) }
            }
            6 => HostRequest::Collect { room: payload.u16()? },
            7 => HostRequest::Status,
            8 => HostRequest::Where { first: payload.u32()? },
            9 => HostRequest::Stop,
            10 => HostRequest::Reset,
            _ => return None,
        };
        payload.is_empty().then_some(request)
    }
}

// Reply of a board, and its encoding.

/// Bit of the kind that marks a reply. The other bits are the kind of the request.
const REPLY: u8 = 0x80;

/// Kind of an error reply.
const ERROR: u8 = 0xFF;

/// Decoded payload of a reply, by the kind of its request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardReply {
    Hello(About),
    /// Number of program bytes received so far.
    Load {
        received: u32,
    },
    Start,
    /// Number of messages that wait for their programs.
    Send {
        waiting: u32,
    },
    Finish,
    /// Events of the programs, and the number of events left on the board.
    Collect {
        left: u32,
        events: Vec<ProgramEvent>,
    },
    Status(Status),
    /// Program states from the first requested node on, as many as fit in the frame.
    Where(Vec<NodeProgramState>),
    Stop,
    Reset,
    Error {
        code: ErrorCode,
        text: String,
    },
}

/// Reason why a board refuses a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// The request has another protocol version.
    Version,
    /// The frame was damaged on the line. Its sequence number is unknown and reported as 0.
    Garbled,
    /// The request is unknown, or its payload is malformed.
    Request,
    /// The sequence number is not the next one: a frame is missing.
    Sequence,
    /// The request is too large. The text gives the limit.
    TooLarge,
    /// The program is incomplete, or its CRC differs.
    Program,
    /// The node does not exist.
    Node,
    /// The board's present state does not allow the request.
    State,
    /// No room now. Room becomes free when programs take waiting messages.
    Full,
}

impl ErrorCode {
    const ALL: [ErrorCode; 9] = [
        ErrorCode::Version,
        ErrorCode::Garbled,
        ErrorCode::Request,
        ErrorCode::Sequence,
        ErrorCode::TooLarge,
        ErrorCode::Program,
        ErrorCode::Node,
        ErrorCode::State,
        ErrorCode::Full,
    ];
}

impl BoardReply {
    fn kind(&self) -> u8 {
        match self {
            BoardReply::Hello(_) => REPLY | 1,
            BoardReply::Load { .. } => REPLY | 2,
            BoardReply::Start => REPLY | 3,
            BoardReply::Send { .. } => REPLY | 4,
            BoardReply::Finish => REPLY | 5,
            BoardReply::Collect { .. } => REPLY | 6,
            BoardReply::Status(_) => REPLY | 7,
            BoardReply::Where(_) => REPLY | 8,
            BoardReply::Stop => REPLY | 9,
            BoardReply::Reset => REPLY | 10,
            BoardReply::Error { .. } => ERROR,
        }
    }

    pub fn to_frame(&self, sequence: u16) -> HostFrame {
        let mut payload = vec![];
        match self {
            BoardReply::Start | BoardReply::Finish | BoardReply::Stop | BoardReply::Reset => {}
            BoardReply::Hello(about) => about.write(&mut payload),
            BoardReply::Load { received: number } | BoardReply::Send { waiting: number } => {
                payload.extend(number.to_le_bytes());
            }
            BoardReply::Collect { left, events } => {
                payload.extend(left.to_le_bytes());
                for event in events {
                    event.write(&mut payload);
                }
            }
            BoardReply::Status(status) => status.write(&mut payload),
            BoardReply::Where(places) => {
                for place in places {
                    payload.extend(place.node.to_le_bytes());
                    payload.push(place.state as u8);
                    payload.extend(place.pc.to_le_bytes());
                }
            }
            BoardReply::Error { code, text } => {
                payload.push(*code as u8 + 1);
                payload.extend(text.bytes().take(200));
            }
        }
        HostFrame { kind: self.kind(), sequence, payload }
    }

    /// Decodes a reply, or returns `None` if the frame is not a valid one.
    pub fn from_frame(frame: &HostFrame) -> Option<Self> {
        let mut payload = Reader(&frame.payload);
        if frame.kind == ERROR {
            let code = payload.u8()?;
            let mut codes = ErrorCode::ALL.into_iter();
            let code = codes.find(|known| *known as u8 + 1 == code)?;
            let text = payload.text();
            return Some(BoardReply::Error { code, text });
        }
        let reply = match frame.kind ^ REPLY {
            1 => BoardReply::Hello(About::read(&mut payload)?),
            2 => BoardReply::Load { received: payload.u32()? },
            3 => BoardReply::Start,
            4 => BoardReply::Send { waiting: payload.u32()? },
            5 => BoardReply::Finish,
            6 => {
                let left = payload.u32()?;
                let mut events = vec![];
                while !payload.is_empty() {
                    events.push(ProgramEvent::read(&mut payload)?);
                }
                BoardReply::Collect { left, events }
            }
            7 => BoardReply::Status(Status::read(&mut payload)?),
            8 => {
                let mut places = vec![];
                while !payload.is_empty() {
                    places.push(NodeProgramState::read(&mut payload)?);
                }
                BoardReply::Where(places)
            }
            9 => BoardReply::Stop,
            10 => BoardReply::Reset,
            _ => return None,
        };
        payload.is_empty().then_some(reply)
    }
}
