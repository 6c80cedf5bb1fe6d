//! The host of a board that runs programs (`firmware/board/frames.c`) on a PC: compiled with plain
//! `cc`, against the model of a board in `firmware/host/board`.

use crate::echo::{Damage, Deeds, End, Line};
use phasecube::host::message::{ErrorCode, Event, Place, Reply, Request, State, Status};
use phasecube::host::wire::{crc32, Heard, Receiver};
use phasecube::host::ThinkinMachine;
use phasecube::machine::State as Core;
use phasecube::networks::tdma::cube::HandedOver;
use phasecube::rtl::core::Cause;
use phasecube::traffic::values::{Value, Values};
use std::cell::RefCell;
use std::env;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::sync::OnceLock;

/// Superframes without a move until it rests.
const REST: u32 = 10;

/// Phases that begin, if a run is on, when it has taken what came, if nothing else is said.
const PHASES: u32 = 12;

/// A board of its own, as a process.
pub struct NativeBoard {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    deeds: Rc<RefCell<Deeds>>,
    /// Phases that begin when it has taken what came.
    phases: u32,
}

/// The program, compiled once.
fn executable() -> &'static Path {
    static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();
    EXECUTABLE.get_or_init(|| {
        let firmware = Path::new(env!("CARGO_MANIFEST_DIR")).join("firmware");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native_board");
        let cc = env::var("CC").unwrap_or_else(|_| "cc".into());
        let mut compile = Command::new(&cc);
        compile.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1"]);
        compile.arg(format!("-DREST={REST}"));
        for folder in ["host/board", "include", "board"] {
            compile.arg("-I").arg(firmware.join(folder));
        }
        for source in [
            "board/frame_line.c",
            "board/reply.c",
            "board/program.c",
            "board/run.c",
            "board/frames.c",
            "host/board/board_stub.c",
        ] {
            compile.arg(firmware.join(source));
        }
        compile.arg("-o").arg(&program);
        let output = compile
            .output()
            .expect("a C compiler (cc, or the one that CC names)");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        program
    })
}

impl NativeBoard {
    pub fn new() -> Self {
        let mut child = Command::new(executable())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        NativeBoard {
            child,
            to,
            from,
            deeds: Rc::default(),
            phases: PHASES,
        }
    }

    pub fn board(self) -> Box<dyn End> {
        Box::new(self)
    }

    /// A client of it.
    fn client(self) -> ThinkinMachine {
        let line = Line::new(self.board(), Damage::default(), 1);
        ThinkinMachine::on(Box::new(line)).unwrap()
    }

    /// It takes these bytes, then so many phases begin.
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
        self.from
            .read_exact(&mut length)
            .expect("the board broke off; it says why on stderr");
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

impl End for NativeBoard {
    fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.exchange(bytes, self.phases)
    }

    fn deeds(&self) -> Rc<RefCell<Deeds>> {
        self.deeds.clone()
    }
}

