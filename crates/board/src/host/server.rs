//! Board end of the protocol: takes requests and returns replies, whatever arrives on the line.
//!
//! A request is executed once. A new request has the next sequence number. A request with the
//! number of the previous request is a repetition whose reply was lost, and it gets the same reply.
//! Any other number is refused. `Hello` restarts the numbering.
//!
//! Requests that are cut, duplicated or out of order are therefore not executed. A program starts
//! only if it is complete. Its CRC must match the announced CRC and the CRC in the start request.

use super::message::{
    About, BoardReply, ErrorCode, HostRequest, NodeProgramState, ProgramEvent, State, Status,
};
use super::wire::{crc32, Garbled, HostFrame, LineItem, Receiver, PAYLOAD_MAX, VERSION};
use machine::text::format_count;

/// Nodes behind a board's port.
pub trait Nodes {
    fn about(&self) -> &About;

    /// Runs this program on all nodes from reset. Ends the previous run and discards its messages
    /// and events.
    fn start(&mut self, program: &[u8]);

    /// Ends the run, if there is one, and discards its messages and events.
    fn stop(&mut self);

    /// Number of messages that can be accepted now.
    fn room(&self) -> usize;

    /// Delivers messages to the programs of existing nodes. The number of messages is at most
    /// [`room`](Self::room).
    fn deliver(&mut self, messages: Vec<(u32, Vec<u8>)>);

    /// Announces the end of the messages for this node, or for all nodes if `None`.
    fn finish(&mut self, node: Option<u32>);

    /// Takes the oldest uncollected events that fit in `room` bytes, in order. Also returns the
    /// number of events left.
    fn collect(&mut self, room: usize) -> (Vec<ProgramEvent>, usize);

    /// Status of the run, or [`State::Loaded`] if there is none.
    fn status(&self) -> Status;

    /// States of the programs of at most `most` nodes from `first` on. Empty if no program runs.
    fn program_states(&mut self, first: u32, most: usize) -> Vec<NodeProgramState>;
}

/// Program of a board.
#[derive(Default)]
enum StoredProgram {
    #[default]
    None,
    /// The part received so far.
    Partial {
        total: u32,
        crc: u32,
        bytes: Vec<u8>,
    },
    Complete {
        crc: u32,
        bytes: Vec<u8>,
    },
}

/// Board end of the line.
pub struct Server<N> {
    nodes: N,
    receiver: Receiver,
    /// Sequence number of the latest request since `Hello`, and its reply.
    latest: Option<(u16, Vec<u8>)>,
    program: StoredProgram,
    started: bool,
    /// Indexed by node: true after the end of its messages was announced.
    finished: Vec<bool>,
}

/// Reason why a request is refused.
type RequestError = (ErrorCode, String);

impl<N: Nodes> Server<N> {
    pub fn new(nodes: N) -> Self {
        Server {
            nodes,
            receiver: Receiver::default(),
            latest: None,
            program: StoredProgram::None,
            started: false,
            finished: vec![],
        }
    }

    /// Text that a board sends at power-on and to a new client.
    pub fn greeting(&self) -> String {
        format!("phasecube cube nodes={}\nready\n", self.nodes.about().nodes)
    }

    /// Takes received bytes and returns the bytes to send.
    pub fn receive(&mut self, bytes: &[u8]) -> Vec<u8> {
        let received = self.receiver.receive(bytes);
        received.into_iter().flat_map(|h| self.answer(h)).collect()
    }

    /// The client has disconnected: discards a partial frame, because the next client starts a new
    /// one.
    pub fn disconnected(&mut self) {
        self.receiver = Receiver::default();
    }

    fn answer(&mut self, received: LineItem) -> Vec<u8> {
        let refuse = |sequence, code, text: String| {
            let reply = BoardReply::Error { code, text };
            reply.to_frame(sequence).to_bytes()
        };
        match received {
            LineItem::Frame(frame) => self.frame(&frame),
            LineItem::Line(_) => format!(
                "error accepted: frames of host protocol {VERSION}, docs/host-protocol.md\nready\n"
            )
            .into_bytes(),
            LineItem::Foreign { version, sequence } => {
                let text = format!("this is version {version}; accepted: {VERSION}");
                refuse(sequence, ErrorCode::Version, text)
            }
            LineItem::Garbled(why) => {
                let text = match why {
                    Garbled::TooLong => "a frame is too long",
                    Garbled::Malformed => "this is not a frame",
                    Garbled::BadCrc => "the CRC of a frame is wrong",
                };
                refuse(0, ErrorCode::Garbled, text.into())
            }
        }
    }

