//! Host and board: the protocol under damage, the client against the simulated board, the commands,
//! and the Python package.

pub mod commands;
mod damage;
mod native_board;
mod page;
mod python;
mod rejections;

use phasecube::board::port::{BoardPort, PortError};
use phasecube::host::listen::Listener;
use phasecube::host::message::{About, NodeProgramState, ProgramEvent, State, Status};
use phasecube::host::server::{Nodes, Server};
use phasecube::host::simulated::{SimulatedBoardConfig, SimulatedNodes};
use phasecube::host::{CarryOutcome, Machine};
use phasecube::machine::CoreState as Core;
use phasecube::program::{Firmware, NodeKind};
use phasecube::rtl::core::Cause;
use phasecube::rtl::tdma::DeliveryReason;
use phasecube::toolchain::Toolchain;
use phasecube::topology::Hypercube;
use phasecube::traffic::{Recipe, SplitMix64, TrafficPattern};
use phasecube::values::{ProgramValue, Values};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// A simulated board in this process. Dropping it ends it.
pub struct SimulatedBoard {
    port: String,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl SimulatedBoard {
    /// Starts a board of `dims` dimensions. Its clock stops after a few superframes without a move.
    pub fn new(dims: u64) -> Self {
        let plan = SimulatedBoardConfig {
            rest_superframes: 3,
            ..SimulatedBoardConfig::new(Hypercube::new(dims).unwrap())
        };
        let nodes = SimulatedNodes::new(plan).unwrap();
        Self::of(|| nodes)
    }

    /// Starts a board of these nodes.
    fn of<N: Nodes>(nodes: impl FnOnce() -> N + Send + 'static) -> Self {
        let mut listener = Listener::open(&"tcp:0".parse().unwrap()).unwrap();
        let port = listener.to_string();
        let over = Arc::<AtomicBool>::default();
        let is_over = over.clone();
        let thread = std::thread::spawn(move || {
            let mut server = Server::new(nodes());
            let is_over = || is_over.load(Ordering::Relaxed);
            listener.serve(&mut server, &is_over).unwrap();
        });
        SimulatedBoard { port, over, thread: Some(thread) }
    }

    pub fn connect(&self) -> Machine {
        Machine::connect(&self.port).unwrap()
    }
}

impl Drop for SimulatedBoard {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns one of the programs that are shipped compiled.
fn program(name: &str) -> Firmware {
    let nowhere = std::env::temp_dir();
    Firmware::open(name, NodeKind::CUBE, &Toolchain::open().unwrap(), &nowhere).unwrap()
}

/// Nodes that drop every message: it is no value of a program.
#[test]
fn a_dropped_message_is_no_value() {
    let board =
        SimulatedBoard::of(|| EchoNodes { why: DeliveryReason::Unknown, ..EchoNodes::new() });
    let mut machine = board.connect();
    machine.load_bytes("any", &[0; 4]).unwrap();
    let mut data = Values::none(8);
    data.0[3] = vec![ProgramValue::Word(0x0506_0708)];
    let results = machine.run(&data).unwrap().programs;
    assert_eq!(results.returned, Values::none(8));
    let [dropped] = &results.dropped[..] else {
        panic!("{:?}", results.dropped);
    };
    assert_eq!((dropped.node, dropped.destination), (3, 0x0605));
    assert!(dropped.may_have_arrived);
}

// A board without a machine, whose nodes return each message reversed, and a line to it that
// damages bytes.

/// Record of the actions on the nodes.
#[derive(Default)]
struct NodeActions {
    /// The programs that were started, in order.
    pub started: Vec<Vec<u8>>,
    /// All messages given since the last start, in order.
    pub given: Vec<(u32, Vec<u8>)>,
}

/// A board at the end of a line.
trait EchoEnd {
    /// Receives bytes. Returns the bytes that the board sends back.
    fn take(&mut self, bytes: &[u8]) -> Vec<u8>;

