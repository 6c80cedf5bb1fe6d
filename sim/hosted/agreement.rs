//! Reference, evaluator and Verilator agree on every output of the machine in every clock cycle of
//! its start, while the host runs, sends and receives.

use crate::hosted::board::circuit;
use crate::support::whole_runs;
use phasecube::engine::CircuitEngine;
use phasecube::networks::tdma::hosted::Terminal;
use phasecube::report::OutputProbe;
use phasecube::rtl::hosted::HOST_CLOCKS;

const CLOCK_CYCLES: u32 = 4_000;

fn run(engine: &mut dyn CircuitEngine) -> whole_runs::OutputTrace {
    let mut probe = OutputProbe::new(engine);
    let mut terminal = Terminal::new(HOST_CLOCKS);
    terminal.send("complement 7\n");
    let rx = probe.port("rx");
    for _ in 0..CLOCK_CYCLES {
        probe.set_u64(rx, terminal.level().into());
        probe.settle().unwrap();
        probe.clock().unwrap();
    }
    probe.into_trace()
}

#[test]
#[ignore = "thorough: long runs"]
fn at_the_start() {
    let outputs = whole_runs::agree(circuit(3).observed(), run);
    // The board sends, and the core reads and writes.
    let (names, trace) = &outputs;
    for wanted in ["tx", "device_offset", "device_write", "device_write_data"] {
        let place = names.iter().position(|name| name == wanted).unwrap();
        assert!(
            trace.iter().any(|cycle| cycle[place] != trace[0][place]),
            "{wanted}"
        );
    }
}
