//! The host of a board that runs programs (`firmware/board/frames.c`), on a PC. It is compiled with
//! plain `cc` and tested against the model of a board in `firmware/host/board`.

mod large;
mod runs;

use crate::host::rejections::{load, send};
use crate::host::{Damage, DamagedLine, EchoEnd, NodeActions};
use crate::support::scratch;
use phasecube::host::message::{
    BoardReply, ErrorCode, HostRequest, NodeProgramState, ProgramEvent, State, Status,
};
use phasecube::host::wire::{crc32, LineItem, Receiver};
use phasecube::host::Machine;
use std::cell::RefCell;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::sync::OnceLock;

/// Superframes without a move after which the board rests.
const REST: u32 = 10;

/// Default number of phases that begin after each received piece of input, if a run is active.
const PHASES: u32 = 12;

/// A native board as a process.
pub struct NativeBoard {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    deeds: Rc<RefCell<NodeActions>>,
    /// Phases that begin after each received piece of input.
    phases: u32,
}

/// Machine of a native board.
#[derive(Clone, Copy, Debug)]
enum NativeMachine {
    Cube3,
    Cube6,
    /// The 7-cube in two groups.
    Groups7,
}

impl NativeMachine {
    /// Folder of its `hosted.h`.
    fn folder(self) -> &'static str {
        match self {
            NativeMachine::Cube3 => "host/board",
            NativeMachine::Cube6 => "host/board/cube6",
            NativeMachine::Groups7 => "host/board/groups7",
        }
    }
}

/// Returns the program for a machine, which is compiled once.
fn executable(machine: NativeMachine) -> &'static Path {
    static EXECUTABLES: [OnceLock<PathBuf>; 3] = [const { OnceLock::new() }; 3];
    EXECUTABLES[machine as usize].get_or_init(|| {
        let files = [
            "firmware/board/frame_line.c",
            "firmware/board/reply.c",
            "firmware/board/program.c",
            "firmware/board/run.c",
            "firmware/board/frames.c",
            "firmware/host/board/board_stub.c",
        ];
        let flags = ["-std=gnu11".into(), format!("-DREST={REST}")];
        let folders = [machine.folder(), "include", "board"];
        let name = format!("native_board_{machine:?}");
        scratch::compiled(&name, &folders, &files, &flags)
    })
}

impl NativeBoard {
    pub fn new() -> Self {
        NativeBoard::of(NativeMachine::Cube3)
    }

    fn of(machine: NativeMachine) -> Self {
        let mut child = Command::new(executable(machine))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        NativeBoard { child, to, from, deeds: Rc::default(), phases: PHASES }
    }

    pub fn board(self) -> Box<dyn EchoEnd> {
        Box::new(self)
    }

    /// Returns a client of the board.
    fn client(self) -> Machine {
        let line = DamagedLine::new(self.board(), Damage::default(), 1);
        Machine::over_port(Box::new(line)).unwrap()
    }

    /// Sends these bytes, then lets `phases` phases begin. Returns the board's output.
    fn exchange(&mut self, bytes: &[u8], phases: u32) -> Vec<u8> {
        let mut request = phases.to_le_bytes().to_vec();
        request.extend((bytes.len() as u32).to_le_bytes());
        request.extend(bytes);
        self.to.write_all(&request).unwrap();
        let sent = self.block();
        let done = String::from_utf8(self.block()).unwrap();
        let mut deeds = self.deeds.borrow_mut();
        for line in done.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["start", program] => {
                    deeds.started.push(from_hex(program));
                    deeds.given.clear();
                }
                ["given", node, message] => {
                    let given = (node.parse().unwrap(), from_hex(message));
                    deeds.given.push(given);
                }
                _ => panic!("{line}"),
            }
        }
        sent
    }

    fn block(&mut self) -> Vec<u8> {
        let mut length = [0; 4];
        self.from.read_exact(&mut length).expect("the board broke off; it says why on stderr");
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        self.from.read_exact(&mut bytes).unwrap();
        bytes
    }
}

impl Drop for NativeBoard {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl EchoEnd for NativeBoard {
    fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.exchange(bytes, self.phases)
    }

    fn actions(&self) -> Rc<RefCell<NodeActions>> {
        self.deeds.clone()
    }
}

