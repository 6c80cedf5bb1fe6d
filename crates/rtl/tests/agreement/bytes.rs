//! The blocks of the byte channel, of the torus and of minimal rotation.

use crate::agreement::engines::{agree, agree_on, nodes_agree_on};
use crate::agreement::scripts::flits;
use engine::Stimulus;
use interconnect::routing::rotation::RotationRule;
use interconnect::traffic::SplitMix64;
use rtl::bytes::{
    ByteChannel, ByteCounter, ByteFifo, ByteMailbox, ByteReceiver, OutputMultiplexer, OutputQueue,
    QueueArbiter,
};
use rtl::rotation::{
    FirstHop, FirstHopTable, FirstOne, GroupEnd, HopTree, MinimalRotation, RotationInput,
    RotationPlan, RotationSwitch,
};
use rtl::torus::{InputController, Tail, TorusChip, TorusNode, TorusPlan};

#[test]
#[ignore = "thorough: Verilator on each block"]
fn receivers_agree() {
    agree(ByteReceiver::<8>::default);
    agree(ByteReceiver::<9>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn fifos_agree() {
    agree(|| ByteFifo::<8>::new(1));
    agree(|| ByteFifo::<8>::new(4));
    agree(|| ByteFifo::<9>::new(5));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn queues_agree() {
    agree(|| QueueArbiter::new(1));
    agree(|| QueueArbiter::new(4));
    agree_on(
        || OutputQueue::<8>::new(4, 3),
        |s| s.script(&["flit[0]", "flit[1]", "flit[2]"], flits(3, 0)),
    );
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn multiplexers_agree() {
    agree(OutputMultiplexer::<8, 1>::default);
    agree(OutputMultiplexer::<8, 2>::default);
    agree(OutputMultiplexer::<9, 2>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn channels_agree() {
    agree(ByteChannel::<8, 1>::default);
    agree(ByteChannel::<8, 2>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn mailboxes_agree() {
    agree(ByteMailbox::<8, 3>::default);
    agree(ByteMailbox::<5, 3>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn counters_agree() {
    agree(|| ByteCounter::<2>::new(16));
    agree(|| ByteCounter::<1>::new(3));
}

// The blocks of the torus routing chip.

/// Returns stimulus of mostly small addresses, with data and tails on all wires.
fn busy(dims: usize, tails: u64) -> impl Fn(Stimulus) -> Stimulus {
    move |stimulus| {
        let wires: Vec<String> = (0..dims).map(|d| format!("data_in[{d}]")).collect();
        let mut names: Vec<&str> = wires.iter().map(String::as_str).collect();
        names.push("send_data");
        stimulus.script(&names, flits(dims + 1, tails))
    }
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn input_controllers_agree() {
    for (dims, splits) in [(1, false), (1, true), (2, false), (2, true), (3, true)] {
        let make = || InputController::<8>::new(dims, splits, Tail::Zero);
        agree_on(make, |s| s.script(&["data"], flits(1, 0)));
        let make = || InputController::<9>::new(dims, splits, Tail::Wire);
        agree_on(make, |s| s.script(&["data"], flits(1, 4)));
    }
    let make = || InputController::<8>::new(2, true, Tail::Naive);
    agree_on(make, |s| s.script(&["data"], flits(1, 0)));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn chips_agree() {
    let plan = TorusPlan::new(2);
    nodes_agree_on(|| TorusChip::<8, 2>::new(2, plan), busy(2, 0));
    let plan = TorusPlan { channels: 1, queue: 2, tail: Tail::Naive, ..plan };
    nodes_agree_on(|| TorusChip::<8, 1>::new(2, plan), busy(2, 0));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn nodes_agree() {
    nodes_agree_on(|| TorusNode::<8, 2>::new(TorusPlan::new(1)), busy(1, 0));
}

/// Checks two chips in series.
#[test]
#[ignore = "thorough: Verilator on each block"]
fn nodes_with_three_dimensions_agree() {
    let plan = TorusPlan::new(3);
    assert_eq!((plan.chips(), plan.chip_dims(1)), (2, 1));
    nodes_agree_on(|| TorusNode::<9, 2>::new(plan), busy(3, 4));
}

// The blocks of minimal rotation.

/// Returns stimulus with headers, data and tails on all wires.
fn busy_switch(dims: usize) -> impl Fn(Stimulus) -> Stimulus {
    move |stimulus| {
        let wires: Vec<String> = (0..dims).map(|d| format!("data_in[{d}]")).collect();
        let mut names: Vec<&str> = wires.iter().map(String::as_str).collect();
        names.push("send_data");
        stimulus.script(&names, flits(dims + 1, 0))
    }
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn choices_agree() {
    agree(|| FirstOne::new(3));
    agree(|| GroupEnd::new(5));
    agree(|| FirstHopTable::new(5));
    agree(|| HopTree::new(4));
    agree(|| MinimalRotation::new(1));
    agree(|| MinimalRotation::new(6));
}

/// Headers have one byte or two. Whole switches with either size also run beside the model. Queues
/// accept a byte only occasionally.
#[test]
#[ignore = "thorough: Verilator on each block"]
fn inputs_agree() {
    for (dims, routes, home) in [(1, 0, true), (3, 1, true), (4, 4, false), (9, 4, true)] {
        let queues = routes + usize::from(home);
        let takes: Vec<String> = (0..queues).map(|q| format!("take[{q}]")).collect();
        let takes: Vec<&str> = takes.iter().map(String::as_str).collect();
        let seldom = move |random: &mut SplitMix64| -> Vec<u64> {
            (0..queues).map(|_| u64::from(random.below(8) == 0)).collect()
        };
        let make = || RotationInput::new(dims, routes, home);
        agree_on(make, |s| s.script(&["data"], flits(1, 0)).script(&takes, seldom));
    }
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn switches_agree() {
    let plan = RotationPlan::new(3);
    agree_on(|| RotationSwitch::<0, 2>::new(plan), busy_switch(3));
    let one = RotationPlan { channels: 1, queue: 2, first: FirstHop::Serial, ..plan };
    agree_on(|| RotationSwitch::<0, 1>::new(one), busy_switch(3));
    let thacker = RotationPlan { rule: RotationRule::Thacker, ..RotationPlan::new(4) };
    agree_on(|| RotationSwitch::<1, 2>::new(thacker), busy_switch(4));
    let rewired = RotationPlan { rewired: true, ..RotationPlan::new(4) };
    agree_on(|| RotationSwitch::<2, 2>::new(rewired), busy_switch(4));
}
