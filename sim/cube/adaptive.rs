//! Nodes that route adaptively. The four engines agree, and the RTL matches the second model event
//! by event.

use crate::cube::{
    adaptive_array, adaptive_timing, cube, messages, pattern, run_adaptive, SmallAdaptiveNode,
    PAYLOAD,
};
use crate::model;
use crate::model_adaptive::{run_observed, AdaptiveChoice, AdaptiveRule, AdaptiveRun};
use crate::support::array_runs;
use crate::support::whole_runs::{alive_but, OutputTrace};
use lockstep::lanes::LaneOptions;
use phasecube::engine::{ByNode, CircuitEngine, EvaluatorEngine, NodeEngine};
use phasecube::machine::array::{Array, BlockCircuit};
use phasecube::machine::{Delivery, EndReason, MessageEvent, RunStats};
use phasecube::networks::tdma::cube::{cube_array, CubeFaults, Slip};
use phasecube::report::OutputProbe;
use phasecube::traffic::Message;

/// Runs a list in the model for at most `limit` superframes.
fn model<const D: usize, const P: usize>(
    messages: &[Message],
    observe: impl FnMut(MessageEvent),
) -> AdaptiveRun {
    let rule = AdaptiveRule { slots: P, choice: AdaptiveChoice::Nearest };
    run_observed(cube(D), messages, rule, 4_000, observe)
}

/// Checks that the RTL matches the model on a list, message by message and, if there is a log,
/// event by event.
fn same<const D: usize, const P: usize>(
    engine: &mut dyn NodeEngine,
    messages: &[Message],
    keep_events: bool,
    which: &str,
) -> AdaptiveRun {
    let run = run_adaptive::<D>(engine, CubeFaults::default(), messages, keep_events);
    let mut events = vec![];
    let wanted = model::<D, P>(messages, |event| {
        if keep_events {
            events.push(event);
        }
    });
    assert_eq!(run.events, events, "{which}");
    for (i, (delivery, wanted)) in run.deliveries.iter().zip(&wanted.delivered).enumerate() {
        let reported = match delivery {
            Delivery::ToSelf => None,
            Delivery::Delivered { t } => Some(u64::from(*t)),
            other => panic!("{which}: message {i} is {other:?}"),
        };
        assert_eq!(reported, *wanted, "{which}: message {i}");
    }
    assert_eq!(run.end, EndReason::Complete, "{which}");
    assert_eq!(run.hops, wanted.hops, "{which}");
    assert_eq!((run.figure("refused"), wanted.naks), (0, 0), "{which}");
    assert_eq!(run.undetected + run.duplicated, 0);
    // The service window is long enough, so no node is late.
    assert_eq!(run.figure("late"), 0, "{which}");
    wanted
}

fn in_the_evaluator<const D: usize, const P: usize>(seeds: impl IntoIterator<Item = u64>) {
    let whole = adaptive_array::<D, P>().whole();
    for seed in seeds {
        let mut engine = EvaluatorEngine::new(&whole).unwrap();
        let mut nodes = ByNode::new(&mut engine, 1 << D);
        let list = model::list(cube(D), seed, PAYLOAD);
        same::<D, P>(&mut nodes, &list, true, &format!("dims {D}, seed {seed}"));
    }
}

fn in_lockstep<const D: usize, const P: usize>(seeds: impl IntoIterator<Item = u64>) -> u64 {
    let array = adaptive_array::<D, P>();
    let mut desperate = 0;
    for seed in seeds {
        let mut engine = array.lockstep(&LaneOptions::default()).unwrap();
        let list = model::list(cube(D), seed, PAYLOAD);
        let which = format!("dims {D}, seed {seed}");
        desperate += same::<D, P>(&mut engine, &list, true, &which).desperate;
    }
    desperate
}

#[test]
fn lists_on_small_cubes() {
    in_the_evaluator::<1, 4>(0..8);
    in_the_evaluator::<2, 4>(0..8);
    in_the_evaluator::<3, 4>(0..7);
    in_lockstep::<1, 4>(0..30);
    in_lockstep::<2, 4>(0..60);
    assert!(in_lockstep::<3, 4>(0..60) > 0);
    in_lockstep::<4, 5>(0..30);
}

