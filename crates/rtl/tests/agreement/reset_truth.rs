//! After a reset a node behaves like a new one, and its buffers are free.

use crate::agreement::engines::{self, put, see};
use crate::agreement::scripts::line;
use engine::{CircuitEngine, PortId};
use interconnect::topology::Hypercube;
use interconnect::traffic::SplitMix64;
use machine::networks::tdma::PhaseTiming;
use rtl::tdma::{BufferFlags, NodePeripheral, Occupancy};

/// Clock cycles in half a phase.
const HALF: u64 = 700;
const LINKS: u64 = 3;

#[derive(Clone, Copy, PartialEq)]
enum NodeEnvironment {
    /// The node sends and receives no answer.
    Silence,
    /// The node sends and receives noise.
    Noise,
    /// Like `Noise`, and the node's program never decides.
    Hang,
}

/// Runs random superframes. Returns the outputs in each clock cycle, from the first in which a
/// phase begins.
fn superframes(
    engine: &mut dyn CircuitEngine,
    seed: u64,
    count: u64,
    around: NodeEnvironment,
) -> Vec<Vec<u64>> {
    let mut random = SplitMix64::new(seed);
    let mut lines = [line(8), line(8), line(8)];
    let ports = engine.ports().to_vec();
    let set =
        ["phase_clock", "sync", "level", "serve", "address", "hang", "reset", "reset_address"];
    let commands: Vec<_> = ports
        .iter()
        .filter(|port| port.input && !set.contains(&port.name.as_str()))
        .map(|port| (port, engine.port(&port.name)))
        .collect();
    let outputs = ports.iter().filter(|port| !port.input);
    let outputs: Vec<PortId> = outputs.map(|port| engine.port(&port.name)).collect();
    let mut shown: Vec<Vec<u64>> = vec![];
    for cycle in 0..2 * HALF * 2 * LINKS * count {
        let phase = cycle / (2 * HALF);
        put(engine, "phase_clock", u64::from(cycle % (2 * HALF) < HALF));
        put(engine, "sync", u64::from(phase.is_multiple_of(2 * LINKS)));
        let levels = lines.iter_mut().enumerate();
        let level = levels.map(|(d, line)| line(&mut random) << d).sum();
        put(engine, "level", if around == NodeEnvironment::Silence { 7 } else { level });
        let decides = around != NodeEnvironment::Hang && cycle % (2 * HALF) == 20;
        put(engine, "serve", if decides { 1 } else { random.below(2) });
        for (port, id) in &commands {
            let value = match (port.name.as_str(), port.width) {
                ("decide", _) => decides.into(),
                ("sends", _) => 1,
                ("forget", _) => 0,
                (_, 1) => u64::from(random.below(4) == 0),
                (_, width) => random.below(1 << width),
            };
            engine.set_u64(*id, value);
        }
        engine.settle().unwrap();
        if !shown.is_empty() || see(engine, "begin") == 1 {
            shown.push(outputs.iter().map(|id| engine.get_u64(*id)).collect());
        }
        engine.clock().unwrap();
    }
    shown
}

/// Holds reset for as many clock cycles as the message memory has addresses.
fn reset(engine: &mut dyn CircuitEngine) {
    put(engine, "phase_clock", 0);
    put(engine, "sync", 0);
    put(engine, "level", 7);
    for _ in 0..4 * HALF {
        engine.settle().unwrap();
        engine.clock().unwrap();
    }
    put(engine, "reset", 1);
    for address in 0..256 {
        put(engine, "reset_address", address);
        engine.settle().unwrap();
        engine.clock().unwrap();
    }
    put(engine, "reset", 0);
}

#[test]
fn a_reset_node_behaves_as_a_new_one() {
    let plan = PhaseTiming::forwarder(8, 4, Hypercube::of(3), true).plan();
    let make = || engines::evaluator(&NodePeripheral::<3, 3, 3, 8, 4, 8>::new(plan));
    let (mut old, mut new) = (make(), make());
    // The node holds a message, links that are down, and a frame to repeat.
    let outputs: Vec<_> = old.ports().iter().filter(|port| !port.input).cloned().collect();
    let place = |name| outputs.iter().position(|port| port.name == name).unwrap();
    let before = ["down", "pending", "injected"].map(place);
    let shown = superframes(&mut *old, 1, 66, NodeEnvironment::Silence);
    let superframe = (4 * HALF * LINKS) as usize;
    let ever = before.map(|place| shown.iter().rev().take(superframe).any(|all| all[place] == 1));
    assert_eq!(ever, [true; 3]);
    // The node is close to timing out its hanging program.
    superframes(&mut *old, 2, 10, NodeEnvironment::Hang);
    reset(&mut *old);
    reset(&mut *new);
    for around in [NodeEnvironment::Hang, NodeEnvironment::Noise, NodeEnvironment::Silence] {
        let (found, wanted) =
            (superframes(&mut *old, 3, 2, around), superframes(&mut *new, 3, 2, around));
        assert_eq!(found.len(), wanted.len());
        for (cycle, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
            let pairs = outputs.iter().zip(found.iter().zip(wanted));
            let differs: Vec<_> = pairs.filter(|(_, (found, wanted))| found != wanted).collect();
            assert!(differs.is_empty(), "clock cycle {cycle}: {differs:?}");
        }
    }
}

