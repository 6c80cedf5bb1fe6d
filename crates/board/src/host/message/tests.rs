//! Encodes and decodes every message.

use super::*;
use machine::Trap;
use rtl::core::Cause;
use rtl::tdma::DeliveryReason;

fn requests() -> Vec<HostRequest> {
    vec![
        HostRequest::Hello,
        HostRequest::Load { offset: 512, total: 2048, crc: 0xDEAD_BEEF, bytes: vec![0, 1, 2] },
        HostRequest::Start { crc: 7 },
        HostRequest::Send { messages: vec![(0, vec![1, 2, 3, 4]), (4095, vec![0])] },
        HostRequest::Finish { node: None },
        HostRequest::Finish { node: Some(3) },
        HostRequest::Collect { room: 300 },
        HostRequest::Status,
        HostRequest::Where { first: 9 },
        HostRequest::Stop,
        HostRequest::Reset,
    ]
}

fn replies() -> Vec<BoardReply> {
    let events = vec![
        ProgramEvent::Message {
            node: 1,
            phase: 2,
            why: DeliveryReason::Undelivered,
            bytes: vec![5, 6],
        },
        ProgramEvent::Ended { node: 7, phase: 9, code: 255 },
        ProgramEvent::Trap {
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
        BoardReply::Hello(About {
            payload: 1024,
            dims: 4,
            nodes: 16,
            program: 2048,
            data: 512,
            message: 10,
            network: "tdma".into(),
            name: "simulated".into(),
        }),
        BoardReply::Load { received: 5 },
        BoardReply::Start,
        BoardReply::Send { waiting: 6 },
        BoardReply::Finish,
        BoardReply::Collect { left: 1, events },
        BoardReply::Status(Status {
            state: State::Resting,
            ended: 1,
            halted: 2,
            waiting: 3,
            uncollected: 4,
            phases: 5,
            clock_cycles: 6,
            hops: 7,
            crc: 8,
            text: "why".into(),
        }),
        BoardReply::Where(vec![NodeProgramState {
            node: 2,
            state: machine::CoreState::Halted,
            pc: 0x1C,
        }]),
        BoardReply::Stop,
        BoardReply::Reset,
        BoardReply::Error { code: ErrorCode::Full, text: "wait".into() },
    ]
}

#[test]
fn encoded_messages_are_decoded() {
    for request in requests() {
        assert_eq!(HostRequest::from_frame(&request.to_frame(9)), Some(request));
    }
    for reply in replies() {
        assert_eq!(BoardReply::from_frame(&reply.to_frame(9)), Some(reply));
    }
}

/// A payload with one byte too few or too many is rejected, unless the message ends with a byte
/// string of any length.
#[test]
fn a_payload_of_wrong_length_is_rejected() {
    for request in requests() {
        let mut frame = request.to_frame(1);
        let open = matches!(request, HostRequest::Load { .. });
        frame.payload.push(0);
        assert_eq!(HostRequest::from_frame(&frame).is_some(), open, "{request:?}");
        frame.payload.pop();
        if frame.payload.pop().is_some() {
            assert_eq!(HostRequest::from_frame(&frame).is_some(), open, "{request:?}");
        }
    }
    for reply in replies() {
        let mut frame = reply.to_frame(1);
        let open = matches!(
            reply,
            BoardReply::Hello(_) | BoardReply::Status(_) | BoardReply::Error { .. }
        );
        frame.payload.push(0);
        assert_eq!(BoardReply::from_frame(&frame).is_some(), open, "{reply:?}");
    }
}

#[test]
fn encoded_length_of_an_event_is_its_byte_count() {
    let BoardReply::Collect { events, .. } = &replies()[5] else {
        panic!("the sixth reply has events");
    };
    assert_eq!(events.iter().map(ProgramEvent::encoded_length).sum::<usize>(), 12 + 10 + 18);
}
