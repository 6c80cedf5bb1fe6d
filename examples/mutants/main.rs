//! Injects single faults into circuits, lowering, Verilog printer, lockstep engine and importer.
//! Counts the faults that the tests detect: the default tier alone, and both tiers together.
//!
//!     cargo run --example mutants                      all faults: an hour
//!     cargo run --example mutants -- --block pin_mux   the faults of a block
//!     cargo run --example mutants -- --fault NAME      one fault, with the names of the tests
//!     cargo run --example mutants -- --resume          the rest of an earlier run, and its survivors
//!
//! Method and results: `docs/checks.md`.

mod choice;
mod equivalent;
mod report;
mod sources;
mod tests;
mod tree;

use anyhow::{ensure, Result};
use choice::SelectedFault;
use clap::Parser;
use report::{FaultOutcome, StoredOutcomes};
use std::path::Path;
use std::time::Instant;
use tests::{FaultTree, Test, TestSelection, TestVerdict};

/// Inject single faults into the project and count those that its tests detect
#[derive(Parser)]
struct Args {
    /// Part whose faults are injected: circuits, lowering, verilog, lockstep or import [default: all]
    #[arg(long)]
    only: Option<String>,
    /// Test binary that judges: sim or blocks [default: all]
    #[arg(long)]
    binary: Option<String>,
    /// Block whose faults are injected, by the name of its module [default: all]
    #[arg(long)]
    block: Option<String>,
    /// Name of the only fault to inject
    #[arg(long)]
    fault: Option<String>,
    /// Seed of the drawn faults of circuits
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of faults of circuits to draw, evenly from all blocks
    #[arg(long, default_value_t = 160)]
    limit: usize,
    /// Time budget per fault, as seconds of fault-free test time, for the quick tests
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// Additional seconds per surviving fault for tests that are not quick
    #[arg(long, default_value_t = 0.0)]
    slow: f64,
    /// Keep stored test results after a rebuild; new tests count as slow
    #[arg(long)]
    known: bool,
    /// Skip faults that earlier runs killed or found equivalent
    #[arg(long)]
    resume: bool,
}

/// Tests that judge each part. The tests of a circuit have an independent reference: a page, a
/// second model, or a golden file. Agreement of two engines is no evidence for a circuit.
const TEST_SELECTIONS: &[TestSelection] = &[
    TestSelection {
        part: "circuits",
        target: "phasecube-rtl/blocks",
        area: "agreement",
        names: &["_truth::", "a_wire_is_pulled_only"],
    },
    TestSelection {
        part: "circuits",
        target: "sim",
        area: "cm1",
        names: &["golden::", "streams::", "lists::", "pipelines::", "errors::", "livelock::"],
    },
    TestSelection {
        part: "circuits",
        target: "sim",
        area: "cube",
        names: &[
            "golden::",
            "lists::",
            "slips::",
            "fairness::",
            "payloads::",
            "local_sync::a_node",
            "local_sync::with",
        ],
    },
    TestSelection {
        part: "circuits",
        target: "sim",
        area: "torus",
        names: &["lists::", "latency::in_rings", "deadlock::", "routes::"],
    },
    TestSelection {
        part: "circuits",
        target: "sim",
        area: "rotation",
        names: &["lists::", "first_hop::", "deadlock::", "routes::"],
    },
    TestSelection {
        part: "circuits",
        target: "sim",
        area: "metacube",
        names: &["lists::", "faults::"],
    },
    TestSelection {
        part: "circuits",
        target: "phasecube-rtl/blocks",
        area: "soft_core",
        names: &["edges::", "isa::", "lockstep::", "signatures::"],
    },
    TestSelection {
        part: "lowering",
        target: "phasecube-rtl/blocks",
        area: "agreement",
        names: &["agree"],
    },
    TestSelection {
        part: "lowering",
        target: "sim",
        area: "refused",
        names: &[
            "accepted::",
            "bundles::",
            "clocks::",
            "flow::",
            "functions::",
            "hierarchy::",
            "numbers::",
            "purity::",
            "slips::",
            "types::",
        ],
    },
    TestSelection { part: "lowering", target: "phasecube-hdl/*", area: "", names: &[""] },
    TestSelection { part: "lowering", target: "sim", area: "verilog_text", names: &["golden"] },
    TestSelection { part: "lowering", target: "sim", area: "random_kernels", names: &[""] },
    TestSelection { part: "verilog", target: "phasecube-hdl/*", area: "", names: &["verilog::"] },
    TestSelection { part: "verilog", target: "sim", area: "verilog_text", names: &["golden"] },
    TestSelection { part: "lockstep", target: "lockstep-rtl/*", area: "", names: &[""] },
    TestSelection { part: "import", target: "phasecube-import/*", area: "", names: &["truth::"] },
];

