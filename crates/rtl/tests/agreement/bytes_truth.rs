//! The mailbox and the counter of a network of bytes. No byte is sent twice, received twice or
//! lost, whatever the programs do.

use crate::agreement::engines::{self, put, put_all, see, see_all};
use engine::{CircuitEngine, PortId};
use hdl::lower::Circuit;
use interconnect::traffic::SplitMix64;
use rtl::bytes::{ByteCounter, ByteMailbox, OutputMultiplexer, OutputQueue};
use std::collections::VecDeque;

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
    let receive_data: Vec<PortId> =
        (0..NODES).map(|i| port(&format!("receive_data[{i}]"), engine)).collect();

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
        let requests: Vec<PortId> =
            (0..CHANNELS).map(|c| engine.port(&format!("request[{c}]"))).collect();
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
            assert_eq!(engine.get_u64(count), bytes[2] % 65_536, "{}", engine.name());
            engine.clock().unwrap();
        }
    }
}

// The sending end of a channel. A byte is sent if its virtual channel is free. If two are ready,
// the one not served last is chosen, and virtual channel 1 at the start.

fn sends_in_turns(multiplexer: &impl Circuit, wires: u32, channels: usize) {
    let mut engine = engines::evaluator(multiplexer);
    let engine = &mut *engine;
    let mut random = SplitMix64::new(5);
    let (mut request, mut acknowledge, mut last) = (0, 0, 0);
    let (mut on_wires, mut together) = (None, 0);
    for cycle in 0..2000 {
        let present = match cycle {
            0 => (1 << channels) - 1,
            _ => random.below(1 << channels),
        };
        let fronts = [(); 2].map(|()| random.below(1 << wires));
        put_all(engine, "present", present, channels);
        for (v, front) in fronts.iter().enumerate().take(channels) {
            put(engine, &format!("front[{v}]"), *front);
        }
        // Acknowledges a random subset of the pending bytes.
        acknowledge ^= (request ^ acknowledge) & random.below(1 << channels);
        put(engine, "acknowledge", acknowledge);
        engine.settle().unwrap();
        let free = !(request ^ acknowledge) & present;
        let serves = match free {
            0b11 => Some(1 - last),
            0 => None,
            _ => Some(free.trailing_zeros() as usize),
        };
        together += u32::from(free == 0b11);
        let here = format!("{channels} channels, clock cycle {cycle}");
        assert_eq!(see(engine, "request"), request, "{here}");
        if let Some(flit) = on_wires {
            assert_eq!(see(engine, "data"), flit, "{here}");
        }
        let pops = serves.map_or(0, |v| 1 << v);
        assert_eq!(see_all(engine, "pop", channels), pops, "{here}");
        engine.clock().unwrap();
        request ^= pops;
        on_wires = serves.map(|v| fronts[v]);
        last = serves.unwrap_or(last);
    }
    assert!(channels == 1 || together > 100, "{together}");
}

#[test]
pub fn the_channel_not_served_last_goes_first() {
    sends_in_turns(&OutputMultiplexer::<8, 1>::default(), 8, 1);
    sends_in_turns(&OutputMultiplexer::<8, 2>::default(), 8, 2);
    sends_in_turns(&OutputMultiplexer::<9, 1>::default(), 9, 1);
    sends_in_turns(&OutputMultiplexer::<9, 2>::default(), 9, 2);
}

// An output queue as specified in the paper (torus-routing-chip, section 5). It belongs to one
// packet from its first byte to its tail. The lowest input has priority, and bytes leave in order.

/// Checks a queue of `depth` slots with `inputs` inputs, each of `wires` wires.
fn goes_in_order(queue: impl Circuit, wires: u32, depth: usize, inputs: usize) {
    let mut engine = engines::evaluator(&queue);
    let mut random = SplitMix64::new(inputs as u64);
    // The byte of each input, and whether it is a tail.
    let mut offers: Vec<Option<(u64, bool)>> = vec![None; inputs];
    let mut owner = None;
    let mut places = VecDeque::new();
    let (mut passed, mut packets) = (vec![0; inputs], 0);
    for cycle in 0..400 * inputs.max(10) {
        // In 32 clock cycles, the number with arrivals and with departures. The pair changes every
        // 100 clock cycles.
        let [comes, goes] = [[1, 32], [32, 12], [12, 32], [3, 24]][cycle / 100 % 4];
        // The first inputs begin no packet at times, because otherwise they would occupy the queue
        // permanently.
        let begin_from = cycle / 400 % inputs;
        for (i, offer) in offers.iter_mut().enumerate() {
            let may = i >= begin_from || owner == Some(i);
            if may && offer.is_none() && random.below(32) < comes {
                *offer = Some((random.below(1 << wires), random.below(3) == 0));
            }
            // An input that does not request the queue carries a random byte.
            let any = (random.below(1 << wires), random.below(2) == 1);
            let (flit, tail) = offer.unwrap_or(any);
            put(&mut *engine, &format!("want[{i}]"), offer.is_some().into());
            put(&mut *engine, &format!("flit[{i}]"), flit);
            put(&mut *engine, &format!("tail[{i}]"), tail.into());
        }
        let pops = !places.is_empty() && random.below(32) < goes;
        put(&mut *engine, "pop", pops.into());
        engine.settle().unwrap();
        let here = || format!("{inputs} inputs, clock cycle {cycle}");
        assert_eq!(see(&mut *engine, "present") == 1, !places.is_empty());
        if let Some(front) = places.front() {
            assert_eq!(see(&mut *engine, "front"), *front, "{}", here());
        }
        owner = owner.or_else(|| offers.iter().position(Option::is_some));
        // Room is decided at the start of the clock cycle, regardless of departures during it.
        let room = places.len() < depth;
        let takes = owner.filter(|i| offers[*i].is_some() && room);
        let bits = takes.map_or(0, |i| 1 << i);
        assert_eq!(see_all(&mut *engine, "take", inputs), bits, "{}", here());
        if pops {
            places.pop_front();
        }
        if let Some(i) = takes {
            let (flit, tail) = offers[i].take().expect("it has one");
            places.push_back(flit);
            passed[i] += 1;
            if tail {
                owner = None;
                packets += 1;
            }
        }
        engine.clock().unwrap();
    }
    assert!(passed.iter().all(|bytes| *bytes > 10) && packets > 50, "{passed:?}");
}

/// After power-up a queue is empty and belongs to no packet.
fn begins_with_any(make: impl Fn() -> OutputQueue<8>, inputs: usize) {
    for input in 0..inputs {
        let mut engine = engines::evaluator(&make());
        put_all(&mut *engine, "want", 1 << input, inputs);
        engine.settle().unwrap();
        assert_eq!(see(&mut *engine, "present"), 0);
        assert_eq!(see_all(&mut *engine, "take", inputs), 1 << input);
    }
}

#[test]
pub fn a_queue_does_not_interleave_packets() {
    for (depth, inputs) in [(4, 1), (4, 2), (2, 3), (4, 5), (1, 4)] {
        begins_with_any(|| OutputQueue::new(depth, inputs), inputs);
        goes_in_order(OutputQueue::<8>::new(depth, inputs), 8, depth, inputs);
        goes_in_order(OutputQueue::<9>::new(depth, inputs), 9, depth, inputs);
    }
}

#[test]
fn a_queue_of_many_inputs_does_not_interleave_packets() {
    goes_in_order(OutputQueue::<8>::new(2, 20), 8, 2, 20);
}
