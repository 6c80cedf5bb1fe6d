//! Requests that a board or its client refuses, and the error texts.

use crate::host::{program, Damage, DamagedLine, EchoNodes, SimulatedBoard};
use phasecube::board::port::{BoardPort, PortError};
use phasecube::host::message::{BoardReply, ErrorCode, HostRequest, State};
use phasecube::host::wire::{crc32, HostFrame, LineItem, Receiver};
use phasecube::host::{HostError, Machine};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Returns a connection without a client.
fn raw(board: &SimulatedBoard) -> TcpStream {
    let place = board.port.strip_prefix("tcp:").unwrap();
    let stream = TcpStream::connect(place).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// Returns the board's next reply.
fn answer(stream: &mut TcpStream) -> HostFrame {
    let mut receiver = Receiver::default();
    let mut byte = [0];
    loop {
        stream.read_exact(&mut byte).unwrap();
        match receiver.receive(&byte).pop() {
            Some(LineItem::Frame(frame)) => return frame,
            Some(LineItem::Line(_)) | None => {}
            Some(received) => panic!("the board says {received:?}"),
        }
    }
}

fn refused(stream: &mut TcpStream, frame: &[u8], expected: ErrorCode, says: &str) {
    stream.write_all(frame).unwrap();
    match BoardReply::from_frame(&answer(stream)) {
        Some(BoardReply::Error { code, text }) if code == expected => {
            assert!(text.contains(says), "{text}");
        }
        reply => panic!("{says}: {reply:?}"),
    }
}

#[test]
fn a_second_client_is_rejected_and_the_next_one_served() {
    let board = SimulatedBoard::new(1);
    let first = board.connect();
    let error = Machine::connect(&board.port).err().unwrap();
    assert!(matches!(error, HostError::Busy { .. }), "{error}");
    assert!(error.to_string().contains("another client has the board"), "{error}");
    drop(first);
    let next = Machine::connect(&board.port);
    assert!(next.is_ok(), "{:?}", next.err());
}

/// A client leaves half a frame and half a program. The next client finds a working board without a
/// program to start.
#[test]
fn a_client_that_vanishes_leaves_nothing_behind() {
    let board = SimulatedBoard::new(1);
    let image = program("all_reduce");
    let bytes: Vec<u8> = image.words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut stream = raw(&board);
    stream.write_all(&HostRequest::Hello.to_frame(1).to_bytes()).unwrap();
    answer(&mut stream);
    let load = HostRequest::Load {
        offset: 0,
        total: bytes.len() as u32,
        crc: crc32(&bytes),
        bytes: bytes[..500].to_vec(),
    };
    stream.write_all(&load.to_frame(2).to_bytes()).unwrap();
    answer(&mut stream);
    let rest = load.to_frame(3).to_bytes();
    stream.write_all(&rest[..300]).unwrap();
    drop(stream);
    let mut machine = board.connect();
    assert_eq!(machine.status().unwrap().state, State::Empty);
    assert!(matches!(machine.start(), Err(HostError::NoProgram)));
    machine.load(&image).unwrap();
    machine.start().unwrap();
}

/// The remainder of a frame does not spoil the next client's line.
#[test]
fn half_a_frame_does_not_spoil_a_line() {
    let board = SimulatedBoard::new(1);
    let mut stream = raw(&board);
    stream.write_all(&[0, 5, 1, 2]).unwrap();
    drop(stream);
    let mut stream = raw(&board);
    stream.write_all(b"complement 7\n").unwrap();
    let mut printed = String::new();
    while !printed.contains("error accepted: frames of host protocol 1") {
        let mut bytes = [0; 100];
        let count = stream.read(&mut bytes).unwrap();
        assert!(count > 0, "{printed}");
        printed += std::str::from_utf8(&bytes[..count]).unwrap();
    }
    assert!(printed.starts_with("phasecube cube nodes=2\nready\n"), "{printed}");
}

#[test]
fn oversized_requests_are_reported_with_the_limits() {
    let board = SimulatedBoard::new(2);
    let mut machine = board.connect();
    for (error, says) in [
        (machine.load_bytes("big.c", &[0; 2052]), "big.c has 2052 bytes; accepted: up to 2048"),
        (machine.load_bytes("none.c", &[]), "accepted: 1 to 2048"),
        (machine.start(), "load one first"),
        (machine.send(0, &[1]), "no program runs"),
    ] {
        let error = error.unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    machine.load(&program("route")).unwrap();
    machine.start().unwrap();
    for (error, says) in [
        (machine.send(4, &[1]), "node 0x4; accepted: 0x0 to 0x3"),
        (machine.send(0, &[]), "0 bytes; accepted: 1 to 10"),
        (machine.send(0, &[0; 11]), "11 bytes; accepted: 1 to 10"),
        (machine.send_through(0, 9, &[0]), "node 0x9"),
        (machine.send_through(0, 1, &[0; 9]), "9 bytes; accepted: up to 8"),
    ] {
        let error = error.unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    machine.finish().unwrap();
    let error = machine.send(1, &[1]).unwrap_err().to_string();
    assert!(error.contains("the data of node 0x1 has ended"), "{error}");
    machine.stop().unwrap();
    assert_eq!(machine.status().unwrap().state, State::Loaded);
    machine.reset().unwrap();
    assert_eq!(machine.status().unwrap().state, State::Empty);
}

/// Returns a request with a message of `length` bytes for a node.
pub fn send(node: u32, length: usize) -> HostRequest {
    HostRequest::Send { messages: vec![(node, vec![1; length])] }
}

/// Returns a request to load `bytes` zeros as a piece of a program.
pub fn load(offset: u32, total: u32, bytes: usize) -> HostRequest {
    HostRequest::Load { offset, total, crc: 0, bytes: vec![0; bytes] }
}

/// The board checks requests itself, whatever its client checks.
#[test]
fn the_board_rejects_invalid_requests() {
    let board = SimulatedBoard::new(2);
    let mut stream = raw(&board);
    let version = HostRequest::Hello.to_frame(7).with_version(2);
    refused(&mut stream, &version, ErrorCode::Version, "version 2; accepted: 1");
    let status = HostRequest::Status.to_frame(7).to_bytes();
    refused(&mut stream, &status, ErrorCode::Sequence, "a hello first");
    stream.write_all(&HostRequest::Hello.to_frame(9).to_bytes()).unwrap();
    answer(&mut stream);
    refused(&mut stream, &status, ErrorCode::Sequence, "accepted: 10");
    let requests = [
        (load(0, 2049, 4), ErrorCode::TooLarge, "2049 bytes; accepted: 1 to 2048"),
        (load(8, 16, 8), ErrorCode::Program, "its first piece"),
        (HostRequest::Start { crc: 0 }, ErrorCode::Program, "no program is loaded"),
        (send(0, 1), ErrorCode::State, "no program runs"),
        (HostRequest::Finish { node: None }, ErrorCode::State, "no program runs"),
        (HostRequest::Where { first: 4 }, ErrorCode::Node, "0x0 to 0x3"),
        // The announced CRC differs from the CRC of sixteen zeros.
        (load(0, 16, 16), ErrorCode::Program, "load it again"),
        (HostRequest::Start { crc: 0 }, ErrorCode::Program, "no program is loaded"),
    ];
    let mut sequence = 10;
    for (request, code, says) in requests {
        refused(&mut stream, &request.to_frame(sequence).to_bytes(), code, says);
        sequence += 1;
    }
    let nothing = HostFrame { kind: 99, sequence, payload: vec![] };
    refused(&mut stream, &nothing.to_bytes(), ErrorCode::Request, "kind 99");
    let mut damaged = HostRequest::Status.to_frame(sequence + 1).to_bytes();
    damaged[3] ^= 0x40;
    refused(&mut stream, &damaged, ErrorCode::Garbled, "CRC");
}

/// A line whose other end does not speak this protocol.
struct OtherProtocol {
    says: Vec<u8>,
    /// Answers frames with this protocol version.
    version: Option<u8>,
}

impl BoardPort for OtherProtocol {
    fn send(&mut self, bytes: &[u8]) -> Result<(), PortError> {
        for received in Receiver::default().receive(bytes) {
            if let (LineItem::Frame(frame), Some(version)) = (received, self.version) {
                self.says.extend(frame.with_version(version));
            }
        }
        Ok(())
    }

    fn receive(&mut self) -> Result<(Vec<u8>, Duration), PortError> {
        let came = std::mem::take(&mut self.says);
        Ok((came, Duration::from_millis(50)))
    }
}

#[test]
fn a_board_without_this_protocol_is_reported() {
    for (says, version, error) in [
        (&b""[..], None, "has not answered for 5 s; it may be off"),
        (b"ready\nerror accepted: PATTERN [SEED]\nready\n", None, "phasecube monitor"),
        (&[0x55; 5000], None, "has not answered"),
        (b"", Some(3), "speaks version 3 of the host protocol; accepted: 1"),
        // A request does not count as a reply.
        (b"", Some(1), "sent an unexpected reply"),
    ] {
        let other = OtherProtocol { says: says.to_vec(), version };
        let found = Machine::over_port(Box::new(other)).err().unwrap().to_string();
        assert!(found.contains(error), "{found}");
    }
}

/// On a dead line the client reports an error instead of waiting forever.
#[test]
fn a_dead_line_is_reported() {
    let dead = Damage { dropped: 1000, ..Damage::default() };
    let error = Machine::over_port(Box::new(DamagedLine::new(EchoNodes::new().board(), dead, 1)));
    let error = error.err().unwrap().to_string();
    assert!(error.contains("has not answered for 5 s"), "{error}");
}
