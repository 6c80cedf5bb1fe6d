//! Packets in an input controller of the torus and through a chip: the queue that each enters, and
//! the remaining address (torus-routing-chip, section 5). The model is independent of the circuits.

use crate::agreement::engines::{self, put, put_all, see, see_all};
use engine::CircuitEngine;
use hdl::lower::Circuit;
use interconnect::traffic::SplitMix64;
use rtl::torus::{InputController, Tail, TorusChip, TorusPlan};
use std::collections::VecDeque;

/// A packet of addresses, data and tail, one flit for each byte, with the result at an input.
struct RoutedPacket {
    flits: Vec<u64>,
    /// Number of zero addresses that the input removes.
    stripped: usize,
    /// Dimension in which the packet leaves, counted from the input's own. `None` means to the
    /// processor.
    leaves: Option<usize>,
}

impl RoutedPacket {
    /// Creates a packet with this data for an input that routes `dims` dimensions.
    fn new(random: &mut SplitMix64, dims: usize, data: &[u64], tail: Tail) -> Self {
        let mut address = || match random.below(2) {
            0 => 0,
            _ => 1 + random.below(255),
        };
        let addresses: Vec<u64> = (0..dims).map(|_| address()).collect();
        let leaves = addresses.iter().position(|address| *address != 0);
        let mut flits = [&addresses, data].concat();
        match tail {
            Tail::Wire => *flits.last_mut().expect("there is data") |= 1 << 8,
            _ => flits.push(0),
        }
        let stripped = leaves.unwrap_or(dims);
        RoutedPacket { flits, stripped, leaves }
    }

    /// Returns the packet as forwarded, with the address in its dimension reduced by one.
    fn goes_on(&self) -> Vec<u64> {
        let mut flits = self.flits[self.stripped..].to_vec();
        if self.leaves.is_some() {
            flits[0] -= 1;
        }
        flits
    }
}

/// Returns random data. With a tail of zero, no data byte is zero.
fn data(random: &mut SplitMix64, tail: Tail) -> Vec<u64> {
    let least = u64::from(tail != Tail::Wire);
    let length = 1 + random.below(5);
    let byte = |_| least + random.below(256 - least);
    (0..length).map(byte).collect()
}

/// Checks one input of `dims` dimensions. If it `splits`, it forwards on two virtual channels.
fn controller(make: &impl Circuit, wires: usize, dims: usize, splits: bool, tail: Tail, seed: u64) {
    let mut engine = engines::evaluator(make);
    let mut random = SplitMix64::new(seed);
    let queues = dims + usize::from(splits) + 1;
    let mut request = 0;
    let anything = |random: &mut SplitMix64| match random.below(3) {
        0 => 0,
        _ => random.below(1 << wires),
    };
    for number in 0..12 {
        let data = data(&mut random, tail);
        let packet = RoutedPacket::new(&mut random, dims, &data, tail);
        let origin = random.below(2) == 1;
        put(&mut *engine, "origin", origin.into());
        let queue = match packet.leaves {
            None => queues - 1,
            Some(0) => usize::from(splits && !origin),
            Some(dim) => dim + usize::from(splits),
        };
        let goes_on = packet.goes_on();
        for (i, flit) in packet.flits.iter().enumerate() {
            // The wires carry random values between bytes, and after a byte has been present for
            // one clock cycle.
            for _ in 0..random.below(3) {
                put(&mut *engine, "data", anything(&mut random));
                put_all(&mut *engine, "take", 0, queues);
                engine.settle().unwrap();
                assert_eq!(see_all(&mut *engine, "want", queues), 0);
                engine.clock().unwrap();
            }
            request ^= 1;
            put(&mut *engine, "request", request);
            put(&mut *engine, "data", *flit);
            let here =
                format!("byte {i} of packet {number}, {dims} dimensions, {splits}, {tail:?}");
            let mut waits = if i < packet.stripped { 0 } else { random.below(3) };
            loop {
                put_all(&mut *engine, "take", 0, queues);
                engine.settle().unwrap();
                let wants = see_all(&mut *engine, "want", queues);
                if i < packet.stripped {
                    assert_eq!(wants, 0, "{here}");
                } else {
                    let last = i + 1 == packet.flits.len();
                    assert_eq!(wants, 1 << queue, "{here}");
                    assert_eq!(see(&mut *engine, "flit"), goes_on[i - packet.stripped], "{here}");
                    assert_eq!(see(&mut *engine, "tail") == 1, last, "{here}");
                }
                let takes = if waits == 0 { wants } else { 0 };
                put_all(&mut *engine, "take", takes, queues);
                engine.settle().unwrap();
                engine.clock().unwrap();
                engine.settle().unwrap();
                let acknowledged = see(&mut *engine, "acknowledge") == request;
                assert_eq!(acknowledged, waits == 0, "{here}");
                if acknowledged {
                    break;
                }
                waits -= 1;
                put(&mut *engine, "data", anything(&mut random));
            }
        }
    }
}

