//! The blocks of groups: agreement of all engines, and the documented behaviour of the links between
//! groups, the window of the host, the rotation of contexts and the counts.

use crate::agreement::engines::{self, agree, agree_on, put, see};
use crate::agreement::scripts::{line, rarely};
use engine::{CircuitEngine, Stimulus};
use interconnect::traffic::SplitMix64;
use rtl::hosted::groups::{
    ContextRotation, GroupAccess, GroupCounts, GroupMemory, GroupOutcomes, GroupWindow, GroupWires,
    GroupedHostPort,
};
use rtl::hosted::{ProgramWatch, WatchStart};

type Memory = GroupMemory<10, 4, 6>;
type Access = GroupAccess<5, 2, 4, 10, 4, 7, 2>;
type Window = GroupWindow<4, 2, 4, 6, 5>;

/// The words of a program.
fn program() -> Vec<u32> {
    (0..400u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect()
}

/// Keeps inputs for some clock cycles, so that accesses complete.
fn held(inputs: usize, cycles: u64) -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
    let (mut values, mut left) = (vec![0; inputs], 0);
    move |random| {
        if left == 0 {
            values = (0..inputs).map(|_| random.next_u64()).collect();
            left = 1 + random.below(cycles);
        }
        left -= 1;
        values.clone()
    }
}

