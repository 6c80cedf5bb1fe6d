//! What a board answers, and its bytes.

use super::{About, Event, Place, Status};
use crate::host::bytes::Reader;
use crate::host::wire::Frame;

/// A kind with this bit is a reply to the request that has the other bits.
const REPLY: u8 = 0x80;

/// The kind of a reply that refuses a request.
const ERROR: u8 = 0xFF;

/// What a board answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Hello(About),
    /// So many bytes of the program are there.
    Load {
        received: u32,
    },
    Start,
    /// So many messages wait for their programs.
    Send {
        waiting: u32,
    },
    Finish,
    /// What programs told, and how many events are left.
    Collect {
        left: u32,
        events: Vec<Event>,
    },
    Status(Status),
    /// From the first node that was asked for, as many as have room.
    Where(Vec<Place>),
    Stop,
    Reset,
    Error {
        code: ErrorCode,
        text: String,
    },
}

/// Why a board refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// The request is of another version.
    Version,
    /// A frame was damaged on its way; nothing is known of it, so its sequence number is 0.
    Garbled,
    /// There is no such request, or its payload is not of its form.
    Request,
    /// Its sequence number is not the next one: a frame is missing.
    Sequence,
    /// It does not fit; the text says what would.
    TooLarge,
    /// The program is not whole, or its CRC is another.
    Program,
    /// There is no such node.
    Node,
    /// This cannot be done in the board's present state.
    State,
    /// There is no room now; there will be, when programs have taken what waits.
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

impl Reply {
    fn kind(&self) -> u8 {
        match self {
            Reply::Hello(_) => REPLY | 1,
            Reply::Load { .. } => REPLY | 2,
            Reply::Start => REPLY | 3,
            Reply::Send { .. } => REPLY | 4,
            Reply::Finish => REPLY | 5,
            Reply::Collect { .. } => REPLY | 6,
            Reply::Status(_) => REPLY | 7,
            Reply::Where(_) => REPLY | 8,
            Reply::Stop => REPLY | 9,
            Reply::Reset => REPLY | 10,
            Reply::Error { .. } => ERROR,
        }
    }

    pub fn to_frame(&self, sequence: u16) -> Frame {
        let mut payload = vec![];
        match self {
            Reply::Start | Reply::Finish | Reply::Stop | Reply::Reset => {}
            Reply::Hello(about) => about.write(&mut payload),
            Reply::Load { received: number } | Reply::Send { waiting: number } => {
                payload.extend(number.to_le_bytes());
            }
            Reply::Collect { left, events } => {
                payload.extend(left.to_le_bytes());
                for event in events {
                    event.write(&mut payload);
                }
            }
            Reply::Status(status) => status.write(&mut payload),
            Reply::Where(places) => {
                for place in places {
                    payload.extend(place.node.to_le_bytes());
                    payload.push(place.state as u8);
                    payload.extend(place.pc.to_le_bytes());
                }
            }
            Reply::Error { code, text } => {
                payload.push(*code as u8 + 1);
                payload.extend(text.bytes().take(200));
            }
        }
        Frame {
            kind: self.kind(),
            sequence,
            payload,
        }
    }

    /// What a frame answers; `None` if that is nothing.
    pub fn of_frame(frame: &Frame) -> Option<Self> {
        let mut payload = Reader(&frame.payload);
        if frame.kind == ERROR {
            let code = payload.u8()?;
            let mut codes = ErrorCode::ALL.into_iter();
            let code = codes.find(|known| *known as u8 + 1 == code)?;
            let text = payload.text();
            return Some(Reply::Error { code, text });
        }
        let reply = match frame.kind ^ REPLY {
            1 => Reply::Hello(About::read(&mut payload)?),
            2 => Reply::Load {
                received: payload.u32()?,
            },
            3 => Reply::Start,
            4 => Reply::Send {
                waiting: payload.u32()?,
            },
            5 => Reply::Finish,
            6 => {
                let left = payload.u32()?;
                let mut events = vec![];
                while !payload.is_empty() {
                    events.push(Event::read(&mut payload)?);
                }
                Reply::Collect { left, events }
            }
            7 => Reply::Status(Status::read(&mut payload)?),
            8 => {
                let mut places = vec![];
                while !payload.is_empty() {
                    places.push(Place::read(&mut payload)?);
                }
                Reply::Where(places)
            }
            9 => Reply::Stop,
            10 => Reply::Reset,
            _ => return None,
        };
        payload.is_empty().then_some(reply)
    }
}
