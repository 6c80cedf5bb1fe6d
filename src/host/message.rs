//! What host and board say to each other in frames: requests, replies, and what is in them.

use super::bytes::Reader;
use super::wire::Frame;
use crate::machine::Trap;
use crate::networks::tdma::cube::HandedOver;
use crate::rtl::core::Cause;
use std::fmt;

/// A kind with this bit is a reply to the request that has the other bits.
const REPLY: u8 = 0x80;

/// The kind of a reply that refuses a request.
const ERROR: u8 = 0xFF;

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

/// What a program told its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// `ctrl_send`; or, of a router, a message that has come home.
    Message {
        node: u32,
        /// Phases that were over.
        phase: u32,
        why: HandedOver,
        bytes: Vec<u8>,
    },
    /// The program has ended, with this code.
    Ended { node: u32, phase: u32, code: u8 },
    /// The core has halted.
    Trap { phase: u32, trap: Trap },
}

/// What a board is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// No program is loaded.
    #[default]
    Empty,
    /// A part of one is.
    Loading,
    /// It has a program that does not run.
    Loaded,
    /// The machine is being made ready.
    Starting,
    Running,
    /// Nothing has moved for so long that nothing will, unless a message comes: the clock
    /// stands still until then.
    Resting,
    /// Every program has ended, or halted.
    Ended,
    /// The machine cannot go on; why stands in [`Status::text`].
    Failed,
}

impl State {
    const ALL: [State; 8] = [
        State::Empty,
        State::Loading,
        State::Loaded,
        State::Starting,
        State::Running,
        State::Resting,
        State::Ended,
        State::Failed,
    ];

    /// Whether programs can still tell something without being given more.
    pub fn is_at_work(self) -> bool {
        matches!(self, State::Starting | State::Running)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Empty => "no program is loaded",
            State::Loading => "a program is half loaded",
            State::Loaded => "a program is loaded and does not run",
            State::Starting => "the machine is being made ready",
            State::Running => "running",
            State::Resting => "nothing moves any more",
            State::Ended => "every program has ended",
            State::Failed => "the machine has failed",
        })
    }
}

/// How things stand on a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    pub state: State,
    /// Programs that have ended, and cores that have halted.
    pub ended: u32,
    pub halted: u32,
    /// Messages that were given and not yet handed to the machine, and events that were not
    /// collected.
    pub given: u32,
    pub told: u32,
    /// Since the start: phases that are over, clock cycles, frames that were taken.
    pub phases: u64,
    pub clock_cycles: u64,
    pub hops: u64,
    /// CRC-32 of the program that is loaded; 0 if there is none.
    pub crc: u32,
    /// Why it failed.
    pub text: String,
}

/// Where the program of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub node: u32,
    pub state: crate::machine::State,
    pub pc: u32,
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

