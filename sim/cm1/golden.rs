//! The RTL matches the golden traces. Compares the messages that enter each column of the hearts,
//! with their rows, and the bits on the wires. Compares also the messages ejected and buffered. All
//! are read from the bits on the rows.

use crate::cm1::column_rows::ColumnRows;
use crate::cm1::messages;
use phasecube::engine::{ByNode, EvaluatorEngine, ObservedEngine};
use phasecube::machine::{drive, MachineCircuit, RunControl};
use phasecube::networks::cm1::{Cm1Circuit, Cm1Driver, Cm1Faults, Cm1Message, Cm1Shape};
use phasecube::rtl::cm1::{EjectMode, MessageFormat, PetitPlan};
use serde_json::Value;
use std::fs;

pub const NAMES: [&str; 4] = ["bitrev", "neighbour0", "random", "self"];

/// A golden file of the 8-chip machine.
pub fn golden(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/sim/golden");
    let path = format!("{folder}/cm1_c3_{name}.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Returns the messages of a golden file as number, chip and processor of source and destination,
/// and virtual processor.
pub fn pairs(golden: &Value) -> Vec<(u32, u32)> {
    let list: Vec<[u32; 6]> = serde_json::from_value(golden["messages_list"].clone()).unwrap();
    for (i, message) in list.iter().enumerate() {
        assert_eq!((message[0] as usize, message[5]), (i, 0));
    }
    list.iter().map(|m| (m[1] * 16 + m[2], m[3] * 16 + m[4])).collect()
}

/// Returns the messages in these rows, in the format of the golden files.
fn ids(rows: &Value) -> Vec<Vec<Option<usize>>> {
    let rows: Vec<Vec<i64>> = serde_json::from_value(rows.clone()).unwrap();
    let id = |m: &i64| usize::try_from(*m).ok();
    rows.iter().map(|row| row.iter().map(id).collect()).collect()
}

fn check(name: &str) {
    let golden = golden(name);
    let format = MessageFormat { dims: 3, proc_bits: 4, vp_bits: 2, data_bits: 12 };
    let shape = Cm1Shape { rows: 7, format };
    let plan = PetitPlan::new(format, EjectMode::Or);
    let circuit = Cm1Circuit::new(shape, plan).unwrap();
    let design = circuit.array().unwrap().whole();
    let mut engine = EvaluatorEngine::new(&design).unwrap();
    let messages: Vec<Cm1Message> = messages(&pairs(&golden));
    let mut chips = ByNode::new(&mut engine, shape.chips());
    let mut rows = ColumnRows::new(&mut chips, shape, plan);
    let mut observed = ObservedEngine::new(&mut chips, vec![&mut rows]);
    let mut driver = Cm1Driver::new(&mut observed, &circuit, &Cm1Faults::default(), &messages, &[]);
    let run = drive(&mut driver, RunControl::to_end(1, None)).unwrap();

    let trace = golden["trace"].as_array().unwrap();
    for (number, petit) in trace.iter().enumerate() {
        let at = |column: usize| rows.messages(number, column);
        assert_eq!(at(0), ids(&petit["rows_in"]), "{name}, {number}: injected");
        for dim in 0..3 {
            let wanted = &petit["columns"][dim];
            assert_eq!(at(dim + 1), ids(&wanted["rows"]), "{name}, {number}, {dim}");
            // A message that leaves a chip arrives in the highest row across the wire.
            let out = |chip: usize| at(dim + 1)[chip ^ 1 << dim][6];
            let out: Vec<Option<usize>> = (0..8).map(out).collect();
            let wanted: Vec<i64> = serde_json::from_value(wanted["out"].clone()).unwrap();
            let wanted: Vec<Option<usize>> =
                wanted.iter().map(|m| usize::try_from(*m).ok()).collect();
            assert_eq!(out, wanted, "{name}, {number}, {dim}: out");
        }
        // A buffered message enters the next petit cycle in the same row.
        if number + 1 < trace.len() {
            let next = rows.messages(number + 1, 0);
            for (next, buffered) in next.iter().zip(ids(&petit["buffered"])) {
                for (next, buffered) in next.iter().zip(buffered) {
                    assert!(buffered.is_none() || *next == buffered, "{name}, {number}");
                }
            }
        }
        let ejected: Vec<[usize; 4]> =
            serde_json::from_value(petit["ejected_chip_row_msg_proc"].clone()).unwrap();
        let found = rows.ejected(number);
        let wanted: Vec<[usize; 3]> = ejected.iter().map(|e| [e[0], e[1], e[2]]).collect();
        assert_eq!(found, wanted, "{name}, {number}: ejected");
    }
    for (field, count) in [
        ("petit_cycles", run.periods),
        ("hops", run.hops),
        ("productive_hops", run.figure("productive_hops")),
        ("desperation_hops", run.figure("desperation_hops")),
        ("or_collisions", run.figure("collisions")),
    ] {
        assert_eq!(golden[field], count, "{name}: {field}");
    }
    assert_eq!(run.undetected + run.duplicated + run.figure("parity_errors"), 0);
}

#[test]
fn bit_reversal() {
    check("bitrev");
}

#[test]
fn all_to_the_neighbour() {
    check("neighbour0");
}

#[test]
fn random_destinations() {
    check("random");
}

#[test]
fn all_to_themselves() {
    check("self");
}
