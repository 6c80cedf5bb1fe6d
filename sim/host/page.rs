//! docs/host-protocol.md matches the code.

use phasecube::host::message::{About, BoardReply, HostRequest, Status};
use phasecube::host::wire::PAYLOAD_MAX;

const PAGE: &str = include_str!("../../docs/host-protocol.md");

/// The kinds of requests and the bytes of their payloads match the table.
#[test]
fn the_table_of_requests_is_right() {
    let load = HostRequest::Load { offset: 0, total: 0, crc: 0, bytes: vec![] };
    let messages = vec![(0, vec![])];
    // Payload bytes without the parts of variable length.
    for (name, request, bytes) in [
        ("hello", HostRequest::Hello, 0),
        ("load", load, 4 + 4 + 4),
        ("start", HostRequest::Start { crc: 0 }, 4),
        ("send", HostRequest::Send { messages }, 4 + 1),
        ("finish", HostRequest::Finish { node: None }, 4),
        ("collect", HostRequest::Collect { room: 0 }, 2),
        ("status", HostRequest::Status, 0),
        ("where", HostRequest::Where { first: 0 }, 4),
        ("stop", HostRequest::Stop, 0),
        ("reset", HostRequest::Reset, 0),
    ] {
        let frame = request.to_frame(0);
        let row = format!("\n| {} | {name} | ", frame.kind);
        let cells = PAGE.split_once(&row);
        let (_, cells) = cells.unwrap_or_else(|| panic!("no row {row:?}"));
        let cell = cells.split_once('|').unwrap().0;
        // `node 4, length 1, its bytes`: adds the numbers at the ends of the parts.
        let parts = cell.split(',');
        let last = parts.filter_map(|part| part.trim().rsplit(' ').next()?.parse::<usize>().ok());
        let printed: usize = match name {
            "finish" => 4,
            _ => last.sum(),
        };
        assert_eq!((frame.payload.len(), printed), (bytes, bytes), "{name}: {cell}");
    }
    assert!(PAGE.contains("| 0 to 1,024 | payload |") && PAYLOAD_MAX == 1024);
}

#[test]
fn the_frame_of_a_hello_is_the_one_that_is_shown() {
    let bytes = HostRequest::Hello.to_frame(5).to_bytes();
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    assert!(PAGE.contains(&format!("`{}`", hex.join(" "))));
}

/// Adds up the rows of the replies to hello and status.
#[test]
fn replies_have_the_bytes_of_their_tables() {
    let about = BoardReply::Hello(About::default()).to_frame(0);
    assert_eq!(about.payload.len(), 2 + 1 + 4 + (4 + 4) + 1 + 1);
    let status = BoardReply::Status(Status::default()).to_frame(0);
    assert_eq!(status.payload.len(), 1 + (4 + 4) + (4 + 4) + (8 + 8 + 8) + 4);
}
