//! Claims of the paper "tdma-hypercube" that are false: what the README says of
//! them is what the commands there show.

use crate::program::stdout;
use serde_json::Value;

fn run(dims: &str, link: &str, list: &str) -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/traffic/");
    let pattern = format!("file:{path}{list}");
    let args = [
        "run",
        "--dims",
        dims,
        "--link",
        link,
        "--pattern",
        &pattern,
        "--json",
    ];
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

#[test]
fn bit_reversal_takes_three_superframes_and_loses_messages() {
    let args = "run --dims 6 --link raw --pattern bitrev --json";
    let args: Vec<&str> = args.split(' ').collect();
    let result: Value = serde_json::from_str(&stdout(&args)).unwrap();
    assert_eq!(result["messages"], 64);
    assert_eq!(
        (&result["delivered"], &result["lost"]),
        (&56.into(), &8.into())
    );
    assert_eq!(result["superframes"], 3);
}

#[test]
fn one_register_without_answers_loses_a_message() {
    let result = run("4", "raw", "one_register.csv");
    assert_eq!(
        (&result["delivered"], &result["lost"]),
        (&2.into(), &1.into())
    );
    let result = run("4", "acked", "one_register.csv");
    assert_eq!(
        (&result["delivered"], &result["lost"]),
        (&3.into(), &0.into())
    );
}
