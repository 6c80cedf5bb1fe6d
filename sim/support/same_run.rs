//! Two machines of a schedule that did the same.

use phasecube::networks::tdma::cube::CubeRun;

/// The event logs, what became of the messages, and the counters are equal.
pub fn same_run(found: &CubeRun, wanted: &CubeRun, what: &str) {
    for (place, (found, wanted)) in found.events.iter().zip(&wanted.events).enumerate() {
        assert_eq!(found, wanted, "{what}, line {place}");
    }
    assert_eq!(found.events.len(), wanted.events.len(), "{what}");
    assert_eq!(found.fates, wanted.fates, "{what}");
    assert_eq!(found.counters, wanted.counters, "{what}");
}
