//! Machine behind a port: loads a program, runs it, sends and collects messages.

use super::client::{Client, HostError};
use super::message::{
    About, BoardReply, HostRequest, NodeProgramState, ProgramEvent, State, Status,
};
use super::wire::crc32;
use crate::host::message::ErrorCode;
use crate::port::{self, PortName};
use interconnect::topology::AddressSpace;
use machine::program::Firmware;
use machine::values::{ProgramValue, Values};
use machine::{DroppedMessage, ProgramResults, RuntimeReport, Trap};
use std::collections::{BTreeSet, VecDeque};
use std::thread;
use std::time::Duration;

/// Baud rate of a serial port, in bit-times per second.
const BAUD: u32 = 1_000_000;

/// Timeout for a reply of the board. A simulated board needs time to locate 4,096 programs.
const REPLY_TIMEOUT: Duration = Duration::from_secs(120);

/// Timeout for the reply that identifies the board.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);

/// First wait before a board is polled again. `POLL_MAX` is the longest wait.
const POLL_MIN: Duration = Duration::from_millis(1);
const POLL_MAX: Duration = Duration::from_millis(100);

/// Bytes of a [`HostRequest::Load`] frame in front of the program bytes.
const LOAD_HEADER: usize = 12;

/// Header bytes of each message in a frame.
const SEND_HEADER: usize = 5;

/// Machine behind a port: a board or a simulated one.
pub struct Machine {
    client: Client,
    about: About,
    /// CRC of the loaded program, if this client loaded it.
    program: Option<u32>,
    /// Events that arrived during other requests.
    inbox: VecDeque<ProgramEvent>,
}

/// Values and exit codes of the programs of all nodes, and the cores that halted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunResults {
    /// Return values and exit codes of the programs. For programs that have not ended, their state,
    /// without function names.
    pub programs: ProgramResults,
    /// Cores that halted, in the order in which they halted.
    pub traps: Vec<Trap>,
    /// State of the board: [`State::Ended`], or [`State::Resting`] if programs hang.
    pub state: State,
}

impl Machine {
    /// Opens a port and identifies the board. `port` is a TCP address of a simulated board
    /// (`tcp:PORT`, `tcp:SUPERVISOR:PORT` or `tcp:[IPV6]:PORT`), a serial port, or a pseudo-terminal. A
    /// serial port runs at 1,000,000 bit-times per second.
    ///
    /// # Errors
    /// If no board answers, or the board has another version of the protocol.
    pub fn connect(port: &str) -> Result<Self, HostError> {
        let name = PortName::from_word(port.as_ref()).map_err(port::PortError::from)?;
        Self::connect_to(&name)
    }

