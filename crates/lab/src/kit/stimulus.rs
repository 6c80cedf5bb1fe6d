//! Inputs for a published circuit that runs on its own: random, with meaningful values where a port
//! needs them.

use engine::{ports, EnginePort, Stimulus};
use lockstep::design::Design;

/// Clock cycles of a run: enough for some bytes of a UART or some packets of a router.
const CLOCK_CYCLES: usize = 4_000;

/// Clock cycles of a run for a circuit with phase inputs: a few superframes.
const PHASED_CLOCK_CYCLES: usize = 16_000;

/// Half a phase, in clock cycles. A phase is long enough for a frame of 16 bytes.
const HALF_PHASE: u64 = 650;

/// Number of clock cycles in which the circuit shows its function.
pub fn clock_cycles(circuit: &Design) -> usize {
    match has_phase_inputs(&ports(circuit)) {
        true => PHASED_CLOCK_CYCLES,
        false => CLOCK_CYCLES,
    }
}

/// Inputs for these ports, which have the names of the circuit's ports. Ports with well-known names
/// get meaningful values. Nodes see phases that are long enough for a frame, keep their address,
/// and have short messages to send.
pub fn default_stimulus(circuit: &Design, ports: &[EnginePort]) -> Stimulus {
    let mut stimulus = Stimulus::new(ports, 1);
    if has_phase_inputs(ports) {
        let phases = phases(circuit);
        let mut clock_cycle = 0;
        stimulus = stimulus.script(&["phase_clock", "sync"], move |_| {
            clock_cycle += 1;
            let phase = clock_cycle / (2 * HALF_PHASE) % phases;
            vec![clock_cycle / HALF_PHASE % 2, u64::from(phase == 0)]
        });
    }
    for (name, max) in [("address", 0), ("hang", 0), ("skip", 0), ("host_data", 9)] {
        if is_input(ports, name) {
            stimulus = stimulus.at_most(name, max);
        }
    }
    stimulus
}

/// Phases of a superframe: two for each link.
fn phases(circuit: &Design) -> u64 {
    let params = &circuit.top().params;
    let links = ["LINKS", "DIMS"].iter().find_map(|name| {
        let param = params.iter().find(|param| param.name == *name)?;
        param.value.parse::<u64>().ok()
    });
    2 * links.unwrap_or(1)
}

/// True if the circuit receives phases from outside.
fn has_phase_inputs(ports: &[EnginePort]) -> bool {
    is_input(ports, "phase_clock") && is_input(ports, "sync")
}

fn is_input(ports: &[EnginePort], name: &str) -> bool {
    ports.iter().any(|port| port.input && port.name == name)
}
