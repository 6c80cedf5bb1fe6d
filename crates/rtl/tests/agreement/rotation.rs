//! The blocks of minimal rotation.

use crate::agreement::agree::{agree, agree_on};
use crate::agreement::scripts::flits;
use engine::Stimulus;
use interconnect::routing::rotation::RotationRule;
use interconnect::traffic::SplitMix64;
use rtl::rotation::{
    FirstHop, FirstHopTable, FirstOne, GroupEnd, HopTree, MinimalRotation, RotationInput,
    RotationPlan, RotationSwitch,
};

/// Returns stimulus with headers, data and tails on all wires.
fn busy(dims: usize) -> impl Fn(Stimulus) -> Stimulus {
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
    for (dims, ways, home) in [(1, 0, true), (3, 1, true), (4, 4, false), (9, 4, true)] {
        let queues = ways + usize::from(home);
        let takes: Vec<String> = (0..queues).map(|q| format!("take[{q}]")).collect();
        let takes: Vec<&str> = takes.iter().map(String::as_str).collect();
        let seldom = move |random: &mut SplitMix64| -> Vec<u64> {
            (0..queues)
                .map(|_| u64::from(random.below(8) == 0))
                .collect()
        };
        let make = || RotationInput::new(dims, ways, home);
        agree_on(make, |s| {
            s.script(&["data"], flits(1, 0)).script(&takes, seldom)
        });
    }
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn switches_agree() {
    let plan = RotationPlan::new(3);
    agree_on(|| RotationSwitch::<0, 2>::new(plan), busy(3));
    let one = RotationPlan {
        channels: 1,
        queue: 2,
        first: FirstHop::Serial,
        ..plan
    };
    agree_on(|| RotationSwitch::<0, 1>::new(one), busy(3));
    let thacker = RotationPlan {
        rule: RotationRule::Thacker,
        ..RotationPlan::new(4)
    };
    agree_on(|| RotationSwitch::<1, 2>::new(thacker), busy(4));
    let rewired = RotationPlan {
        rewired: true,
        ..RotationPlan::new(4)
    };
    agree_on(|| RotationSwitch::<2, 2>::new(rewired), busy(4));
}