    /// Opens the port at a parsed address, and identifies the board.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub fn connect_to(name: &PortName) -> Result<Self, HostError> {
        Self::over_port(port::open(name, BAUD)?)
    }

    /// Identifies the board on an open line.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub fn over_port(port: Box<dyn port::BoardPort>) -> Result<Self, HostError> {
        let mut client = Client::new(port, HELLO_TIMEOUT);
        let BoardReply::Hello(about) = client.request(&HostRequest::Hello)? else {
            return Err(HostError::UnexpectedReply);
        };
        let least = LOAD_HEADER.max(SEND_HEADER + usize::from(about.message));
        let nodes = AddressSpace::new(about.nodes.into());
        if usize::from(about.payload) <= least || nodes.is_err() {
            return Err(HostError::UnexpectedReply);
        }
        client.set_timeout(REPLY_TIMEOUT);
        Ok(Machine { client, about, program: None, inbox: VecDeque::new() })
    }

    /// Description of the machine.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Addresses of the nodes.
    pub fn addresses(&self) -> AddressSpace {
        // `on` has checked the number of nodes.
        AddressSpace::new(self.about.nodes.into()).expect("a machine of 1 to 65,536 nodes")
    }

    /// Loads a program into all nodes and ends the current run.
    ///
    /// # Errors
    /// If the program is larger than a node's program store, or the board refuses.
    pub fn load(&mut self, program: &Firmware) -> Result<(), HostError> {
        self.load_bytes(&program.name, &program.bytes())
    }

    /// Loads the bytes of the program store from address 0 on. `name` appears in error messages.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_bytes(&mut self, name: &str, program: &[u8]) -> Result<(), HostError> {
        let (bytes, limit) = (program.len(), self.about.program);
        if bytes > limit as usize {
            return Err(HostError::TooLarge { program: name.to_owned(), bytes, limit });
        }
        self.program = None;
        self.inbox.clear();
        let crc = crc32(program);
        let piece = usize::from(self.about.payload) - LOAD_HEADER;
        let mut offset = 0;
        // An empty program is sent as well, so that the board reports its limits.
        loop {
            let bytes = &program[offset..program.len().min(offset + piece)];
            self.client.request(&HostRequest::Load {
                offset: offset as u32,
                total: program.len() as u32,
                crc,
                bytes: bytes.to_vec(),
            })?;
            offset += bytes.len();
            if offset >= program.len() {
                break;
            }
        }
        self.program = Some(crc);
        Ok(())
    }

    /// Starts the loaded program on all nodes from reset, and waits until it runs. No node has any
    /// messages yet.
    ///
    /// # Errors
    /// If this client loaded no program, or the board fails.
    pub fn start(&mut self) -> Result<(), HostError> {
        let crc = self.program.ok_or(HostError::NoProgram)?;
        self.inbox.clear();
        self.client.request(&HostRequest::Start { crc })?;
        let mut pause = POLL_MIN;
        while self.status()?.state == State::Starting {
            thread::sleep(pause);
            pause = POLL_MAX.min(2 * pause);
        }
        Ok(())
    }

    /// Runs the loaded program on this data until all programs have ended or halted, or nothing
    /// moves any more. `data` has a list of values for each node. One `ctrl_recv` takes one value.
    ///
    /// # Errors
    /// If a value is longer than the longest message, or the board fails.
    pub fn run(&mut self, data: &Values) -> Result<RunResults, HostError> {
        self.start()?;
        self.send_data(data)?;
        self.collect()
    }

    /// Sends the programs their data and announces the end of the data.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn send_data(&mut self, data: &Values) -> Result<(), HostError> {
        let nodes = (0..).zip(&data.0);
        let messages =
            nodes.flat_map(|(node, values)| values.iter().map(move |v| (node, v.message())));
        self.send_all(messages.collect())?;
        self.finish()
    }

    /// Sends a message to the program of a node. One `ctrl_recv` takes it.
    ///
    /// # Errors
    /// If the node does not exist, the message is too long, or no program runs.
    pub fn send(&mut self, node: u32, message: &[u8]) -> Result<(), HostError> {
        self.send_all(vec![(node, message.to_vec())])
    }

    /// Sends a message through the machine, whose nodes run `route`. The message begins with its
    /// destination.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn send_through(&mut self, from: u32, to: u32, payload: &[u8]) -> Result<(), HostError> {
        self.check_node(to)?;
        let limit = self.about.message.saturating_sub(2);
        match payload.len() <= limit.into() {
            true => self.send(from, &routed_message(to, payload)),
            false => Err(HostError::Payload { bytes: payload.len(), limit }),
        }
    }

    /// Announces the end of the messages to all programs.
    ///
    /// # Errors
    /// If no program runs.
    pub fn finish(&mut self) -> Result<(), HostError> {
        self.client.request(&HostRequest::Finish { node: None }).map(|_| ())
    }

    /// Returns all uncollected events of the programs, without waiting.
    ///
    /// # Errors
    /// If the board does not answer.
    pub fn collect_now(&mut self) -> Result<Vec<ProgramEvent>, HostError> {
        let mut events: Vec<ProgramEvent> = self.inbox.drain(..).collect();
        loop {
            let more = self.fetch()?;
            if more.is_empty() {
                return Ok(events);
            }
            events.extend(more);
        }
    }

    /// Iterates over the events of the programs as they arrive. The iterator ends when all programs
    /// have ended or halted, or nothing moves any more.
    pub fn collect_streaming(&mut self) -> EventStream<'_> {
        EventStream { machine: self, pause: POLL_MIN, is_over: false }
    }

    /// Collects all events until the programs have ended or halted, or nothing moves any more.
    ///
    /// # Errors
    /// If the board fails, or does not answer.
    pub fn collect(&mut self) -> Result<RunResults, HostError> {
        let nodes = self.about.nodes;
        let mut programs = ProgramResults {
            returned: Values::none(nodes),
            exits: vec![None; nodes as usize],
            ..ProgramResults::default()
        };
        let mut traps = vec![];
        for event in self.collect_streaming() {
            let event = event?;
            let node = event.node() as usize;
            if node >= nodes as usize {
                return Err(HostError::UnexpectedReply);
            }
            match event {
                ProgramEvent::Message { bytes, phase, why, .. } => {
                    programs.phases = phase.into();
                    let dropped = DroppedMessage::read(node as u32, programs.phases, &bytes, why);
                    match (dropped, RuntimeReport::decode(&bytes)) {
                        (Some(dropped), _) => programs.dropped.push(dropped),
                        (None, Some(RuntimeReport::Refused(length))) => {
                            programs.record_refused(node as u32, length);
                        }
                        // Texts need the file of the program.
                        (None, _) => {
                            let values = ProgramValue::of_message(&bytes);
                            programs.returned.0[node].extend(values);
                        }
                    }
                }
                ProgramEvent::Ended { code, phase, .. } => {
                    programs.exits[node].get_or_insert(code);
                    programs.phases = phase.into();
                }
                ProgramEvent::Trap { trap, .. } => traps.push(trap),
            }
        }
        let state = self.status()?.state;
        if programs.unfinished_count() > 0 && state == State::Resting {
            let places = self.program_states()?.into_iter();
            let places = places.map(|place| machine::ProgramState {
                node: place.node,
                state: place.state,
                pc: place.pc,
                function: None,
                line: None,
                from: None,
                from_line: None,
            });
            programs.unfinished = places
                .filter(|place| {
                    let exit = programs.exits.get(place.node as usize);
                    exit == Some(&None)
                })
                .collect();
        }
        Ok(RunResults { programs, traps, state })
    }

    /// Compares the program that is loaded in the board with this one, by their CRCs.
    ///
    /// # Errors
    /// If the board has another program, has failed, or does not answer.
    pub fn check_program(&mut self, program: &Firmware) -> Result<(), HostError> {
        let (found, expected) = (self.status()?.crc, crc32(&program.bytes()));
        match found == expected {
            true => Ok(()),
            false => {
                Err(HostError::OtherProgram { program: program.name.clone(), found, expected })
            }
        }
    }

    /// Returns the status of the board.
    ///
    /// # Errors
    /// If the machine has failed, or the board does not answer.
    pub fn status(&mut self) -> Result<Status, HostError> {
        match self.client.request(&HostRequest::Status)? {
            BoardReply::Status(Status { state: State::Failed, text, .. }) => {
                Err(HostError::Failed(text))
            }
            BoardReply::Status(status) => Ok(status),
            _ => Err(HostError::UnexpectedReply),
        }
    }

    /// Returns the states of the programs of all nodes, or an empty list if no program runs.
    ///
    /// # Errors
    /// If the board does not answer.
    pub fn program_states(&mut self) -> Result<Vec<NodeProgramState>, HostError> {
        let mut places: Vec<NodeProgramState> = vec![];
        loop {
            let first = places.last().map_or(0, |place| place.node + 1);
            if first >= self.about.nodes {
                return Ok(places);
            }
            match self.client.request(&HostRequest::Where { first })? {
                BoardReply::Where(more) if more.is_empty() => return Ok(places),
                BoardReply::Where(more) if more.iter().all(|place| place.node >= first) => {
                    places.extend(more);
                }
                _ => return Err(HostError::UnexpectedReply),
            }
        }
    }

    /// Ends the run. The program stays loaded.
    ///
    /// # Errors
    /// If the board does not answer.
    pub fn stop(&mut self) -> Result<(), HostError> {
        self.inbox.clear();
        self.client.request(&HostRequest::Stop).map(|_| ())
    }

    /// Restores the state after power-on, without a program.
    ///
    /// # Errors
    /// If the board does not answer.
    pub fn reset(&mut self) -> Result<(), HostError> {
        self.inbox.clear();
        self.program = None;
        self.client.request(&HostRequest::Reset).map(|_| ())
    }

    /// Fetches the next events of the programs, as many as fit in a frame.
    fn fetch(&mut self) -> Result<Vec<ProgramEvent>, HostError> {
        let room = self.about.payload - 4;
        match self.client.request(&HostRequest::Collect { room })? {
            BoardReply::Collect { events, .. } => Ok(events),
            _ => Err(HostError::UnexpectedReply),
        }
    }

    /// Fetches events in up to `frames` frames, until there are no more. With fewer frames than nodes, a
    /// board whose buffer is full would accept a few messages only for each round of requests.
    fn fetch_frames(&mut self, frames: u32) -> Result<Vec<ProgramEvent>, HostError> {
        let mut events = vec![];
        for _ in 0..frames {
            let more = self.fetch()?;
            if more.is_empty() {
                break;
            }
            events.extend(more);
        }
        Ok(events)
    }

    fn check_node(&self, node: u32) -> Result<(), HostError> {
        match node < self.about.nodes {
            true => Ok(()),
            false => {
                Err(HostError::Node { found: format!("0x{node:X}"), last: self.about.nodes - 1 })
            }
        }
    }
}

