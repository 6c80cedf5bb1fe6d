//! A helper agrees with an evaluator at every named signal. The lanes see its outputs in the same
//! clock cycle. Both circuits are random.

use crate::common::generator::{circuit, LINKS};
use crate::common::{backends, big, design, TestRandom};
use lockstep::eval::Evaluator;
use lockstep::lanes::{InputSource, LaneMachine, LaneMap, LaneOptions, LaneWiring, StopCondition};
use lockstep::netlist::{flatten, Netlist};
use num_bigint::BigUint;
use std::sync::Arc;

/// A machine and its reference. All lanes behave alike, so one evaluator is enough.
struct HelperVsEvaluators {
    machine: LaneMachine,
    watch: StopCondition,
    helper: Evaluator,
    lane: Evaluator,
    sources: Vec<LaneInputDriver>,
}

enum LaneInputDriver {
    /// The host drives this value.
    Host(BigUint),
    /// The helper drives each bit: the number of its output and the bit of it.
    Helper(Vec<(usize, u64)>),
}

fn random_netlist(random: &mut TestRandom) -> Arc<Netlist> {
    Arc::new(flatten(&design(vec![circuit(random)])).unwrap())
}

fn name(input: usize) -> String {
    format!("in{input}")
}

impl HelperVsEvaluators {
    fn new(random: &mut TestRandom, lanes: usize, options: &LaneOptions) -> Self {
        let (helper, lane) = (random_netlist(random), random_netlist(random));
        let mut wiring = LaneWiring::new();
        wiring.helper(helper.clone());
        let mut sources = vec![];
        for port in lane.inputs.iter().filter(|i| i.path.starts_with("in")) {
            if random.below(4) == 0 {
                wiring.port(&port.path, InputSource::Broadcast);
                sources.push(LaneInputDriver::Host(BigUint::ZERO));
                continue;
            }
            let bits = (0..port.ty.width()).map(|bit| {
                let output = random.below(helper.outputs.len() as u64) as usize;
                let of = random.below(helper.outputs[output].ty.width().into());
                let source = InputSource::Helper {
                    output: helper.outputs[output].path.clone(),
                    bit: of as u32,
                };
                wiring.bit(&port.path, bit, source);
                (output, of)
            });
            sources.push(LaneInputDriver::Helper(bits.collect()));
        }
        let next = LaneMap::from_fn(lanes, |lane| (lane + 1) % lanes);
        for i in 0..LINKS {
            let (rx, tx) = (format!("rx{i}"), format!("tx{i}"));
            wiring.port(&rx, InputSource::linked(&tx, 0, next.clone()));
        }
        let machine = LaneMachine::new(lane.clone(), lanes, &wiring, options).unwrap();
        HelperVsEvaluators {
            watch: machine.stop_condition(&[machine.probe("out0").unwrap()]).unwrap(),
            machine,
            helper: Evaluator::new(helper),
            lane: Evaluator::new(lane),
            sources,
        }
    }

    /// Sets some inputs to new values.
    fn stimulate(&mut self, random: &mut TestRandom) {
        for port in &self.helper.netlist().clone().inputs {
            if random.below(3) == 0 {
                let value = random.word(port.ty.width().min(64));
                let value = value.iter_u64_digits().next().unwrap_or(0);
                self.machine.set_helper(&port.path, value).unwrap();
                self.helper.set_big(port.net, &big(value));
            }
        }
        for (i, source) in self.sources.iter_mut().enumerate() {
            if let LaneInputDriver::Host(value) = source {
                let input = self.machine.input(&name(i)).unwrap();
                *value = random.word(self.lane.netlist().inputs[i].ty.width());
                self.machine.set_all_big(input, value).unwrap();
            }
        }
    }

    /// Transfers the wires of the reference and settles it.
    fn settle(&mut self) {
        self.helper.settle();
        let outputs = &self.helper.netlist().outputs;
        for (i, source) in self.sources.iter().enumerate() {
            let value = match source {
                LaneInputDriver::Host(value) => value.clone(),
                LaneInputDriver::Helper(bits) => {
                    let mut value = BigUint::ZERO;
                    for (i, &(output, bit)) in (0..).zip(bits) {
                        let shown = self.helper.get_big(outputs[output].net);
                        value.set_bit(i, shown.bit(bit));
                    }
                    value
                }
            };
            let input = self.lane.netlist().input(&name(i)).unwrap();
            self.lane.set_big(input, &value);
        }
        self.lane.settle();
        for i in 0..LINKS {
            let netlist = self.lane.netlist();
            let tx = netlist.output(&format!("tx{i}")).unwrap();
            let rx = netlist.input(&format!("rx{i}")).unwrap();
            self.lane.set(rx, self.lane.get(tx));
        }
        self.lane.settle();
    }

    fn clock(&mut self) {
        self.helper.clock();
        self.lane.clock();
        self.settle();
    }

    /// Runs until `out0` has a bit set, for at most `at_most` clock cycles.
    fn run(&mut self, at_most: u64) {
        let found = self.machine.run(at_most, &self.watch).clock_cycles;
        let out = self.lane.netlist().output("out0").unwrap();
        let mut expected = 0;
        while expected < at_most && self.lane.get_big(out) == BigUint::ZERO {
            self.clock();
            expected += 1;
        }
        assert_eq!(found, expected);
    }

    /// Compares all signals of the helper and the outputs of some lanes.
    fn compare(&mut self, what: &str) {
        let netlist = self.helper.netlist();
        for signal in netlist.names.iter().chain(&netlist.outputs) {
            let found = self.machine.helper_signal(&signal.path).unwrap();
            let expected = self.helper.get_big(signal.net);
            assert_eq!(found, expected, "{what}, {}", signal.path);
        }
        for output in &self.lane.netlist().outputs {
            let probe = self.machine.probe(&output.path).unwrap();
            for lane in [0, self.machine.lanes() - 1] {
                let found = self.machine.get_big(probe, lane);
                let expected = self.lane.get_big(output.net);
                assert_eq!(found, expected, "{what}, {}, lane {lane}", output.path);
            }
        }
    }
}

fn check(seed: u64, lanes: usize, options: &LaneOptions, steps: u64) {
    let mut random = TestRandom(seed);
    let mut pair = HelperVsEvaluators::new(&mut random, lanes, options);
    for step in 0..steps {
        if random.below(2) == 0 {
            pair.stimulate(&mut random);
        }
        pair.settle();
        pair.compare(&format!("seed {seed}, {options:?}, step {step}"));
        match random.below(8) {
            0 => pair.run(20),
            1 => {
                let clock_cycles = random.below(20);
                pair.machine.clocks(clock_cycles);
                (0..clock_cycles).for_each(|_| pair.clock());
            }
            2 if step > steps / 2 => {
                pair.machine.reset();
                pair.helper.reset();
                pair.lane.reset();
            }
            _ => {
                pair.machine.clock();
                pair.clock();
            }
        }
    }
}

fn check_all(seeds: std::ops::Range<u64>, lanes: usize, threads: usize, steps: u64) {
    for backend in backends() {
        for seed in seeds.clone() {
            let options = LaneOptions { backend, threads, ..LaneOptions::default() };
            check(seed, lanes, &options, steps);
        }
    }
}

#[test]
#[ignore = "thorough: many machines"]
fn every_signal_of_many_helpers() {
    check_all(0..60, 2, 1, 30);
}

#[test]
fn helpers_of_several_threads() {
    check_all(100..110, 1_100, 3, 30);
}

/// The run is long enough to include skipped segments in quiet periods.
#[test]
fn a_helper_in_a_long_run() {
    check_all(200..204, 2, 1, 400);
}
