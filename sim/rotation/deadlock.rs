//! With one virtual channel the 3-cube can deadlock. With two it cannot.

use crate::rotation::{machine, messages, run};
use models::rotation::RotationModelMachine;
use phasecube::machine::HeldMessage;
use phasecube::networks::bytes::WaitingPacket;
use phasecube::routing::Channel;
use phasecube::topology::PortEnd;
use phasecube::traffic::Message;

/// Source and destination of six messages, each of which waits for the next.
const HEXAGON: [(u32, u32); 6] = [(0, 3), (2, 7), (3, 5), (7, 4), (5, 0), (4, 2)];

/// Returns these messages with payloads of `payload` bytes.
pub fn hexagon(payload: u64) -> Vec<Message> {
    messages(&HEXAGON, 1, (payload, payload))
}

fn channel(node: u32, port: u32) -> Channel {
    Channel { from: PortEnd { node, port }, vc: 0 }
}

/// A packet has a header, at least one data byte (of COBS) and a tail. It deadlocks exactly if it
/// is longer than a queue.
#[test]
fn the_hexagon_deadlocks_if_packets_are_longer_than_queues() {
    for queue in [1, 2, 3, 4, 8] {
        let one = RotationModelMachine { channels: 1, queue, ..machine(3) };
        for payload in 0..8 {
            let length = 3 + payload as usize;
            let found = run(&one, &hexagon(payload));
            assert_eq!(found.is_complete(), length <= queue, "Q = {queue}, L = {length}");
            if !found.is_complete() {
                assert_eq!(found.delivered(), 0);
            }
        }
    }
}

/// All six messages wait, each for the channel that the next one holds.
#[test]
fn each_packet_of_the_hexagon_waits_for_the_next() {
    let one = RotationModelMachine { channels: 1, ..machine(3) };
    let found = run(&one, &hexagon(4));
    let stall = found.stall.as_ref().expect("it deadlocks");
    // The message from 0 to 3 crosses dimension 1, then 0. It waits at 2, where the message from 2
    // to 7 has gone on.
    let [routes, nodes] = [[0, 2, 1, 0, 2, 1], [2, 3, 7, 5, 4, 0]];
    let waits = |message: usize| WaitingPacket {
        message,
        node: nodes[message],
        wanted_channel: Some(channel(nodes[message], routes[message])),
        blocked_by: (message + 1) % 6,
    };
    assert_eq!(stall.waiting, [0, 1, 2, 3, 4, 5].map(waits));
    assert_eq!(stall.cycle, stall.waiting);
    let lies = |message: usize| HeldMessage {
        channel: channel(HEXAGON[message].0, (routes[message] + 1) % 3),
        destination: HEXAGON[message].1,
    };
    let mut held = [0, 1, 2, 3, 4, 5].map(lies);
    held.sort_by_key(|held| held.channel);
    assert_eq!(found.held, held);
}

/// With two virtual channels they arrive. The figures of the specification come from a model
/// outside this repository.
#[test]
fn with_two_virtual_channels_the_hexagon_arrives() {
    let found = run(&machine(3), &hexagon(2));
    assert_eq!((found.delivered(), found.clock_cycles), (6, 30));
    for payload in 0..8 {
        let found = run(&machine(3), &hexagon(payload));
        assert_eq!(found.delivered(), 6);
        assert!(found.held.is_empty(), "{:?}", found.held);
    }
}
