//! The unit for multiplication and division against `rrs-lib`: every pair of corner cases and random
//! words, with every operation.

use crate::soft_core::isa::{encode, MULTIPLICATIONS};
use crate::soft_core::model::{CoreModel, TurnEnd, WORDS};
use engine::{CircuitEngine, EvaluatorEngine, ReferenceEngine};
use hdl::lower::lower;
use interconnect::traffic::SplitMix64;
use lockstep::lanes::{LaneMachine, LaneOptions, LaneWiring};
use lockstep::netlist::flatten;
use rtl::core::MultiplyDivide;

/// Corner cases of operands.
const CORNERS: [u32; 10] =
    [0, 1, 2, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xAAAA_AAAA, 0xFFFF_FFFE, 0xFFFF_FFFF];

/// Steps of an operation.
const STEPS: usize = 32;

/// All pairs of corner cases, and random ones.
fn operands() -> Vec<[u32; 2]> {
    let mut random = SplitMix64::new(31);
    let mut word = || random.next_u64() as u32 >> random.below(32);
    let corners = CORNERS.iter().flat_map(|a| CORNERS.map(|b| [*a, b]));
    let mut all: Vec<[u32; 2]> = corners.collect();
    all.extend((0..60).map(|_| [word(), word()]));
    all
}

/// Result by `rrs-lib`.
fn expected(name: &str, [a, b]: [u32; 2]) -> u32 {
    let mut words = vec![0; WORDS];
    words[0] = encode("lw", 1, 0, 0, 64);
    words[1] = encode("lw", 2, 0, 0, 68);
    words[2] = encode(name, 3, 1, 2, 0);
    [words[16], words[17]] = [a, b];
    let mut model = CoreModel::new(words);
    model.multiplies = true;
    for _ in 0..3 {
        assert_eq!(model.turn(false), TurnEnd::Retired);
    }
    model.register(3)
}

fn computed(engine: &mut impl CircuitEngine, operation: u64, [a, b]: [u32; 2]) -> u32 {
    let ports = ["operation", "start", "advance", "last", "a", "b", "result"];
    let [operation_in, start, advance, last, a_in, b_in, result] =
        ports.map(|name| engine.port(name));
    engine.set_u64(operation_in, operation);
    engine.set_u64(a_in, a.into());
    engine.set_u64(b_in, b.into());
    engine.set_u64(start, 1);
    engine.clock().unwrap();
    engine.set_u64(start, 0);
    engine.set_u64(advance, 1);
    // The first operand is needed at the start only.
    engine.set_u64(a_in, 0x1234_5678);
    for step in 1..=STEPS {
        engine.set_u64(last, u64::from(step == STEPS));
        engine.clock().unwrap();
    }
    engine.set_u64(advance, 0);
    engine.set_u64(b_in, 0x9ABC_DEF0);
    engine.settle().unwrap();
    engine.get_u64(result) as u32
}

/// The values that the specification names, so that a fault of `rrs-lib` is found, too.
#[test]
fn the_model_knows_division_by_zero_and_the_overflow() {
    let least = 0x8000_0000;
    for (name, operands, result) in [
        ("div", [7, 0], u32::MAX),
        ("divu", [7, 0], u32::MAX),
        ("rem", [0xFFFF_FFF9, 0], 0xFFFF_FFF9),
        ("remu", [7, 0], 7),
        ("div", [least, u32::MAX], least),
        ("rem", [least, u32::MAX], 0),
        ("div", [0xFFFF_FFF9, 2], 0xFFFF_FFFD),
        ("rem", [0xFFFF_FFF9, 2], 0xFFFF_FFFF),
        ("mulh", [least, least], 0x4000_0000),
        ("mulhsu", [u32::MAX, u32::MAX], u32::MAX),
        ("mulhu", [u32::MAX, u32::MAX], 0xFFFF_FFFE),
    ] {
        assert_eq!(expected(name, operands), result, "{name} {operands:X?}");
    }
}

#[test]
fn results_are_those_of_the_model() {
    let mut evaluator = EvaluatorEngine::new(&lower(&MultiplyDivide::default()).unwrap()).unwrap();
    for (operation, instruction) in (0..).zip(MULTIPLICATIONS) {
        for pair in operands() {
            let expected = expected(instruction.name, pair);
            let found = computed(&mut evaluator, operation, pair);
            assert_eq!(found, expected, "{} {pair:X?}", instruction.name);
        }
    }
    let mut reference = ReferenceEngine::new(MultiplyDivide::default()).unwrap();
    for (operation, instruction) in (0..).zip(MULTIPLICATIONS) {
        for pair in operands().into_iter().step_by(16) {
            let found = computed(&mut reference, operation, pair);
            let expected = expected(instruction.name, pair);
            assert_eq!(found, expected, "{} {pair:X?}", instruction.name);
        }
    }
}

/// In the lockstep engine each lane computes with another pair.
#[test]
fn lanes_compute_with_different_operands() {
    let netlist = flatten(&lower(&MultiplyDivide::default()).unwrap()).unwrap();
    let pairs = operands();
    let wiring = LaneWiring::new();
    let options = LaneOptions::default();
    let mut lanes = LaneMachine::new(netlist, pairs.len(), &wiring, &options).unwrap();
    let ports = ["operation", "start", "advance", "last", "a", "b"];
    let [operation_in, start, advance, last, a_in, b_in] =
        ports.map(|name| lanes.input(name).unwrap());
    let result = lanes.probe("result").unwrap();
    for (operation, instruction) in (0..).zip(MULTIPLICATIONS) {
        for (lane, [a, b]) in pairs.iter().enumerate() {
            lanes.set(operation_in, lane, operation).unwrap();
            lanes.set(a_in, lane, (*a).into()).unwrap();
            lanes.set(b_in, lane, (*b).into()).unwrap();
        }
        let all = |lanes: &mut LaneMachine, input, value| {
            for lane in 0..pairs.len() {
                lanes.set(input, lane, value).unwrap();
            }
        };
        all(&mut lanes, start, 1);
        lanes.clock();
        all(&mut lanes, start, 0);
        all(&mut lanes, advance, 1);
        for step in 1..=STEPS {
            all(&mut lanes, last, u64::from(step == STEPS));
            lanes.clock();
        }
        all(&mut lanes, advance, 0);
        lanes.settle();
        for (lane, pair) in pairs.iter().enumerate() {
            let expected = expected(instruction.name, *pair);
            let found = lanes.get(result, lane) as u32;
            assert_eq!(found, expected, "{} {pair:X?}", instruction.name);
        }
    }
}
