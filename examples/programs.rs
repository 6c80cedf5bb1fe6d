//! Runs the programs of `firmware/programs` on cubes of the given sizes. Checks each against a
//! plain computation, and prints the table of docs/programs.md:
//!
//! ```text
//! cargo run --release --example programs -- 4 8 12
//! ```
//!
//! A total exchange of 4,096 nodes takes long. Above 8 dimensions it is omitted unless its name is
//! an argument: `-- total_exchange 10`. Then only the named programs run.

// The second model, which the tests also use.
#[path = "../sim/support/programs.rs"]
mod plain;

use phasecube::program::{Firmware, NodeKind};
use phasecube::toolchain::Toolchain;
use plain::{check, ProgramCase, CASES};
use std::error::Error;
use std::path::Path;

/// Number of dimensions up to which a total exchange is quick.
const QUICK: u32 = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_size = |word: &&String| word.parse::<u32>().is_ok_and(|n| (1..=12).contains(&n));
    let (sizes, names): (Vec<&String>, Vec<&String>) = arguments.iter().partition(is_size);
    let known = |name: &&&String| CASES.iter().any(|case| case.name == **name);
    if let Some(name) = names.iter().find(|name| !known(name)) {
        let all: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        let all = all.join(", ");
        return Err(format!("{name:?} is no program; accepted: 1 to 12, {all}").into());
    }
    let sizes: Vec<u32> = sizes.iter().filter_map(|n| n.parse().ok()).collect();
    let columns: String = sizes.iter().map(|n| format!(" n = {n} |")).collect();
    println!("| program | what it computes | bytes | superframes by theory |{columns}");
    println!("| --- | --- | --- | --- |{}", " --- |".repeat(sizes.len()));
    let (tools, builds) = (Toolchain::open()?, Path::new("target/phasecube"));
    let named = |case: &ProgramCase| names.iter().any(|name| *name == case.name);
    for case in CASES.iter().filter(|case| names.is_empty() || named(case)) {
        let program = Firmware::open(case.name, NodeKind::CUBE, &tools, builds)?;
        let cell = |n: &u32| match case.name == "total_exchange" && *n > QUICK && !named(case) {
            true => " |".to_owned(),
            false => format!(" {} |", check(case, &program, *n, 1)),
        };
        let row: String = sizes.iter().map(cell).collect();
        let bytes = 4 * program.words.len();
        println!("| `{}` | {} | {bytes} | {} |{row}", case.name, case.what, case.theory);
    }
    Ok(())
}
