//! A small instance of `examples/mutants`: what is true of a block sees the faults in it.

use crate::equivalent::EQUIVALENT;
use crate::{circuits, engines, pin_mux_truth, sources, uart_truth, wire_truth, word_access_truth};
use hdl::lower::{lower, Circuit};
use phasecube::rtl::tdma::{OpenDrainWire, PinMux, WordAccess};
use phasecube::rtl::uart::UartTransmitter;
use std::collections::BTreeSet;

/// The names of the faults that change a block's netlist, without those of the blocks in it.
fn faults(block: &impl Circuit) -> Vec<String> {
    let design = lower(block).unwrap();
    let mut names = circuits::faults(&design, design.top.index());
    names.retain(|name| {
        let mut with = design.clone();
        circuits::put(&mut with, name);
        !circuits::same_netlist(&design, &with)
    });
    names.into_iter().collect()
}

/// Of every so many faults one, and whether a test sees it.
fn seen(block: &impl Circuit, every: usize, tests: &[fn()]) -> Vec<(String, bool)> {
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

/// Each is in one place of its source, and names are unique.
#[test]
fn the_faults_in_sources_apply() {
    let faults = sources::source_faults().unwrap();
    let mut names = BTreeSet::new();
    for (part, fault) in &faults {
        assert!(names.insert(&fault.name), "{part}: two are {}", fault.name);
        let reason = fault.equivalent.as_ref();
        assert!(reason.is_none_or(|reason| !reason.is_empty()));
        let root = env!("CARGO_MANIFEST_DIR");
        let source = std::fs::read_to_string(format!("{root}/{}", fault.file)).unwrap();
        let with = sources::with_faults(&source, &[fault]).unwrap_or_else(|e| panic!("{e}"));
        assert_ne!(with, source);
    }
}

#[test]
fn the_truth_about_a_block_sees_its_faults() {
    let all = [
        seen(
            &OpenDrainWire::default(),
            1,
            &[wire_truth::a_wire_is_high_unless_someone_pulls],
        ),
        seen(
            &WordAccess::default(),
            4,
            &[word_access_truth::a_word_takes_five_clock_cycles_and_stands_still_then],
        ),
        seen(
            &PinMux::<4>::default(),
            4,
            &[pin_mux_truth::every_change_of_selection_is_right_on_many_wires],
        ),
        seen(
            &UartTransmitter::<8>::default(),
            4,
            &[uart_truth::a_byte_is_start_data_and_stop_of_exact_length],
        ),
    ]
    .concat();
    let unseen = all.iter().filter(|fault| !fault.1);
    let unseen: BTreeSet<&str> = unseen.map(|fault| &fault.0[..]).collect();
    let drawn = |known: &&(&str, &str)| all.iter().any(|fault| fault.0 == known.0);
    let equivalent = EQUIVALENT.iter().filter(drawn);
    let equivalent: BTreeSet<&str> = equivalent.map(|known| known.0).collect();
    assert_eq!(unseen, equivalent, "of {} faults", all.len());
}
