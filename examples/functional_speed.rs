//! Measures the functional engine against lockstep: both run the same programs in one go, and must
//! have the same results and clock cycles. Prints a table of docs/speed.md:
//!
//! ```text
//! cargo run --release --example functional_speed -- 12 20
//! ```
//!
//! The arguments are the dimensions of the cube, and the number of superframes after which a run
//! ends.

use lockstep::lanes::LaneOptions;
use phasecube::machine::{drive, EngineKind, RunControl, RunStats};
use phasecube::networks::tdma::cube::{CubeCircuit, ProgramDriver};
use phasecube::program::{Firmware, NodeKind};
use phasecube::routing::Schedule;
use phasecube::toolchain::Toolchain;
use phasecube::topology::Hypercube;
use phasecube::values::{ProgramValue, Values};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// Programs, with a description of their messages.
const PROGRAMS: [(&str, &str); 3] = [
    ("examples/ring.c", "one message in the machine"),
    ("all_reduce", "exchanges of all nodes, three superframes"),
    ("total_exchange", "each wire busy in each phase"),
];

/// Runs the program in an engine, with one thread. Returns the results and the seconds.
fn run(
    kind: EngineKind,
    circuit: &CubeCircuit,
    program: &Firmware,
    superframes: u64,
) -> Result<(RunStats, f64), Box<dyn Error>> {
    let options = LaneOptions {
        threads: 1,
        ..LaneOptions::default()
    };
    let mut engine = kind.start(circuit, &options, Path::new("target/phasecube"))?;
    let word = |node: u32| vec![ProgramValue::Word(node)];
    let given = Values((0..engine.nodes() as u32).map(word).collect());
    let start = Instant::now();
    let symbols = program.symbols.clone();
    let mut driver = ProgramDriver::new(&mut *engine, circuit, Some(&given), symbols);
    let control = RunControl {
        limit: superframes,
        ..RunControl::to_end(circuit.schedule().period().into(), None)
    };
    let stats = drive(&mut driver, control)?;
    Ok((stats, start.elapsed().as_secs_f64()))
}

/// Model of the processor.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    let model = line.and_then(|line| line.split_once(": "));
    model.map_or("unknown processor", |(_, model)| model).into()
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, default: u64| {
        words
            .get(place)
            .map_or(Ok(default), |word| word.parse::<u64>())
    };
    let (dims, superframes) = (number(0, 12)? as u32, number(1, 20)?);
    let cube = Hypercube::new(dims.into())?;
    let (tools, builds) = (Toolchain::open()?, Path::new("target/phasecube"));
    println!(
        "phasecube {}, {} nodes, one thread, {}",
        env!("CARGO_PKG_VERSION"),
        1u32 << dims,
        processor()
    );
    println!("| program | messages | million clock cycles | superframes | lockstep, s | functional, s | times |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: |");
    for (name, messages) in PROGRAMS {
        let program = Firmware::open(name, NodeKind::CUBE, &tools, builds)?;
        let circuit = CubeCircuit::new(cube, 4, true).ok_or("the cube has no nodes")?;
        let circuit = circuit.with_program(&program);
        let service = circuit.timing().with_work().service;
        let circuit = circuit
            .with_service(service)
            .with_guard(program.guard_limits());
        let (wanted, slow) = run(EngineKind::Lockstep, &circuit, &program, superframes)?;
        let (found, fast) = run(EngineKind::Functional, &circuit, &program, superframes)?;
        if found != wanted {
            return Err(format!("{name}: the engines differ").into());
        }
        println!(
            "| `{name}` | {messages} | {:.1} | {} | {slow:.1} | {fast:.2} | {:.0} |",
            found.clock_cycles as f64 / 1e6,
            found.periods,
            slow / fast
        );
    }
    println!("Both engines had the same results, counts of frames and clock cycles.");
    Ok(())
}