#[test]
#[ignore = "thorough: long lists"]
fn lists_on_larger_cubes() {
    in_lockstep::<5, 6>(0..14);
    in_lockstep::<6, 7>(0..7);
    in_lockstep::<8, 9>(0..4);
    in_lockstep::<9, 9>(0..2);
    in_lockstep::<10, 9>(0..1);
}

/// Enough messages to keep nodes crowded most of the time.
#[test]
fn crowds() {
    fn crowd<const D: usize, const P: usize>(name: &str, seed: u64) -> u64 {
        let mut engine = adaptive_array::<D, P>().lockstep(&LaneOptions::default()).unwrap();
        let list = pattern(name, seed, D);
        same::<D, P>(&mut engine, &list, true, name).desperate
    }
    assert!(crowd::<3, 4>("relation:20", 1) > 10);
    assert!(crowd::<4, 5>("relation:20", 2) > 10);
    crowd::<4, 5>("total-exchange", 1);
    assert!(crowd::<6, 7>("relation:16", 3) > 10);
    assert!(crowd::<8, 9>("hotspot", 1) > 10);
}

/// The whole machine of 4,096 nodes. E-cube routing takes 32, 46 and 7 superframes.
#[test]
fn patterns_on_the_12_cube() {
    let array = adaptive_array::<12, 9>();
    for (name, superframes) in
        [("complement", 1), ("bitrev", 4), ("transpose", 3), ("permutation", 3)]
    {
        let mut engine = array.lockstep(&LaneOptions::default()).unwrap();
        let list = pattern(name, 1, 12);
        let wanted = same::<12, 9>(&mut engine, &list, false, name);
        assert_eq!(wanted.superframes, superframes, "{name}");
    }
}

fn machine<const D: usize>() -> Array {
    let plan = adaptive_timing(D).plan();
    let node = BlockCircuit::of(move || Box::new(SmallAdaptiveNode::<D, 4>::new(plan)));
    cube_array(cube(D), node.unwrap()).unwrap()
}

fn trace<const D: usize>(
    engine: &mut dyn CircuitEngine,
    disturbance: &CubeFaults,
    messages: &[Message],
) -> (OutputTrace, RunStats) {
    let mut probe = OutputProbe::new(engine);
    let mut nodes = ByNode::new(&mut probe, 1 << D);
    let run = run_adaptive::<D>(&mut nodes, disturbance.clone(), messages, true);
    (probe.into_trace(), run)
}

fn agree<const D: usize>(disturbance: &CubeFaults, messages: &[Message]) -> OutputTrace {
    array_runs::agree(&machine::<D>(), |engine| {
        let (outputs, run) = trace::<D>(engine, disturbance, messages);
        let open = |delivery: &Delivery| *delivery == Delivery::UnderWay;
        assert!(!run.deliveries.iter().any(open));
        outputs
    })
}

fn traffic<const D: usize>() -> Vec<Message> {
    let all = (1 << D) - 1;
    let pairs: Vec<(u32, u32)> =
        (0..1 << D).flat_map(|s| [(s, s ^ all), (s, s & 1), (s, s ^ all ^ 1)]).collect();
    messages(&pairs)
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn four_engines_agree() {
    let outputs = agree::<3>(&CubeFaults::default(), &traffic::<3>());
    // In a machine without faults no node is late or slips, and no wire clashes.
    let quiet = ["missed_deadline", "muted", "slips", "clash", "out_reason"];
    alive_but(&outputs, &quiet);
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn four_engines_agree_with_noise_and_a_slip() {
    let disturbance = CubeFaults {
        noise: 2e-3,
        seed: 5,
        slips: vec![Slip { node: 2, t: 5 }],
        ..CubeFaults::default()
    };
    agree::<2>(&disturbance, &traffic::<2>());
}
