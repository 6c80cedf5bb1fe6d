//! Runs: the data that programs get, the results that they return, and the state afterwards.

use super::{assert_rejected, some_program, NativeBoard, RawClient, PHASES, REST};
use crate::host::EchoEnd;
use phasecube::host::message::{
    BoardReply, ErrorCode, HostRequest, NodeProgramState, ProgramEvent, State, Status,
};
use phasecube::host::wire::crc32;
use phasecube::machine::CoreState as Core;
use phasecube::rtl::core::Cause;
use phasecube::rtl::tdma::DeliveryReason;
use phasecube::values::{ProgramValue, Values};

#[test]
fn a_program_is_loaded_and_run_again_and_again() {
    let board = NativeBoard::new();
    let deeds = board.actions();
    let mut machine = board.client();
    for length in [1, 7, 8, 9, 40, 80, 2047, 2048, 200] {
        let program = some_program(length);
        machine.load_bytes("test", &program).unwrap();
        for each in [1, 3, 20] {
            let value = |node: u32, i: u32| ProgramValue::Word(node << 24 | i);
            let row = |node| (0..each).map(|i| value(node, i)).collect();
            let data = Values((0..8).map(row).collect());
            let results = machine.run(&data).unwrap();
            let turned = |value: &ProgramValue| match value {
                ProgramValue::Word(word) => ProgramValue::Word(word.swap_bytes()),
                bytes => bytes.clone(),
            };
            let turned = |row: &Vec<ProgramValue>| row.iter().map(turned).collect();
            let expected: Vec<Vec<ProgramValue>> = data.0.iter().map(turned).collect();
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
fn data_goes_in_order_and_the_ring_may_be_full() {
    let mut board = RawClient::new();
    board.start(&some_program(60));
    board.board.phases = 0;
    // As many messages as fit in a frame, so that a queue is full at once.
    let messages: Vec<_> = (0..8).map(|i| (5, vec![i])).collect();
    for _ in 0..3 {
        let request = HostRequest::Send { messages: messages.clone() };
        let reply = board.send_request(&request);
        // The node may have taken one message already.
        assert!(matches!(reply, BoardReply::Send { waiting: 7..=8 }), "{reply:?}");
        board.refused(&request, ErrorCode::Full, "when there is room");
        board.phases(20);
    }
    // Sixteen are in the ring and one in the node. The others wait behind it.
    let status = board.status();
    assert_eq!((status.uncollected, status.state), (16, State::Running));
    assert!((6..=7).contains(&status.waiting), "{status:?}");
    // A reply has at most as many bytes as requested, and at most as many as fit.
    assert_eq!(board.collect(0), (16, vec![]));
    assert_eq!(board.collect(10), (16, vec![]));
    let (left, events) = board.collect(11);
    assert_eq!(events.len(), 1);
    assert!((15..=16).contains(&left), "{left}");
    let mut reported = events;
    board.board.phases = PHASES;
    loop {
        let (_, events) = board.collect(u16::MAX);
        assert!(events.len() <= 4);
        if events.is_empty() {
            break;
        }
        reported.extend(events);
    }
    let reported: Vec<_> = reported.iter().map(value_of).collect();
    let in_order: Vec<_> = (0..reported.len()).map(|i| (5, vec![(i % 8) as u8])).collect();
    assert_eq!(reported, in_order);
    assert_eq!(reported.len(), 24);
}

fn value_of(event: &ProgramEvent) -> (u32, Vec<u8>) {
    match event {
        ProgramEvent::Message { node, bytes, .. } => (*node, bytes.clone()),
        event => panic!("{event:?}"),
    }
}

#[test]
fn events_say_why_and_when() {
    let mut board = RawClient::new();
    board.start(&some_program(60));
    let begun = board.status().phases as u32;
    for (last, why) in [
        (0xA0, DeliveryReason::Delivered),
        (0xA1, DeliveryReason::Undelivered),
        (0xA2, DeliveryReason::Unknown),
    ] {
        let message = [0, 1, 2, 3, 4, 5, 6, 7, 8, last];
        assert!(matches!(board.send(7, &message), BoardReply::Send { .. }));
        board.phases(3);
        let now = board.status().phases as u32;
        let (left, events) = board.collect(48);
        let [ProgramEvent::Message { node: 7, phase, why: found, bytes }] = &events[..] else {
            panic!("{events:?}");
        };
        assert_eq!((left, *found), (0, why));
        assert!(bytes.iter().rev().eq(&message), "{bytes:?}");
        assert!((begun..=now).contains(phase), "{begun} {phase} {now}");
    }
    // More superframes than a time mark can count, and more clock cycles than a word can.
    board.phases(70_000 * 6);
    let before = board.status();
    assert!((70_000 * 6..80_000 * 6).contains(&before.phases));
    let clocks = before.clock_cycles / before.phases;
    assert!((33_000..35_000).contains(&clocks), "{before:?}");
    assert_eq!((before.hops, before.state), (3, State::Resting));
    board.send(2, &[9]);
    let (_, events) = board.collect(48);
    let now = board.status().phases;
    let [ProgramEvent::Message { phase, .. }] = events[..] else {
        panic!("{events:?}");
    };
    let phase = u64::from(phase);
    assert!((before.phases..=now).contains(&phase), "{phase} {now}");
}

#[test]
fn programs_end_after_finish_and_counters_restart() {
    let mut board = RawClient::new();
    let program = some_program(60);
    board.start(&program);
    board.send(1, &[1, 2]);
    assert_eq!(board.send_request(&HostRequest::Finish { node: Some(1) }), BoardReply::Finish);
    board.phases(20);
    let status = board.status();
    assert_eq!((status.ended, status.halted, status.hops), (1, 0, 1));
    assert_eq!((status.waiting, status.uncollected), (0, 2));
    assert_eq!(status.crc, crc32(&program));
    board.send_request(&HostRequest::Finish { node: None });
    board.phases(20);
    let status = board.status();
    assert_eq!((status.ended, status.state), (8, State::Ended));
    // The end mark in a queue does not count as a message.
    assert_eq!((status.waiting, status.uncollected), (0, 9));
    let mut events = vec![];
    loop {
        let (left, more) = board.collect(48);
        events.extend(more);
        if left == 0 {
            break;
        }
    }
    let ends = events.iter().filter(|e| matches!(e, ProgramEvent::Ended { code: 0, .. }));
    assert_eq!((events.len(), ends.count()), (9, 8));
    // Events left uncollected do not appear in the next run.
    board.start(&program);
    board.send(1, &[3]);
    board.phases(6);
    let crc = crc32(&program);
    assert_eq!(board.send_request(&HostRequest::Start { crc }), BoardReply::Start);
    let status = board.status();
    assert_eq!((status.uncollected, status.hops, status.ended), (0, 0, 0));
    assert!(status.phases <= 3 * u64::from(PHASES), "{status:?}");
    assert!(status.clock_cycles < 34_000 * 3 * u64::from(PHASES), "{status:?}");
    board.send_request(&HostRequest::Stop);
    let loaded = Status { state: State::Loaded, crc, ..Status::default() };
    assert_eq!(board.status(), loaded);
    assert_eq!(board.collect(48), (0, vec![]));
    assert_eq!(board.program_states(0), []);
    // A reset also ends a run.
    board.send_request(&HostRequest::Start { crc });
    board.send(1, &[3]);
    assert_eq!(board.send_request(&HostRequest::Reset), BoardReply::Reset);
    assert_eq!(board.status(), Status::default());
    let reply = board.send(1, &[3]);
    assert_rejected(&reply, ErrorCode::State, "a start first");
}

#[test]
fn an_idle_board_rests() {
    let mut board = RawClient::new();
    board.start(&some_program(60));
    assert_eq!(board.status().state, State::Running);
    board.phases(REST * 6 + 6);
    assert_eq!(board.status().state, State::Resting);
    board.send(0, &[1]);
    assert_eq!(board.status().state, State::Running);
    board.phases(REST * 6 + 6);
    let status = board.status();
    assert_eq!((status.state, status.uncollected), (State::Resting, 1));
    // Sends one at a time, so that the ring becomes full.
    for _ in 0..20 {
        board.send(3, &[1]);
    }
    board.phases(REST * 6 + 6);
    assert_eq!(board.status().state, State::Running);
}

#[test]
fn a_halted_core_is_reported_with_its_location() {
    // A nop and an illegal instruction. The third word lists the nodes that do not halt.
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
    // One node halts, the others end.
    machine.load_bytes("zeros", &program(0b1101_1111)).unwrap();
    let results = machine.run(&Values(vec![vec![ProgramValue::Word(1)]; 8])).unwrap();
    assert_eq!(results.state, State::Ended);
    assert_eq!(results.traps.len(), 1);
    assert_eq!((results.traps[0].node, results.traps[0].pc), (5, 4));
    let ended = results.programs.exits.iter().filter(|e| **e == Some(0));
    assert_eq!(ended.count(), 7);
    let places = machine.program_states().unwrap();
    assert_eq!(places.len(), 8);
    for place in places {
        let expected = match place.node {
            5 => (Core::Halted, 4),
            _ => (Core::Asleep, 0x40),
        };
        assert_eq!((place.state, place.pc), expected);
    }
    // In the next run no node has halted.
    machine.load_bytes("other", &some_program(20)).unwrap();
    machine.start().unwrap();
    assert_eq!(machine.status().unwrap().halted, 0);
}

/// A client that asks in each phase does not stop the board from working.
#[test]
fn no_node_is_overlooked() {
    let mut board = RawClient::new();
    board.board.phases = 1;
    board.start(&[0x13, 0, 0, 0, 0, 0, 0, 0, 0b1101_0111, 0, 0, 0]);
    for _ in 0..10 {
        board.status();
    }
    assert_eq!(board.status().halted, 2);
    assert_eq!(board.send_request(&HostRequest::Finish { node: None }), BoardReply::Finish);
    for _ in 0..10 {
        board.status();
    }
    assert_eq!(board.status().ended, 6);
}

#[test]
fn program_states_start_at_the_requested_node() {
    let mut board = RawClient::new();
    board.start(&some_program(60));
    let nodes = |places: Vec<NodeProgramState>| places.iter().map(|p| p.node).collect::<Vec<_>>();
    assert_eq!(nodes(board.program_states(0)), [0, 1, 2, 3, 4]);
    assert_eq!(nodes(board.program_states(6)), [6, 7]);
}