fn from_hex(text: &str) -> Vec<u8> {
    let byte = |i| u8::from_str_radix(&text[i..i + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(byte).collect()
}

/// A client that exposes each reply.
struct RawClient {
    board: NativeBoard,
    sequence: u16,
}

impl RawClient {
    /// Creates a client and sends a hello.
    fn new() -> Self {
        RawClient::of(NativeMachine::Cube3)
    }

    fn of(machine: NativeMachine) -> Self {
        let board = NativeBoard::of(machine);
        let mut asking = RawClient { board, sequence: 9 };
        asking.board.take(&[]);
        let hello = asking.send_request(&HostRequest::Hello);
        assert!(matches!(hello, BoardReply::Hello(_)), "{hello:?}");
        asking
    }

    fn send_request(&mut self, request: &HostRequest) -> BoardReply {
        self.sequence = self.sequence.wrapping_add(1);
        let frame = request.to_frame(self.sequence).to_bytes();
        self.exchange_bytes(&frame, self.sequence)
    }

    /// Sends these bytes. Returns the reply, which must have this sequence number.
    fn exchange_bytes(&mut self, bytes: &[u8], sequence: u16) -> BoardReply {
        let printed = self.board.take(bytes);
        match &Receiver::default().receive(&printed)[..] {
            [LineItem::Frame(frame)] => {
                assert_eq!(frame.sequence, sequence);
                BoardReply::from_frame(frame).unwrap()
            }
            received => panic!("{received:?}"),
        }
    }

    fn refused(&mut self, request: &HostRequest, expected: ErrorCode, says: &str) {
        let reply = self.send_request(request);
        assert_rejected(&reply, expected, says);
    }

    fn phases(&mut self, count: u32) {
        assert!(self.board.exchange(&[], count).is_empty());
    }

    fn load(&mut self, program: &[u8]) {
        for piece in pieces(program, crc32(program)) {
            let reply = self.send_request(&piece);
            assert!(matches!(reply, BoardReply::Load { .. }), "{reply:?}");
        }
    }

    fn start(&mut self, program: &[u8]) {
        self.load(program);
        let crc = crc32(program);
        assert_eq!(self.send_request(&HostRequest::Start { crc }), BoardReply::Start);
    }

    fn send(&mut self, node: u32, message: &[u8]) -> BoardReply {
        let messages = vec![(node, message.to_vec())];
        self.send_request(&HostRequest::Send { messages })
    }

    fn status(&mut self) -> Status {
        match self.send_request(&HostRequest::Status) {
            BoardReply::Status(status) => status,
            reply => panic!("{reply:?}"),
        }
    }

    fn collect(&mut self, room: u16) -> (u32, Vec<ProgramEvent>) {
        match self.send_request(&HostRequest::Collect { room }) {
            BoardReply::Collect { left, events } => (left, events),
            reply => panic!("{reply:?}"),
        }
    }

    fn program_states(&mut self, first: u32) -> Vec<NodeProgramState> {
        match self.send_request(&HostRequest::Where { first }) {
            BoardReply::Where(places) => places,
            reply => panic!("{reply:?}"),
        }
    }
}

fn assert_rejected(reply: &BoardReply, expected: ErrorCode, says: &str) {
    match reply {
        BoardReply::Error { code, text } if *code == expected => {
            assert!(text.contains(says), "{text}");
        }
        reply => panic!("{says}: {reply:?}"),
    }
}

/// Returns the requests that load a program.
fn pieces(program: &[u8], crc: u32) -> Vec<HostRequest> {
    let piece = |(i, bytes): (usize, &[u8])| HostRequest::Load {
        offset: 40 * i as u32,
        total: program.len() as u32,
        crc,
        bytes: bytes.to_vec(),
    };
    program.chunks(40).enumerate().map(piece).collect()
}

fn some_program(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8 | 1).collect()
}

// Requests: each is done once, and invalid ones are refused.

#[test]
fn the_board_sends_a_banner_and_its_description() {
    let mut board = NativeBoard::new();
    let banner = board.take(&[]);
    assert_eq!(banner, b"phasecube programs nodes=8\nready\n");
    let long = format!("{:200}\n", "long");
    for line in [
        &b"complement 7\n"[..],
        b"\r\n\nx\r",
        long.as_bytes(),
        // Noise before a line makes only that line invalid.
        b"\x80\x90a\nnext\n",
    ] {
        let printed = board.take(line);
        let printed = String::from_utf8(printed).unwrap();
        let expected = "error accepted: frames of host protocol 1, docs/host-protocol.md\nready\n";
        assert_eq!(printed, expected);
    }
    let machine = board.client();
    let about = machine.about();
    assert_eq!((about.dims, about.nodes, about.message), (3, 8, 10));
    assert_eq!((about.payload, about.program, about.data), (52, 2048, 512));
    assert_eq!((&about.network[..], &about.name[..]), ("tdma", "3-cube on a board"));
}

#[test]
fn invalid_requests_are_rejected() {
    let mut board = RawClient::new();
    use ErrorCode::{Node, Program, TooLarge};
    for (request, code, says) in [
        (load(0, 2049, 4), TooLarge, "1 to 2048"),
        (load(0, 0, 0), TooLarge, "1 to 2048"),
        (load(8, 16, 8), Program, "or the first"),
        (HostRequest::Start { crc: 0 }, Program, "a whole program first"),
        (send(0, 1), ErrorCode::State, "a start first"),
        (HostRequest::Finish { node: None }, ErrorCode::State, "a start first"),
        (HostRequest::Where { first: 8 }, Node, "nodes below 8"),
        // The announced CRC differs from the CRC of sixteen zeros.
        (load(0, 16, 16), Program, "load it again"),
        (HostRequest::Start { crc: 0 }, Program, "a whole program first"),
        // More bytes than announced, and a piece out of order.
        (load(0, 16, 20), Program, "the next piece"),
    ] {
        board.refused(&request, code, says);
    }
    let program = some_program(100);
    let all_crc = crc32(&program);
    let all = pieces(&program, all_crc);
    board.send_request(&all[0]);
    assert_eq!(board.status().state, State::Loading);
    board.refused(&all[2], Program, "the next piece");
    board.refused(&pieces(&program, 1)[1], Program, "the next piece");
    board.refused(&pieces(&some_program(90), all_crc)[1], Program, "the next piece");
    board.refused(&HostRequest::Start { crc: crc32(&program) }, Program, "a whole program");
    board.send_request(&all[1]);
    board.send_request(&all[2]);
    board.refused(&all[2], Program, "the next piece");
    board.refused(&HostRequest::Start { crc: 5 }, Program, "a whole program first");
    let crc = crc32(&program);
    assert_eq!(board.send_request(&HostRequest::Start { crc }), BoardReply::Start);
    for (request, code, says) in [
        (send(8, 1), Node, "nodes below 8"),
        (send(1 << 8, 1), Node, "nodes below 8"),
        (send(0, 0), TooLarge, "1 to 10"),
        (send(0, 11), TooLarge, "1 to 10"),
        (HostRequest::Finish { node: Some(8) }, Node, "nodes below 8"),
    ] {
        board.refused(&request, code, says);
    }
    // A frame is accepted as a whole or not at all.
    let messages = vec![(1, vec![1]), (8, vec![1])];
    board.refused(&HostRequest::Send { messages }, Node, "nodes below 8");
    assert_eq!(board.send_request(&HostRequest::Finish { node: Some(3) }), BoardReply::Finish);
    board.refused(&send(3, 1), ErrorCode::State, "nothing more");
    assert!(board.board.deeds.borrow().given.is_empty());
    assert!(matches!(board.send(4, &[1]), BoardReply::Send { .. }));
}

#[test]
fn frames_that_are_no_requests_are_refused() {
    let mut board = RawClient::new();
    let frame = |kind, sequence, payload: &[u8]| phasecube::host::wire::HostFrame {
        kind,
        sequence,
        payload: payload.to_vec(),
    };
    let form = ErrorCode::Request;
    for (kind, payload) in [
        (0, &[][..]),
        (11, &[]),
        (255, &[]),
        (1, &[0]),
        (2, &[0; 11]),
        (3, &[0; 3]),
        (3, &[0; 5]),
        (4, &[0, 0, 0, 0, 1]),
        (4, &[0, 0, 0, 0, 1, 1, 1]),
        (5, &[0; 3]),
        (6, &[0; 3]),
        (7, &[0]),
        (8, &[0; 5]),
        (9, &[0]),
        (10, &[0]),
    ] {
        board.sequence += 1;
        let bytes = frame(kind, board.sequence, payload).to_bytes();
        let reply = board.exchange_bytes(&bytes, board.sequence);
        assert_rejected(&reply, form, "docs/host-protocol.md");
    }
    let status = |sequence| HostRequest::Status.to_frame(sequence);
    let ahead = board.sequence + 2;
    let reply = board.exchange_bytes(&status(ahead).to_bytes(), ahead);
    assert_rejected(&reply, ErrorCode::Sequence, "the next number");
    let reply = board.exchange_bytes(&status(7).with_version(2), 7);
    assert_rejected(&reply, ErrorCode::Version, "version 1");
    let mut damaged = status(board.sequence + 1).to_bytes();
    damaged[3] ^= 0x40;
    let longest = frame(7, board.sequence + 1, &[7; 52]).to_bytes();
    let too_long = frame(7, board.sequence + 1, &[7; 53]).to_bytes();
    let too_short = [0, 3, 1, 1, 0];
    // Its last COBS block extends beyond the end.
    let mut open = longest.clone();
    let block = open.len() - 1 - 57;
    assert_eq!(open[block], 57, "payload and CRC have no zero");
    open[block] += 1;
    for bytes in [&damaged[..], &too_long, &too_short, &open, &[0, 9, 1, 0]] {
        let reply = board.exchange_bytes(bytes, 0);
        assert_rejected(&reply, ErrorCode::Garbled, "the same, undamaged");
    }
    // None of these advances the sequence number.
    let reply = board.exchange_bytes(&longest, board.sequence + 1);
    assert_rejected(&reply, form, "docs/host-protocol.md");
    board.sequence += 1;
    board.status();
    let mut board = NativeBoard::new();
    board.take(&[]);
    let printed = board.take(&status(3).to_bytes());
    let [LineItem::Frame(reply)] = &Receiver::default().receive(&printed)[..] else {
        panic!("{printed:?}");
    };
    let reply = BoardReply::from_frame(reply).unwrap();
    assert_rejected(&reply, ErrorCode::Sequence, "a hello first");
}

/// The reply is lost. A repeated request gets the same reply and is not done again.
#[test]
fn a_repeated_request_is_executed_once() {
    let mut board = RawClient::new();
    let program = some_program(60);
    board.start(&program);
    let messages = vec![(2, vec![1, 2, 3])];
    for request in [
        HostRequest::Send { messages },
        HostRequest::Collect { room: 48 },
        HostRequest::Status,
        HostRequest::Start { crc: crc32(&program) },
    ] {
        board.sequence += 1;
        let bytes = request.to_frame(board.sequence).to_bytes();
        let first = board.board.take(&bytes);
        // Frames in between that are out of order, damaged or of another version have no effect.
        let between = [
            HostRequest::Status.to_frame(board.sequence + 7).to_bytes(),
            HostRequest::Status.to_frame(board.sequence).with_version(3),
            vec![0, 1, 2, 3, 0],
            b"ready?\n".to_vec(),
        ];
        for other in between {
            assert!(!board.board.take(&other).is_empty());
            assert_eq!(board.board.take(&bytes), first, "{request:?}");
        }
    }
    let deeds = board.board.actions();
    let deeds = deeds.borrow();
    assert_eq!((deeds.started.len(), deeds.given.len()), (2, 0));
}

/// A partly loaded program, and a program with a wrong CRC.
#[test]
fn only_a_whole_program_starts() {
    let mut board = RawClient::new();
    let program = some_program(2048);
    let crc = crc32(&program);
    let start = HostRequest::Start { crc };
    for cut in [1, 20, 51] {
        for piece in &pieces(&program, crc)[..cut] {
            board.send_request(piece);
        }
        board.refused(&start, ErrorCode::Program, "a whole program first");
        // A new client has connected.
        board.send_request(&HostRequest::Hello);
        assert_eq!(board.status().state, State::Empty);
    }
    let mut wrong = pieces(&program, crc);
    let HostRequest::Load { bytes, .. } = &mut wrong[30] else {
        unreachable!();
    };
    bytes[3] ^= 1;
    let last = wrong.pop().unwrap();
    for piece in &wrong {
        board.send_request(piece);
    }
    board.refused(&last, ErrorCode::Program, "its CRC is another");
    board.refused(&start, ErrorCode::Program, "a whole program first");
    board.start(&program);
    // A hello does not stop a running program.
    board.send_request(&HostRequest::Hello);
    assert_eq!(board.status().state, State::Running);
    assert_eq!(board.board.deeds.borrow().started, [program]);
}
