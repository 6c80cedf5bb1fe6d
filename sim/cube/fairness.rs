//! Only messages whose route contains a dead node are dropped. NAKs never take a link down, and no
//! buffer starves.

use crate::cube::{array_in_order, cube, messages, run_lockstep, timing};
use crate::support::cube_runs;
use lockstep::lanes::LaneOptions;
use phasecube::machine::array::Array;
use phasecube::machine::{Delivery, EndReason, Load, RunStats};
use phasecube::networks::tdma::cube::{CubeFaults, DeadMode, DeadNode};
use phasecube::routing::tdma::{PhaseSchedule, ServiceOrder};
use phasecube::traffic::{Message, MessageList};

const MODES: [DeadMode; 4] = [DeadMode::Silent, DeadMode::High, DeadMode::Low, DeadMode::Hung];

fn run(array: &Array, dead: &[DeadNode], messages: &[Message]) -> RunStats {
    let mut engine = array.lockstep(&LaneOptions::default()).unwrap();
    let disturbance = CubeFaults { dead: dead.to_vec(), ..CubeFaults::default() };
    let circuit = cube_runs::circuit(cube(3), timing(3, true));
    let load = Load::at_once(MessageList::from(messages));
    let control = cube_runs::limit(&circuit, u64::MAX);
    cube_runs::run_load(&mut engine, &circuit, &disturbance, &load, control)
}

/// Returns `many` messages from node 3 and `few` from node 0. All need the link from node 2 to node
/// 6.
fn crowd(many: usize, few: usize) -> Vec<Message> {
    let mut pairs = vec![(3, 6); many];
    pairs.extend(vec![(0, 6); few]);
    messages(&pairs)
}

fn phase_of(delivery: &Delivery) -> u32 {
    match delivery {
        Delivery::Delivered { t } => *t,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_contended_buffer_is_served_in_turn() {
    let many = 600;
    let list = crowd(many, 3);
    let run = run(&array_in_order::<3>(true, ServiceOrder::RoundRobin), &[], &list);
    assert_eq!(run.end, EndReason::Complete);
    // The few alternate with the many: each waits for one of the others.
    let last = run.deliveries[many..].iter().map(phase_of).max().unwrap();
    assert!(last < 6 * 10, "the last of three arrived in phase {last}");
}

/// In ascending order, the first buffer keeps the link to itself. The other buffers wait and drop
/// nothing.
#[test]
fn in_ascending_order_higher_buffers_wait() {
    let many = 600;
    let list = crowd(many, 3);
    let run = run(&array_in_order::<3>(true, ServiceOrder::Ascending), &[], &list);
    assert_eq!(run.end, EndReason::Complete);
    let first = run.deliveries[many..].iter().map(phase_of).min().unwrap();
    assert!(first > 6 * 500, "the first of three arrived in phase {first}");
    assert!(run.figure("refused") > 400);
}

/// Exactly the messages whose route contains the dead node are dropped, however congested the other
/// routes are.
fn dead(node: u32, mode: DeadMode, messages: &[Message]) {
    let run = run(
        &array_in_order::<3>(true, ServiceOrder::RoundRobin),
        &[DeadNode { node, mode }],
        messages,
    );
    let which = format!("node {node} {mode:?}");
    assert_eq!(run.end, EndReason::Complete, "{which}");
    assert_eq!(run.duplicated + run.undetected, 0, "{which}");
    for (message, delivery) in messages.iter().zip(&run.deliveries) {
        let schedule = PhaseSchedule::new(cube(3));
        let passes = schedule.route_includes(message.source, message.destination, |n| n == node);
        let delivered = matches!(delivery, Delivery::Delivered { .. });
        assert_eq!(delivered, !passes, "{which}: {message:?} is {delivery:?}");
    }
}

#[test]
fn a_dead_node_loses_only_its_own_messages() {
    let to_zero: Vec<(u32, u32)> = (1..8).flat_map(|s| vec![(s, 0); 60]).collect();
    for mode in MODES {
        let mut list = crowd(120, 3);
        list.extend(messages(&[(0, 5), (1, 7), (4, 5)]));
        dead(5, mode, &list);
        for node in [3, 2, 0] {
            dead(node, mode, &messages(&to_zero));
        }
    }
}

/// A neighbour that is busy for far more than 64 superframes does not count as dead.
#[test]
fn no_number_of_naks_takes_a_link_down() {
    let list = crowd(300, 300);
    let run =
        run_lockstep::<3>(&array_in_order::<3>(true, ServiceOrder::RoundRobin), true, &list, false);
    assert_eq!(run.end, EndReason::Complete);
    assert!(run.figure("refused") > 200);
    assert!(run.deliveries.iter().all(|f| matches!(f, Delivery::Delivered { .. })));
}
