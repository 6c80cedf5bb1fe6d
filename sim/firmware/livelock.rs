//! A program under which messages move forever. The run ends and reports the livelock.

use crate::firmware::collectives::compiled;
use crate::firmware::{cube, soft, timing};
use crate::support::cube_runs;
use phasecube::machine::{Delivery, EndReason, RunControl};
use phasecube::networks::tdma::cube::CubeFaults;
use phasecube::traffic::Message;

/// A node of the 1-cube that delivers nothing. It returns the message received over its link
/// (buffer 0), or else sends the host's message (buffer 1).
const SENDS_BACK: &str = r#"
#include "node_port.h"
int main(void)
{
    for (;;) {
        port_wait();
        uint32_t config = port_read(PORT_PHASE_CONFIG);
        port_write(PORT_MOVE, MOVE_TAKE);
        uint32_t full = port_read(PORT_RX_STATUS), choice = 0;
        if (config & CONFIG_TRANSMIT && full)
            choice = DECIDE_SEND | !(full & 1);
        port_write(PORT_DECIDE, choice | (config & CONFIG_PHASE));
    }
}
"#;

#[test]
#[ignore = "thorough: compiles firmware"]
fn livelock_is_reported() {
    let timing = timing(1);
    let mut engine = soft::<1>(&compiled("sends_back", SENDS_BACK), timing);
    let circuit = cube_runs::circuit(cube(1), timing);
    let control = RunControl {
        deadlock_after: Some(3),
        // A failing test would never end if there were no limit.
        ..cube_runs::limit(&circuit, 1000)
    };
    let message = Message { source: 0, destination: 1, payload: vec![7; crate::firmware::PAYLOAD] };
    let (faults, load) = (CubeFaults::default(), cube_runs::load(&[message]));
    let run = cube_runs::run_load(&mut engine, &circuit, &faults, &load, control);
    assert_eq!(run.end, EndReason::Livelock { periods: 48 });
    assert_eq!(run.deliveries, [Delivery::UnderWay]);
    // One hop in each direction in each superframe.
    assert!((96..=100).contains(&run.hops), "{}", run.hops);
}