#[test]
fn an_input_controller_routes_packets_by_address() {
    for (dims, splits) in [(1, false), (1, true), (2, false), (2, true), (3, true), (4, false)] {
        for seed in 0..6 {
            let make = InputController::<8>::new(dims, splits, Tail::Zero);
            controller(&make, 8, dims, splits, Tail::Zero, seed);
            let make = InputController::<9>::new(dims, splits, Tail::Wire);
            controller(&make, 9, dims, splits, Tail::Wire, seed);
        }
    }
}

/// One channel of a chip, in or out.
#[derive(Clone, Default)]
struct ChipChannel {
    /// Flits still to send, packet by packet.
    flits: VecDeque<u64>,
    request: bool,
    acknowledge: bool,
    /// Flits received.
    got: Vec<u64>,
}

/// Names and positions of the wires of a chip's channels. The order is dimension d and virtual
/// channel v, then the processor.
struct ChipWires {
    dims: usize,
    channels: usize,
}

impl ChipWires {
    /// Returns the port and the bit of each channel.
    fn of(&self, processor: &str, port: &str) -> Vec<(String, usize)> {
        let of_dims = (0..self.dims * self.channels)
            .map(|i| (format!("{port}[{}]", i / self.channels), i % self.channels));
        of_dims.chain([(processor.to_owned(), 0)]).collect()
    }
}

fn put_bits(
    engine: &mut dyn CircuitEngine,
    wires: &[(String, usize)],
    bits: impl Iterator<Item = bool>,
) {
    let mut words: Vec<(&str, u64)> = vec![];
    for ((port, place), bit) in wires.iter().zip(bits) {
        match words.last_mut() {
            Some((name, word)) if *name == port => *word |= u64::from(bit) << place,
            _ => words.push((port, u64::from(bit) << place)),
        }
    }
    for (port, word) in words {
        put(engine, port, word);
    }
}

fn bit(engine: &mut dyn CircuitEngine, (port, place): &(String, usize)) -> bool {
    see(engine, port) >> place & 1 == 1
}

