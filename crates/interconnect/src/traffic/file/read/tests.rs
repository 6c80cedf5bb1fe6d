//! Tests of valid lists, and of invalid lists that give a helpful error.

use super::*;
use crate::topology::Hypercube;
use std::{fs, io};

fn cube() -> AddressSpace {
    Hypercube::new(4).unwrap().into()
}

fn record(source: u32, destination: u32, payload: Option<&[u8]>) -> MessageRecord {
    MessageRecord { source, destination, payload: payload.map(<[u8]>::to_vec) }
}

#[test]
fn a_list_may_have_header_comments_blank_lines_quotes_and_windows_line_ends() {
    let text = "\u{FEFF}# who to whom\n\nSource, destination ,Payload hex\r\n\
                0x1,2,deadBEEF # four bytes\r\n\t3 , 0xF\n\n\"4\",\"5\",\"0x00\"\n6,7,\n#\n8,8";
    assert_eq!(
        parse(text.as_bytes(), cube()).unwrap(),
        [
            record(1, 2, Some(&[0xDE, 0xAD, 0xBE, 0xEF])),
            record(3, 15, None),
            record(4, 5, Some(&[0])),
            record(6, 7, Some(&[])),
            record(8, 8, None),
        ]
    );
    assert_eq!(parse(b"source,destination\n1,2", cube()).unwrap(), [record(1, 2, None)]);
}

#[test]
fn the_longest_payload_is_accepted() {
    let text = format!("1,2,{}", "5A".repeat(PAYLOAD_MAX));
    let records = parse(text.as_bytes(), cube()).unwrap();
    assert_eq!(records, [record(1, 2, Some(&[0x5A; PAYLOAD_MAX]))]);
}

#[test]
fn errors_state_position_problem_and_accepted_form() {
    const LINES: &str = "accepted: lines of source,destination[,payload in hex]";
    const RANGE: &str = "accepted: 0x0 to 0xF (0 to 15)";
    let long = format!("1,2\n3,4,{}", "00".repeat(PAYLOAD_MAX + 1));
    for (text, line, column, message) in [
        ("1,2\n3,16", 2, 3, format!("the destination 16 (0x10) is outside the 4-cube; {RANGE}")),
        ("0x1F,2", 1, 1, format!("the source 31 (0x1F) is outside the 4-cube; {RANGE}")),
        (
            "0x10000000000000000,2",
            1,
            1,
            format!("the source \"0x10000000000000000\" is outside the 4-cube; {RANGE}"),
        ),
        (
            "1, x2",
            1,
            4,
            format!(
                "the destination \"x2\" is not a number; {RANGE}, decimal or hexadecimal after 0x"
            ),
        ),
        (
            "1,2\nsource,destination",
            2,
            1,
            format!(
                "the source \"source\" is not a number; {RANGE}, decimal or hexadecimal after 0x"
            ),
        ),
        (
            "source,destination\n\nSource,Destination\n1,2",
            3,
            1,
            format!(
                "the source \"Source\" is not a number; {RANGE}, decimal or hexadecimal after 0x"
            ),
        ),
        (
            "# list\nsrc,dst\n1,2",
            2,
            1,
            "the first line begins with \"src\"; accepted: a node, 0x0 to 0xF (0 to 15), \
             or the header source,destination[,payload]"
                .to_owned(),
        ),
        ("1,2\n\n5", 3, 2, format!("the destination is missing; {LINES}")),
        ("5, ,AB", 1, 4, format!("the destination is missing; {LINES}")),
        (",5", 1, 1, format!("the source is missing; {LINES}")),
        ("1,2,AB,7", 1, 8, format!("\"7\" is one field too many; {LINES}")),
        ("1,2,AB,", 1, 8, format!("\"\" is one field too many; {LINES}")),
        (
            "1,2,ABC",
            1,
            5,
            "the payload \"ABC\" has 3 hex digits; accepted: an even number, two for each byte"
                .to_owned(),
        ),
        (
            "1,2, \"0xAG\"",
            1,
            6,
            "'G' in the payload \"0xAG\" is not a hex digit; accepted: 0 to 9, a to f, A to F"
                .to_owned(),
        ),
        (long.as_str(), 2, 5, "the payload has 79 bytes; accepted: 0 to 78".to_owned()),
        (
            "1,\"2",
            1,
            3,
            "the quote is not closed; accepted: both quotes of a field on one line".to_owned(),
        ),
        (
            "\"1\"2,3",
            1,
            4,
            "\"2\" follows the closing quote; accepted: a comma or the end of the line".to_owned(),
        ),
    ] {
        let (place, problem) = parse(text.as_bytes(), cube()).unwrap_err();
        assert_eq!(problem.to_string(), message, "{text}");
        assert_eq!(place, Some(TextPosition { line, column }), "{text}");
    }
}

