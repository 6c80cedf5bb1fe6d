//! Compares two machines with a schedule.

use crate::support::cube_runs::counts;
use phasecube::machine::RunStats;

/// Checks that event logs, results of messages and counters are equal.
pub fn same_run(found: &RunStats, wanted: &RunStats, what: &str) {
    for (place, (found, wanted)) in found.events.iter().zip(&wanted.events).enumerate() {
        assert_eq!(found, wanted, "{what}, line {place}");
    }
    assert_eq!(found.events.len(), wanted.events.len(), "{what}");
    assert_eq!(found.deliveries, wanted.deliveries, "{what}");
    assert_eq!(counts(found), counts(wanted), "{what}");
}