#[test]
fn group_wires_agree() {
    agree(GroupWires::<4, 2>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn blocks_of_groups_agree() {
    agree(GroupWires::<8, 3>::default);
    agree(ContextRotation::<2, 4>::default);
    agree_on(GroupCounts::<2, 4, 4, 5>::default, |stimulus| {
        stimulus.script(&["queue_write"], rarely(20)).script(&["handled_write"], rarely(20))
    });
    agree(|| Memory::new(&program()));
    agree(GroupOutcomes::<4, 5>::default);
    agree(Window::default);
    agree(WatchStart::default);
}

/// A host with a core of its own selects nodes at any time. The watch then shows a turn of that node
/// with its fetch, or nothing.
#[test]
fn a_watch_shows_no_turn_without_its_fetch() {
    let watches = engines::both(ProgramWatch::<2>::default);
    for (mut watch, mut start) in watches.into_iter().zip(engines::both(WatchStart::default)) {
        let (watch, start) = (&mut *watch, &mut *start);
        let mut random = SplitMix64::new(11);
        let (mut watched, mut shown, mut looks_in_turns) = (0, 0, 0);
        for turn in 0..4000u64 {
            let (node, pc) = (turn % 4, 1 + random.below(0xFFFF));
            put(watch, "node", node);
            put(watch, "program_counter", pc);
            let clock_cycles = 2 + random.below(4);
            let mut whole = true;
            for cycle in 0..clock_cycles {
                let last = cycle + 1 == clock_cycles;
                let looks = random.below(30) == 0;
                put(start, "looks", looks.into());
                put(start, "ends", last.into());
                put(watch, "halted", last.into());
                put(watch, "request", u64::from(cycle == 0));
                start.settle().unwrap();
                put(watch, "begins", see(start, "begins"));
                watch.settle().unwrap();
                watch.clock().unwrap();
                start.clock().unwrap();
                if looks {
                    watched = random.below(4);
                    put(watch, "watched", watched);
                    shown = 0;
                    whole = false;
                    looks_in_turns += u32::from(!last && watched == node);
                }
            }
            if whole && node == watched {
                shown = pc << 16 | 3;
            }
            watch.settle().unwrap();
            assert_eq!(see(watch, "seen"), shown, "turn {turn}, {}", watch.name());
        }
        assert!(looks_in_turns > 20, "{looks_in_turns}");
    }
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn accesses_of_groups_agree() {
    agree_on(
        || Access::new(&program()),
        |stimulus| {
            let core = ["request", "write_strobe", "write_data"];
            let host = ["host_request", "host_part", "host_index"];
            stimulus
                .at_most("reason", 2)
                .script(&core, masked(&[1, 15, 0xFFFF_FFFF], 5))
                .script(&host, masked(&[1, 3, 0x1FF], 4))
                .script(&["address"], |random| {
                    let kind = [0, 1 << 28, 1 << 28 | 1 << 12, 1 << 30];
                    vec![kind[random.below(4) as usize] | random.below(0x800) << 2]
                })
        },
    );
}

/// Values below masks that are held for some clock cycles.
fn masked(masks: &'static [u64], cycles: u64) -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
    let mut held = held(masks.len(), cycles);
    move |random| {
        let values = held(random).into_iter().zip(masks);
        values.map(|(value, mask)| value & mask).collect()
    }
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn host_ports_of_groups_agree() {
    agree_on(GroupedHostPort::<2, 5, 5, 4>::default, |stimulus: Stimulus| {
        let mut serial = line(25);
        let mut access = masked(&[1, 0x3C, 1, 0xF_FFFF], 4);
        stimulus
            .script(&["rx"], move |random| vec![serial(random)])
            .script(&["request", "offset", "write", "write_data"], move |random| access(random))
    });
}

/// A wire joins two groups whose numbers differ in the bit of its dimension. Both see it low while
/// one of them pulls it.
#[test]
pub fn a_link_between_groups_joins_neighbours() {
    for mut engine in engines::both(GroupWires::<8, 3>::default) {
        let engine = &mut *engine;
        let mut random = SplitMix64::new(3);
        for _ in 0..500 {
            let words: Vec<[u64; 2]> =
                (0..8).map(|_| [random.below(8) & random.below(8), random.below(8)]).collect();
            for (g, [pull, holds]) in words.iter().enumerate() {
                put(engine, &format!("pull[{g}]"), *pull);
                put(engine, &format!("holds[{g}]"), *holds);
            }
            engine.settle().unwrap();
            for g in 0..8 {
                let level = see(engine, &format!("level[{g}]"));
                let clash = see(engine, &format!("clash[{g}]"));
                for (d, step) in [1, 2, 4].into_iter().enumerate() {
                    // Addition and subtraction, unlike the circuit.
                    let other = if g / step % 2 == 0 { g + step } else { g - step };
                    let bit = |word: u64| word >> d & 1;
                    let low = bit(words[g][0]) + bit(words[other][0]) > 0;
                    assert_eq!(bit(level) == 0, low, "group {g}, dimension {d}");
                    let both = bit(words[g][1]) * bit(words[other][1]);
                    assert_eq!(bit(clash), both, "group {g}, dimension {d}");
                }
            }
        }
    }
}

/// The groups of the window's test: a memory in software, which answers each request after a random
/// time.
struct Groups {
    words: Vec<std::collections::BTreeMap<(u64, u64), u64>>,
    answers: Vec<bool>,
}

impl Groups {
    /// Runs one clock cycle. Returns the data read if the access is complete.
    fn step(
        &mut self,
        engine: &mut dyn CircuitEngine,
        random: &mut SplitMix64,
        data: Option<u64>,
    ) -> Option<u64> {
        for (g, answers) in self.answers.iter().enumerate() {
            put(engine, &format!("answered[{g}]"), u64::from(*answers));
        }
        engine.settle().unwrap();
        let place = (see(engine, "part"), see(engine, "index"));
        for (g, words) in self.words.iter_mut().enumerate() {
            let asks = see(engine, &format!("group_request[{g}]")) == 1;
            if self.answers[g] {
                assert!(asks, "group {g} answers a request");
                let word = words.get(&place).copied().unwrap_or(0);
                put(engine, &format!("group_data[{g}]"), word);
                if let Some(data) = data {
                    words.insert(place, data);
                }
            } else {
                put(engine, &format!("group_data[{g}]"), random.below(1 << 32));
            }
            self.answers[g] = asks && !self.answers[g] && random.below(2) == 0;
        }
        engine.settle().unwrap();
        let done = (see(engine, "ready") == 1).then(|| see(engine, "read_data"));
        engine.clock().unwrap();
        done
    }
}

/// Data, queues and rings of all groups follow each other. A program is written to all groups and read
/// from the first one.
#[test]
pub fn the_window_shows_all_groups_one_behind_the_other() {
    const SIZES: [(u64, u64); 3] = [(1, 4), (2, 6), (3, 5)];
    for mut engine in engines::both(Window::default) {
        let engine = &mut *engine;
        let mut random = SplitMix64::new(9);
        let mut groups = Groups { words: vec![Default::default(); 4], answers: vec![false; 4] };
        let mut wanted = std::collections::BTreeMap::new();
        for count in 0..600 {
            let (part, bits) = match random.below(4) {
                0 => (0, 7),
                other => SIZES[other as usize - 1],
            };
            let word = random.below(if part == 0 { 1 << bits } else { 4 << bits });
            let data = (random.below(2) == 0).then_some(count);
            put(engine, "request", 1);
            put(engine, "address", 1 << 29 | part << 26 | word << 2);
            put(engine, "write", data.is_some().into());
            let mut patience = 0..200;
            let read = loop {
                patience.next().expect("the access completes");
                if let Some(read) = groups.step(engine, &mut random, data) {
                    break read;
                }
            };
            put(engine, "request", 0);
            if random.below(2) == 0 {
                groups.step(engine, &mut random, None);
            }
            match data {
                Some(data) => {
                    wanted.insert((part, word), data);
                }
                None => assert_eq!(read, wanted.get(&(part, word)).copied().unwrap_or(0)),
            }
        }
        // Every word of a part is in its group, and the program is in each of them.
        for ((part, word), data) in wanted {
            let holders = match SIZES.iter().find(|(other, _)| *other == part) {
                Some((_, bits)) => (word >> bits..=word >> bits, word % (1 << bits)),
                None => (0..=3, word),
            };
            for group in holders.0 {
                assert_eq!(groups.words[group as usize][&(part, holders.1)], data);
            }
        }
    }
}

/// A context sees the latest state of its node, also one that the node shows in this clock cycle.
#[test]
pub fn a_context_wakes_with_its_node() {
    for mut engine in engines::both(ContextRotation::<2, 4>::default) {
        let engine = &mut *engine;
        let mut random = SplitMix64::new(5);
        let mut awake = [0; 4];
        for cycle in 0..2000 {
            let turn = cycle % 4;
            awake[turn] = random.below(2);
            let current = random.below(4);
            put(engine, "turn", turn as u64);
            put(engine, "node_wake", awake[turn]);
            put(engine, "current", current);
            engine.settle().unwrap();
            assert_eq!(see(engine, "context"), (current + 1) % 4);
            if cycle >= 4 {
                assert_eq!(see(engine, "wake"), awake[current as usize], "{cycle}");
            }
            engine.clock().unwrap();
        }
    }
}

/// The counts of a phase are the sums over all groups and all clock cycles of the nodes.
#[test]
pub fn outcomes_of_all_groups_are_counted() {
    for mut engine in engines::both(GroupOutcomes::<4, 6>::default) {
        let engine = &mut *engine;
        let mut random = SplitMix64::new(11);
        for _ in 0..20 {
            let mut sums = [0; 4];
            for turn in 0..8 {
                put(engine, "begin", 1);
                put(engine, "first", u64::from(turn == 0));
                put(engine, "last", u64::from(turn == 7));
                for g in 0..4 {
                    let (outcome, missed) = (random.below(4), random.below(2));
                    put(engine, &format!("outcome[{g}]"), outcome);
                    put(engine, &format!("missed_deadline[{g}]"), missed);
                    if outcome > 0 {
                        sums[outcome as usize - 1] += 1;
                    }
                    sums[3] += missed;
                }
                assert_eq!(see(engine, "fresh"), 0);
                engine.clock().unwrap();
            }
            put(engine, "begin", 0);
            put(engine, "read", 1);
            engine.settle().unwrap();
            assert_eq!(see(engine, "fresh"), 1);
            assert_eq!(see(engine, "failures"), sums[0] | sums[1] << 16);
            assert_eq!(see(engine, "successes"), sums[2] | sums[3] << 16);
            engine.clock().unwrap();
            put(engine, "read", 0);
        }
    }
}
