//! The command `phasecube route`.

use crate::command_line::program::{call, stdout};
use phasecube::traffic::SplitMix64;
use serde_json::{json, Value};

fn route(dims: u32, source: u64, destination: u64) -> Value {
    let args = [
        "route",
        &source.to_string(),
        &format!("0x{destination:x}"),
        "--dims",
        &dims.to_string(),
        "--json",
    ];
    serde_json::from_str(&stdout(&args)).unwrap()
}

/// The worked example of the paper, as corrected (ten hops, not nine), from a file of another
/// program. Its dimensions are the same in a larger cube.
#[test]
fn the_worked_example_is_the_golden_one() {
    let golden = include_str!("../golden/tdma_path_0x2A3_0x91C.json");
    let mut golden: Vec<Value> = serde_json::from_str(golden).unwrap();
    for hop in &mut golden {
        let hop = hop.as_object_mut().unwrap();
        hop.retain(|key, _| !key.ends_with("_hex"));
    }
    assert_eq!(golden.len(), 10);
    for dims in 12..=16 {
        let expected = json!({"network": "tdma", "dims": dims, "hops": golden});
        assert_eq!(route(dims, 0x2A3, 0x91C), expected);
    }
}

/// The schedule by its definition. The differing bits are taken in ascending order, in phase 2d for
/// a 0 and 2d + 1 for a 1.
#[test]
fn routes_of_every_cube_are_those_of_the_schedule() {
    let mut random = SplitMix64::new(1);
    for dims in 1..=16 {
        for _ in 0..3 {
            let (source, destination) = (random.below(1 << dims), random.below(1 << dims));
            let (mut node, mut hops) = (source, vec![]);
            for dim in (0..dims).filter(|dim| (source ^ destination) >> dim & 1 == 1) {
                let (bit, next) = (node >> dim & 1, node ^ (1 << dim));
                let phase = 2 * u64::from(dim) + bit;
                hops.push(json!({
                    "node": node, "dim": dim, "bit": bit, "phase": phase, "next": next
                }));
                node = next;
            }
            assert_eq!(node, destination);
            let expected = json!({"network": "tdma", "dims": dims, "hops": hops});
            assert_eq!(route(dims, source, destination), expected);
        }
    }
}

#[test]
fn the_table_says_ten_hops_on_the_default_cube() {
    let table = stdout(&["route", "0x2A3", "0x91C"]);
    assert!(
        table.starts_with("0x2A3 to 0x91C on the 12-cube: 10 hops, 1 superframe of 24 phases\n")
    );
}

#[test]
fn help_and_version_are_on_standard_output() {
    let dir = tempfile::tempdir().unwrap();
    for args in [&["--help"][..], &["help", "route"], &["run", "-h"], &["--version"]] {
        let done = call(dir.path(), args);
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
        assert!(!done.stdout.is_empty());
    }
}