    fn frame(&mut self, frame: &HostFrame) -> Vec<u8> {
        let request = HostRequest::from_frame(frame);
        if request == Some(HostRequest::Hello) {
            self.latest = None;
            // The client that loaded the first part has disconnected.
            if let StoredProgram::Partial { .. } = self.program {
                self.program = StoredProgram::None;
            }
        }
        if let Some((latest, reply)) = &self.latest {
            if *latest == frame.sequence {
                return reply.clone();
            }
        }
        let next = self.latest.as_ref().map(|(latest, _)| latest.wrapping_add(1));
        let in_order = match next {
            Some(next) => next == frame.sequence,
            None => request == Some(HostRequest::Hello),
        };
        let done = match request {
            // A request out of order does not advance the count, so the expected request is still
            // accepted.
            _ if !in_order => {
                let accepted = match next {
                    Some(next) => format!("{next}, or a hello"),
                    None => "a hello first".into(),
                };
                let text = format!("this is request {}; accepted: {accepted}", frame.sequence);
                let (code, sequence) = (ErrorCode::Sequence, frame.sequence);
                return BoardReply::Error { code, text }.to_frame(sequence).to_bytes();
            }
            None => {
                let text = format!(
                    "kind {} with {} bytes is not a request; accepted: the requests of docs/host-protocol.md",
                    frame.kind,
                    frame.payload.len()
                );
                Err((ErrorCode::Request, text))
            }
            Some(request) => self.execute(request),
        };
        let reply = done.unwrap_or_else(|(code, text)| BoardReply::Error { code, text });
        let bytes = reply.to_frame(frame.sequence).to_bytes();
        self.latest = Some((frame.sequence, bytes.clone()));
        bytes
    }

    fn execute(&mut self, request: HostRequest) -> Result<BoardReply, RequestError> {
        match request {
            HostRequest::Hello => Ok(BoardReply::Hello(self.nodes.about().clone())),
            HostRequest::Load { offset, total, crc, bytes } => {
                self.load(offset, (total, crc), &bytes)
            }
            HostRequest::Start { crc } => self.start(crc),
            HostRequest::Send { messages } => self.send(messages),
            HostRequest::Finish { node } => self.finish(node),
            HostRequest::Collect { room } => {
                let room = usize::from(room).min(PAYLOAD_MAX - 4);
                let (events, left) = self.nodes.collect(room);
                let left = u32::try_from(left).unwrap_or(u32::MAX);
                Ok(BoardReply::Collect { left, events })
            }
            HostRequest::Status => Ok(BoardReply::Status(self.status())),
            HostRequest::Where { first } => {
                let most = PAYLOAD_MAX / NodeProgramState::LENGTH;
                self.check_node(first)?;
                Ok(BoardReply::Where(self.nodes.program_states(first, most)))
            }
            HostRequest::Stop => {
                self.stop();
                Ok(BoardReply::Stop)
            }
            HostRequest::Reset => {
                self.stop();
                self.program = StoredProgram::None;
                Ok(BoardReply::Reset)
            }
        }
    }

    fn stop(&mut self) {
        self.nodes.stop();
        self.started = false;
    }

