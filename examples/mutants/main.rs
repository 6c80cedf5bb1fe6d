//! Puts single faults into circuits, lowering, Verilog printer and lockstep engine, and counts
//! those that the tests see.
//!
//!     cargo run --example mutants                      all of them: an hour
//!     cargo run --example mutants -- --block pin_mux   those of a block
//!     cargo run --example mutants -- --fault NAME      one, with the names of the tests
//!
//! What is counted, and what it says: `docs/checks.md`.

mod choice;
mod equivalent;
mod report;
mod sources;
mod tests;
mod tree;

use anyhow::{ensure, Result};
use choice::Chosen;
use clap::Parser;
use report::Outcome;
use std::path::Path;
use tests::{Judges, Test, Verdict, Workshop};

/// Puts single faults into the project and counts those that its tests see.
#[derive(Parser)]
struct Args {
    /// Only this part: circuits, lowering, verilog or lockstep.
    #[arg(long)]
    only: Option<String>,
    /// Only faults of this block, by the name of its module.
    #[arg(long)]
    block: Option<String>,
    /// Only this fault.
    #[arg(long)]
    fault: Option<String>,
    /// Which faults of circuits are drawn.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// So many faults of circuits are drawn, from each block alike.
    #[arg(long, default_value_t = 160)]
    limit: usize,
}

/// Which tests judge which part. Those of a circuit know what is right apart from the circuit: by
/// a page, a second model, a golden file. That two engines do the same says nothing of it.
const JUDGES: &[Judges] = &[
    Judges {
        part: "circuits",
        target: "agreement",
        names: &["_truth::", "a_wire_is_pulled_only"],
    },
    Judges {
        part: "circuits",
        target: "cm1",
        names: &[
            "golden::",
            "streams::",
            "lists::",
            "pipelines::",
            "errors::",
            "livelock::",
        ],
    },
    Judges {
        part: "circuits",
        target: "cube",
        names: &[
            "golden::",
            "lists::",
            "slips::",
            "fairness::",
            "payloads::",
            "own_sync::a_node",
            "own_sync::with",
        ],
    },
    Judges {
        part: "circuits",
        target: "torus",
        names: &["lists::", "latency::in_rings", "standstill::", "routes::"],
    },
    Judges {
        part: "circuits",
        target: "rotation",
        names: &["lists::", "first_hop::", "standstill::", "routes::"],
    },
    Judges {
        part: "circuits",
        target: "metacube",
        names: &["lists::", "faults::"],
    },
    Judges {
        part: "circuits",
        target: "core",
        names: &["edges::", "isa::", "lockstep::", "time::"],
    },
    Judges {
        part: "lowering",
        target: "agreement",
        names: &["agree", "in_turns"],
    },
    Judges {
        part: "lowering",
        target: "refused",
        names: &[
            "accepted::",
            "bundles::",
            "clocks::",
            "flow::",
            "functions::",
            "hierarchy::",
            "numbers::",
            "purity::",
            "types::",
        ],
    },
    Judges {
        part: "lowering",
        target: "phasecube-hdl/*",
        names: &[""],
    },
    Judges {
        part: "verilog",
        target: "phasecube-hdl/*",
        names: &["verilog::"],
    },
    Judges {
        part: "verilog",
        target: "verilog_text",
        names: &["golden"],
    },
    Judges {
        part: "lockstep",
        target: "lockstep-rtl/*",
        names: &[""],
    },
];

fn main() -> Result<()> {
    let args = Args::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shop = Workshop {
        tree: root.join("target/mutants/tree"),
        target: root.join("target/mutants/target"),
    };
    let faults = sources::source_faults()?;
    tree::copy(root, &shop.tree, &faults)?;
    let tests = shop.tests(JUDGES, args.only.as_deref())?;
    let chosen = choice::choose(&tests, &faults, &args);
    ensure!(
        !chosen.is_empty(),
        "no fault is called so, or no test comes by one"
    );
    let mut outcomes = vec![];
    for (i, fault) in chosen.iter().enumerate() {
        let outcome = run(&shop, &tests, fault)?;
        println!("{}/{} {}: {outcome}", i + 1, chosen.len(), fault.name);
        outcomes.push(outcome);
    }
    print!("{}", report::table(&chosen, &outcomes));
    Ok(())
}

/// A fault has survived if the quickest tests, which take so long without it, pass.
const SECONDS: f64 = 20.0;

/// The quickest tests first, until one fails.
fn run(shop: &Workshop, tests: &[Test], fault: &Chosen) -> Result<Outcome> {
    let judges = tests.iter().filter(|test| test.part == fault.part);
    let judges = judges.filter(|test| test.sees.contains(&fault.name));
    let (mut asked, mut seconds) = (0, 0.0);
    for test in judges {
        if seconds > SECONDS {
            break;
        }
        seconds += test.seconds;
        asked += 1;
        if shop.judge(test, &fault.name)? != Verdict::Passed {
            return Ok(Outcome::Killed(format!("{} {}", test.target, test.name)));
        }
    }
    if let Some(reason) = &fault.equivalent {
        return Ok(Outcome::Equivalent(reason.clone()));
    }
    let sees = |test: &&Test| test.part == fault.part && test.sees.contains(&fault.name);
    let quickest = tests.iter().find(sees);
    match quickest.filter(|_| fault.part == "circuits") {
        Some(test) if shop.leaves_netlists(test, &fault.name)? => Ok(Outcome::Equivalent(
            "the netlist is the same: what it changes is written over".into(),
        )),
        _ => Ok(Outcome::Survived(asked)),
    }
}