    fn actions(&self) -> Rc<RefCell<NodeActions>>;
}

/// Nodes that return their messages reversed.
struct EchoNodes {
    about: About,
    deeds: Rc<RefCell<NodeActions>>,
    reported: VecDeque<ProgramEvent>,
    state: State,
    /// Messages that the nodes accept at a time.
    pub room: usize,
    /// Reason that the nodes give for each message.
    pub why: DeliveryReason,
}

impl EchoNodes {
    pub fn new() -> Self {
        EchoNodes {
            about: About {
                payload: 64,
                dims: 3,
                nodes: 8,
                program: 2048,
                data: 512,
                message: 10,
                network: "tdma".into(),
                name: "echo".into(),
            },
            deeds: Rc::default(),
            reported: VecDeque::new(),
            state: State::Loaded,
            room: usize::MAX,
            why: DeliveryReason::Delivered,
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
        self.reported.clear();
        self.state = State::Loaded;
    }

    /// Events take up room until they are collected.
    fn room(&self) -> usize {
        self.room.saturating_sub(self.reported.len())
    }

    fn deliver(&mut self, messages: Vec<(u32, Vec<u8>)>) {
        for (node, bytes) in messages {
            self.deeds.borrow_mut().given.push((node, bytes.clone()));
            self.reported.push_back(ProgramEvent::Message {
                node,
                phase: 1,
                why: self.why,
                bytes: bytes.into_iter().rev().collect(),
            });
        }
    }

    fn finish(&mut self, node: Option<u32>) {
        let nodes = node.map_or(0..self.about.nodes, |node| node..node + 1);
        let ends = nodes.map(|node| ProgramEvent::Ended { node, phase: 2, code: 0 });
        self.reported.extend(ends);
        self.state = State::Ended;
    }

    fn collect(&mut self, room: usize) -> (Vec<ProgramEvent>, usize) {
        // 20 bytes are enough for any event of these nodes.
        let count = self.reported.len().min(room / 20);
        let events = self.reported.drain(..count).collect();
        (events, self.reported.len())
    }

    fn status(&self) -> Status {
        Status { state: self.state, uncollected: self.reported.len() as u32, ..Status::default() }
    }

    fn program_states(&mut self, _: u32, _: usize) -> Vec<NodeProgramState> {
        vec![]
    }
}

/// Rates of damage to the bytes on a line, in events per 1,000 pieces of up to 16 bytes.
#[derive(Clone, Copy, Default)]
struct Damage {
    pub flipped: u64,
    pub dropped: u64,
    pub doubled: u64,
    pub garbage: u64,
}

/// A line to a board, on which time passes only when it is read.
struct DamagedLine {
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
    fn through_damage(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut arrives = vec![];
        let Damage { flipped, dropped, doubled, garbage } = self.damage;
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
        let arrives = self.through_damage(bytes);
        let reply = self.board.take(&arrives);
        let reply = self.through_damage(&reply);
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

// The client against the simulated board. Programs return the results of plain arithmetic.

/// Returns numbers for each node.
fn numbers(nodes: u32, each: u32) -> Vec<Vec<u32>> {
    let number = |node: u32, i: u32| (node + 17 * i).wrapping_mul(0x9E37_79B9);
    let row = |node| (0..each).map(|i| number(node, i)).collect();
    (0..nodes).map(row).collect()
}

fn values(numbers: &[Vec<u32>]) -> Values {
    let words = |row: &Vec<u32>| row.iter().map(|word| ProgramValue::Word(*word)).collect();
    Values(numbers.iter().map(words).collect())
}

/// Returns sum, minimum and maximum of one column, as `all_reduce` does.
fn reduced(numbers: &[Vec<u32>], place: usize) -> [u32; 3] {
    let column = || numbers.iter().map(|row| row[place] as i32);
    let sum = column().fold(0, i32::wrapping_add);
    [sum, column().min().unwrap(), column().max().unwrap()].map(|number| number as u32)
}

#[test]
fn a_program_is_loaded_and_run_again_and_again() {
    let board = SimulatedBoard::new(4);
    let mut machine = board.connect();
    assert_eq!((machine.about().nodes, machine.about().dims), (16, 4));
    machine.load(&program("all_reduce")).unwrap();
    for each in [1, 2] {
        let numbers = numbers(16, each);
        let results = machine.run(&values(&numbers)).unwrap();
        let rows: Vec<u32> = (0..each as usize).flat_map(|i| reduced(&numbers, i)).collect();
        assert_eq!(results.programs.returned, values(&vec![rows; 16]));
        assert_eq!(results.programs.exits, [Some(0); 16]);
        assert_eq!((results.state, results.traps.len()), (State::Ended, 0));
    }
    // Another program replaces it.
    machine.load(&program("parallel_sum")).unwrap();
    let numbers = numbers(16, 1);
    let results = machine.run(&values(&numbers)).unwrap();
    let sum = reduced(&numbers, 0)[0];
    assert_eq!(results.programs.returned.0[3].last(), Some(&ProgramValue::Word(sum)));
}

/// Programs get their second numbers when their first results are available.
#[test]
fn data_and_results_stream_during_a_run() {
    let board = SimulatedBoard::new(3);
    let mut machine = board.connect();
    machine.load(&program("all_reduce")).unwrap();
    machine.start().unwrap();
    let numbers = numbers(8, 2);
    for place in 0..2 {
        let words = (0..).zip(&numbers).map(|(node, row)| {
            let message = row[place].to_le_bytes();
            (node, message.to_vec())
        });
        machine.send_all(words.collect()).unwrap();
        let mut reported = vec![vec![]; 8];
        // When all results are collected, the program waits for more. The machine is at rest and
        // has not ended.
        for event in machine.collect_streaming() {
            let ProgramEvent::Message { node, bytes, .. } = event.unwrap() else {
                panic!("no program ends before it is told that there is no more");
            };
            reported[node as usize].extend(ProgramValue::of_message(&bytes));
        }
        let expected = reduced(&numbers, place).map(ProgramValue::Word);
        assert_eq!(reported, vec![expected.to_vec(); 8]);
        assert_eq!(machine.status().unwrap().state, State::Resting);
    }
    machine.finish().unwrap();
    let results = machine.collect().unwrap();
    assert_eq!(results.programs.exits, [Some(0); 8]);
    assert_eq!(machine.status().unwrap().ended, 8);
}

#[test]
fn a_trap_is_reported_with_its_location() {
    let board = SimulatedBoard::new(2);
    let mut machine = board.connect();
    // A nop and an illegal instruction.
    let image = [0x13, 0, 0, 0, 0, 0, 0, 0];
    machine.load_bytes("zeros", &image).unwrap();
    let results = machine.run(&Values::none(4)).unwrap();
    assert_eq!(results.state, State::Ended);
    let traps: Vec<_> = results.traps.iter().map(|t| (t.node, t.pc)).collect();
    assert_eq!(traps, [(0, 4), (1, 4), (2, 4), (3, 4)]);
    for trap in &results.traps {
        assert_eq!((trap.cause, trap.instruction), (Cause::IllegalInstruction, 0));
    }
    assert_eq!(machine.status().unwrap().halted, 4);
}

/// A node without data keeps all others waiting. This is reported, and the run completes once the
/// node gets its number.
#[test]
fn a_waiting_node_is_reported_and_can_be_sent_data() {
    let board = SimulatedBoard::new(3);
    let mut machine = board.connect();
    machine.load(&program("all_reduce")).unwrap();
    machine.start().unwrap();
    for node in (0..8).filter(|node| *node != 5) {
        machine.send(node, &[node as u8, 0, 0, 0]).unwrap();
    }
    let results = machine.collect().unwrap();
    assert_eq!(results.state, State::Resting);
    assert_eq!(results.programs.exits, [None; 8]);
    assert_eq!(results.programs.unfinished.len(), 8);
    let asleep = |place: &phasecube::machine::ProgramState| place.state == Core::Asleep;
    assert!(results.programs.unfinished.iter().all(asleep));
    machine.send(5, &[5, 0, 0, 0]).unwrap();
    machine.finish().unwrap();
    let results = machine.collect().unwrap();
    let expected = [28, 0, 7].map(ProgramValue::Word);
    assert_eq!(results.programs.returned.0, vec![expected.to_vec(); 8]);
    assert_eq!(results.programs.exits, [Some(0); 8]);
}

#[test]
fn every_message_of_a_list_is_accounted_for() {
    let board = SimulatedBoard::new(4);
    let mut machine = board.connect();
    let recipe =
        Recipe { pattern: TrafficPattern::Random, seed: 9, payload: 8, order: Default::default() };
    let list = recipe.list(machine.addresses()).unwrap().without_messages_to_self();
    machine.load(&program("route")).unwrap();
    machine.start().unwrap();
    let stats = machine.carry(&list, &mut |_| {}).unwrap();
    let delivered = stats.count(|delivery| matches!(delivery, CarryOutcome::Delivered { .. }));
    assert_eq!((delivered, stats.unexpected.len()), (list.len(), 0));
    assert!(delivered >= 10);
    // A program that takes messages and forwards none loses all of them.
    machine.load(&program("all_reduce")).unwrap();
    machine.start().unwrap();
    let stats = machine.carry(&list, &mut |_| {}).unwrap();
    assert_eq!(stats.count(|delivery| delivery == CarryOutcome::Lost), list.len());
}
