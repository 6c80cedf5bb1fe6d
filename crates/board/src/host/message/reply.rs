//! Reply of a board, and its encoding.

use super::{About, NodeProgramState, ProgramEvent, Status};
use crate::host::bytes::Reader;
use crate::host::wire::HostFrame;

/// Bit of the kind that marks a reply. The other bits are the kind of the request.
const REPLY: u8 = 0x80;

/// Kind of an error reply.
const ERROR: u8 = 0xFF;

/// Reply of a board.
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
        HostFrame {
            kind: self.kind(),
            sequence,
            payload,
        }
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
            2 => BoardReply::Load {
                received: payload.u32()?,
            },
            3 => BoardReply::Start,
            4 => BoardReply::Send {
                waiting: payload.u32()?,
            },
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
