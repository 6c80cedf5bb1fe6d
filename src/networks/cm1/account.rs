//! Statistics of a CM-1 run, in the terms common to all networks.

use super::Cm1Run;
use crate::counted::counted;
use crate::machine::{percent, ratio, Account, Entry, Fate};
use crate::rtl::cm1::{MessageFormat, PetitPlan};
use crate::topology::Hypercube;

impl Cm1Run {
    /// Returns `hops` as a share of all possible hops: one for each wire, direction and petit cycle
    /// up to the last movement. Returns `None` if nothing moved.
    pub fn share_of_wires(&self, format: MessageFormat, hops: u64) -> Option<f64> {
        let cube = Hypercube::new(format.dims.into()).expect("a machine's dimensions");
        ratio(hops, self.petit_cycles_used * 2 * cube.link_count() as u64)
    }

    /// Converts the run into the statistics common to all networks. With `sound`, the machine has
    /// no faults, and every lost message counts as unexcused.
    pub fn account(self, plan: PetitPlan, sound: bool) -> Account {
        let format = plan.format;
        let counters = self.counters;
        let used = |hops| self.share_of_wires(format, hops);
        let (all, productive) = (used(counters.hops), used(counters.productive_hops));
        let ejector = u64::from(plan.over() - plan.exit() - format.length() + 1);
        let lines = vec![
            format!(
                "{} of {} bit-times, {} bit-times in all, and {ejector} in the ejector",
                counted(self.petit_cycles, "petit cycle"),
                plan.period,
                self.heart_bit_times
            ),
            format!(
                "{}, {} productive and {} in desperation; wires used {}, {} productively",
                counted(counters.hops, "hop"),
                counters.productive_hops,
                counters.desperation_hops,
                percent(all),
                percent(productive)
            ),
        ];
        let lost = self.fates.iter();
        let lost = lost
            .filter(|fate| matches!(fate, Fate::Lost { .. }))
            .count() as u64;
        Account {
            hops: counters.hops,
            duplicated: counters.duplicated,
            undetected: counters.undetected,
            mixed: counters.collisions,
            unexcused: if sound { lost } else { 0 },
            periods: self.petit_cycles,
            bit_times: self.heart_bit_times,
            wire_utilisation: all,
            entries: vec![
                Entry::new("productive_hops", counters.productive_hops),
                Entry::new("desperation_hops", counters.desperation_hops),
                // The CM-1 has no superframes, and no answers on its wires.
                Entry::new("superframes", ()),
                Entry::new("link", ()),
                Entry::new("petit_cycles", self.petit_cycles),
                Entry::new("petit_period", plan.period),
                Entry::new("ejector_bit_times", ejector),
                Entry::new("wire_utilisation_productive", productive),
                Entry::new("retries", 0),
                Entry::count(
                    "refused",
                    counters.refused,
                    "offers of processors that had to wait",
                ),
                Entry::new("late", 0),
                Entry::new("slips", 0),
                Entry::count(
                    "collisions",
                    counters.collisions,
                    "messages ORed onto another one",
                ),
                Entry::count(
                    "timeouts",
                    counters.timeouts,
                    "times that the router was emptied by the timeout",
                ),
                Entry::count(
                    "parity_errors",
                    counters.parity_errors,
                    "messages with wrong parity, flagged",
                ),
            ],
            lines,
            fates: self.fates,
            ..Account::default()
        }
    }
}
