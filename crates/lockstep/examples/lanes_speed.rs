//! Measures the speed of lanes in node-cycles per second, at different numbers of lanes. Each lane
//! holds a small processor with its program, its memory and a serial link.
//!
//!     cargo run --release -p lockstep-rtl --example lanes_speed [seconds per line]
//!
//! The program is random and branches on data, so the lanes soon execute different instructions.

#[path = "lanes_speed/processor.rs"]
mod processor;

use lockstep::lanes::{
    Backend, InputSource, LaneMachine, LaneMap, LaneOptions, LaneWiring, LanesError,
};
use lockstep::netlist::Netlist;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() -> Result<(), LanesError> {
    let seconds = std::env::args().nth(1).and_then(|arg| arg.parse().ok());
    let time = Duration::from_secs_f64(seconds.unwrap_or(0.5));
    let netlist = Arc::new(processor::netlist());
    println!("lanes backend threads    start  node-cycles/s");
    for lanes in [64, 256, 1024, 4096] {
        for backend in [Backend::Tape, Backend::Avx2, Backend::Avx512] {
            for threads in [1, 2] {
                if backend.is_available() {
                    measure(&netlist, lanes, backend, threads, time)?;
                }
            }
        }
    }
    Ok(())
}

fn measure(
    netlist: &Arc<Netlist>,
    lanes: usize,
    backend: Backend,
    threads: usize,
    time: Duration,
) -> Result<(), LanesError> {
    let mut wiring = LaneWiring::new();
    wiring.port("number", InputSource::LaneNumber);
    wiring.port("rx", InputSource::linked("tx", 0, LaneMap::Xor(1)));
    let options = LaneOptions {
        backend,
        threads,
        ..LaneOptions::default()
    };
    let start = Instant::now();
    let mut machine = LaneMachine::new(netlist.clone(), lanes, &wiring, &options)?;
    let built = start.elapsed();
    machine.clocks(1_000);
    let (start, mut clock_cycles) = (Instant::now(), 0);
    while start.elapsed() < time {
        machine.clocks(500);
        clock_cycles += 500;
    }
    let rate = (clock_cycles * lanes as u64) as f64 / start.elapsed().as_secs_f64();
    println!(
        "{lanes:5} {:7} {threads:7} {:5.0} ms  {:8.1} million",
        format!("{backend:?}"),
        built.as_secs_f64() * 1e3,
        rate / 1e6,
    );
    Ok(())
}
