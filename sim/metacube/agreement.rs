//! Reference, evaluator, Verilator and lockstep agree on every output of MC(1,1) in every clock
//! cycle of whole runs. Lockstep and evaluator agree on every signal of MC(2,1).

use crate::metacube::planned_exchange::PlannedExchange;
use crate::metacube::TestMetacube;
use crate::support::array_runs;
use crate::support::lockstep_vs_evaluator::LockstepVsEvaluator;
use crate::support::whole_runs::{alive_but, OutputTrace};
use lockstep::lanes::LaneOptions;
use phasecube::engine::ByNode;
use phasecube::networks::tdma::cube::{CubeFaults, Slip};
use phasecube::report::OutputProbe;
use phasecube::traffic::Message;

/// Returns messages to the farthest node and to node 0.
fn traffic(nodes: u32) -> Vec<Message> {
    let pairs = (0..nodes).flat_map(|s| [(s, !s & (nodes - 1)), (s, 0)]);
    pairs.map(message).collect()
}

fn message((source, destination): (u32, u32)) -> Message {
    Message { source, destination, payload: vec![source as u8, 0xA5, destination as u8] }
}

fn disturbed() -> CubeFaults {
    CubeFaults {
        noise: 2e-3,
        seed: 5,
        slips: vec![Slip { node: 6, t: 9 }],
        ..CubeFaults::default()
    }
}

fn agree(machine: TestMetacube, disturbance: &CubeFaults, messages: &[Message]) -> OutputTrace {
    array_runs::agree(&machine.array(), |engine| {
        let mut probe = OutputProbe::new(engine);
        let run = machine.run_on(&mut ByNode::new(&mut probe, 8), disturbance, messages);
        assert_eq!(run.undetected + run.duplicated, 0);
        probe.into_trace()
    })
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn on_perfect_wires() {
    let outputs = agree(TestMetacube::new(1, 1), &CubeFaults::default(), &traffic(8));
    alive_but(&outputs, &["missed_deadline", "muted", "slips", "clash", "out_reason"]);
}

#[test]
fn with_noise_and_a_slip() {
    agree(TestMetacube::new(1, 1), &disturbed(), &traffic(8)[..8]);
}

/// Two messages over one wire each: a cross edge and one within a cluster. The reference is slow
/// for nodes with a core.
#[test]
#[ignore = "thorough: four engines on a whole run"]
fn of_nodes_that_run_route() {
    let messages = [(0, 4), (6, 4)].map(message);
    agree(TestMetacube::soft(1, 1), &CubeFaults::default(), &messages);
}

/// The order is written, then followed.
#[test]
#[ignore = "thorough: four engines on a whole run"]
fn with_a_programmed_order() {
    let machine = TestMetacube::new(1, 1);
    let exchange = PlannedExchange::in_lockstep(machine);
    let array = machine.programmed_array();
    let outputs = array_runs::agree(&array, |engine| {
        let mut probe = OutputProbe::new(engine);
        let run = exchange.run_on(&mut ByNode::new(&mut probe, 8), &CubeFaults::default());
        assert_eq!(run.undetected + run.duplicated, 0);
        assert_eq!(run.figure("phase_pairs"), 16);
        probe.into_trace()
    });
    let quiet = ["missed_deadline", "slips", "clash", "out_reason", "rounds"];
    alive_but(&outputs, &quiet);
}

#[test]
#[ignore = "thorough: every signal in every clock cycle"]
fn every_signal_of_four_classes() {
    let machine = TestMetacube::new(2, 1);
    let mut both = LockstepVsEvaluator::new(&machine.array(), &LaneOptions::default());
    machine.run_on(&mut both, &disturbed(), &traffic(64)[..12]);
    assert!(both.compared > 1_000_000);
}
