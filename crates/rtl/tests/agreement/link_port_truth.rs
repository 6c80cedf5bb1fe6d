//! A link port shows the schedule of its sequencer, which `phase_sequencer_truth` checks.

use crate::agreement::engines;
use crate::agreement::ports::{put, see};
use crate::agreement::scripts::schedule;
use interconnect::traffic::SplitMix64;
use rtl::tdma::{LinkPort, PhaseSequencer};
use std::collections::BTreeSet;

#[test]
fn a_link_port_is_muted_with_its_sequencer() {
    const ADDRESS: u64 = 5;
    let mut port = engines::evaluator(&LinkPort::<3, 8>::default());
    let mut sequencer = engines::evaluator(&PhaseSequencer::<3>::default());
    put(&mut *port, "address", ADDRESS);
    put(&mut *port, "level", 7);
    put(&mut *sequencer, "sides", ADDRESS);
    let mut wires = schedule(6, &[3, 40]);
    let mut random = SplitMix64::new(6);
    let mut seen = BTreeSet::new();
    for cycle in 0..20_000 {
        let [phase_clock, sync] = wires(&mut random)[..] else {
            panic!("a schedule has two wires");
        };
        for engine in [&mut *port, &mut *sequencer] {
            put(engine, "phase_clock", phase_clock);
            put(engine, "sync", sync);
            engine.settle().unwrap();
        }
        let outputs = ["begin", "phase", "dim", "transmit", "muted", "slips"];
        let shown = outputs.map(|name| see(&mut *port, name));
        let wanted = outputs.map(|name| see(&mut *sequencer, name));
        assert_eq!(shown, wanted, "clock cycle {cycle}");
        seen.insert(shown[4]);
        for engine in [&mut *port, &mut *sequencer] {
            engine.clock().unwrap();
        }
    }
    // Both in sync and out of sync.
    assert_eq!(seen.len(), 2);
}