/// All inputs of a chip send random packets, and all outputs stall at random. Every packet leaves
/// whole at the output of its address, in order for each pair of input and output. One dimension
/// has its origin at this chip.
fn chip(make: &impl Circuit, plan: TorusPlan, origin: usize) {
    let mut engine = engines::evaluator(make);
    let engine = &mut *engine;
    let mut random = SplitMix64::new(9);
    let TorusPlan { dims, channels, .. } = plan;
    let (tail, processor) = (plan.tail, dims * channels);
    let wires = ChipWires { dims, channels };
    let origins: Vec<bool> = (0..dims).map(|d| d == origin).collect();
    for (d, origin) in origins.iter().enumerate() {
        put(engine, &format!("origin[{d}]"), u64::from(*origin));
    }
    let mut inputs = vec![ChipChannel::default(); processor + 1];
    let mut outputs = inputs.clone();
    // Expected packets of each output from each input.
    let mut expected = vec![vec![VecDeque::new(); processor + 1]; processor + 1];
    for (i, channel) in inputs.iter_mut().enumerate() {
        let first = if i == processor { 0 } else { i / channels };
        for number in 0..25 {
            // The packet carries its input and its number.
            let mut bytes = vec![1 + i as u64, 1 + number];
            bytes.extend(data(&mut random, tail));
            let packet = RoutedPacket::new(&mut random, dims - first, &bytes, tail);
            let queue = match packet.leaves {
                None => processor,
                // A packet that continues in its dimension uses virtual channel 0 if it came from
                // there, or at the origin.
                Some(0) if i != processor => match i % channels == 1 && !origins[first] {
                    true => i,
                    false => first * channels,
                },
                Some(dim) => (first + dim) * channels + channels - 1,
            };
            channel.flits.extend(&packet.flits);
            expected[queue][i].push_back(packet.goes_on());
        }
    }
    let count: usize = expected.iter().flatten().flatten().map(Vec::len).sum();
    let [request_in, request_out] =
        [wires.of("send_request", "request_in"), wires.of("receive_request", "request_out")];
    let [acknowledge_out, acknowledge_in] = [
        wires.of("send_acknowledge", "acknowledge_out"),
        wires.of("receive_acknowledge", "acknowledge_in"),
    ];
    let data_in = wires.of("send_data", "data_in");
    let data_out = wires.of("receive_data", "data_out");
    let mut cycles = 0;
    while outputs.iter().map(|output| output.got.len()).sum::<usize>() < count {
        cycles += 1;
        assert!(cycles < 20_000, "{plan:?}: something stalls");
        // The wires of a dimension carry one byte in each clock cycle.
        for port in inputs.chunks_mut(channels).zip(data_in.chunks(channels)) {
            let (of_port, names) = port;
            let free = |channel: &ChipChannel| {
                channel.request == channel.acknowledge && !channel.flits.is_empty()
            };
            let turn = random.below(of_port.len() as u64 * 2) as usize;
            let mut flit = random.below(1 << tail.data_wires());
            if let Some(channel) = of_port.get_mut(turn).filter(|channel| free(channel)) {
                flit = channel.flits.pop_front().expect("there is one");
                channel.request = !channel.request;
            }
            put(engine, &names[0].0, flit);
        }
        put_bits(engine, &request_in, inputs.iter().map(|c| c.request));
        put_bits(engine, &acknowledge_in, outputs.iter().map(|c| c.acknowledge));
        engine.clock().unwrap();
        engine.settle().unwrap();
        for (i, channel) in inputs.iter_mut().enumerate() {
            channel.acknowledge = bit(engine, &acknowledge_out[i]);
        }
        for (i, channel) in outputs.iter_mut().enumerate() {
            let request = bit(engine, &request_out[i]);
            if request != channel.request {
                assert_eq!(channel.request, channel.acknowledge, "{plan:?}, queue {i}");
                channel.request = request;
                channel.got.push(see(engine, &data_out[i].0));
            }
            if random.below(3) == 0 {
                channel.acknowledge = channel.request;
            }
        }
    }
    for (queue, output) in outputs.iter().enumerate() {
        let mut rest = &output.got[..];
        while !rest.is_empty() {
            let whole = |packets: &VecDeque<Vec<u64>>| {
                packets.front().filter(|packet| rest.starts_with(packet)).map(Vec::len)
            };
            let found = (0..=processor).find_map(|i| Some((i, whole(&expected[queue][i])?)));
            let (i, length) = found.unwrap_or_else(|| panic!("{plan:?}, {queue}: {rest:?}"));
            expected[queue][i].pop_front();
            rest = &rest[length..];
        }
    }
    assert!(expected.iter().flatten().all(VecDeque::is_empty), "{plan:?}");
}

#[test]
fn a_chip_routes_every_packet_by_address() {
    let plan = TorusPlan::new(2);
    let one = TorusPlan { channels: 1, queue: 2, ..plan };
    let wire = TorusPlan { tail: Tail::Wire, ..plan };
    for origin in 0..2 {
        chip(&TorusChip::<8, 2>::new(2, plan), plan, origin);
        chip(&TorusChip::<8, 1>::new(2, one), one, origin);
        chip(&TorusChip::<9, 2>::new(2, wire), wire, origin);
    }
}
