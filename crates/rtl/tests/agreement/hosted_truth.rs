//! The host loses no event, including those that arrive in the clock cycle of a read.

use crate::agreement::engines::{self, agree, put, see};
use crate::agreement::scripts::SerialWaveform;
use engine::CircuitEngine;
use hdl::lower::Circuit;
use interconnect::topology::{Hypercube, Metacube};
use interconnect::traffic::SplitMix64;
use rtl::hosted::{HostPort, LineQueue, ProgramWatch, Restart, TimeMultiplexedWires, HOST_CLOCKS};
use std::collections::VecDeque;

/// Offsets of the registers (`firmware/include/host_port.h`).
pub const STATUS: u64 = 0x00;
pub const BYTE: u64 = 0x04;
pub const ARRIVED: u64 = 0x08;
pub const OUTCOMES: u64 = 0x10;

struct HostPortBench(Box<dyn CircuitEngine>);

impl HostPortBench {
    /// Requests a register in the clock cycle before the one in which it is read.
    fn request(&mut self, offset: Option<u64>) {
        put(&mut *self.0, "request", offset.is_some().into());
        if let Some(offset) = offset {
            put(&mut *self.0, "offset", offset);
        }
    }
}

/// Two bytes arrive without a gap, and one can wait. The first is read at each clock cycle around
/// the end of the second. It is always received, and the second is received if the first was read
/// before the second ended.
#[test]
fn a_byte_received_during_a_host_read_is_kept() {
    let bit = HOST_CLOCKS as u64 * 1000;
    let mut line = SerialWaveform::default();
    line.hold(true, bit);
    line.byte(0x3A, true, bit);
    line.byte(0xC5, true, bit);
    line.hold(true, bit);
    for engine in engines::both(HostPort::<16, 4>::new) {
        let mut port = HostPortBench(engine);
        let mut run = |reads: &[usize]| {
            let (mut got, mut wakes) = (vec![], vec![]);
            for (cycle, level) in line.levels.iter().enumerate() {
                put(&mut *port.0, "rx", u64::from(*level));
                port.request(match reads.contains(&(cycle + 1)) || reads.contains(&cycle) {
                    true => Some(BYTE),
                    false => None,
                });
                port.0.settle().unwrap();
                if see(&mut *port.0, "ready") == 1 {
                    assert!(reads.contains(&cycle));
                    got.push(see(&mut *port.0, "read_data"));
                }
                wakes.push(see(&mut *port.0, "wake") == 1);
                port.0.clock().unwrap();
            }
            (got, wakes)
        };
        let (_, wakes) = run(&[]);
        // `wake` rises two clock cycles after the byte arrives.
        let first = wakes.iter().position(|wake| *wake).unwrap();
        let second = first - 2 + 10 * HOST_CLOCKS;
        // Reads the byte that is still waiting.
        run(&[line.levels.len() - 2]);
        for read in second - 4..=second + 4 {
            let end = line.levels.len() - 2;
            let (got, wakes) = run(&[read, end]);
            assert_eq!(got[0], 0x3A, "read in {read}, the next comes in {second}");
            if read <= second {
                assert_eq!(got[1], 0xC5, "read in {read}, it comes in {second}");
            }
            assert_eq!(wakes[second + 6], read <= second, "read in {read}, it comes in {second}");
        }
    }
}

/// Makes random accesses, some in the clock cycle in which the last node reports the end of a
/// phase.
#[test]
fn a_phase_start_during_a_host_read_is_reported() {
    phase_starts_are_reported(HostPort::<16, 4>::new, 6);
    phase_starts_are_reported(HostPort::<64, 6, 6, 7, 7>::new, 7);
}

