//! A program that never releases the message memory. The frame engine still records the result of
//! each frame.

use crate::firmware::collectives::compiled;
use crate::firmware::{dead, run, run_hard, soft, timing};
use crate::support::cube_runs::counts;
use phasecube::machine::{Delivery, EndReason};
use phasecube::networks::tdma::cube::{CubeFaults, DeadMode};
use phasecube::routing::tdma::Routing;
use phasecube::traffic::Message;

/// A node of the 1-cube. It has one link with buffer 0, and buffer 1 is the injection buffer. The
/// program reads from the start of the answer slot to the end of the phase.
const GREEDY: &str = r#"
#include "node_port.h"
int main(void)
{
    for (;;) {
        port_wait();
        uint32_t config = port_read(PORT_PHASE_CONFIG);
        port_write(PORT_MOVE, MOVE_TAKE);
        uint32_t full = port_read(PORT_RX_STATUS), choice = 0;
        if (full & 1) {
            port_write(PORT_DIM_SELECT, 0);
            port_write(PORT_MOVE, MOVE_DELIVERED);
        }
        if (config & CONFIG_TRANSMIT && full & 2) {
            choice = DECIDE_SEND | 1;
            if (config & CONFIG_DOWN) {
                port_write(PORT_DIM_SELECT, 1);
                uint32_t why = config & CONFIG_REPEATS ? MOVE_UNKNOWN : MOVE_UNDELIVERED;
                port_write(PORT_MOVE, why | (config & CONFIG_PHASE));
                choice = 0;
            }
        }
        port_write(PORT_DECIDE, choice | DECIDE_REOPEN | (config & CONFIG_PHASE));
        port_wait();
        while (!((port_read(PORT_PHASE_CONFIG) ^ config) & CONFIG_PHASE)) {
            port_write(PORT_DIM_SELECT, 1);
            (void)port_read(PORT_RX_DATA);
        }
    }
}
"#;

fn messages() -> Vec<Message> {
    let message = |number: u32| Message {
        source: number % 2,
        destination: 1 - number % 2,
        payload: vec![number as u8; crate::firmware::PAYLOAD],
    };
    (0..12).map(message).collect()
}

/// Returns the results of the messages, and the number of timeouts.
fn runs(disturbance: CubeFaults) -> (Vec<Delivery>, u64) {
    let mut timing = timing(1);
    timing.service = 60;
    let mut engine = soft::<1>(&compiled("greedy", GREEDY), timing);
    let greedy = run::<1>(&mut engine, timing, Routing::ECube, disturbance.clone(), &messages());
    let hard = run_hard::<1>(disturbance, &messages());
    assert_eq!((greedy.end, greedy.figure("late")), (EndReason::Complete, 0));
    assert_eq!(greedy.deliveries, hard.deliveries);
    assert_eq!(counts(&greedy), counts(&hard));
    let timeouts = greedy.figure("silences");
    (greedy.deliveries, timeouts)
}

#[test]
#[ignore = "thorough: compiles firmware"]
fn every_frame_is_accounted_for() {
    let (deliveries, timeouts) = runs(CubeFaults::default());
    assert!(deliveries.iter().all(crate::firmware::is_delivered));
    assert_eq!(timeouts, 0);
}

/// The link goes down after exactly 64 timeouts in each direction.
#[test]
#[ignore = "thorough: compiles firmware"]
fn timeouts_are_counted() {
    let (_, timeouts) = runs(dead(1, DeadMode::Silent));
    assert_eq!(timeouts, 128);
}
