//! The blocks of the torus routing chip.

use crate::agreement::agree::{agree_on, nodes_agree_on};
use crate::agreement::scripts::flits;
use engine::Stimulus;
use rtl::torus::{InputController, Tail, TorusChip, TorusNode, TorusPlan};

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
    let plan = TorusPlan {
        channels: 1,
        queue: 2,
        tail: Tail::Naive,
        ..plan
    };
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
