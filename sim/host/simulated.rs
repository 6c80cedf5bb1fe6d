//! The client against the simulated board. Programs return the results of plain arithmetic.

use crate::host::{program, SimulatedBoard};
use phasecube::host::message::{ProgramEvent, State};
use phasecube::host::CarryOutcome;
use phasecube::machine::CoreState as Core;
use phasecube::rtl::core::Cause;
use phasecube::traffic::{Recipe, TrafficPattern};
use phasecube::values::{ProgramValue, Values};

/// Returns numbers for each node.
fn numbers(nodes: u32, each: u32) -> Vec<Vec<u32>> {
    let number = |node: u32, i: u32| (node + 17 * i).wrapping_mul(0x9E37_79B9);
    let row = |node| (0..each).map(|i| number(node, i)).collect();
    (0..nodes).map(row).collect()
}

fn values(numbers: &[Vec<u32>]) -> Values {
    let words = |row: &Vec<u32>| row.iter().map(|word| ProgramValue::Word(*word)).collect();
    Values(numbers.iter().map(words).collect())
}

/// Returns sum, minimum and maximum of one column, as `all_reduce` does.
fn reduced(numbers: &[Vec<u32>], place: usize) -> [u32; 3] {
    let column = || numbers.iter().map(|row| row[place] as i32);
    let sum = column().fold(0, i32::wrapping_add);
    [sum, column().min().unwrap(), column().max().unwrap()].map(|number| number as u32)
}

#[test]
fn a_program_is_loaded_and_run_again_and_again() {
    let board = SimulatedBoard::new(4);
    let mut machine = board.connect();
    assert_eq!((machine.about().nodes, machine.about().dims), (16, 4));
    machine.load(&program("all_reduce")).unwrap();
    for each in [1, 2] {
        let numbers = numbers(16, each);
        let results = machine.run(&values(&numbers)).unwrap();
        let rows: Vec<u32> = (0..each as usize)
            .flat_map(|i| reduced(&numbers, i))
            .collect();
        assert_eq!(results.programs.returned, values(&vec![rows; 16]));
        assert_eq!(results.programs.exits, [Some(0); 16]);
        assert_eq!((results.state, results.traps.len()), (State::Ended, 0));
    }
    // Another program replaces it.
    machine.load(&program("parallel_sum")).unwrap();
    let numbers = numbers(16, 1);
    let results = machine.run(&values(&numbers)).unwrap();
    let sum = reduced(&numbers, 0)[0];
    assert_eq!(
        results.programs.returned.0[3].last(),
        Some(&ProgramValue::Word(sum))
    );
}

/// Programs get their second numbers when their first results are available.
#[test]
fn data_and_results_stream_during_a_run() {
    let board = SimulatedBoard::new(3);
    let mut machine = board.connect();
    machine.load(&program("all_reduce")).unwrap();
    machine.start().unwrap();
    let numbers = numbers(8, 2);
    for place in 0..2 {
        let words = (0..).zip(&numbers).map(|(node, row)| {
            let message = row[place].to_le_bytes();
            (node, message.to_vec())
        });
        machine.send_all(words.collect()).unwrap();
        let mut told = vec![vec![]; 8];
        // When all results are collected, the program waits for more. The machine is at rest and
        // has not ended.
        for event in machine.collect_streaming() {
            let ProgramEvent::Message { node, bytes, .. } = event.unwrap() else {
                panic!("no program ends before it is told that there is no more");
            };
            told[node as usize].extend(ProgramValue::of_message(&bytes));
        }
        let expected = reduced(&numbers, place).map(ProgramValue::Word);
        assert_eq!(told, vec![expected.to_vec(); 8]);
        assert_eq!(machine.status().unwrap().state, State::Resting);
    }
    machine.finish().unwrap();
    let results = machine.collect().unwrap();
    assert_eq!(results.programs.exits, [Some(0); 8]);
    assert_eq!(machine.status().unwrap().ended, 8);
}

#[test]
fn a_trap_is_reported_with_its_location() {
    let board = SimulatedBoard::new(2);
    let mut machine = board.connect();
    // A nop and an illegal instruction.
    let image = [0x13, 0, 0, 0, 0, 0, 0, 0];
    machine.load_bytes("zeros", &image).unwrap();
    let results = machine.run(&Values::none(4)).unwrap();
    assert_eq!(results.state, State::Ended);
    let traps: Vec<_> = results.traps.iter().map(|t| (t.node, t.pc)).collect();
    assert_eq!(traps, [(0, 4), (1, 4), (2, 4), (3, 4)]);
    for trap in &results.traps {
        assert_eq!(
            (trap.cause, trap.instruction),
            (Cause::IllegalInstruction, 0)
        );
    }
    assert_eq!(machine.status().unwrap().halted, 4);
}

/// A node without data keeps all others waiting. This is reported, and the run completes once the
/// node gets its number.
#[test]
fn a_waiting_node_is_reported_and_can_be_sent_data() {
    let board = SimulatedBoard::new(3);
    let mut machine = board.connect();
    machine.load(&program("all_reduce")).unwrap();
    machine.start().unwrap();
    for node in (0..8).filter(|node| *node != 5) {
        machine.send(node, &[node as u8, 0, 0, 0]).unwrap();
    }
    let results = machine.collect().unwrap();
    assert_eq!(results.state, State::Resting);
    assert_eq!(results.programs.exits, [None; 8]);
    assert_eq!(results.programs.unfinished.len(), 8);
    let asleep = |place: &phasecube::machine::ProgramState| place.state == Core::Asleep;
    assert!(results.programs.unfinished.iter().all(asleep));
    machine.send(5, &[5, 0, 0, 0]).unwrap();
    machine.finish().unwrap();
    let results = machine.collect().unwrap();
    let expected = [28, 0, 7].map(ProgramValue::Word);
    assert_eq!(results.programs.returned.0, vec![expected.to_vec(); 8]);
    assert_eq!(results.programs.exits, [Some(0); 8]);
}

#[test]
fn every_message_of_a_list_is_accounted_for() {
    let board = SimulatedBoard::new(4);
    let mut machine = board.connect();
    let recipe = Recipe {
        pattern: TrafficPattern::Random,
        seed: 9,
        payload: 8,
        order: Default::default(),
    };
    let list = recipe
        .list(machine.addresses())
        .unwrap()
        .without_messages_to_self();
    machine.load(&program("route")).unwrap();
    machine.start().unwrap();
    let account = machine.carry(&list, &mut |_| {}).unwrap();
    let delivered = account.count(|fate| matches!(fate, CarryOutcome::Delivered { .. }));
    assert_eq!((delivered, account.unexpected.len()), (list.len(), 0));
    assert!(delivered >= 10);
    // A program that takes messages and forwards none loses all of them.
    machine.load(&program("all_reduce")).unwrap();
    machine.start().unwrap();
    let account = machine.carry(&list, &mut |_| {}).unwrap();
    assert_eq!(account.count(|fate| fate == CarryOutcome::Lost), list.len());
}
