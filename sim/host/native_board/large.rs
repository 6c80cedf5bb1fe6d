//! Hosts of 64 nodes on one core, and of two groups of 64 nodes.

use super::{assert_rejected, some_program, NativeBoard, NativeMachine, RawClient};
use phasecube::host::message::{BoardReply, ErrorCode, HostRequest, ProgramEvent, State};
use phasecube::machine::CoreState as Core;
use phasecube::values::{ProgramValue, Values};

/// Machines with their numbers of nodes.
const LARGE: [(NativeMachine, u32); 2] =
    [(NativeMachine::Cube6, 64), (NativeMachine::Groups7, 128)];

#[test]
fn every_node_of_a_large_machine_takes_data_and_returns_results() {
    for (of, nodes) in LARGE {
        let mut machine = NativeBoard::of(of).client();
        let about = machine.about();
        assert_eq!((about.nodes, 1 << about.dims), (nodes, nodes));
        assert_eq!((about.program, about.data), (2048, 512));
        machine.load_bytes("test", &some_program(700)).unwrap();
        for each in [1, 11] {
            let row = |node: u32| (0..each).map(move |i| ProgramValue::Word(node << 24 | i));
            let data = Values((0..nodes).map(|node| row(node).collect()).collect());
            let results = machine.run(&data).unwrap();
            let turned = |node: u32| (0..each).map(move |i: u32| (node << 24 | i).swap_bytes());
            let turned = |node: u32| turned(node).map(ProgramValue::Word).collect();
            let expected: Vec<Vec<ProgramValue>> = (0..nodes).map(turned).collect();
            assert_eq!(results.programs.returned.0, expected);
            assert_eq!(results.programs.exits, vec![Some(0); nodes as usize]);
            assert_eq!((results.state, results.traps.len()), (State::Ended, 0));
            assert_eq!(machine.status().unwrap().hops, u64::from(nodes * each));
        }
    }
}

/// Nodes whose numbers are equal in the lower five or six bits are told apart.
#[test]
fn nodes_of_a_large_machine_are_separate() {
    for (of, nodes) in LARGE {
        let node = nodes - 27;
        let others: Vec<u32> = (1..nodes / 32).map(|i| node - 32 * i).collect();
        let mut board = RawClient::of(of);
        board.start(&some_program(60));
        board.board.phases = 0;
        let messages = [(node, vec![1, 2]), (others[0], vec![3]), (node, vec![4])];
        let request = HostRequest::Send { messages: messages.to_vec() };
        let reply = board.send_request(&request);
        assert!(matches!(reply, BoardReply::Send { waiting: 1..=3 }), "{reply:?}");
        board.refused(&request, ErrorCode::Full, "when there is room");
        board.phases(10);
        let finish = HostRequest::Finish { node: Some(node) };
        assert_eq!(board.send_request(&finish), BoardReply::Finish);
        let reply = board.send(node, &[1]);
        assert_rejected(&reply, ErrorCode::State, "nothing more");
        for other in &others {
            let reply = board.send(*other, &[9]);
            assert!(matches!(reply, BoardReply::Send { .. }), "{reply:?}");
        }
        let reply = board.send(nodes, &[9]);
        assert_rejected(&reply, ErrorCode::Node, &format!("nodes below {nodes}"));
        board.phases(30);
        let status = board.status();
        assert_eq!((status.ended, status.halted, status.waiting), (1, 0, 0));
        let given = board.board.deeds.borrow().given.clone();
        assert_eq!(given.len(), 3 + others.len());
        assert!(messages.iter().all(|message| given.contains(message)));
        let of_node: Vec<_> = given.iter().filter(|(to, _)| *to == node).collect();
        assert_eq!(of_node, [&messages[0], &messages[2]]);
        let mut reported = vec![];
        loop {
            let (left, events) = board.collect(48);
            reported.extend(events);
            if left == 0 {
                break;
            }
        }
        let phase = |event: &ProgramEvent| match event {
            ProgramEvent::Message { phase, .. } | ProgramEvent::Ended { phase, .. } => *phase,
            event => panic!("{event:?}"),
        };
        assert!(reported.is_sorted_by_key(phase), "{reported:?}");
        let ended = |event: &&ProgramEvent| matches!(event, ProgramEvent::Ended { .. });
        let ended: Vec<u32> = reported.iter().filter(ended).map(|e| e.node()).collect();
        assert_eq!((reported.len(), ended), (given.len() + 1, vec![node]));
    }
}

/// Events come in the order of their phases, also if each group has a ring of them. All of them are
/// counted.
#[test]
fn events_of_a_large_machine_come_in_order() {
    for (of, nodes) in LARGE {
        let mut board = RawClient::of(of);
        board.start(&some_program(60));
        for round in 0..2 {
            for first in (0..nodes).step_by(8) {
                // From the last group to the first one, so that the rings are not in order.
                let to = |i| (nodes - 1 - first - i, vec![round]);
                let messages = (0..8).map(to).collect();
                let reply = board.send_request(&HostRequest::Send { messages });
                assert!(matches!(reply, BoardReply::Send { .. }), "{reply:?}");
            }
        }
        board.phases(20);
        let rings = nodes.min(64 * (nodes / 64));
        let status = board.status();
        assert_eq!((status.uncollected, status.state), (rings, State::Running));
        let mut phases = vec![];
        loop {
            let (left, events) = board.collect(48);
            for event in &events {
                let ProgramEvent::Message { phase, .. } = event else {
                    panic!("{event:?}");
                };
                phases.push(*phase);
            }
            if left == 0 && phases.len() == 2 * nodes as usize {
                break;
            }
        }
        assert!(phases.is_sorted(), "{phases:?}");
    }
}

#[test]
fn halted_cores_of_a_large_machine_are_reported() {
    for (of, nodes) in LARGE {
        // The third word spares nodes 5, 37, ..
        let program = [0x13, 0, 0, 0, 0, 0, 0, 0, 1 << 5, 0, 0, 0];
        let mut machine = NativeBoard::of(of).client();
        machine.load_bytes("zeros", &program).unwrap();
        let results = machine.run(&Values::none(nodes)).unwrap();
        assert_eq!(results.state, State::Ended);
        let is_spared = |node: u32| node % 32 == 5;
        let mut traps: Vec<_> = results.traps.iter().map(|t| (t.node, t.pc)).collect();
        traps.sort_unstable();
        let halting = (0..nodes).filter(|node| !is_spared(*node));
        let expected: Vec<_> = halting.map(|node| (node, 4)).collect();
        assert_eq!(traps, expected);
        let exits = results.programs.exits.iter().zip(0..);
        let ended: Vec<u32> = exits.filter_map(|(exit, node)| exit.map(|_| node)).collect();
        let spared: Vec<u32> = (0..nodes).filter(|node| is_spared(*node)).collect();
        assert_eq!(ended, spared);
        let places = machine.program_states().unwrap();
        assert_eq!(places.len(), nodes as usize);
        for (place, node) in places.iter().zip(0..) {
            let expected = match is_spared(node) {
                true => (Core::Asleep, 0x40),
                false => (Core::Halted, 4),
            };
            assert_eq!((place.node, place.state, place.pc), (node, expected.0, expected.1));
        }
    }
}
