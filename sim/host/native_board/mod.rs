//! The host of a board that runs programs (`firmware/board/frames.c`), on a PC. It is compiled with
//! plain `cc` and tested against the model of a board in `firmware/host/board`.

mod requests;
mod runs;

use crate::host::echo::{Damage, DamagedLine, EchoEnd, NodeActions};
use crate::support::native;
use phasecube::host::message::{
    BoardReply, ErrorCode, HostRequest, NodeProgramState, ProgramEvent, Status,
};
use phasecube::host::wire::{crc32, LineItem, Receiver};
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
    deeds: Rc<RefCell<NodeActions>>,
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

    pub fn board(self) -> Box<dyn EchoEnd> {
        Box::new(self)
    }

    /// Returns a client of the board.
    fn client(self) -> ThinkinMachine {
        let line = DamagedLine::new(self.board(), Damage::default(), 1);
        ThinkinMachine::over_port(Box::new(line)).unwrap()
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
        let board = NativeBoard::new();
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
        let said = self.board.take(bytes);
        match &Receiver::default().receive(&said)[..] {
            [LineItem::Frame(frame)] => {
                assert_eq!(frame.sequence, sequence);
                BoardReply::from_frame(frame).unwrap()
            }
            heard => panic!("{heard:?}"),
        }
    }

    fn refused(&mut self, request: &HostRequest, expected: ErrorCode, says: &str) {
        let reply = self.send_request(request);
        is_refusal(&reply, expected, says);
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
        assert_eq!(
            self.send_request(&HostRequest::Start { crc }),
            BoardReply::Start
        );
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

fn is_refusal(reply: &BoardReply, expected: ErrorCode, says: &str) {
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
