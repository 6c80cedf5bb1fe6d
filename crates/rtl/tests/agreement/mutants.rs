//! A small run of `examples/mutants`: the truth tests of a block detect the faults injected into
//! it.

use crate::agreement::equivalent::equivalence_reason;
use crate::agreement::{
    bytes_truth, circuits, engines, memory_access_truth, rules_truth, same, sources, uart_truth,
    wires_truth,
};
use hdl::lower::{lower, Circuit};
use lockstep::design::Design;
use lockstep::eval::Evaluator;
use lockstep::netlist::{flatten, Name};
use rtl::bytes::{OutputMultiplexer, QueueArbiter};
use rtl::rotation::{GroupEnd, MinimalRotation};
use rtl::tdma::{OpenDrainWire, PinMux, WordAccess};
use rtl::uart::UartTransmitter;
use std::collections::BTreeSet;

/// Returns true if the design with a fault is considered the same circuit.
fn changes_nothing(design: &Design, fault: &str) -> bool {
    let mut with = design.clone();
    circuits::put(&mut with, fault);
    same::same_netlist(design, &with)
}

/// Returns the names of the faults that change a block's own netlist, excluding its child blocks.
fn faults(block: &impl Circuit) -> Vec<String> {
    let design = lower(block).unwrap();
    let mut names = circuits::faults(&design, design.top.index());
    names.retain(|name| !changes_nothing(&design, name));
    names.into_iter().collect()
}

/// Tries one of every `every` faults. Returns each with true if a test detects it.
fn detected_faults(block: &impl Circuit, every: usize, tests: &[fn()]) -> Vec<(String, bool)> {
    let faults = faults(block);
    assert!(!faults.is_empty());
    let some = faults.into_iter().step_by(every);
    some.map(|name| {
        let sees = |test: &fn()| !engines::passes_with(&name, *test);
        let seen = tests.iter().any(sees);
        (name, seen)
    })
    .collect()
}

/// Each fault occurs once in the source of its block, and fault names are unique.
#[test]
fn the_faults_in_sources_apply() {
    let faults = sources::source_faults().unwrap();
    let mut names = BTreeSet::new();
    for (part, fault) in &faults {
        assert!(names.insert(&fault.name), "{part}: two are {}", fault.name);
        let reason = fault.equivalent.as_ref();
        assert!(reason.is_none_or(|reason| !reason.is_empty()));
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let source = std::fs::read_to_string(format!("{root}/{}", fault.file)).unwrap();
        let with = sources::with_faults(&source, &[fault]).unwrap_or_else(|e| panic!("{e}"));
        assert_ne!(with, source);
    }
}

#[test]
fn truth_tests_of_a_block_detect_its_faults() {
    let all = [
        detected_faults(
            &OpenDrainWire::default(),
            1,
            &[wires_truth::a_wire_is_high_unless_someone_pulls],
        ),
        detected_faults(
            &WordAccess::default(),
            4,
            &[memory_access_truth::a_word_access_takes_five_clock_cycles_and_holds_its_result],
        ),
        detected_faults(
            &PinMux::<4>::default(),
            4,
            &[wires_truth::every_selection_change_is_correct_on_many_wires],
        ),
        detected_faults(
            &OutputMultiplexer::<9, 2>::default(),
            1,
            &[bytes_truth::the_channel_not_served_last_goes_first],
        ),
        detected_faults(
            &UartTransmitter::<8>::default(),
            4,
            &[uart_truth::a_byte_is_start_data_and_stop_of_exact_length],
        ),
    ]
    .concat();
    let unseen = all.iter().filter(|fault| !fault.1);
    let unseen: BTreeSet<&str> = unseen.map(|fault| &fault.0[..]).collect();
    let equivalent = all.iter().filter(|fault| equivalence_reason(&fault.0).is_some());
    let equivalent: BTreeSet<&str> = equivalent.map(|fault| &fault.0[..]).collect();
    assert_eq!(unseen, equivalent, "of {} faults", all.len());
}

/// Faults considered to leave the circuit unchanged pass every test. Uses the largest block that a
/// test creates.
#[test]
fn a_fault_listed_as_equivalent_is_not_detected() {
    let same_and_seen = |block: &dyn Fn() -> Design, test: fn()| {
        let design = block();
        let names = circuits::faults(&design, design.top.index());
        let same = names.into_iter();
        let same = same.filter(|name| changes_nothing(&design, name));
        let same: Vec<String> = same.collect();
        assert!(!same.is_empty());
        let seen = same.into_iter();
        seen.filter(|name| !engines::passes_with(name, test)).collect::<Vec<_>>()
    };
    let seen = [
        same_and_seen(
            &|| lower(&GroupEnd::new(10)).unwrap(),
            rules_truth::the_rightmost_1_of_the_leftmost_group_is_next,
        ),
        same_and_seen(
            &|| lower(&QueueArbiter::new(5)).unwrap(),
            bytes_truth::a_queue_does_not_interleave_packets,
        ),
    ];
    assert_eq!(seen.concat(), [""; 0]);
}

/// Explores every state that a block and the block with a fault reach together, under all inputs.
/// Returns whether an output ever differs.
fn is_observable(design: &Design, fault: &str) -> bool {
    let mut with = design.clone();
    assert!(circuits::put(&mut with, fault), "{fault}");
    let start = [design, &with].map(|design| Evaluator::new(flatten(design).unwrap()));
    let state = |pair: &[Evaluator; 2]| -> Vec<u64> {
        let registers = pair[0].netlist().registers.iter();
        let both = registers.flat_map(|register| pair.each_ref().map(|one| one.get(register.q)));
        both.collect()
    };
    let netlist = start[0].netlist().clone();
    let width = |input: &Name| netlist.width(input.net);
    let mut seen = BTreeSet::from([state(&start)]);
    let mut waiting = vec![start];
    while let Some(pair) = waiting.pop() {
        for inputs in 0..1u64 << netlist.inputs.iter().map(width).sum::<u32>() {
            let mut pair = pair.clone();
            for one in &mut pair {
                let mut left = inputs;
                for input in &netlist.inputs {
                    one.set(input.net, left & ((1 << width(input)) - 1));
                    left >>= width(input);
                }
                one.settle();
            }
            let shown = |output: &Name| pair.each_ref().map(|one| one.get(output.net));
            if netlist.outputs.iter().map(shown).any(|[a, b]| a != b) {
                return true;
            }
            pair.iter_mut().for_each(Evaluator::clock);
            if seen.insert(state(&pair)) {
                waiting.push(pair);
            }
        }
    }
    false
}

/// A wrong initial value of the least rotation is never observable. A wrong count of rotations is.
#[test]
fn the_least_rotation_needs_no_initial_value() {
    for dims in 2..=3 {
        let design = lower(&MinimalRotation::new(dims)).unwrap();
        for d in 0..dims {
            let least = format!("minimal_rotation:least[{d}]:start:0");
            assert!(equivalence_reason(&least).is_some());
            assert!(!is_observable(&design, &least), "{dims} dimensions: {least}");
            let done = format!("minimal_rotation:done[{d}]:start:0");
            assert!(is_observable(&design, &done), "{dims} dimensions: {done}");
        }
    }
}
