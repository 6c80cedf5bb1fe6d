//! The host of a board that runs programs (`firmware/board/frames.c`), on a PC. It is compiled with
//! plain `cc` and tested against the model of a board in `firmware/host/board`.

mod requests;
mod runs;

use crate::host::echo::{Damage, Deeds, End, Line};
use crate::support::native;
use phasecube::host::message::{ErrorCode, Event, Place, Reply, Request, Status};
use phasecube::host::wire::{crc32, Heard, Receiver};
use phasecube::host::ThinkinMachine;
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
    deeds: Rc<RefCell<Deeds>>,
    /// Phases that begin after each received piece of input.
    phases: u32,
}

/// Returns the program, which is compiled once.
fn executable() -> &'static Path {
    static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();
    EXECUTABLE.get_or_init(|| {
        let files = [
            "firmware/board/frame_line.c",
            "firmware/board/reply.c",
            "firmware/board/program.c",
            "firmware/board/run.c",
            "firmware/board/frames.c",
            "firmware/host/board/board_stub.c",
        ];
        let flags = ["-std=gnu11".into(), format!("-DREST={REST}")];
        let folders = ["host/board", "include", "board"];
        native::compiled("native_board", &folders, &files, &flags)
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

    /// Returns a client of the board.
    fn client(self) -> ThinkinMachine {
        let line = Line::new(self.board(), Damage::default(), 1);
        ThinkinMachine::on(Box::new(line)).unwrap()
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

/// A client that exposes each reply.
struct Asking {
    board: NativeBoard,
    sequence: u16,
}

impl Asking {
    /// Creates a client and sends a hello.
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

    /// Sends these bytes. Returns the reply, which must have this sequence number.
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

/// Returns the requests that load a program.
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