/// Checks the phase counters. A number of nodes has `reported_bits` bits.
fn phase_starts_are_reported<C: Circuit + 'static>(port: fn() -> C, reported_bits: u32) {
    for engine in engines::both(port) {
        let mut port = HostPortBench(engine);
        let mut random = SplitMix64::new(7);
        put(&mut *port.0, "rx", 1);
        let (mut fresh, mut counts, mut requested, mut together) = (false, [0; 4], None, 0);
        for cycle in 0..3000 {
            let begin = random.below(2) == 0;
            let [first, last, missed_deadline] = [(); 3].map(|()| random.below(4) == 0);
            let outcome = random.below(4);
            put(&mut *port.0, "begin", begin.into());
            put(&mut *port.0, "first", first.into());
            put(&mut *port.0, "last", last.into());
            put(&mut *port.0, "missed_deadline", missed_deadline.into());
            put(&mut *port.0, "outcome", outcome);
            // Reading a register takes two clock cycles.
            let read = requested;
            if requested.is_none() && random.below(2) == 0 {
                requested = Some([STATUS, OUTCOMES][random.below(2) as usize]);
            }
            port.request(requested);
            if read.is_some() {
                requested = None;
            }
            port.0.settle().unwrap();
            let name = port.0.name();
            assert_eq!(see(&mut *port.0, "wake") == 1, fresh, "cycle {cycle}, {name}");
            assert_eq!(see(&mut *port.0, "ready") == 1, read.is_some(), "{cycle}, {name}");
            match read {
                Some(STATUS) => {
                    assert_eq!(
                        see(&mut *port.0, "read_data") >> 2 & 1 == 1,
                        fresh,
                        "{cycle}, {name}"
                    );
                }
                Some(_) => {
                    let reported = (0..4).map(|i| counts[i] << (8 * i)).sum::<u64>();
                    assert_eq!(see(&mut *port.0, "read_data"), reported, "{cycle}, {name}");
                    together += u32::from(begin && last);
                    fresh = false;
                }
                None => {}
            }
            if begin {
                let kinds = [outcome == 1, outcome == 2, outcome == 3, missed_deadline];
                for (count, reported) in counts.iter_mut().zip(kinds) {
                    let before = if first { 0 } else { *count };
                    *count = (before + u64::from(reported)) & ((1 << reported_bits) - 1);
                }
                fresh |= last;
            }
            port.0.clock().unwrap();
        }
        assert!(together > 20, "{together}");
    }
}

/// The ring of 64 slots. It has room while fewer than 64 messages are unread, and the next message
/// goes into the slot after the last one.
#[test]
fn the_ring_of_many_nodes_has_room_for_64_messages() {
    for engine in engines::both(HostPort::<64, 6, 6, 7, 7>::new) {
        let mut port = HostPortBench(engine);
        put(&mut *port.0, "rx", 1);
        let mut come = 0;
        for seen in [0, 1, 40, 104, 127] {
            port.request(Some(ARRIVED));
            put(&mut *port.0, "write", 1);
            put(&mut *port.0, "write_data", seen);
            for _ in 0..2 {
                port.0.clock().unwrap();
            }
            port.request(None);
            while come < seen + 64 {
                port.0.settle().unwrap();
                assert_eq!(
                    (see(&mut *port.0, "room"), see(&mut *port.0, "arrival")),
                    (1, come % 64)
                );
                put(&mut *port.0, "arrived", 1);
                port.0.clock().unwrap();
                come += 1;
                put(&mut *port.0, "arrived", 0);
            }
            port.0.settle().unwrap();
            assert_eq!(see(&mut *port.0, "room"), 0, "{come} have come, {seen} were seen");
        }
    }
}

// The circuits with which a host receives bytes, watches programs and restarts them.

/// Bytes leave in order of arrival. Each is available from the second clock cycle after its
/// arrival.
#[test]
fn a_line_queue_drops_bytes_only_when_full() {
    queue(LineQueue::<1>::default, 1);
    queue(LineQueue::<3>::default, 7);
}