fn from_hex(text: &str) -> Vec<u8> {
    let byte = |i| u8::from_str_radix(&text[i..i + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(byte).collect()
}

/// A client that sees each reply.
struct Asking {
    board: NativeBoard,
    sequence: u16,
}

impl Asking {
    /// After a hello.
    fn new() -> Self {
        let board = NativeBoard::new();
        let mut asking = Asking { board, sequence: 9 };
        asking.board.take(&[]);
        let hello = asking.ask(&Request::Hello);
        assert!(matches!(hello, Reply::Hello(_)), "{hello:?}");
        asking
    }

    fn ask(&mut self, request: &Request) -> Reply {
        self.sequence = self.sequence.wrapping_add(1);
        let frame = request.to_frame(self.sequence).to_bytes();
        self.says(&frame, self.sequence)
    }

    /// What it answers to these bytes, with this sequence number.
    fn says(&mut self, bytes: &[u8], sequence: u16) -> Reply {
        let said = self.board.take(bytes);
        match &Receiver::default().take(&said)[..] {
            [Heard::Frame(frame)] => {
                assert_eq!(frame.sequence, sequence);
                Reply::of_frame(frame).unwrap()
            }
            heard => panic!("{heard:?}"),
        }
    }

    fn refused(&mut self, request: &Request, expected: ErrorCode, says: &str) {
        let reply = self.ask(request);
        is_refusal(&reply, expected, says);
    }

    fn phases(&mut self, count: u32) {
        assert!(self.board.exchange(&[], count).is_empty());
    }

    fn load(&mut self, program: &[u8]) {
        for piece in pieces(program, crc32(program)) {
            let reply = self.ask(&piece);
            assert!(matches!(reply, Reply::Load { .. }), "{reply:?}");
        }
    }

    fn start(&mut self, program: &[u8]) {
        self.load(program);
        let crc = crc32(program);
        assert_eq!(self.ask(&Request::Start { crc }), Reply::Start);
    }

    fn send(&mut self, node: u32, message: &[u8]) -> Reply {
        let messages = vec![(node, message.to_vec())];
        self.ask(&Request::Send { messages })
    }

    fn status(&mut self) -> Status {
        match self.ask(&Request::Status) {
            Reply::Status(status) => status,
            reply => panic!("{reply:?}"),
        }
    }

    fn collect(&mut self, room: u16) -> (u32, Vec<Event>) {
        match self.ask(&Request::Collect { room }) {
            Reply::Collect { left, events } => (left, events),
            reply => panic!("{reply:?}"),
        }
    }

    fn places(&mut self, first: u32) -> Vec<Place> {
        match self.ask(&Request::Where { first }) {
            Reply::Where(places) => places,
            reply => panic!("{reply:?}"),
        }
    }
}

fn is_refusal(reply: &Reply, expected: ErrorCode, says: &str) {
    match reply {
        Reply::Error { code, text } if *code == expected => {
            assert!(text.contains(says), "{text}");
        }
        reply => panic!("{says}: {reply:?}"),
    }
}

/// The requests that load a program.
fn pieces(program: &[u8], crc: u32) -> Vec<Request> {
    let piece = |(i, bytes): (usize, &[u8])| Request::Load {
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

#[test]
fn it_greets_and_says_what_it_is() {
    let mut board = NativeBoard::new();
    let banner = board.take(&[]);
    assert_eq!(banner, b"phasecube programs nodes=8\nready\n");
    let long = format!("{:200}\n", "long");
    for line in [
        &b"complement 7\n"[..],
        b"\r\n\nx\r",
        long.as_bytes(),
        // Noise before a line costs no more than the line.
        b"\x80\x90a\nnext\n",
    ] {
        let said = board.take(line);
        let said = String::from_utf8(said).unwrap();
        let expected = "error accepted: frames of host protocol 1, docs/host-protocol.md\nready\n";
        assert_eq!(said, expected);
    }
    let machine = board.client();
    let about = machine.about();
    assert_eq!((about.dims, about.nodes, about.message), (3, 8, 10));
    assert_eq!((about.payload, about.program, about.data), (52, 2048, 512));
    assert_eq!(
        (&about.network[..], &about.name[..]),
        ("tdma", "3-cube on a board")
    );
}

#[test]
fn a_program_is_loaded_and_run_again_and_again() {
    let board = NativeBoard::new();
    let deeds = board.deeds();
    let mut machine = board.client();
    for length in [1, 7, 8, 9, 40, 80, 2047, 2048, 200] {
        let program = some_program(length);
        machine.load_bytes("test", &program).unwrap();
        for each in [1, 3, 20] {
            let value = |node: u32, i: u32| Value::Word(node << 24 | i);
            let row = |node| (0..each).map(|i| value(node, i)).collect();
            let data = Values((0..8).map(row).collect());
            let results = machine.run(&data).unwrap();
            let turned = |value: &Value| match value {
                Value::Word(word) => Value::Word(word.swap_bytes()),
                bytes => bytes.clone(),
            };
            let turned = |row: &Vec<Value>| row.iter().map(turned).collect();
            let expected: Vec<Vec<Value>> = data.0.iter().map(turned).collect();
            assert_eq!(results.programs.returned.0, expected);
            assert_eq!(results.programs.exits, [Some(0); 8]);
            assert_eq!((results.state, results.traps.len()), (State::Ended, 0));
            assert_eq!(deeds.borrow_mut().started.pop().unwrap(), program);
        }
        machine.stop().unwrap();
        assert_eq!(machine.status().unwrap().state, State::Loaded);
    }
    machine.reset().unwrap();
    assert_eq!(machine.status().unwrap().state, State::Empty);
}

#[test]
fn what_it_should_not_be_asked_for_is_refused() {
    let mut board = Asking::new();
    let send = |node, length| Request::Send {
        messages: vec![(node, vec![1; length])],
    };
    let load = |offset, total, bytes: usize| Request::Load {
        offset,
        total,
        crc: 0,
        bytes: vec![0; bytes],
    };
    use ErrorCode::{Node, Program, TooLarge};
    for (request, code, says) in [
        (load(0, 2049, 4), TooLarge, "1 to 2048"),
        (load(0, 0, 0), TooLarge, "1 to 2048"),
        (load(8, 16, 8), Program, "or the first"),
        (Request::Start { crc: 0 }, Program, "a whole program first"),
        (send(0, 1), ErrorCode::State, "a start first"),
        (
            Request::Finish { node: None },
            ErrorCode::State,
            "a start first",
        ),
        (Request::Where { first: 8 }, Node, "nodes below 8"),
        // The CRC that is announced is not that of sixteen zeros.
        (load(0, 16, 16), Program, "load it again"),
        (Request::Start { crc: 0 }, Program, "a whole program first"),
        // More than was announced, and another piece than the next one.
        (load(0, 16, 20), Program, "the next piece"),
    ] {
        board.refused(&request, code, says);
    }
    let program = some_program(100);
    let all_crc = crc32(&program);
    let all = pieces(&program, all_crc);
    board.ask(&all[0]);
    assert_eq!(board.status().state, State::Loading);
    board.refused(&all[2], Program, "the next piece");
    board.refused(&pieces(&program, 1)[1], Program, "the next piece");
    board.refused(
        &pieces(&some_program(90), all_crc)[1],
        Program,
        "the next piece",
    );
    board.refused(
        &Request::Start {
            crc: crc32(&program),
        },
        Program,
        "a whole program",
    );
    board.ask(&all[1]);
    board.ask(&all[2]);
    board.refused(&all[2], Program, "the next piece");
    board.refused(&Request::Start { crc: 5 }, Program, "a whole program first");
    let crc = crc32(&program);
    assert_eq!(board.ask(&Request::Start { crc }), Reply::Start);
    for (request, code, says) in [
        (send(8, 1), Node, "nodes below 8"),
        (send(1 << 8, 1), Node, "nodes below 8"),
        (send(0, 0), TooLarge, "1 to 10"),
        (send(0, 11), TooLarge, "1 to 10"),
        (Request::Finish { node: Some(8) }, Node, "nodes below 8"),
    ] {
        board.refused(&request, code, says);
    }
    // All of a frame, or none.
    let messages = vec![(1, vec![1]), (8, vec![1])];
    board.refused(&Request::Send { messages }, Node, "nodes below 8");
    assert_eq!(board.ask(&Request::Finish { node: Some(3) }), Reply::Finish);
    board.refused(&send(3, 1), ErrorCode::State, "nothing more");
    assert!(board.board.deeds.borrow().given.is_empty());
    assert!(matches!(board.send(4, &[1]), Reply::Send { .. }));
}

#[test]
fn frames_that_are_no_requests_are_refused() {
    let mut board = Asking::new();
    let frame = |kind, sequence, payload: &[u8]| phasecube::host::wire::Frame {
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
        let reply = board.says(&bytes, board.sequence);
        is_refusal(&reply, form, "docs/host-protocol.md");
    }
    let status = |sequence| Request::Status.to_frame(sequence);
    let ahead = board.sequence + 2;
    let reply = board.says(&status(ahead).to_bytes(), ahead);
    is_refusal(&reply, ErrorCode::Sequence, "the next number");
    let reply = board.says(&status(7).with_version(2), 7);
    is_refusal(&reply, ErrorCode::Version, "version 1");
    let mut damaged = status(board.sequence + 1).to_bytes();
    damaged[3] ^= 0x40;
    let longest = frame(7, board.sequence + 1, &[7; 52]).to_bytes();
    let too_long = frame(7, board.sequence + 1, &[7; 53]).to_bytes();
    let too_short = [0, 3, 1, 1, 0];
    // Its last block goes on behind the end.
    let mut open = longest.clone();
    let block = open.len() - 1 - 57;
    assert_eq!(open[block], 57, "payload and CRC have no zero");
    open[block] += 1;
    for bytes in [&damaged[..], &too_long, &too_short, &open, &[0, 9, 1, 0]] {
        let reply = board.says(bytes, 0);
        is_refusal(&reply, ErrorCode::Garbled, "the same, undamaged");
    }
    // None of these counts.
    let reply = board.says(&longest, board.sequence + 1);
    is_refusal(&reply, form, "docs/host-protocol.md");
    board.sequence += 1;
    board.status();
    let mut board = NativeBoard::new();
    board.take(&[]);
    let said = board.take(&status(3).to_bytes());
    let [Heard::Frame(reply)] = &Receiver::default().take(&said)[..] else {
        panic!("{said:?}");
    };
    let reply = Reply::of_frame(reply).unwrap();
    is_refusal(&reply, ErrorCode::Sequence, "a hello first");
}

/// The reply is lost: the request comes again, is answered in the same way, and is not done
/// again.
#[test]
fn a_request_that_comes_again_is_done_once() {
    let mut board = Asking::new();
    let program = some_program(60);
    board.start(&program);
    let messages = vec![(2, vec![1, 2, 3])];
    for request in [
        Request::Send { messages },
        Request::Collect { room: 48 },
        Request::Status,
        Request::Start {
            crc: crc32(&program),
        },
    ] {
        board.sequence += 1;
        let bytes = request.to_frame(board.sequence).to_bytes();
        let first = board.board.take(&bytes);
        // What is out of order, damaged or of another version between does not matter.
        let between = [
            Request::Status.to_frame(board.sequence + 7).to_bytes(),
            Request::Status.to_frame(board.sequence).with_version(3),
            vec![0, 1, 2, 3, 0],
            b"ready?\n".to_vec(),
        ];
        for other in between {
            assert!(!board.board.take(&other).is_empty());
            assert_eq!(board.board.take(&bytes), first, "{request:?}");
        }
    }
    let deeds = board.board.deeds();
    let deeds = deeds.borrow();
    assert_eq!((deeds.started.len(), deeds.given.len()), (2, 0));
}

/// A program that is half loaded, and one whose reply says that it is wrong.
#[test]
fn only_a_whole_program_starts() {
    let mut board = Asking::new();
    let program = some_program(2048);
    let crc = crc32(&program);
    let start = Request::Start { crc };
    for cut in [1, 20, 51] {
        for piece in &pieces(&program, crc)[..cut] {
            board.ask(piece);
        }
        board.refused(&start, ErrorCode::Program, "a whole program first");
        // Who loaded it is gone.
        board.ask(&Request::Hello);
        assert_eq!(board.status().state, State::Empty);
    }
    let mut wrong = pieces(&program, crc);
    let Request::Load { bytes, .. } = &mut wrong[30] else {
        unreachable!();
    };
    bytes[3] ^= 1;
    let last = wrong.pop().unwrap();
    for piece in &wrong {
        board.ask(piece);
    }
    board.refused(&last, ErrorCode::Program, "its CRC is another");
    board.refused(&start, ErrorCode::Program, "a whole program first");
    board.start(&program);
    // A hello does not stop it.
    board.ask(&Request::Hello);
    assert_eq!(board.status().state, State::Running);
    assert_eq!(board.board.deeds.borrow().started, [program]);
}

#[test]
fn data_goes_in_order_and_the_ring_may_be_full() {
    let mut board = Asking::new();
    board.start(&some_program(60));
    board.board.phases = 0;
    // As many as a frame has, so a queue is full at once.
    let messages: Vec<_> = (0..8).map(|i| (5, vec![i])).collect();
    for _ in 0..3 {
        let request = Request::Send {
            messages: messages.clone(),
        };
        let reply = board.ask(&request);
        // It may have taken one already.
        assert!(matches!(reply, Reply::Send { waiting: 7..=8 }), "{reply:?}");
        board.refused(&request, ErrorCode::Full, "when there is room");
        board.phases(20);
    }
    // Sixteen are in the ring, one in the node, the others wait for it.
    let status = board.status();
    assert_eq!((status.told, status.state), (16, State::Running));
    assert!((6..=7).contains(&status.given), "{status:?}");
    // A reply has no more than was asked for, and than it has room for.
    assert_eq!(board.collect(0), (16, vec![]));
    assert_eq!(board.collect(10), (16, vec![]));
    let (left, events) = board.collect(11);
    assert_eq!(events.len(), 1);
    assert!((15..=16).contains(&left), "{left}");
    let mut told = events;
    board.board.phases = PHASES;
    loop {
        let (_, events) = board.collect(u16::MAX);
        assert!(events.len() <= 4);
        if events.is_empty() {
            break;
        }
        told.extend(events);
    }
    let told: Vec<_> = told.iter().map(value_of).collect();
    let in_order: Vec<_> = (0..told.len()).map(|i| (5, vec![(i % 8) as u8])).collect();
    assert_eq!(told, in_order);
    assert_eq!(told.len(), 24);
}

fn value_of(event: &Event) -> (u32, Vec<u8>) {
    match event {
        Event::Message { node, bytes, .. } => (*node, bytes.clone()),
        event => panic!("{event:?}"),
    }
}

#[test]
fn events_say_why_and_when() {
    let mut board = Asking::new();
    board.start(&some_program(60));
    let begun = board.status().phases as u32;
    for (last, why) in [
        (0xA0, HandedOver::Delivered),
        (0xA1, HandedOver::Undelivered),
        (0xA2, HandedOver::Unknown),
    ] {
        let message = [0, 1, 2, 3, 4, 5, 6, 7, 8, last];
        assert!(matches!(board.send(7, &message), Reply::Send { .. }));
        board.phases(3);
        let now = board.status().phases as u32;
        let (left, events) = board.collect(48);
        let [Event::Message {
            node: 7,
            phase,
            why: found,
            bytes,
        }] = &events[..]
        else {
            panic!("{events:?}");
        };
        assert_eq!((left, *found), (0, why));
        assert!(bytes.iter().rev().eq(&message), "{bytes:?}");
        assert!((begun..=now).contains(phase), "{begun} {phase} {now}");
    }
    // More superframes than a mark can tell, and more clock cycles than a word.
    board.phases(70_000 * 6);
    let before = board.status();
    assert!((70_000 * 6..80_000 * 6).contains(&before.phases));
    let clocks = before.clock_cycles / before.phases;
    assert!((33_000..35_000).contains(&clocks), "{before:?}");
    assert_eq!((before.hops, before.state), (3, State::Resting));
    board.send(2, &[9]);
    let (_, events) = board.collect(48);
    let now = board.status().phases;
    let [Event::Message { phase, .. }] = events[..] else {
        panic!("{events:?}");
    };
    let phase = u64::from(phase);
    assert!((before.phases..=now).contains(&phase), "{phase} {now}");
}

#[test]
fn programs_end_when_no_more_comes_and_counters_begin_anew() {
    let mut board = Asking::new();
    let program = some_program(60);
    board.start(&program);
    board.send(1, &[1, 2]);
    assert_eq!(board.ask(&Request::Finish { node: Some(1) }), Reply::Finish);
    board.phases(20);
    let status = board.status();
    assert_eq!((status.ended, status.halted, status.hops), (1, 0, 1));
    assert_eq!((status.given, status.told), (0, 2));
    assert_eq!(status.crc, crc32(&program));
    board.ask(&Request::Finish { node: None });
    board.phases(20);
    let status = board.status();
    assert_eq!((status.ended, status.state), (8, State::Ended));
    // The end in a queue is no message.
    assert_eq!((status.given, status.told), (0, 9));
    let mut events = vec![];
    loop {
        let (left, more) = board.collect(48);
        events.extend(more);
        if left == 0 {
            break;
        }
    }
    let ends = events
        .iter()
        .filter(|e| matches!(e, Event::Ended { code: 0, .. }));
    assert_eq!((events.len(), ends.count()), (9, 8));
    // Events that are not collected do not come in the next run.
    board.start(&program);
    board.send(1, &[3]);
    board.phases(6);
    let crc = crc32(&program);
    assert_eq!(board.ask(&Request::Start { crc }), Reply::Start);
    let status = board.status();
    assert_eq!((status.told, status.hops, status.ended), (0, 0, 0));
    assert!(status.phases <= 3 * u64::from(PHASES), "{status:?}");
    assert!(
        status.clock_cycles < 34_000 * 3 * u64::from(PHASES),
        "{status:?}"
    );
    board.ask(&Request::Stop);
    let loaded = Status {
        state: State::Loaded,
        crc,
        ..Status::default()
    };
    assert_eq!(board.status(), loaded);
    assert_eq!(board.collect(48), (0, vec![]));
    assert_eq!(board.places(0), []);
    // A reset ends a run, too.
    board.ask(&Request::Start { crc });
    board.send(1, &[3]);
    assert_eq!(board.ask(&Request::Reset), Reply::Reset);
    assert_eq!(board.status(), Status::default());
    let reply = board.send(1, &[3]);
    is_refusal(&reply, ErrorCode::State, "a start first");
}

#[test]
fn it_rests_when_nothing_moves() {
    let mut board = Asking::new();
    board.start(&some_program(60));
    assert_eq!(board.status().state, State::Running);
    board.phases(REST * 6 + 6);
    assert_eq!(board.status().state, State::Resting);
    board.send(0, &[1]);
    assert_eq!(board.status().state, State::Running);
    board.phases(REST * 6 + 6);
    let status = board.status();
    assert_eq!((status.state, status.told), (State::Resting, 1));
    // One by one, so that the ring is full.
    for _ in 0..20 {
        board.send(3, &[1]);
    }
    board.phases(REST * 6 + 6);
    assert_eq!(board.status().state, State::Running);
}

#[test]
fn a_halted_core_is_told_with_its_place() {
    // nop, and a word that is no instruction; the third says who does not halt.
    let program = |spared: u8| [0x13, 0, 0, 0, 0, 0, 0, 0, spared, 0, 0, 0];
    let mut machine = NativeBoard::new().client();
    machine.load_bytes("zeros", &program(0)).unwrap();
    let results = machine.run(&Values::none(8)).unwrap();
    assert_eq!(results.state, State::Ended);
    let traps: Vec<_> = results.traps.iter().map(|t| (t.node, t.pc)).collect();
    let expected: Vec<_> = (0..8).map(|node| (node, 4)).collect();
    assert_eq!(traps, expected);
    for trap in &results.traps {
        let what = (trap.cause, trap.instruction);
        assert_eq!(what, (Cause::IllegalInstruction, 0));
    }
    assert_eq!(machine.status().unwrap().halted, 8);
    // Some halt, the others end.
    machine.load_bytes("zeros", &program(0b1101_1111)).unwrap();
    let results = machine.run(&Values(vec![vec![Value::Word(1)]; 8])).unwrap();
    assert_eq!(results.state, State::Ended);
    assert_eq!(results.traps.len(), 1);
    assert_eq!((results.traps[0].node, results.traps[0].pc), (5, 4));
    let ended = results.programs.exits.iter().filter(|e| **e == Some(0));
    assert_eq!(ended.count(), 7);
    let places = machine.whereabouts().unwrap();
    assert_eq!(places.len(), 8);
    for place in places {
        let expected = match place.node {
            5 => (Core::Halted, 4),
            _ => (Core::Asleep, 0x40),
        };
        assert_eq!((place.state, place.pc), expected);
    }
    // In the next run nobody has halted.
    machine.load_bytes("other", &some_program(20)).unwrap();
    machine.start().unwrap();
    assert_eq!(machine.status().unwrap().halted, 0);
}

/// Whoever asks in each phase does not keep the board from its work.
#[test]
fn no_node_is_overlooked() {
    let mut board = Asking::new();
    board.board.phases = 1;
    board.start(&[0x13, 0, 0, 0, 0, 0, 0, 0, 0b1101_0111, 0, 0, 0]);
    for _ in 0..10 {
        board.status();
    }
    assert_eq!(board.status().halted, 2);
    assert_eq!(board.ask(&Request::Finish { node: None }), Reply::Finish);
    for _ in 0..10 {
        board.status();
    }
    assert_eq!(board.status().ended, 6);
}

#[test]
fn places_come_from_the_first_that_is_asked_for() {
    let mut board = Asking::new();
    board.start(&some_program(60));
    let nodes = |places: Vec<Place>| places.iter().map(|p| p.node).collect::<Vec<_>>();
    assert_eq!(nodes(board.places(0)), [0, 1, 2, 3, 4]);
    assert_eq!(nodes(board.places(6)), [6, 7]);
}
