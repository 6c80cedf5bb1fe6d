//! Statistics of a CM-1 run, in the terms common to all networks.

use super::Cm1Run;
use crate::format_count::format_count;
use crate::{format_percent, ratio, Delivery, JsonEntry, RunStats};
use interconnect::topology::Hypercube;
use rtl::cm1::{MessageFormat, PetitPlan};

impl Cm1Run {
    /// Returns `hops` as a share of all possible hops: one for each wire, direction and petit cycle
    /// up to the last movement. Returns `None` if nothing moved.
    pub fn wire_utilisation(&self, format: MessageFormat, hops: u64) -> Option<f64> {
        let cube = Hypercube::new(format.dims.into()).expect("a machine's dimensions");
        ratio(hops, self.petit_cycles_used * 2 * cube.link_count() as u64)
    }

    /// Converts the run into the statistics common to all networks. With `sound`, the machine has
    /// no faults, and every lost message counts as unexcused.
    pub fn run_stats(self, plan: PetitPlan, sound: bool) -> RunStats {
        let format = plan.format;
        let counters = self.counters;
        let used = |hops| self.wire_utilisation(format, hops);
        let (all, productive) = (used(counters.hops), used(counters.productive_hops));
        let ejector = u64::from(plan.over() - plan.exit() - format.length() + 1);
        let lines = vec![
            format!(
                "{} of {} bit-times, {} bit-times in all, and {ejector} in the ejector",
                format_count(self.petit_cycles, "petit cycle"),
                plan.period,
                self.heart_bit_times
            ),
            format!(
                "{}, {} productive and {} in desperation; wires used {}, {} productively",
                format_count(counters.hops, "hop"),
                counters.productive_hops,
                counters.desperation_hops,
                format_percent(all),
                format_percent(productive)
            ),
        ];
        let lost = self.deliveries.iter();
        let lost = lost
            .filter(|fate| matches!(fate, Delivery::Lost { .. }))
            .count() as u64;
        RunStats {
            hops: counters.hops,
            duplicated: counters.duplicated,
            undetected: counters.undetected,
            mixed: counters.collisions,
            unexcused: if sound { lost } else { 0 },
            periods: self.petit_cycles,
            bit_times: self.heart_bit_times,
            wire_utilisation: all,
            entries: vec![
                JsonEntry::new("productive_hops", counters.productive_hops),
                JsonEntry::new("desperation_hops", counters.desperation_hops),
                // The CM-1 has no superframes, and no answers on its wires.
                JsonEntry::new("superframes", ()),
                JsonEntry::new("link", ()),
                JsonEntry::new("petit_cycles", self.petit_cycles),
                JsonEntry::new("petit_period", plan.period),
                JsonEntry::new("ejector_bit_times", ejector),
                JsonEntry::new("wire_utilisation_productive", productive),
                JsonEntry::new("retries", 0),
                JsonEntry::count(
                    "refused",
                    counters.refused,
                    "offers of processors that had to wait",
                ),
                JsonEntry::new("late", 0),
                JsonEntry::new("slips", 0),
                JsonEntry::count(
                    "collisions",
                    counters.collisions,
                    "messages ORed onto another one",
                ),
                JsonEntry::count(
                    "timeouts",
                    counters.timeouts,
                    "timeouts that emptied the router",
                ),
                JsonEntry::count(
                    "parity_errors",
                    counters.parity_errors,
                    "messages with wrong parity, flagged",
                ),
            ],
            summary_lines: lines,
            deliveries: self.deliveries,
            ..RunStats::default()
        }
    }
}
