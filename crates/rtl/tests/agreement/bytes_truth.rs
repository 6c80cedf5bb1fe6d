//! The mailbox and the counter of a network of bytes. No byte is sent twice, received twice or
//! lost, whatever the programs do.

use crate::agreement::engines;
use engine::{CircuitEngine, PortId};
use interconnect::traffic::SplitMix64;
use rtl::bytes::{ByteCounter, ByteMailbox};

const NODES: usize = 8;

/// The network side of the channels of one node.
#[derive(Clone, Default)]
struct ByteNode {
    /// Bytes still to deliver, the next one last. One of them may be on the wires.
    gives: Vec<u8>,
    offers: bool,
    request: bool,
    /// State of the sending direction: the previous request, the network's acknowledge, and the
    /// byte not yet acknowledged.
    before: bool,
    acknowledge: bool,
    holds: Option<u8>,
    got: Vec<u8>,
}

fn word(bits: impl Iterator<Item = bool>) -> u64 {
    bits.enumerate().map(|(i, bit)| u64::from(bit) << i).sum()
}

fn bit(value: u64, i: usize) -> bool {
    value >> i & 1 == 1
}

/// Programs send and receive at random, and the networks are slow at random. Each side receives
/// exactly the bytes that the other sent.
#[test]
fn exactly_the_sent_bytes_are_received() {
    for mut engine in engines::both(ByteMailbox::<NODES, 3>::default) {
        through(&mut *engine);
    }
}

fn through(engine: &mut dyn CircuitEngine) {
    let name = engine.name();
    let mut random = SplitMix64::new(7);
    let port = |name: &str, engine: &mut dyn CircuitEngine| engine.port(name);
    let [node, data, send, take] = ["node", "data", "send", "take"].map(|n| port(n, engine));
    let [free, present, byte] = ["free", "present", "byte"].map(|n| port(n, engine));
    let [send_data, send_request] = ["send_data", "send_request"].map(|n| port(n, engine));
    let [send_acknowledge, receive_request, receive_acknowledge] =
        ["send_acknowledge", "receive_request", "receive_acknowledge"].map(|n| port(n, engine));
    let receive_data: Vec<PortId> = (0..NODES)
        .map(|i| port(&format!("receive_data[{i}]"), engine))
        .collect();

    let mut nodes = vec![ByteNode::default(); NODES];
    let mut given = vec![vec![]; NODES];
    for (node, given) in nodes.iter_mut().zip(&mut given) {
        *given = (0..200).map(|_| random.below(256) as u8).collect();
        node.gives = given.iter().rev().copied().collect();
    }
    let (mut sent, mut taken) = (vec![vec![]; NODES], vec![vec![]; NODES]);
    for _ in 0..20_000 {
        // The network holds a byte until it is taken.
        for (i, node) in nodes.iter_mut().enumerate() {
            if !node.offers && !node.gives.is_empty() && random.below(4) == 0 {
                node.offers = true;
                node.request = !node.request;
            }
            if node.offers {
                engine.set_u64(receive_data[i], node.gives[node.gives.len() - 1].into());
            }
        }
        engine.set_u64(receive_request, word(nodes.iter().map(|n| n.request)));
        engine.set_u64(send_acknowledge, word(nodes.iter().map(|n| n.acknowledge)));
        // One program acts.
        let turn = random.below(NODES as u64) as usize;
        let value = random.below(256);
        let [sends, takes] = [random.below(2) == 1, random.below(2) == 1];
        for (port, value) in [(node, turn as u64), (data, value)] {
            engine.set_u64(port, value);
        }
        engine.set_u64(send, sends.into());
        engine.set_u64(take, takes.into());
        engine.settle().unwrap();
        if sends && engine.get_u64(free) == 1 {
            sent[turn].push(value as u8);
        }
        let comes = engine.get_u64(present) == 1;
        assert_eq!(comes, nodes[turn].offers, "{name}");
        if comes && takes {
            taken[turn].push(engine.get_u64(byte) as u8);
        }
        engine.clock().unwrap();
        engine.settle().unwrap();
        // A byte is on the wires in the clock cycle in which its request changes.
        let (requests, on_wires) = (engine.get_u64(send_request), engine.get_u64(send_data));
        let acknowledges = engine.get_u64(receive_acknowledge);
        for (i, node) in nodes.iter_mut().enumerate() {
            if bit(requests, i) != node.before {
                node.before = bit(requests, i);
                assert_eq!(node.holds, None, "{name}: node {i} was not free");
                node.holds = Some(on_wires as u8);
            }
            if random.below(4) == 0 {
                if let Some(byte) = node.holds.take() {
                    node.got.push(byte);
                    node.acknowledge = node.before;
                }
            }
            if node.offers && bit(acknowledges, i) == node.request {
                node.offers = false;
                node.gives.pop();
            }
        }
    }
    for (i, node) in nodes.iter().enumerate() {
        assert_eq!(taken[i], given[i], "{name}, node {i}");
        let all: Vec<u8> = node.got.iter().copied().chain(node.holds).collect();
        assert!(all.len() > 200, "{name}, node {i}");
        assert_eq!(all, sent[i], "{name}, node {i}");
    }
}

/// Each change of a request counts as one byte, two clock cycles later.
#[test]
fn every_request_change_counts_one_byte() {
    const CHANNELS: usize = 16;
    for mut engine in engines::both(|| ByteCounter::<2>::new(CHANNELS)) {
        let requests: Vec<PortId> = (0..CHANNELS)
            .map(|c| engine.port(&format!("request[{c}]")))
            .collect();
        let count = engine.port("count");
        let mut random = SplitMix64::new(3);
        let mut words = [0; CHANNELS];
        // Bytes so far, and one and two clock cycles earlier.
        let mut bytes = [0u64; 3];
        for _ in 0..10_000 {
            bytes = [bytes[0], bytes[0], bytes[1]];
            for (word, port) in words.iter_mut().zip(&requests) {
                let change = random.below(8);
                if change == 1 || change == 2 {
                    *word ^= change;
                    bytes[0] += 1;
                }
                engine.set_u64(*port, *word);
            }
            engine.settle().unwrap();
            assert_eq!(
                engine.get_u64(count),
                bytes[2] % 65_536,
                "{}",
                engine.name()
            );
            engine.clock().unwrap();
        }
    }
}