/// Message for another node, as `route` receives it from its host and delivers it.
pub fn routed_message(to: u32, payload: &[u8]) -> Vec<u8> {
    [&(to as u16).to_le_bytes()[..], payload].concat()
}

/// Iterator over the events of the programs ([`Machine::collect_streaming`]).
pub struct EventStream<'a> {
    machine: &'a mut Machine,
    /// Wait before the board is polled again.
    pause: Duration,
    is_over: bool,
}

impl EventStream<'_> {
    fn poll(&mut self) -> Result<Option<ProgramEvent>, HostError> {
        loop {
            if let Some(event) = self.machine.inbox.pop_front() {
                return Ok(Some(event));
            }
            if self.is_over {
                return Ok(None);
            }
            // The state is read before the events, because no events come after the end.
            let at_work = self.machine.status()?.state.is_active();
            let events = self.machine.fetch()?;
            if !events.is_empty() {
                self.machine.inbox.extend(events);
                self.pause = POLL_MIN;
            } else if at_work {
                thread::sleep(self.pause);
                self.pause = POLL_MAX.min(2 * self.pause);
            } else {
                self.is_over = true;
            }
        }
    }
}

impl Iterator for EventStream<'_> {
    type Item = Result<ProgramEvent, HostError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.poll().transpose();
        if let Some(Err(_)) = next {
            self.is_over = true;
        }
        next
    }
}

