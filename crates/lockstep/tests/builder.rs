//! Tests of the crate's own builder: circuits with registers, memories and case statements, built
//! and run without any other crate.

use crate::common::{backends, evaluator, ByName, TestRandom};
use lockstep::design::check::check;
use lockstep::design::{BinaryOp, Builder, CheckGoal, Design, Library, Type, UnaryOp};
use lockstep::eval::Evaluator;
use lockstep::lanes::{InputSource, LaneMachine, LaneOptions, LaneWiring};
use lockstep::netlist::flatten;

const BYTE: Type = Type::Bits(8);

/// Processor that runs the program in its read-only memory on an accumulator and sixteen words of
/// memory. A word holds an operation and an address of four bits each.
fn processor(program: &[u8]) -> Design {
    let mut m = Builder::new("processor", "An accumulator and a memory.");
    let input = m.input("input", BYTE, "");
    let output = m.output("output", BYTE, "");
    let place = m.register("place", Type::Bits(4), 0u8, "The word that is fetched.");
    let ready = m.register("ready", Type::BIT, 0u8, "A word has been fetched.");
    let sum = m.register("sum", BYTE, 0u8, "The accumulator.");
    let words = program.iter().map(|word| (*word).into()).collect();
    let code = m.rom("code", BYTE, 4, words, "");
    let (read, write) = m.memory("data", BYTE, 4, vec![], "");
    m.connect(output, sum.q);
    m.connect(code.address, place.q);
    m.connect(sum.d, sum.q);
    m.connect(write.data, sum.q);
    let (on, off) = (m.constant(1u8, 1), m.constant(0u8, 1));
    m.assign(ready.d, on);
    m.assign(write.enable, off);

    let (now, one) = (m.read(place.q), m.constant(1u8, 4));
    let next = m.binary(BinaryOp::Add, now, one);
    m.assign(place.d, next);
    let word = m.read(code.data);
    let (what, at) = (m.slice(word, 4, 4), m.slice(word, 0, 4));
    m.assign(write.address, at);
    m.assign(read.address, at);
    let (sum_now, data, input, ready) =
        (m.read(sum.q), m.read(read.data), m.read(input), m.read(ready.q));
    m.if_(ready, |m| {
        m.case(what)
            .on([1u8], |m| m.assign(sum.d, input))
            .on([2u8], |m| m.assign(write.enable, on))
            // The data was read at the address of the previous instruction.
            .on([3u8, 4], |m| {
                let add = m.binary(BinaryOp::Add, sum_now, data);
                let flip = m.binary(BinaryOp::Xor, sum_now, data);
                let lowest = m.bit(what, 0);
                m.if_else(lowest, |m| m.assign(sum.d, add), |m| m.assign(sum.d, flip));
            })
            // This arm is never executed because an earlier arm has the value.
            .on([4u8], |m| m.assign(sum.d, data))
            .on([5u8], |m| {
                let is_odd = m.unary(UnaryOp::Parity, sum_now);
                let wide = m.resize(is_odd, 8);
                m.assign(sum.d, wide);
            })
            .otherwise(|m| {
                let still = m.read(place.q);
                m.assign(place.d, still);
            });
    });
    Design::from(m.finish())
}

/// Executes the program in Rust.
fn by_hand(program: &[u8], inputs: &[u8]) -> Vec<u8> {
    let (mut place, mut sum, mut data, mut loaded) = (0usize, 0u8, [0u8; 16], 0u8);
    let mut fetched = None;
    let mut outputs = vec![];
    for input in inputs {
        outputs.push(sum);
        let mut next = (place + 1) % 16;
        let word = fetched.unwrap_or(0u8);
        let (what, at) = (word >> 4, usize::from(word & 15));
        let before = data[at];
        let was = sum;
        match (fetched.is_some(), what) {
            (false, _) => {}
            (_, 1) => sum = *input,
            (_, 2) => data[at] = was,
            (_, 3) => sum = was.wrapping_add(loaded),
            (_, 4) => sum = was ^ loaded,
            (_, 5) => sum = (was.count_ones() % 2) as u8,
            _ => next = place,
        }
        loaded = before;
        fetched = Some(*program.get(place).unwrap_or(&0));
        place = next;
    }
    outputs
}

const PROGRAM: &[u8] = &[0x10, 0x23, 0x10, 0x25, 0x13, 0x30, 0x15, 0x40, 0x24, 0x50];

#[test]
fn a_processor_of_registers_memories_and_choices_runs_its_program() {
    let design = processor(PROGRAM);
    check(&design).unwrap_or_else(|faults| panic!("{faults:?}"));
    let mut random = TestRandom(1);
    for _ in 0..20 {
        let inputs: Vec<u8> = (0..24).map(|_| random.below(256) as u8).collect();
        let mut evaluator = evaluator(&design);
        let outputs = inputs.iter().map(|input| {
            evaluator.put("input", (*input).into());
            evaluator.settle();
            let output = evaluator.at("output") as u8;
            evaluator.clock();
            output
        });
        assert_eq!(outputs.collect::<Vec<u8>>(), by_hand(PROGRAM, &inputs));
    }
}

