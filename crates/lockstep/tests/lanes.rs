//! Lanes agree with one evaluator per lane in every clock cycle and at every named signal. The
//! circuits, links and memories are random.

use crate::common::generator::{circuit, LINKS};
use crate::common::{backends, design, TestRandom};
use lockstep::eval::Evaluator;
use lockstep::lanes::{
    Backend, InputSource, InstructionCounts, Keep, LaneMachine, LaneMap, LaneOptions, LaneWiring,
};
use lockstep::netlist::{flatten, Name, Netlist};
use num_bigint::BigUint;
use std::sync::Arc;

/// A machine and its reference: an evaluator for each lane, linked by the test.
struct LanesVsEvaluators {
    machine: LaneMachine,
    lanes: Vec<Evaluator>,
    maps: Vec<LaneMap>,
    inputs: Vec<(String, InputKind)>,
    /// Signals to compare.
    signals: Vec<Name>,
}

#[derive(Clone, Copy, PartialEq)]
enum InputKind {
    Broadcast,
    PerLane,
    LaneNumber,
    Constant,
}

fn maps(random: &mut TestRandom, lanes: usize) -> Vec<LaneMap> {
    let mut table: Vec<u32> = (0..lanes as u32).collect();
    for i in (1..lanes).rev() {
        table.swap(i, random.below(i as u64 + 1) as usize);
    }
    let shift = LaneMap::from_fn(lanes, |lane| (lane + 1) % lanes);
    let xor = match lanes.is_power_of_two() {
        true => LaneMap::Xor(1 << random.below(lanes.ilog2().into())),
        false => LaneMap::from_fn(lanes, |lane| if lane ^ 1 < lanes { lane ^ 1 } else { lane }),
    };
    vec![xor, LaneMap::Table(table.into()), shift]
}

impl LanesVsEvaluators {
    fn new(
        netlist: Arc<Netlist>,
        random: &mut TestRandom,
        lanes: usize,
        options: &LaneOptions,
    ) -> Self {
        let maps = maps(random, lanes);
        let mut wiring = LaneWiring::new();
        let mut inputs = vec![];
        let mut evaluator = Evaluator::new(netlist.clone());
        for (i, map) in maps.iter().enumerate().take(LINKS) {
            let (rx, tx) = (format!("rx{i}"), format!("tx{i}"));
            wiring.port(&rx, InputSource::linked(&tx, 0, map.clone()));
        }
        let ports = netlist.inputs.iter().filter(|i| i.path.starts_with("in"));
        for port in ports {
            let width = port.ty.width();
            let kind = match random.below(6) {
                0 => {
                    let value = random.word(width);
                    evaluator.set_big(port.net, &value);
                    wiring.port(&port.path, InputSource::Constant(value));
                    InputKind::Constant
                }
                1 => {
                    wiring.port(&port.path, InputSource::LaneNumber);
                    InputKind::LaneNumber
                }
                2 => {
                    wiring.port(&port.path, InputSource::Broadcast);
                    InputKind::Broadcast
                }
                _ => InputKind::PerLane,
            };
            inputs.push((port.path.clone(), kind));
        }
        let machine = LaneMachine::new(netlist.clone(), lanes, &wiring, options).unwrap();
        let mut all = vec![evaluator; lanes];
        for (name, _) in inputs.iter().filter(|i| i.1 == InputKind::LaneNumber) {
            let net = netlist.input(name).unwrap();
            let mask = (BigUint::from(1u8) << netlist.width(net)) - 1u8;
            for (lane, evaluator) in all.iter_mut().enumerate() {
                evaluator.set_big(net, &(BigUint::from(lane) & &mask));
            }
        }
        let signals = match options.keep {
            Keep::All => netlist.names.iter().cloned().collect(),
            _ => netlist.outputs.clone(),
        };
        LanesVsEvaluators { machine, lanes: all, maps, inputs, signals }
    }

    /// Sets some inputs to new values.
    fn stimulate(&mut self, random: &mut TestRandom) {
        for (name, kind) in &self.inputs {
            let input = self.machine.input(name).unwrap();
            let net = self.machine.netlist().input(name).unwrap();
            let width = self.machine.netlist().width(net);
            if matches!(kind, InputKind::LaneNumber | InputKind::Constant) || random.below(2) == 0 {
                continue;
            }
            let common = random.word(width);
            if *kind == InputKind::Broadcast || random.below(4) == 0 {
                self.machine.set_all_big(input, &common).unwrap();
                self.lanes.iter_mut().for_each(|l| l.set_big(net, &common));
                continue;
            }
            for (lane, evaluator) in self.lanes.iter_mut().enumerate() {
                let value = random.word(width);
                self.machine.set_big(input, lane, &value).unwrap();
                evaluator.set_big(net, &value);
            }
        }
    }