fn queue<C: hdl::lower::Circuit + 'static>(block: fn() -> C, room: usize) {
    for mut engine in engines::both(block) {
        let engine = &mut *engine;
        let mut random = SplitMix64::new(5);
        let mut waiting = VecDeque::new();
        let (mut lost, mut together) = (0, 0);
        for cycle in 0..4000u64 {
            // Long periods of many arrivals alternate with long periods of many reads.
            let busy = cycle / 64 % 2 == 0;
            let push = random.below(if busy { 2 } else { 6 }) == 0;
            let byte = random.below(256);
            put(engine, "push", push.into());
            put(engine, "byte", byte);
            put(engine, "pop", 0);
            engine.settle().unwrap();
            let oldest = waiting.front().filter(|(_, came)| came + 2 <= cycle);
            let found = see(engine, "present") == 1;
            assert_eq!(found, oldest.is_some(), "{cycle}, {}", engine.name());
            if let Some((byte, _)) = oldest {
                assert_eq!(see(engine, "front"), *byte, "{cycle}, {}", engine.name());
            }
            let pop = oldest.is_some() && random.below(if busy { 6 } else { 2 }) == 0;
            put(engine, "pop", pop.into());
            engine.settle().unwrap();
            if pop {
                waiting.pop_front();
            }
            if push && waiting.len() < room {
                together += u32::from(pop && waiting.len() + 1 == room);
                waiting.push_back((byte, cycle));
            } else {
                lost += u32::from(push);
            }
            engine.clock().unwrap();
        }
        assert!(lost > 20 && together > 5, "{lost} {together}");
    }
}

/// Drives turns as a core does. The watch shows the latest turn of the watched node since the watch
/// began.
#[test]
fn a_program_watch_shows_the_latest_turn() {
    for mut engine in engines::both(ProgramWatch::<2>::default) {
        let engine = &mut *engine;
        let mut random = SplitMix64::new(9);
        let mut watched = 0;
        let mut seen = None;
        put(engine, "watched", watched);
        let mut looks = 0;
        for turn in 0..2000 {
            let host = random.below(5) == 0;
            let (node, pc) = (random.below(4), random.below(1 << 32));
            let (did, cause) = (1 + random.below(3), random.below(16));
            put(engine, "is_host", host.into());
            put(engine, "node", node);
            // A sleeping program has a turn of one clock cycle and makes no access.
            let clock_cycles = if did == 1 { 1 } else { 2 + random.below(6) };
            for cycle in 0..clock_cycles {
                let last = cycle + 1 == clock_cycles;
                let first = cycle == 0;
                let pc = if first { pc } else { random.below(1 << 32) };
                put(engine, "program_counter", pc);
                put(engine, "request", u64::from(did != 1 && (first || random.below(2) == 0)));
                put(engine, "asleep", u64::from(last && did == 1));
                put(engine, "retired", u64::from(last && did == 2));
                put(engine, "halted", u64::from(last && did == 3));
                put(engine, "cause", if last { cause } else { random.below(16) });
                // The host selects another node during its own turn.
                let looks_now = host && first && random.below(3) == 0;
                put(engine, "begins", looks_now.into());
                engine.settle().unwrap();
                engine.clock().unwrap();
                if looks_now {
                    watched = random.below(4);
                    put(engine, "watched", watched);
                    seen = None;
                    looks += 1;
                }
            }
            if !host && node == watched {
                seen = Some(pc << 16 & 0xFFFF_0000 | cause << 2 | did);
            }
            put(engine, "begins", 0);
            put(engine, "asleep", 0);
            put(engine, "retired", 0);
            put(engine, "halted", 0);
            put(engine, "request", 0);
            put(engine, "is_host", 1);
            // After a halt the core waits for one clock cycle.
            if did == 3 {
                engine.settle().unwrap();
                engine.clock().unwrap();
            }
            engine.settle().unwrap();
            let found = see(engine, "seen");
            assert_eq!(see(engine, "waits") == 1, seen.is_none(), "turn {turn}");
            match seen {
                Some(seen) => assert_eq!(found, seen, "turn {turn}, {}", engine.name()),
                None => assert_eq!(found, 0, "turn {turn}, {}", engine.name()),
            }
        }
        assert!(looks > 50, "{looks}");
    }
}