impl Request {
    /// Its kind, which its reply has, too.
    pub(super) fn kind(&self) -> u8 {
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

impl About {
    fn write(&self, payload: &mut Vec<u8>) {
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

    fn read(payload: &mut Reader) -> Option<Self> {
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

impl Event {
    /// Bytes that it takes.
    pub(super) fn length(&self) -> usize {
        let mut bytes = vec![];
        self.write(&mut bytes);
        bytes.len()
    }

    pub fn node(&self) -> u32 {
        match self {
            Event::Message { node, .. } | Event::Ended { node, .. } => *node,
            Event::Trap { trap, .. } => trap.node,
        }
    }

    fn write(&self, payload: &mut Vec<u8>) {
        let mut begin = |tag: u8, node: u32, phase: u32| {
            payload.push(tag);
            payload.extend(node.to_le_bytes());
            payload.extend(phase.to_le_bytes());
        };
        match self {
            Event::Message {
                node,
                phase,
                why,
                bytes,
            } => {
                begin(*why as u8, *node, *phase);
                payload.push(bytes.len() as u8);
                payload.extend(bytes);
            }
            Event::Ended { node, phase, code } => {
                begin(3, *node, *phase);
                payload.push(*code);
            }
            Event::Trap { phase, trap } => {
                begin(4, trap.node, *phase);
                payload.extend(trap.pc.to_le_bytes());
                payload.push(trap.cause as u8);
                payload.extend(trap.instruction.to_le_bytes());
            }
        }
    }

    fn read(payload: &mut Reader) -> Option<Self> {
        let (tag, node, phase) = (payload.u8()?, payload.u32()?, payload.u32()?);
        let why = match tag {
            0 => HandedOver::Delivered,
            1 => HandedOver::Undelivered,
            2 => HandedOver::Unknown,
            3 => {
                let code = payload.u8()?;
                return Some(Event::Ended { node, phase, code });
            }
            4 => {
                let trap = Trap {
                    node,
                    pc: payload.u32()?,
                    cause: Cause::from_number(payload.u8()?.into())?,
                    instruction: payload.u32()?,
                };
                return Some(Event::Trap { phase, trap });
            }
            _ => return None,
        };
        let length = payload.u8()?.into();
        Some(Event::Message {
            node,
            phase,
            why,
            bytes: payload.bytes(length)?.to_vec(),
        })
    }
}

impl Status {
    fn write(&self, payload: &mut Vec<u8>) {
        payload.push(self.state as u8);
        for number in [self.ended, self.halted, self.given, self.told] {
            payload.extend(number.to_le_bytes());
        }
        for number in [self.phases, self.clock_cycles, self.hops] {
            payload.extend(number.to_le_bytes());
        }
        payload.extend(self.crc.to_le_bytes());
        payload.extend(self.text.bytes().take(200));
    }

    fn read(payload: &mut Reader) -> Option<Self> {
        let state = payload.u8()?;
        Some(Status {
            state: *State::ALL.get(usize::from(state))?,
            ended: payload.u32()?,
            halted: payload.u32()?,
            given: payload.u32()?,
            told: payload.u32()?,
            phases: payload.u64()?,
            clock_cycles: payload.u64()?,
            hops: payload.u64()?,
            crc: payload.u32()?,
            text: payload.text(),
        })
    }
}

impl Place {
    /// Bytes that it takes.
    pub(super) const LENGTH: usize = 9;

    fn read(payload: &mut Reader) -> Option<Self> {
        use crate::machine::State;
        let (node, state) = (payload.u32()?, payload.u8()?);
        let states = [State::Asleep, State::Awake, State::Halted];
        Some(Place {
            node,
            state: *states.get(usize::from(state))?,
            pc: payload.u32()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests() -> Vec<Request> {
        vec![
            Request::Hello,
            Request::Load {
                offset: 512,
                total: 2048,
                crc: 0xDEAD_BEEF,
                bytes: vec![0, 1, 2],
            },
            Request::Start { crc: 7 },
            Request::Send {
                messages: vec![(0, vec![1, 2, 3, 4]), (4095, vec![0])],
            },
            Request::Finish { node: None },
            Request::Finish { node: Some(3) },
            Request::Collect { room: 300 },
            Request::Status,
            Request::Where { first: 9 },
            Request::Stop,
            Request::Reset,
        ]
    }

    fn replies() -> Vec<Reply> {
        let events = vec![
            Event::Message {
                node: 1,
                phase: 2,
                why: HandedOver::Undelivered,
                bytes: vec![5, 6],
            },
            Event::Ended {
                node: 7,
                phase: 9,
                code: 255,
            },
            Event::Trap {
                phase: 1,
                trap: Trap {
                    node: 3,
                    pc: 0x40,
                    cause: Cause::IllegalInstruction,
                    instruction: u32::MAX,
                },
            },
        ];
        vec![
            Reply::Hello(About {
                payload: 1024,
                dims: 4,
                nodes: 16,
                program: 2048,
                data: 512,
                message: 10,
                network: "tdma".into(),
                name: "simulated".into(),
            }),
            Reply::Load { received: 5 },
            Reply::Start,
            Reply::Send { waiting: 6 },
            Reply::Finish,
            Reply::Collect { left: 1, events },
            Reply::Status(Status {
                state: State::Resting,
                ended: 1,
                halted: 2,
                given: 3,
                told: 4,
                phases: 5,
                clock_cycles: 6,
                hops: 7,
                crc: 8,
                text: "why".into(),
            }),
            Reply::Where(vec![Place {
                node: 2,
                state: crate::machine::State::Halted,
                pc: 0x1C,
            }]),
            Reply::Stop,
            Reply::Reset,
            Reply::Error {
                code: ErrorCode::Full,
                text: "wait".into(),
            },
        ]
    }

    #[test]
    fn what_is_said_is_understood() {
        for request in requests() {
            assert_eq!(Request::of_frame(&request.to_frame(9)), Some(request));
        }
        for reply in replies() {
            assert_eq!(Reply::of_frame(&reply.to_frame(9)), Some(reply));
        }
    }

    /// A payload that has a byte less or more than it should is no request and no reply,
    /// unless it ends with bytes of any number.
    #[test]
    fn a_payload_of_another_form_is_refused() {
        for request in requests() {
            let mut frame = request.to_frame(1);
            let open = matches!(request, Request::Load { .. });
            frame.payload.push(0);
            assert_eq!(Request::of_frame(&frame).is_some(), open, "{request:?}");
            frame.payload.pop();
            if frame.payload.pop().is_some() {
                assert_eq!(Request::of_frame(&frame).is_some(), open, "{request:?}");
            }
        }
        for reply in replies() {
            let mut frame = reply.to_frame(1);
            let open = matches!(
                reply,
                Reply::Hello(_) | Reply::Status(_) | Reply::Error { .. }
            );
            frame.payload.push(0);
            assert_eq!(Reply::of_frame(&frame).is_some(), open, "{reply:?}");
        }
    }

    #[test]
    fn the_length_of_an_event_is_that_of_its_bytes() {
        let Reply::Collect { events, .. } = &replies()[5] else {
            panic!("the sixth reply has events");
        };
        assert_eq!(
            events.iter().map(Event::length).sum::<usize>(),
            12 + 10 + 18
        );
    }
}
