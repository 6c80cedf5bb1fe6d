//! The circuits with which a host receives bytes, watches programs and restarts them.

use crate::agreement::engines;
use crate::agreement::ports::{put, see};
use interconnect::traffic::SplitMix64;
use rtl::hosted::{LineQueue, ProgramWatch, Restart};
use std::collections::VecDeque;

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
                put(
                    engine,
                    "request",
                    u64::from(did != 1 && (first || random.below(2) == 0)),
                );
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
        let (mut asked, mut held, mut node_turn_ended) = (false, false, false);
        let mut rounds = vec![];
        let mut restarts = 0;
        for cycle in 0..20_000u64 {
            let ask = !asked && random.below(40) == 0;
            let (is_host, ends) = (random.below(2) == 0, random.below(4) == 0);
            put(engine, "asked", ask.into());
            put(engine, "is_host", is_host.into());
            put(engine, "ends", ends.into());
            put(engine, "last", u64::from(cycle % TURNS == TURNS - 1));
            engine.settle().unwrap();
            let name = engine.name();
            let core = see(engine, "core") == 1;
            assert_eq!(see(engine, "waits") == 1, asked, "{cycle}, {name}");
            if core && !held {
                assert!(node_turn_ended && asked, "{cycle}, {name}");
            }
            held = core;
            if see(engine, "nodes") == 1 {
                assert!(core, "{cycle}, {name}");
                rounds.push((cycle % TURNS, see(engine, "address")));
            }
            engine.clock().unwrap();
            node_turn_ended = asked && !is_host && ends;
            asked |= ask;
            engine.settle().unwrap();
            if asked && !ask && see(engine, "waits") == 0 {
                let wanted = (0..8).flat_map(|address| (0..TURNS).map(move |turn| (turn, address)));
                assert!(
                    rounds.iter().copied().eq(wanted),
                    "{cycle}, {name}: {rounds:?}"
                );
                assert_eq!(see(engine, "core") | see(engine, "nodes"), 0);
                rounds.clear();
                (asked, restarts) = (false, restarts + 1);
            }
        }
        assert!(restarts > 50, "{restarts}");
    }
}