/// The core's reset begins at the end of a node's turn. The reset of nodes with a round begins at
/// the end of a round. All nodes get the same address in each round, and each address occurs once.
#[test]
fn a_restart_waits_for_the_host_and_clears_every_address() {
    const TURNS: u64 = 4;
    for mut engine in engines::both(Restart::<3>::default) {
        let engine = &mut *engine;
        let mut random = SplitMix64::new(3);
        let (mut requested, mut held, mut node_turn_ended) = (false, false, false);
        let mut rounds = vec![];
        let mut restarts = 0;
        for cycle in 0..20_000u64 {
            let request = !requested && random.below(40) == 0;
            let (is_host, ends) = (random.below(2) == 0, random.below(4) == 0);
            put(engine, "requested", request.into());
            put(engine, "is_host", is_host.into());
            put(engine, "ends", ends.into());
            put(engine, "last", u64::from(cycle % TURNS == TURNS - 1));
            engine.settle().unwrap();
            let name = engine.name();
            let core = see(engine, "core") == 1;
            assert_eq!(see(engine, "waits") == 1, requested, "{cycle}, {name}");
            if core && !held {
                assert!(node_turn_ended && requested, "{cycle}, {name}");
            }
            held = core;
            if see(engine, "nodes") == 1 {
                assert!(core, "{cycle}, {name}");
                rounds.push((cycle % TURNS, see(engine, "address")));
            }
            engine.clock().unwrap();
            node_turn_ended = requested && !is_host && ends;
            requested |= request;
            engine.settle().unwrap();
            if requested && !request && see(engine, "waits") == 0 {
                let wanted = (0..8).flat_map(|address| (0..TURNS).map(move |turn| (turn, address)));
                assert!(rounds.iter().copied().eq(wanted), "{cycle}, {name}: {rounds:?}");
                assert_eq!(see(engine, "core") | see(engine, "nodes"), 0);
                rounds.clear();
                (requested, restarts) = (false, restarts + 1);
            }
        }
        assert!(restarts > 50, "{restarts}");
    }
}

// The wires of time-multiplexed nodes. Each end sees the level that the other end pulls, with the
// delay that [`TimeMultiplexedWires`] documents.

#[test]
fn time_multiplexed_wires_agree() {
    agree(TimeMultiplexedWires::<4, 4, 16>::default);
}

#[test]
fn time_multiplexed_wires_join_the_nodes_of_a_cube() {
    join::<TimeMultiplexedWires<4, 4, 16>>(Hypercube::of(4).into());
}

#[test]
fn time_multiplexed_wires_join_the_nodes_of_a_metacube() {
    join::<TimeMultiplexedWires<2, 3, 8>>(Metacube::of(1, 1));
}

fn join<C: Circuit + Default + 'static>(shape: Metacube) {
    let nodes = shape.nodes();
    for mut engine in engines::both(C::default) {
        let mut random = SplitMix64::new(9);
        let inputs = ["node", "pull", "holds"].map(|name| engine.port(name));
        let outputs = ["level", "clash"].map(|name| engine.port(name));
        // Pull and hold of each node, in its current clock cycle and its previous one.
        let mut now = vec![[0; 2]; nodes as usize];
        let mut before = now.clone();
        for _ in 0..200 {
            for node in 0..nodes {
                now[node as usize] = [(); 2].map(|()| random.below(1 << shape.links()));
                let own = now[node as usize];
                for (port, value) in inputs.into_iter().zip([node.into(), own[0], own[1]]) {
                    engine.set_u64(port, value);
                }
                let mut others = [0; 2];
                for link in 0..shape.links() {
                    let other = shape.neighbour(node, link);
                    let seen = if other < node { &now } else { &before };
                    for (others, seen) in others.iter_mut().zip(seen[other as usize]) {
                        *others |= seen & (1 << link);
                    }
                }
                engine.settle().unwrap();
                let shown = outputs.map(|port| engine.get_u64(port));
                let low = own[0] | others[0];
                let level = !low & ((1 << shape.links()) - 1);
                let expected = [level, own[1] & others[1]];
                assert_eq!(shown, expected, "node {node}, {}", engine.name());
                engine.clock().unwrap();
            }
            before.clone_from(&now);
        }
    }
}