/// Compares with a model of stores, losses, frees and injections, applied in this order, and
/// resets. `fields` is the number of links that are not cross edges, and `counts` the number of
/// counts of cross edges.
fn check_buffer_flags<const LINKS: usize, const BITS: usize, const BUFFERS: usize>(
    fields: u64,
    counts: u64,
) {
    for mut engine in engines::both(|| BufferFlags::<LINKS, BITS, BUFFERS>::new(4, 8)) {
        let engine = &mut *engine;
        let mut random = SplitMix64::new(4);
        let (mut full, mut injected) = (0, 0);
        for cycle in 0..3000 {
            let (dim, crossed) = (random.below(LINKS as u64), random.below(8));
            let freed = random.below(BUFFERS as u64 + 2);
            let [store, spoil, inject, free] = [(); 4].map(|()| u64::from(random.below(3) == 0));
            let reset = u64::from(random.below(30) == 0);
            let values = [
                ("dim", dim),
                ("crossed", crossed),
                ("freed", freed),
                ("store", store),
                ("spoil", spoil),
                ("inject", inject),
                ("free", free),
                ("reset", reset),
            ];
            for (name, value) in values {
                put(engine, name, value);
            }
            engine.settle().unwrap();
            let shown = ["link_buffer", "link_buffer_full", "full", "injected"]
                .map(|name| see(engine, name));
            // A count that no message has is read as 0. The link itself may be a cross edge.
            let passed = if crossed < counts { crossed } else { 0 } + u64::from(dim >= fields);
            let link_buffer = passed * LINKS as u64 + dim;
            let wanted = [link_buffer, full >> link_buffer & 1, full, injected];
            assert_eq!(shown, wanted, "{LINKS} links, {cycle}, {}", engine.name());
            engine.clock().unwrap();
            full |= store << link_buffer;
            full &= !(spoil << link_buffer) & ((1 << BUFFERS) - 1);
            injected |= inject;
            if free == 1 {
                full &= !(1 << freed);
                injected &= u64::from(freed != fields);
            }
            if reset == 1 {
                (full, injected) = (0, 0);
            }
        }
    }
}

#[test]
fn buffer_flags_follow_the_model() {
    check_buffer_flags::<3, 3, 3>(3, 1);
    check_buffer_flags::<7, 7, 7>(7, 1);
    // MC(1,1): one field bit and one class bit.
    check_buffer_flags::<2, 3, 6>(1, 3);
}

/// Compares a pool with a model, at the slot addressed. Each clock cycle applies arrivals from a
/// link or the host, sent messages that must be repeated, free slots, in this order, and resets.
#[test]
fn slot_occupancy_follows_the_model() {
    const SLOTS: u64 = 5;
    let plan = PhaseTiming::adaptive(8, 4, 3).plan().pooled();
    for mut engine in engines::both(|| Occupancy::<3, 3, 5>::new(plan, 4, 8)) {
        let engine = &mut *engine;
        let mut random = SplitMix64::new(5);
        let (mut full, mut held) = (0u64, 0);
        for cycle in 0..3000 {
            let (dim, at) = (random.below(3), random.below(SLOTS));
            let [transmit, chosen, pending] = [(); 3].map(|()| random.below(2));
            let [store, inject, free, sent] = [(); 4].map(|()| u64::from(random.below(4) == 0));
            let reset = u64::from(random.below(30) == 0);
            let values = [
                ("dim", dim),
                ("at", at),
                ("transmit", transmit),
                ("chosen", chosen),
                ("pending", pending),
                ("store", store),
                ("inject", inject),
                ("free", free),
                ("sent", sent),
                ("reset", reset),
            ];
            for (name, value) in values {
                put(engine, name, value);
            }
            engine.settle().unwrap();
            let names = ["link_buffer", "link_buffer_full", "full", "held", "crowded", "injected"];
            let shown = names.map(|name| see(engine, name));
            let link_buffer = if transmit == 1 { dim } else { at };
            let crowded = u64::from(SLOTS - u64::from(full.count_ones()) < 3);
            let wanted = [link_buffer, 1 - chosen, full, held, crowded, 0];
            assert_eq!(shown, wanted, "{cycle}, {}", engine.name());
            engine.clock().unwrap();
            full |= (store | inject) << at;
            if sent == 1 {
                held = held & !(1 << at) | pending << at;
            }
            if free == 1 {
                full &= !(1 << at);
                held &= !(1 << at);
            }
            if reset == 1 {
                (full, held) = (0, 0);
            }
        }
    }
}