fn main() -> Result<()> {
    let args = Args::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shop = FaultTree {
        tree: root.join("target/mutants/tree"),
        target: root.join("target/mutants/target"),
    };
    let faults = sources::source_faults()?;
    tree::copy(root, &shop.tree, &faults)?;
    let (only, binary) = (args.only.as_deref(), args.binary.as_deref());
    let tests = shop.tests(TEST_SELECTIONS, only, binary, args.known)?;
    let chosen = choice::select_faults(&tests, &faults, &args, root)?;
    ensure!(!chosen.is_empty(), "no fault is called so, or no test comes by one");
    let mut results = StoredOutcomes::open(root.join("target/mutants/results.json"))?;
    let mut outcomes = vec![];
    for (i, fault) in chosen.iter().enumerate() {
        let outcome = match results.settled_outcome(&fault.name).filter(|_| args.resume) {
            Some(outcome) => outcome,
            None => test_fault(&shop, &tests, fault, &args)?,
        };
        println!("{}/{} {}: {outcome}", i + 1, chosen.len(), fault.name);
        results.store(&fault.name, &outcome)?;
        outcomes.push(outcome);
    }
    print!("{}", report::table(&chosen, &outcomes));
    Ok(())
}

/// Maximum time of a test for a fault, in seconds.
const SLOW_TEST_MAX: f64 = 25.0;

/// Runs the quickest tests first, until one fails.
fn test_fault(
    shop: &FaultTree,
    tests: &[Test],
    fault: &SelectedFault,
    args: &Args,
) -> Result<FaultOutcome> {
    let judges = tests.iter().filter(|test| test.part == fault.part);
    let judges = judges.filter(|test| test.may_detect(&fault.name));
    let mut tests_run: Vec<&Test> = vec![];
    // Each tier has its own time, so that the default tier's figure does not depend on the other.
    let mut seconds = [0.0; 2];
    for test in judges {
        let seconds = &mut seconds[usize::from(test.default_tier)];
        if *seconds > args.seconds {
            continue;
        }
        *seconds += test.seconds;
        tests_run.push(test);
        match shop.run_with_fault(test, &fault.name)? {
            TestVerdict::Passed => {}
            TestVerdict::Failed => return Ok(FaultOutcome::killed(test, "")),
            TestVerdict::TimedOut => return Ok(FaultOutcome::killed(test, ", which does not end")),
        }
    }
    if let Some(reason) = &fault.equivalent {
        return Ok(FaultOutcome::Equivalent(reason.clone()));
    }
    let mut same = fault.part == "circuits" && !tests_run.is_empty();
    for test in &tests_run {
        same = same && shop.keeps_netlists(test, &fault.name)?;
    }
    if same {
        let sizes = tests_run.len();
        let reason = format!("the netlist, constants worked out, is the same in {sizes} tests");
        return Ok(FaultOutcome::Equivalent(reason));
    }
    let began = Instant::now();
    for test in tests.iter().filter(|test| test.late) {
        let left = args.slow - began.elapsed().as_secs_f64();
        let of_it = |quick: &&&Test| quick.target == test.target;
        if left <= 0.0 || tests_run.iter().find(of_it).is_none() || test.part != fault.part {
            continue;
        }
        // A late test may also exceed its limit without the fault.
        if shop.run_with_fault_within(test, &fault.name, left.min(SLOW_TEST_MAX))?
            == TestVerdict::Failed
        {
            return Ok(FaultOutcome::killed(test, ""));
        }
    }
    Ok(FaultOutcome::Survived(tests_run.iter().map(|test| test.name.clone()).collect()))
}