    fn load(
        &mut self,
        offset: u32,
        whole: (u32, u32),
        bytes: &[u8],
    ) -> Result<BoardReply, RequestError> {
        let (total, crc) = whole;
        let limit = self.nodes.about().program;
        if offset == 0 {
            self.stop();
            self.program = StoredProgram::None;
            if total == 0 || total > limit {
                let text = format!("the program has {total} bytes; accepted: 1 to {limit}");
                return Err((ErrorCode::TooLarge, text));
            }
            self.program = StoredProgram::Partial { total, crc, bytes: vec![] };
        }
        let StoredProgram::Partial { total: announced, crc: check, bytes: received } =
            &mut self.program
        else {
            let text = "no program is being loaded; accepted: its first piece, offset 0";
            return Err((ErrorCode::Program, text.into()));
        };
        let end = u64::from(offset) + bytes.len() as u64;
        let fits = offset as usize == received.len() && end <= u64::from(total);
        if (*announced, *check) != whole || !fits {
            let text = format!(
                "a piece from {offset} to {end} of {total} bytes; accepted: from {} on of \
                 {announced}, with the same CRC",
                received.len()
            );
            return Err((ErrorCode::Program, text));
        }
        received.extend(bytes);
        let received_now = received.len() as u32;
        if received_now == total {
            let bytes = std::mem::take(received);
            let found = crc32(&bytes);
            self.program = StoredProgram::None;
            if found != crc {
                let text = format!(
                    "the program has the CRC 0x{found:08X}, announced was 0x{crc:08X}; load it again"
                );
                return Err((ErrorCode::Program, text));
            }
            self.program = StoredProgram::Complete { crc, bytes };
        }
        Ok(BoardReply::Load { received: received_now })
    }

    fn start(&mut self, wanted: u32) -> Result<BoardReply, RequestError> {
        let text = match &self.program {
            StoredProgram::Complete { crc, bytes } if *crc == wanted => {
                self.nodes.start(bytes);
                self.started = true;
                self.finished = vec![false; self.nodes.about().nodes as usize];
                return Ok(BoardReply::Start);
            }
            StoredProgram::Complete { crc, .. } => {
                format!("the program that is loaded has the CRC 0x{crc:08X}, not 0x{wanted:08X}")
            }
            StoredProgram::Partial { total, bytes, .. } => {
                format!("{} of {total} bytes are loaded; accepted: all", bytes.len())
            }
            StoredProgram::None => "no program is loaded; accepted: load one first".into(),
        };
        Err((ErrorCode::Program, text))
    }

    fn send(&mut self, messages: Vec<(u32, Vec<u8>)>) -> Result<BoardReply, RequestError> {
        self.check_started()?;
        let most = self.nodes.about().message;
        for (node, message) in &messages {
            self.check_node(*node)?;
            let length = message.len();
            if length == 0 || length > most.into() {
                let text = format!(
                    "a message for node 0x{node:X} has {length} bytes; accepted: 1 to {most}"
                );
                return Err((ErrorCode::TooLarge, text));
            }
            if self.finished[*node as usize] {
                let text = format!("the data of node 0x{node:X} has ended");
                return Err((ErrorCode::State, text));
            }
        }
        let (room, count) = (self.nodes.room(), messages.len());
        if count > room {
            let text =
                format!("{} do not fit; accepted: {room} now", format_count(count, "message"));
            return Err((ErrorCode::Full, text));
        }
        self.nodes.deliver(messages);
        let waiting = self.nodes.status().waiting;
        Ok(BoardReply::Send { waiting })
    }

    fn finish(&mut self, node: Option<u32>) -> Result<BoardReply, RequestError> {
        self.check_started()?;
        match node {
            Some(node) => {
                self.check_node(node)?;
                self.finished[node as usize] = true;
            }
            None => self.finished.fill(true),
        }
        self.nodes.finish(node);
        Ok(BoardReply::Finish)
    }

    fn status(&self) -> Status {
        let status = self.nodes.status();
        match &self.program {
            StoredProgram::None => Status { state: State::Empty, ..status },
            StoredProgram::Partial { .. } => Status { state: State::Loading, ..status },
            StoredProgram::Complete { crc, .. } => Status { crc: *crc, ..status },
        }
    }

    fn check_started(&self) -> Result<(), RequestError> {
        match self.started {
            true => Ok(()),
            false => {
                let text = "no program runs; accepted: load and start one first";
                Err((ErrorCode::State, text.into()))
            }
        }
    }

    fn check_node(&self, node: u32) -> Result<(), RequestError> {
        let nodes = self.nodes.about().nodes;
        match node < nodes {
            true => Ok(()),
            false => {
                let text = format!("node 0x{node:X}; accepted: 0x0 to 0x{:X}", nodes - 1);
                Err((ErrorCode::Node, text))
            }
        }
    }
}
