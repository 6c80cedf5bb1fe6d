//! Measures the functional engine against lockstep: both run the same programs in one go, and must
//! send the same frames. Prints a table of docs/speed.md:
//!
//! ```text
//! cargo run --release --example functional_speed -- 12 40
//! ```
//!
//! The arguments are the dimensions of the cube, and the number of superframes.

use lockstep::lanes::LaneOptions;
use phasecube::machine::{drive_for, EngineKind};
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
    ("all_reduce", "exchanges of all nodes in three superframes"),
    ("total_exchange", "each wire busy in each phase"),
];

/// Frames that neighbours accepted, and programs that ended.
type Progress = (u64, u64);

/// Runs the program in an engine for these clock cycles, with one thread. Returns the progress and
/// the seconds.
fn run(
    kind: EngineKind,
    circuit: &CubeCircuit,
    program: &Firmware,
    clock_cycles: u64,
) -> Result<(Progress, f64), Box<dyn Error>> {
    let options = LaneOptions { threads: 1, ..LaneOptions::default() };
    let mut engine = kind.start(circuit, &options, Path::new("target/phasecube"))?;
    let word = |node: u32| vec![ProgramValue::Word(node)];
    let given = Values((0..engine.nodes() as u32).map(word).collect());
    let start = Instant::now();
    let symbols = program.symbols.clone();
    let mut driver = ProgramDriver::new(&mut *engine, circuit, Some(&given), symbols);
    drive_for(&mut driver, clock_cycles)?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(((driver.hops(), driver.ended()), seconds))
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
        words.get(place).map_or(Ok(default), |word| word.parse::<u64>())
    };
    let (dims, superframes) = (number(0, 12)? as u32, number(1, 40)?);
    let cube = Hypercube::new(dims.into())?;
    let (tools, builds) = (Toolchain::open()?, Path::new("target/phasecube"));
    println!(
        "phasecube {}, {} nodes, one thread, {}",
        env!("CARGO_PKG_VERSION"),
        1u32 << dims,
        processor()
    );
    println!("| program | messages | million clock cycles | frames | lockstep, s | functional, s | times |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: |");
    for (name, messages) in PROGRAMS {
        let program = Firmware::open(name, NodeKind::CUBE, &tools, builds)?;
        let circuit = CubeCircuit::new(cube, 4, true).ok_or("the cube has no nodes")?;
        let circuit = circuit.with_program(&program);
        let service = circuit.timing().with_work().service;
        let circuit = circuit.with_service(service).with_guard(program.guard_limits());
        let phases = superframes * u64::from(circuit.schedule().period());
        let clock_cycles = phases * u64::from(circuit.timing().clock_cycles());
        let (wanted, slow) = run(EngineKind::Lockstep, &circuit, &program, clock_cycles)?;
        let (found, fast) = run(EngineKind::Functional, &circuit, &program, clock_cycles)?;
        if found != wanted {
            return Err(format!("{name}: the engines differ").into());
        }
        println!(
            "| `{name}` | {messages} | {:.1} | {} | {slow:.1} | {fast:.2} | {:.0} |",
            clock_cycles as f64 / 1e6,
            found.0,
            slow / fast
        );
    }
    println!(
        "Both engines ran {superframes} superframes, with the same frames and ended programs."
    );
    Ok(())
}