/// The same circuit runs in lanes, each with its own inputs, on every backend.
#[test]
fn lanes_match_the_evaluator() {
    let netlist = flatten(&processor(PROGRAM)).unwrap();
    let lanes = 300;
    let mut wiring = LaneWiring::new();
    wiring.port("input", InputSource::PerLane);
    for backend in backends() {
        let options = LaneOptions { backend, ..LaneOptions::default() };
        let mut machine = LaneMachine::new(netlist.clone(), lanes, &wiring, &options).unwrap();
        let mut evaluators = vec![Evaluator::new(netlist.clone()); lanes];
        let input = machine.input("input").unwrap();
        let output = machine.probe("output").unwrap();
        let mut random = TestRandom(2);
        for clock_cycle in 0..24 {
            for (lane, evaluator) in evaluators.iter_mut().enumerate() {
                let value = random.below(256);
                machine.set(input, lane, value).unwrap();
                evaluator.put("input", value);
                evaluator.clock();
            }
            machine.clock();
            for (lane, evaluator) in evaluators.iter().enumerate() {
                let (ours, theirs) = (machine.get(output, lane), evaluator.at("output"));
                assert_eq!(ours, theirs, "lane {lane}, clock cycle {clock_cycle}");
            }
        }
    }
}

/// A register that only one branch drives would keep its value. The check reports this with the
/// line of this file.
#[test]
fn an_unassigned_path_is_reported() {
    let mut m = Builder::new("forgetful", "");
    let on = m.input("on", Type::BIT, "");
    let state = m.register("state", BYTE, 0u8, "");
    let (on, one) = (m.read(on), m.constant(1u8, 8));
    let line = line!() + 1;
    m.if_(on, |m| m.assign(state.d, one));
    let faults = check(&Design::from(m.finish())).expect_err("it has a fault");
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    assert_eq!(fault.signal.as_deref(), Some("state.d"), "{fault}");
    let origin = fault.origin.expect("an assignment");
    assert!(origin.file.ends_with("builder.rs"), "{fault}");
    assert_eq!(origin.line, line, "{fault}");
}

/// A module with instances that have state is clocked like the instances themselves.
#[test]
fn a_design_of_several_modules() {
    let mut library = Library::default();
    let mut m = Builder::new("delay", "One clock cycle.");
    let (from, to) = (m.input("from", BYTE, ""), m.output("to", BYTE, ""));
    let state = m.register("state", BYTE, 5u8, "");
    m.connect(state.d, from);
    m.connect(to, state.q);
    let delay = library.add_module(m.finish());
    let mut m = Builder::new("two", "Two clock cycles.");
    let (from, to) = (m.input("from", BYTE, ""), m.output("to", BYTE, ""));
    let child = library.module(delay).clone();
    let [first, second] = ["first", "second"].map(|name| m.instance(name, delay, &child));
    m.connect(first[0], from);
    m.connect(second[0], first[1]);
    m.connect(to, second[1]);
    let two = library.add_module(m.finish());
    let mut evaluator = evaluator(&library.finish(two));
    evaluator.put("from", 9);
    let mut seen = vec![];
    for _ in 0..3 {
        seen.push(evaluator.at("to"));
        evaluator.clock();
    }
    assert_eq!((seen, evaluator.at("to")), (vec![5, 5, 9], 9));
}

/// Checks have their names with instances. In a clock cycle that does not count, an assertion is met
/// and a goal is not.
#[test]
fn checks_follow_the_clock_enable() {
    let mut m = Builder::new("inner", "");
    let a = m.input("a", Type::BIT, "");
    for (name, goal) in [("claim", CheckGoal::Assert), ("goal", CheckGoal::Cover)] {
        let holds = m.check(name, goal, "");
        m.connect(holds, a);
    }
    let inner = Design::from(m.finish());
    let mut library = Library::default();
    let id = library.add(&inner);
    let mut m = Builder::new("outer", "");
    let a = m.input("a", Type::BIT, "");
    let pins = m.instance("part", id, inner.top());
    m.connect(pins[0], a);
    let top = library.add_module(m.finish());
    let design = library.finish(top).with_clock_enable("on");

    let names: Vec<_> = design.checks().into_iter().map(|check| check.name).collect();
    assert_eq!(names, ["part.claim", "part.goal"]);
    let mut evaluator = Evaluator::new(flatten(&design).unwrap());
    let netlist = evaluator.netlist().clone();
    for (a, on, expected) in [(0, 1, [0, 0]), (1, 1, [1, 1]), (0, 0, [1, 0]), (1, 0, [1, 0])] {
        evaluator.set(netlist.input("a").unwrap(), a);
        evaluator.set(netlist.input("on").unwrap(), on);
        evaluator.settle();
        let found = design.checks();
        let found = found.iter().map(|check| evaluator.get(netlist.find(&check.holds).unwrap()));
        assert_eq!(found.collect::<Vec<_>>(), expected, "a {a}, on {on}");
    }
}
