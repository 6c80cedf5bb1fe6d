//! Requests: each is done once, and invalid ones are refused.

use super::{is_refusal, pieces, some_program, NativeBoard, RawClient};
use crate::host::echo::EchoEnd;
use crate::host::refusals::{load, send};
use phasecube::host::message::{BoardReply, ErrorCode, HostRequest, State};
use phasecube::host::wire::{crc32, LineItem, Receiver};

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
fn invalid_requests_are_rejected() {
    let mut board = RawClient::new();
    use ErrorCode::{Node, Program, TooLarge};
    for (request, code, says) in [
        (load(0, 2049, 4), TooLarge, "1 to 2048"),
        (load(0, 0, 0), TooLarge, "1 to 2048"),
        (load(8, 16, 8), Program, "or the first"),
        (
            HostRequest::Start { crc: 0 },
            Program,
            "a whole program first",
        ),
        (send(0, 1), ErrorCode::State, "a start first"),
        (
            HostRequest::Finish { node: None },
            ErrorCode::State,
            "a start first",
        ),
        (HostRequest::Where { first: 8 }, Node, "nodes below 8"),
        // The announced CRC differs from the CRC of sixteen zeros.
        (load(0, 16, 16), Program, "load it again"),
        (
            HostRequest::Start { crc: 0 },
            Program,
            "a whole program first",
        ),
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
    board.refused(
        &pieces(&some_program(90), all_crc)[1],
        Program,
        "the next piece",
    );
    board.refused(
        &HostRequest::Start {
            crc: crc32(&program),
        },
        Program,
        "a whole program",
    );
    board.send_request(&all[1]);
    board.send_request(&all[2]);
    board.refused(&all[2], Program, "the next piece");
    board.refused(
        &HostRequest::Start { crc: 5 },
        Program,
        "a whole program first",
    );
    let crc = crc32(&program);
    assert_eq!(
        board.send_request(&HostRequest::Start { crc }),
        BoardReply::Start
    );
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
    assert_eq!(
        board.send_request(&HostRequest::Finish { node: Some(3) }),
        BoardReply::Finish
    );
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
        is_refusal(&reply, form, "docs/host-protocol.md");
    }
    let status = |sequence| HostRequest::Status.to_frame(sequence);
    let ahead = board.sequence + 2;
    let reply = board.exchange_bytes(&status(ahead).to_bytes(), ahead);
    is_refusal(&reply, ErrorCode::Sequence, "the next number");
    let reply = board.exchange_bytes(&status(7).with_version(2), 7);
    is_refusal(&reply, ErrorCode::Version, "version 1");
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
        is_refusal(&reply, ErrorCode::Garbled, "the same, undamaged");
    }
    // None of these advances the sequence number.
    let reply = board.exchange_bytes(&longest, board.sequence + 1);
    is_refusal(&reply, form, "docs/host-protocol.md");
    board.sequence += 1;
    board.status();
    let mut board = NativeBoard::new();
    board.take(&[]);
    let said = board.take(&status(3).to_bytes());
    let [LineItem::Frame(reply)] = &Receiver::default().receive(&said)[..] else {
        panic!("{said:?}");
    };
    let reply = BoardReply::from_frame(reply).unwrap();
    is_refusal(&reply, ErrorCode::Sequence, "a hello first");
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
        HostRequest::Start {
            crc: crc32(&program),
        },
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
