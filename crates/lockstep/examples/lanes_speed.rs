//! Counts the instructions of each backend, and measures the speed of lanes in node-cycles per
//! second at different numbers of lanes. Each lane holds a small processor with its program, its
//! memory and a serial link.
//!
//!     cargo run --release -p lockstep-rtl --example lanes_speed [seconds per line [lanes [backend]]]
//!
//! The program is random and branches on data, so the lanes soon execute different instructions. The
//! instructions are those of a clock cycle in which nothing is skipped. They are counted for all
//! backends, also for those of other processors.

#[path = "lanes_speed/processor.rs"]
mod processor;

use lockstep::lanes::{
    Backend, InputSource, InstructionCounts, LaneMachine, LaneMap, LaneOptions, LaneWiring,
    LanesError,
};
use lockstep::netlist::Netlist;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() -> Result<(), LanesError> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let seconds = args.first().and_then(|arg| arg.parse().ok());
    let time = Duration::from_secs_f64(seconds.unwrap_or(0.5));
    let is_wanted =
        |position: usize, what: String| args.get(position).is_none_or(|arg| *arg == what);
    let netlist = Arc::new(processor::netlist());
    count(&netlist)?;
    println!("lanes backend  threads    start  node-cycles/s");
    for lanes in [64, 256, 1024, 4096] {
        let wanted = Backend::ALL.into_iter().filter(|backend| {
            backend.is_available()
                && is_wanted(1, lanes.to_string())
                && is_wanted(2, format!("{backend:?}"))
        });
        for backend in wanted {
            for threads in [1, 2] {
                measure(&netlist, lanes, backend, threads, time)?;
            }
        }
    }
    Ok(())
}

fn wiring() -> LaneWiring {
    let mut wiring = LaneWiring::new();
    wiring.port("number", InputSource::LaneNumber);
    wiring.port("rx", InputSource::linked("tx", 0, LaneMap::Xor(1)));
    wiring
}

/// Prints the instructions of a clock cycle.
fn count(netlist: &Netlist) -> Result<(), LanesError> {
    println!("backend  lanes logic in memory loads stores moves   all  bytes jumps");
    for backend in Backend::ALL {
        let options = LaneOptions { backend, ..LaneOptions::default() };
        let counts = InstructionCounts::of(netlist, 4096, &wiring(), &options)?;
        println!(
            "{:8} {:5} {:5} {:9} {:5} {:6} {:5} {:5} {:6} {:5}",
            format!("{backend:?}"),
            counts.lanes,
            counts.logic,
            counts.memory_operands,
            counts.loads,
            counts.stores,
            counts.moves,
            counts.all(),
            counts.bytes,
            counts.jumps,
        );
    }
    println!();
    Ok(())
}

fn measure(
    netlist: &Arc<Netlist>,
    lanes: usize,
    backend: Backend,
    threads: usize,
    time: Duration,
) -> Result<(), LanesError> {
    let options = LaneOptions { backend, threads, ..LaneOptions::default() };
    let start = Instant::now();
    let mut machine = LaneMachine::new(netlist.clone(), lanes, &wiring(), &options)?;
    let built = start.elapsed();
    machine.clocks(1_000);
    let (start, mut clock_cycles) = (Instant::now(), 0);
    while start.elapsed() < time {
        machine.clocks(500);
        clock_cycles += 500;
    }
    let rate = (clock_cycles * lanes as u64) as f64 / start.elapsed().as_secs_f64();
    println!(
        "{lanes:5} {:8} {threads:7} {:5.0} ms  {:8.1} million",
        format!("{backend:?}"),
        built.as_secs_f64() * 1e3,
        rate / 1e6,
    );
    Ok(())
}