    /// Transfers the links of the reference.
    fn link(&mut self) {
        self.lanes.iter_mut().for_each(Evaluator::settle);
        for (i, map) in self.maps.iter().enumerate() {
            let tx = self.lanes[0].netlist().output(&format!("tx{i}")).unwrap();
            let rx = self.lanes[0].netlist().input(&format!("rx{i}")).unwrap();
            let shown: Vec<u64> = self.lanes.iter().map(|lane| lane.get(tx)).collect();
            for (lane, evaluator) in self.lanes.iter_mut().enumerate() {
                evaluator.set(rx, shown[map.from(lane)]);
            }
        }
        self.lanes.iter_mut().for_each(Evaluator::settle);
    }

    /// Compares all kept signals in every lane.
    fn compare(&mut self, what: &str) {
        for name in &self.signals {
            let probe = self.machine.probe(&name.path).unwrap();
            for (lane, evaluator) in self.lanes.iter().enumerate() {
                let (found, expected) =
                    (self.machine.get_big(probe, lane), evaluator.get_big(name.net));
                assert_eq!(found, expected, "{what}, {}, lane {lane}", name.path);
            }
        }
    }

    fn compare_memories(&self) {
        for (i, memory) in self.machine.netlist().memories.iter().enumerate() {
            for (lane, evaluator) in self.lanes.iter().enumerate() {
                for address in 0..memory.words {
                    let found = self.machine.memory_word(i, lane, address).unwrap();
                    assert_eq!(found, evaluator.memory_word(i, address));
                }
            }
        }
    }

    fn clock(&mut self) {
        self.machine.clock();
        self.lanes.iter_mut().for_each(Evaluator::clock);
    }
}

fn random_netlist(random: &mut TestRandom) -> Arc<Netlist> {
    Arc::new(flatten(&design(vec![circuit(random)])).unwrap())
}

fn check(seed: u64, lanes: usize, options: &LaneOptions, cycles: usize) {
    let mut random = TestRandom(seed);
    let netlist = random_netlist(&mut random);
    let mut pair = LanesVsEvaluators::new(netlist, &mut random, lanes, options);
    for cycle in 0..cycles {
        // Long runs include periods without new inputs.
        if cycle < 20 || cycle / 100 % 2 == 1 || cycle % 7 == 0 {
            pair.stimulate(&mut random);
        }
        pair.link();
        pair.compare(&format!("seed {seed}, {options:?}, clock cycle {cycle}"));
        pair.clock();
        if cycle == cycles / 2 && seed.is_multiple_of(4) {
            pair.machine.reset();
            pair.lanes.iter_mut().for_each(Evaluator::reset);
        }
    }
    pair.compare_memories();
}

/// Otherwise the tests would pass without the machine code.
#[test]
fn the_processor_has_its_backends() {
    let wanted: &[Backend] = match std::env::consts::ARCH {
        "aarch64" => &[Backend::Neon],
        #[cfg(target_arch = "x86_64")]
        "x86_64" if std::arch::is_x86_feature_detected!("avx2") => &[Backend::Avx2],
        _ => &[],
    };
    assert!(wanted.iter().all(|backend| backends().contains(backend)));
}

/// Claim: the instructions of every backend are counted on any processor. A function of three
/// operands saves instructions where it is one.
#[test]
fn instructions_are_counted_for_all_backends() {
    let netlist = random_netlist(&mut TestRandom(1));
    let mut wiring = LaneWiring::new();
    for i in 0..LINKS {
        let (rx, tx) = (format!("rx{i}"), format!("tx{i}"));
        wiring.port(&rx, InputSource::linked(&tx, 0, LaneMap::Xor(1)));
    }
    let count = |backend| {
        let options = LaneOptions { backend, keep: Keep::Outputs, ..LaneOptions::default() };
        InstructionCounts::of(&netlist, 1_024, &wiring, &options).unwrap()
    };
    for backend in Backend::ALL {
        let counts = count(backend);
        assert!(counts.logic > 0 && counts.all() >= counts.logic, "{backend:?}: {counts:?}");
        assert_eq!(counts.bytes == 0, backend == Backend::Tape, "{backend:?}: {counts:?}");
    }
    let neon = count(Backend::Neon);
    assert_eq!((neon.lanes, neon.memory_operands), (128, 0));
    assert!(neon.bytes >= 4 * neon.all());
    assert!(neon.logic < count(Backend::Avx2).logic);
    assert!(count(Backend::Avx512).logic <= neon.logic);
}

