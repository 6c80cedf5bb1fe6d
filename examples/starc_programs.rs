//! Runs the StarC programs of `examples/starc` on cubes of the given sizes, and prints the table of
//! docs/starc.md:
//!
//! ```text
//! cargo run --release --example starc_programs -- 4 6 12
//! ```

// The tests run the same programs.
#[allow(dead_code)]
#[path = "../sim/support/programs.rs"]
mod programs;
#[allow(dead_code)]
#[path = "../sim/support/starc.rs"]
mod starc;

use phasecube::traffic::SplitMix64;
use starc::CASES;
use std::path::Path;

fn main() {
    let sizes: Vec<u32> = std::env::args().skip(1).filter_map(|n| n.parse().ok()).collect();
    let columns: String = sizes.iter().map(|n| format!(" n = {n} |")).collect();
    println!("| program | what it shows | superframes, published |{columns}");
    println!("| --- | --- | --- |{}", " --- |".repeat(sizes.len()));
    for case in &CASES {
        let mut cells = String::new();
        for n in &sizes {
            let given = case.given(*n, &mut SplitMix64::new(u64::from(*n)));
            let firmware = case.firmware(*n, Path::new("target/phasecube"));
            cells += &format!(" {} |", case.run(&firmware, *n, &given).superframes);
        }
        println!("| `{}` | {} | {} |{cells}", case.name, case.what, case.published);
    }
}
