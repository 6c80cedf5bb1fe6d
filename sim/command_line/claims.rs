//! False claims of the papers "tdma-hypercube" and "torus-routing-chip". The commands in the README
//! show what it says about them.

use crate::command_line::program::{call, refused, stdout, CallResult};
use serde_json::Value;

fn run(dims: &str, link: &str, list: &str) -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/traffic/");
    let pattern = format!("file:{path}{list}");
    let args = ["run", "--dims", dims, "--link", link, "--pattern", &pattern, "--json"];
    serde_json::from_str(&stdout(&args)).unwrap()
}

#[test]
fn the_worked_example_has_ten_hops() {
    assert!(stdout(&["route", "0x2A3", "0x91C"]).contains(": 10 hops,"));
}

#[test]
fn two_messages_that_need_one_link_take_two_superframes() {
    for link in ["raw", "acked"] {
        let result = run("3", link, "one_link_twice.csv");
        assert_eq!(result["delivered"], 2);
        assert_eq!(result["superframes"], 2);
    }
}

/// Total exchange on MC(1,1), in lockstep and in superframes. `--json` reports the plan's figures.
#[test]
fn a_total_exchange_follows_its_plan() {
    for (plan, figure, expected) in [
        ("lockstep", "phase_pairs", 16),
        ("cyclic", "superframes", 11),
        ("pipelined", "phase_pairs", 17),
    ] {
        let args = format!("run --network metacube --dims 3 --exchange {plan} --json");
        let args: Vec<&str> = args.split(' ').collect();
        let result: Value = serde_json::from_str(&stdout(&args)).unwrap();
        assert_eq!(result["pattern"], "total-exchange");
        assert_eq!(result["delivered"], 56);
        assert_eq!(result["hops"], 128);
        assert_eq!(result["refused"], 0);
        assert_eq!(result[figure], expected);
    }
}

/// The lockstep exchange has no conflicts, but end-to-end circuits would collide.
#[test]
fn held_circuits_of_a_total_exchange_collide() {
    let args = "run --network metacube --dims 6 --exchange lockstep --held";
    let args: Vec<&str> = args.split(' ').collect();
    let text = stdout(&args);
    assert!(text.contains(", 0 frames with a NAK, "), "{text}");
    let line = "circuits held from end to end would collide in 51 of 63 steps\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn bit_reversal_takes_three_superframes_and_loses_messages() {
    let args = "run --dims 6 --link raw --pattern bitrev --json";
    let args: Vec<&str> = args.split(' ').collect();
    let result: Value = serde_json::from_str(&stdout(&args)).unwrap();
    assert_eq!(result["messages"], 64);
    assert_eq!((&result["delivered"], &result["lost"]), (&56.into(), &8.into()));
    assert_eq!(result["superframes"], 3);
}

#[test]
fn one_buffer_without_answers_loses_a_message() {
    let result = run("4", "raw", "one_register.csv");
    assert_eq!((&result["delivered"], &result["lost"]), (&2.into(), &1.into()));
    let result = run("4", "acked", "one_register.csv");
    assert_eq!((&result["delivered"], &result["lost"]), (&3.into(), &0.into()));
}

fn torus(args: &str) -> CallResult {
    let dir = tempfile::tempdir().unwrap();
    let run = format!("run --network torus {args}");
    call(dir.path(), &run.split(' ').collect::<Vec<_>>())
}

/// A packet that travels along X has the address 0 in Y.
#[test]
fn as_printed_packets_end_at_an_address_that_is_zero() {
    let along_x = "--radix 4,4 --pattern xor:1";
    let naive = torus(&format!("{along_x} --tail naive"));
    assert_eq!(naive.code, Some(1), "{naive:?}");
    for says in ["0 of 16 messages delivered", "errors that the machine did not detect"] {
        assert!(naive.stdout.contains(says), "{naive:?}");
    }
    let right = torus(along_x);
    assert_eq!(right.code, Some(0), "{right:?}");
    assert!(right.stdout.contains("16 of 16 messages delivered"));
}

#[test]
fn chips_in_a_row_need_a_tail_wire() {
    let three = "run --network torus --radix 4,4,4";
    let zero: Vec<&str> = three.split(' ').chain(["--tail", "zero"]).collect();
    refused(2, &zero, "accepted: a tail wire");
    let wire = torus("--radix 4,4,4");
    assert_eq!(wire.code, Some(0), "{wire:?}");
    assert!(wire.stdout.contains("tail wire"), "{wire:?}");
}

#[test]
fn a_ring_deadlocks_only_if_packets_are_longer_than_queues() {
    for (queue, code) in [(6, 1), (7, 0)] {
        let ring = format!("--radix 4 --vcs 1 --pattern xor:2 --queue {queue}");
        assert_eq!(torus(&ring).code, Some(code), "{queue}");
    }
}

#[test]
fn a_ring_of_four_uses_six_virtual_channels() {
    let text = stdout(&["deadlock", "--network", "torus", "--radix", "4"]);
    assert!(text.contains("In this order of 6 channels, none waits"), "{text}");
}

#[test]
fn a_torus_of_16_by_16_nodes_has_a_diameter_of_30() {
    let torus = ["route", "--network", "torus", "--radix", "16,16", "0"];
    let hops = |to: u32| -> u32 {
        let text = stdout(&[&torus[..], &[&to.to_string()]].concat());
        let (_, hops) = text.lines().next().unwrap().split_once(": ").unwrap();
        hops.split_once(' ').unwrap().0.parse().unwrap()
    };
    // The torus is symmetric, so the farthest distance from one node is the diameter.
    assert_eq!(hops(17), 30);
    assert_eq!([1, 16, 15, 240].map(hops), [15, 15, 1, 1]);
}