/// Claim: a measured run is an ordinary run. It counts instructions, and names each memory.
#[test]
fn measured_clock_cycles_change_nothing_else() {
    let netlist = random_netlist(&mut TestRandom(4));
    let mut wiring = LaneWiring::new();
    for i in 0..LINKS {
        let (rx, tx) = (format!("rx{i}"), format!("tx{i}"));
        wiring.port(&rx, InputSource::linked(&tx, 0, LaneMap::Xor(1)));
    }
    for backend in backends() {
        let options = LaneOptions { backend, ..LaneOptions::default() };
        let machine = || LaneMachine::new(netlist.clone(), 600, &wiring, &options).unwrap();
        let (mut plain, mut measured) = (machine(), machine());
        plain.clocks(50);
        let parts = measured.measure_parts(50);
        assert_eq!(parts.clock_cycles, 50);
        assert_eq!(parts.chunks, 600_usize.div_ceil(parts.chunk_lanes));
        assert_eq!(parts.instructions > 0, backend != Backend::Tape, "{parts:?}");
        assert!(parts.gates <= parts.all && !parts.gates.is_zero(), "{parts:?}");
        for (name, _) in &parts.memories {
            assert!(netlist.memories.iter().any(|memory| memory.name == *name), "{name}");
        }
        assert!(!parts.memories.is_empty());
        for output in &netlist.outputs {
            let probes = [&plain, &measured].map(|machine| machine.probe(&output.path).unwrap());
            for lane in 0..600 {
                let [one, other] =
                    [plain.get_big(probes[0], lane), measured.get_big(probes[1], lane)];
                assert_eq!(one, other, "{} of lane {lane}", output.path);
            }
        }
    }
}

#[test]
#[ignore = "thorough: many machines"]
fn every_signal_of_many_small_machines() {
    for backend in backends() {
        for seed in 0..150 {
            let lanes = [2, 3, 5][seed as usize % 3];
            let options = LaneOptions { backend, keep: Keep::All, ..LaneOptions::default() };
            check(seed, lanes, &options, 12);
        }
    }
}

/// Signals that cannot be read are not computed. This includes memory words that nothing uses.
#[test]
fn outputs_of_many_small_machines() {
    for backend in backends() {
        for seed in 3000..3150 {
            let options = LaneOptions { backend, ..LaneOptions::default() };
            check(seed, 3, &options, 30);
        }
    }
}

/// The test is short enough to run under a sanitizer or valgrind. `lanes/jit/code.rs` has the
/// commands.
#[test]
fn every_signal_with_every_vector_length() {
    for backend in backends() {
        for (seed, lanes, threads) in [(1, 5, 1), (2, 130, 3), (3, 300, 2)] {
            for keep in [Keep::Outputs, Keep::All] {
                let options = LaneOptions { backend, threads, keep, ..LaneOptions::default() };
                check(seed, lanes, &options, 4);
            }
        }
    }
}

#[test]
fn every_signal_of_larger_machines() {
    for backend in backends() {
        for (seed, lanes) in [(1000, 64), (1001, 100), (1002, 256), (1003, 257), (1004, 600)] {
            for threads in [1, 3] {
                let options =
                    LaneOptions { backend, threads, keep: Keep::All, ..LaneOptions::default() };
                check(seed, lanes, &options, 6);
            }
        }
    }
}

/// The machine has the largest possible number of lanes.
#[test]
#[ignore = "thorough: many machines"]
fn every_signal_of_the_largest_machine() {
    let options = LaneOptions { threads: 2, keep: Keep::All, ..LaneOptions::default() };
    check(1006, 65_536, &options, 2);
}

#[test]
fn skipping_idle_segments_keeps_every_signal() {
    for backend in backends() {
        for seed in 2000..2006 {
            let options = LaneOptions { backend, keep: Keep::All, ..LaneOptions::default() };
            check(seed, 2, &options, 1_200);
        }
    }
}

/// The code is regenerated twice.
#[test]
fn regenerated_code_keeps_every_signal() {
    for backend in backends() {
        for (seed, lanes, threads) in [(3000, 2, 1), (3001, 70, 2), (3002, 5, 1), (3003, 3, 1)] {
            let options = LaneOptions { backend, threads, keep: Keep::All, tune_after: 30 };
            check(seed, lanes, &options, 1_600);
        }
    }
}

#[test]
fn many_clock_cycles_at_once() {
    for backend in backends() {
        for (seed, threads) in [(7, 1), (7, 2), (8, 3), (9, 2), (10, 3)] {
            let mut random = TestRandom(seed);
            let options =
                LaneOptions { backend, threads, keep: Keep::All, ..LaneOptions::default() };
            let netlist = random_netlist(&mut random);
            let mut pair = LanesVsEvaluators::new(netlist, &mut random, 1_100, &options);
            for clock_cycles in [1, 7, 40] {
                pair.stimulate(&mut random);
                pair.machine.clocks(clock_cycles);
                for _ in 0..clock_cycles {
                    pair.link();
                    pair.lanes.iter_mut().for_each(Evaluator::clock);
                }
            }
            pair.link();
            pair.compare("all at once");
            pair.compare_memories();
        }
    }
}