#[test]
fn invalid_utf8_is_rejected_with_its_position() {
    let (place, problem) = parse(b"\xEF\xBB\xBF1,2\n3,\xC3\xA9\xFF", cube()).unwrap_err();
    assert_eq!(place, Some(TextPosition { line: 2, column: 4 }));
    assert_eq!(problem.to_string(), "the byte 0xFF is not UTF-8; accepted: text in UTF-8");
}

#[test]
fn a_list_without_messages_is_rejected() {
    for text in ["", "\n# nothing\n", "source,destination,payload\n"] {
        let (place, problem) = parse(text.as_bytes(), cube()).unwrap_err();
        assert_eq!(place, None);
        assert!(matches!(problem, MessageFileProblem::Empty));
    }
}

#[test]
fn errors_of_a_file_begin_with_its_path() {
    let directory = std::env::temp_dir().join(format!("phasecube-read-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join("list.csv");
    let read = |path| read(path, cube(), |_| {});
    let missing = read(&path).unwrap_err();
    fs::write(&path, "1,2\n3").unwrap();
    let broken = read(&path).unwrap_err();
    fs::write(&path, "").unwrap();
    let empty = read(&path).unwrap_err();
    fs::remove_dir_all(&directory).unwrap();

    let path = path.display().to_string();
    assert!(
        matches!(&missing.problem, MessageFileProblem::Unreadable(error) if error.kind() == io::ErrorKind::NotFound)
    );
    assert!(missing.to_string().starts_with(&format!("{path}: cannot be read: ")));
    assert!(broken.to_string().starts_with(&format!("{path}:2:2: the destination is missing")));
    assert!(empty.to_string().starts_with(&format!("{path}: holds no message")));
}

/// The limit is the same as for patterns.
#[test]
fn a_list_with_too_many_messages_is_rejected() {
    let mut records = 0;
    let list = "source,destination\n1,2\n# three\n3,4\n5,6\n7,8\n";
    let mut parse = |most| parse_with(&mut list.as_bytes(), cube(), most, |_| records += 1);
    assert!(parse(4).is_ok());
    let (place, problem) = parse(3).unwrap_err();
    assert_eq!(place, Some(TextPosition { line: 6, column: 1 }));
    assert_eq!(
        problem.to_string(),
        "this is one message too many; accepted: lists of up to 16777216 messages"
    );
    assert_eq!(records, 4 + 3);
}

#[test]
fn an_overlong_line_is_rejected() {
    let comment = "#".repeat(LINE_MAX - 4);
    let whole = format!("1,2{comment}\n3,4");
    assert_eq!(parse(whole.as_bytes(), cube()).unwrap().len(), 2);
    let (place, problem) = parse(format!("5,6\n1,2 {comment}\n").as_bytes(), cube()).unwrap_err();
    assert_eq!(place, Some(TextPosition { line: 2, column: 1 }));
    assert!(problem.to_string().starts_with("this line is too long; accepted: "));
}

/// The device never ends and contains no line.
#[cfg(unix)]
#[test]
fn an_endless_device_is_rejected() {
    let error = read(Path::new("/dev/zero"), cube(), |_| {}).unwrap_err();
    assert!(matches!(error.problem, MessageFileProblem::LongLine));
}
