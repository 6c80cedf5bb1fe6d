//! The paper's main result: with one virtual channel a ring can deadlock (Figure 1), with two it
//! cannot (Figure 2).

use crate::torus::{machine, messages, one_each, run};
use models::bytes::ModelTailFormat;
use models::torus::TorusModelMachine;
use phasecube::machine::HeldMessage;
use phasecube::networks::bytes::WaitingPacket;
use phasecube::routing::Channel;
use phasecube::topology::PortEnd;
use phasecube::traffic::SplitMix64;

/// Figure 1: every node sends to the opposite node, and each message waits for the one before it.
#[test]
fn a_ring_of_four_deadlocks_as_in_figure_1() {
    let one = TorusModelMachine { channels: 1, ..machine(&[4]) };
    let list = one_each(4, |s| (s + 2) % 4, 8);
    let found = run(&one, &list);
    let stall = found.stall.as_ref().expect("it deadlocks");
    let waits = |message: usize| {
        let node = (message as u32 + 3) % 4;
        WaitingPacket {
            message,
            node,
            wanted_channel: Some(Channel { from: PortEnd { node, port: 0 }, vc: 0 }),
            blocked_by: node as usize,
        }
    };
    assert_eq!(stall.waiting, [0, 1, 2, 3].map(waits));
    assert_eq!(stall.cycle, [0, 3, 2, 1].map(waits));
    assert_eq!(found.delivered(), 0);
    // Each message is in the channel of its source.
    let lies = |node: u32| HeldMessage {
        channel: Channel { from: PortEnd { node, port: 0 }, vc: 0 },
        destination: (node + 2) % 4,
    };
    assert_eq!(found.held, [0, 1, 2, 3].map(lies));
    let two = run(&machine(&[4]), &list);
    assert_eq!((two.is_complete(), two.delivered()), (true, 4));
    assert!(two.held.is_empty(), "{:?}", two.held);
}

/// Every node sends to the node two hops on. A ring deadlocks exactly if packets are longer than
/// queues.
#[test]
fn a_ring_deadlocks_if_packets_are_longer_than_queues() {
    for radix in [3, 4, 8] {
        for queue in [1, 2, 3, 4, 8] {
            // With a tail wire, packets can have two bytes: address and tail.
            for (format, shortest) in [(ModelTailFormat::Wire, 2), (ModelTailFormat::Zero, 3)] {
                let machine = TorusModelMachine { channels: 1, queue, format, ..machine(&[radix]) };
                for payload in 0..8 {
                    let length = shortest + payload as usize;
                    let list = one_each(radix, |s| (s + radix - 2) % radix, payload);
                    let found = run(&machine, &list);
                    let stall = !found.is_complete();
                    assert_eq!(stall, length > queue, "{radix} nodes, Q = {queue}, L = {length}");
                }
            }
        }
    }
}

/// On 8 x 8 nodes with one virtual channel, most random lists deadlock. The same lists arrive with
/// two.
#[test]
fn one_virtual_channel_is_not_enough_for_64_nodes() {
    let one = TorusModelMachine { channels: 1, ..machine(&[8, 8]) };
    let mut stall = 0;
    for seed in 0..15 {
        let mut random = SplitMix64::new(seed);
        let mut draw = |source| (source, random.below(64) as u32);
        let pairs: Vec<_> = (0..64 * 16).map(|i| draw(i % 64)).filter(|(s, d)| s != d).collect();
        let list = messages(&pairs, seed, (1, 3));
        let found = run(&one, &list);
        if let Some(found) = found.stall {
            assert!(found.cycle.len() > 1, "{found:?}");
            stall += 1;
        }
        if seed < 3 {
            assert!(run(&machine(&[8, 8]), &list).is_complete());
        }
    }
    assert!(stall > 7, "{stall} of 15");
}
