//! A board without a machine, whose nodes return each message reversed, and a line to it that
//! damages bytes.

use phasecube::board::port::{BoardPort, PortError};
use phasecube::host::message::{About, NodeProgramState, ProgramEvent, State, Status};
use phasecube::host::server::{Nodes, Server};
use phasecube::networks::tdma::cube::OutputReason;
use phasecube::traffic::SplitMix64;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

/// Record of the actions on the nodes.
#[derive(Default)]
pub struct NodeActions {
    /// The programs that were started, in order.
    pub started: Vec<Vec<u8>>,
    /// All messages given since the last start, in order.
    pub given: Vec<(u32, Vec<u8>)>,
}

/// A board at the end of a line.
pub trait EchoEnd {
    /// Receives bytes. Returns the bytes that the board sends back.
    fn take(&mut self, bytes: &[u8]) -> Vec<u8>;

    fn actions(&self) -> Rc<RefCell<NodeActions>>;
}

/// Nodes that return their messages reversed.
pub struct EchoNodes {
    about: About,
    deeds: Rc<RefCell<NodeActions>>,
    told: VecDeque<ProgramEvent>,
    state: State,
    /// Messages that the nodes accept at a time.
    pub room: usize,
}

impl EchoNodes {
    pub fn new() -> Self {
        EchoNodes {
            about: About {
                payload: 64,
                dims: 3,
                nodes: 8,
                program: 256,
                data: 512,
                message: 10,
                network: "tdma".into(),
                name: "echo".into(),
            },
            deeds: Rc::default(),
            told: VecDeque::new(),
            state: State::Loaded,
            room: usize::MAX,
        }
    }

    /// Returns a board with these nodes.
    pub fn board(self) -> Box<dyn EchoEnd> {
        let deeds = self.deeds.clone();
        let server = Server::new(self);
        Box::new(EchoBoard { server, deeds })
    }
}

struct EchoBoard {
    server: Server<EchoNodes>,
    deeds: Rc<RefCell<NodeActions>>,
}

impl EchoEnd for EchoBoard {
    fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.server.receive(bytes)
    }

    fn actions(&self) -> Rc<RefCell<NodeActions>> {
        self.deeds.clone()
    }
}

impl Nodes for EchoNodes {
    fn about(&self) -> &About {
        &self.about
    }

    fn start(&mut self, program: &[u8]) {
        self.stop();
        self.state = State::Running;
        let mut deeds = self.deeds.borrow_mut();
        deeds.started.push(program.to_vec());
        deeds.given.clear();
    }

    fn stop(&mut self) {
        self.told.clear();
        self.state = State::Loaded;
    }

    /// Events take up room until they are collected.
    fn room(&self) -> usize {
        self.room.saturating_sub(self.told.len())
    }

    fn deliver(&mut self, messages: Vec<(u32, Vec<u8>)>) {
        for (node, bytes) in messages {
            self.deeds.borrow_mut().given.push((node, bytes.clone()));
            self.told.push_back(ProgramEvent::Message {
                node,
                phase: 1,
                why: OutputReason::Delivered,
                bytes: bytes.into_iter().rev().collect(),
            });
        }
    }

    fn finish(&mut self, node: Option<u32>) {
        let nodes = node.map_or(0..self.about.nodes, |node| node..node + 1);
        let ends = nodes.map(|node| ProgramEvent::Ended {
            node,
            phase: 2,
            code: 0,
        });
        self.told.extend(ends);
        self.state = State::Ended;
    }

    fn collect(&mut self, room: usize) -> (Vec<ProgramEvent>, usize) {
        // 20 bytes are enough for any event of these nodes.
        let count = self.told.len().min(room / 20);
        let events = self.told.drain(..count).collect();
        (events, self.told.len())
    }

    fn status(&self) -> Status {
        Status {
            state: self.state,
            uncollected: self.told.len() as u32,
            ..Status::default()
        }
    }

    fn program_states(&mut self, _: u32, _: usize) -> Vec<NodeProgramState> {
        vec![]
    }
}

/// Rates of damage to the bytes on a line, in events per 1,000 pieces of up to 16 bytes.
#[derive(Clone, Copy, Default)]
pub struct Damage {
    pub flipped: u64,
    pub dropped: u64,
    pub doubled: u64,
    pub garbage: u64,
}

/// A line to a board, on which time passes only when it is read.
pub struct DamagedLine {
    board: Box<dyn EchoEnd>,
    pub damage: Damage,
    pub random: SplitMix64,
    coming: Vec<u8>,
    /// Repeats each reply once, before the next one.
    pub echoes: bool,
    before: Vec<u8>,
}

impl DamagedLine {
    pub fn new(board: Box<dyn EchoEnd>, damage: Damage, seed: u64) -> Self {
        DamagedLine {
            board,
            damage,
            random: SplitMix64::new(seed),
            coming: vec![],
            echoes: false,
            before: vec![],
        }
    }

    /// Returns these bytes as they arrive.
    fn on_the_way(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut arrives = vec![];
        let Damage {
            flipped,
            dropped,
            doubled,
            garbage,
        } = self.damage;
        for piece in bytes.chunks(16) {
            let mut piece = piece.to_vec();
            let mut happens = |times: u64| self.random.next_u64() % 1000 < times;
            if happens(dropped) {
                continue;
            }
            if happens(doubled) {
                piece.extend(piece.clone());
            }
            let (flips, adds) = (happens(flipped), happens(garbage));
            if flips {
                let (place, bit) = (self.random.next_u64() as usize, self.random.next_u64() % 8);
                let place = place % piece.len();
                piece[place] ^= 1 << bit;
            }
            if adds {
                let count = self.random.next_u64() % 40;
                piece.extend((0..count).map(|_| self.random.next_u64() as u8));
            }
            arrives.extend(piece);
        }
        arrives
    }
}

impl BoardPort for DamagedLine {
    fn send(&mut self, bytes: &[u8]) -> Result<(), PortError> {
        let arrives = self.on_the_way(bytes);
        let reply = self.board.take(&arrives);
        let reply = self.on_the_way(&reply);
        let before = std::mem::replace(&mut self.before, reply.clone());
        if self.echoes {
            self.coming.extend(before);
        }
        self.coming.extend(reply);
        Ok(())
    }

    fn receive(&mut self) -> Result<(Vec<u8>, Duration), PortError> {
        let came = std::mem::take(&mut self.coming);
        Ok((came, Duration::from_millis(50)))
    }
}