// Sends many messages to programs in frames, as the board has room for them.

impl Machine {
    /// Sends many messages, each with its node.
    ///
    /// # Errors
    /// As [`send`](Self::send). If one message is invalid, no message of its frame is sent.
    pub fn send_all(&mut self, messages: Vec<(u32, Vec<u8>)>) -> Result<(), HostError> {
        for (node, message) in &messages {
            self.check_node(*node)?;
            let (bytes, limit) = (message.len(), self.about.message);
            if bytes == 0 || bytes > limit.into() {
                return Err(HostError::Message { bytes, limit });
            }
        }
        let mut waiting = messages;
        let mut pause = POLL_MIN;
        while !waiting.is_empty() {
            let count = waiting.len();
            waiting = self.send_while_room(waiting)?;
            if waiting.is_empty() {
                break;
            }
            // The programs may wait until the host collects their events.
            let status = self.status()?;
            let events = self.fetch_frames(self.about.nodes)?;
            let unchanged = waiting.len() == count && events.is_empty();
            if unchanged && !status.state.is_active() {
                let text = format!("there is no room for messages, and {}", status.state);
                let code = ErrorCode::Full;
                return Err(HostError::Refused { code, text });
            }
            self.inbox.extend(events);
            thread::sleep(pause);
            pause = if unchanged { POLL_MAX.min(2 * pause) } else { POLL_MIN };
        }
        Ok(())
    }

    /// Sends messages in frames and returns those for which the board has no room, in their order.
    ///
    /// The board accepts a frame as a whole. If it refuses one, the messages of each node in it are
    /// sent separately. The queue of one program may be full because the program waits for a
    /// message to another one.
    fn send_while_room(
        &mut self,
        messages: Vec<(u32, Vec<u8>)>,
    ) -> Result<Vec<(u32, Vec<u8>)>, HostError> {
        let mut left: Vec<(u32, Vec<u8>)> = vec![];
        let mut full = BTreeSet::new();
        for frame in self.frames(messages) {
            // Messages for a full node keep their order, so they follow the unsent ones.
            let (behind, frame): (Vec<_>, Vec<_>) =
                frame.into_iter().partition(|(node, _)| full.contains(node));
            left.extend(behind);
            if frame.is_empty() || self.try_send_frame(&frame)? {
                continue;
            }
            let nodes: BTreeSet<u32> = frame.iter().map(|(node, _)| *node).collect();
            for node in nodes {
                let of_node = frame.iter().filter(|(to, _)| *to == node);
                let of_node: Vec<_> = of_node.cloned().collect();
                if of_node.len() == frame.len() || !self.try_send_frame(&of_node)? {
                    full.insert(node);
                    left.extend(of_node);
                }
            }
        }
        Ok(left)
    }

    /// Packs messages in frames, as many as fit in each.
    fn frames(&self, messages: Vec<(u32, Vec<u8>)>) -> Vec<Vec<(u32, Vec<u8>)>> {
        let mut frames: Vec<Vec<(u32, Vec<u8>)>> = vec![];
        let mut room = 0;
        for (node, message) in messages {
            let length = SEND_HEADER + message.len();
            match frames.last_mut() {
                Some(frame) if length <= room => frame.push((node, message)),
                _ => {
                    room = self.about.payload.into();
                    frames.push(vec![(node, message)]);
                }
            }
            room -= length;
        }
        frames
    }

    /// Sends a frame. Returns whether the board had room for it.
    fn try_send_frame(&mut self, messages: &[(u32, Vec<u8>)]) -> Result<bool, HostError> {
        let messages = messages.to_vec();
        match self.client.request(&HostRequest::Send { messages }) {
            Err(HostError::Refused { code: ErrorCode::Full, .. }) => Ok(false),
            done => done.map(|_| true),
        }
    }
}
