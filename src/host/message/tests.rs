//! Encodes and decodes every message.

use super::*;
use crate::machine::Trap;
use crate::networks::tdma::cube::HandedOver;
use crate::rtl::core::Cause;

fn requests() -> Vec<Request> {
    vec![
        Request::Hello,
        Request::Load {
            offset: 512,
            total: 2048,
            crc: 0xDEAD_BEEF,
            bytes: vec![0, 1, 2],
        },
        Request::Start { crc: 7 },
        Request::Send {
            messages: vec![(0, vec![1, 2, 3, 4]), (4095, vec![0])],
        },
        Request::Finish { node: None },
        Request::Finish { node: Some(3) },
        Request::Collect { room: 300 },
        Request::Status,
        Request::Where { first: 9 },
        Request::Stop,
        Request::Reset,
    ]
}

fn replies() -> Vec<Reply> {
    let events = vec![
        Event::Message {
            node: 1,
            phase: 2,
            why: HandedOver::Undelivered,
            bytes: vec![5, 6],
        },
        Event::Ended {
            node: 7,
            phase: 9,
            code: 255,
        },
        Event::Trap {
            phase: 1,
            trap: Trap {
                node: 3,
                pc: 0x40,
                cause: Cause::IllegalInstruction,
                instruction: u32::MAX,
            },
        },
    ];
    vec![
        Reply::Hello(About {
            payload: 1024,
            dims: 4,
            nodes: 16,
            program: 2048,
            data: 512,
            message: 10,
            network: "tdma".into(),
            name: "simulated".into(),
        }),
        Reply::Load { received: 5 },
        Reply::Start,
        Reply::Send { waiting: 6 },
        Reply::Finish,
        Reply::Collect { left: 1, events },
        Reply::Status(Status {
            state: State::Resting,
            ended: 1,
            halted: 2,
            given: 3,
            told: 4,
            phases: 5,
            clock_cycles: 6,
            hops: 7,
            crc: 8,
            text: "why".into(),
        }),
        Reply::Where(vec![Place {
            node: 2,
            state: crate::machine::State::Halted,
            pc: 0x1C,
        }]),
        Reply::Stop,
        Reply::Reset,
        Reply::Error {
            code: ErrorCode::Full,
            text: "wait".into(),
        },
    ]
}

#[test]
fn what_is_said_is_understood() {
    for request in requests() {
        assert_eq!(Request::of_frame(&request.to_frame(9)), Some(request));
    }
    for reply in replies() {
        assert_eq!(Reply::of_frame(&reply.to_frame(9)), Some(reply));
    }
}

/// A payload with one byte too few or too many is rejected, unless the message ends with a byte
/// string of any length.
#[test]
fn a_payload_of_another_form_is_refused() {
    for request in requests() {
        let mut frame = request.to_frame(1);
        let open = matches!(request, Request::Load { .. });
        frame.payload.push(0);
        assert_eq!(Request::of_frame(&frame).is_some(), open, "{request:?}");
        frame.payload.pop();
        if frame.payload.pop().is_some() {
            assert_eq!(Request::of_frame(&frame).is_some(), open, "{request:?}");
        }
    }
    for reply in replies() {
        let mut frame = reply.to_frame(1);
        let open = matches!(
            reply,
            Reply::Hello(_) | Reply::Status(_) | Reply::Error { .. }
        );
        frame.payload.push(0);
        assert_eq!(Reply::of_frame(&frame).is_some(), open, "{reply:?}");
    }
}

#[test]
fn the_length_of_an_event_is_that_of_its_bytes() {
    let Reply::Collect { events, .. } = &replies()[5] else {
        panic!("the sixth reply has events");
    };
    assert_eq!(
        events.iter().map(Event::length).sum::<usize>(),
        12 + 10 + 18
    );
}
