//! What a run of the cube took, in phases and superframes, and in the words of all
//! networks.

use super::{CubeRun, Disturbance};
use crate::machine::{Account, Entry, Fate};
use crate::networks::tdma::PhaseTiming;
use crate::routing::tdma::PhaseSchedule;
use crate::routing::Schedule;
use crate::topology::Metacube;
use crate::traffic::MessageList;

impl CubeRun {
    /// Superframes that had begun when the last message was delivered.
    pub fn superframes(&self, shape: impl Into<Metacube> + Copy) -> u64 {
        let last = self.fates.iter().filter_map(|fate| fate.arrived()).max();
        let phases = last.map_or(0, |t| u64::from(t) + 1);
        PhaseSchedule::new(shape).superframes(phases)
    }

    /// Messages that were lost or given up though no node on their way is dead.
    pub fn needless_losses(
        &self,
        shape: impl Into<Metacube> + Copy,
        messages: &MessageList,
        disturbance: &Disturbance,
    ) -> u64 {
        let is_dead = |node: u32| disturbance.dead.iter().any(|d| d.node == node);
        let needless = |(place, fate): &(usize, &Fate)| {
            use Fate::{Lost, Undelivered, Unknown};
            let message = messages.get(*place);
            matches!(fate, Lost { .. } | Undelivered | Unknown)
                && !PhaseSchedule::new(shape).passes(message.source, message.destination, is_dead)
        };
        self.fates.iter().enumerate().filter(needless).count() as u64
    }

    /// Hops, over all places for one in these superframes.
    pub fn wire_utilisation(&self, shape: impl Into<Metacube> + Copy) -> f64 {
        let phases = self.superframes(shape) * u64::from(PhaseSchedule::new(shape).period());
        match phases * u64::from(shape.into().nodes() / 2) {
            0 => 0.0,
            places => self.counters.hops as f64 / places as f64,
        }
    }

    /// The same in the words of all networks.
    pub fn account(
        self,
        shape: impl Into<Metacube> + Copy,
        timing: PhaseTiming,
        messages: &MessageList,
        disturbance: &Disturbance,
    ) -> Account {
        let superframes = self.superframes(shape);
        let bit_times = self.phases * u64::from(timing.bit_times());
        let wire_utilisation = self.wire_utilisation(shape);
        let unexcused = match timing.acked {
            true => self.needless_losses(shape, messages, disturbance),
            false => 0,
        };
        let counters = self.counters;
        let hops = counters.hops;
        let line = format!(
            "{superframes} superframes, {hops} hops, {} clock cycles, {bit_times} bit-times; \
             wires used {:.1} %",
            self.clock_cycles,
            100.0 * wire_utilisation
        );
        Account {
            fates: self.fates,
            hops,
            duplicated: counters.duplicated,
            undetected: counters.undetected,
            mixed: 0,
            unexcused,
            periods: superframes,
            bit_times,
            wire_utilisation,
            entries: vec![
                Entry::new("superframes", superframes),
                Entry::count(
                    "refused",
                    counters.refused,
                    "frames refused, their register was full",
                ),
                Entry::count(
                    "silences",
                    counters.silences,
                    "frames without a proper answer",
                ),
                Entry::count("retries", counters.retries, "frames sent again"),
                Entry::count("late", counters.late, "phases in which a node was late"),
                Entry::count("slips", self.slips, "slips of a node"),
                Entry::count(
                    "clashes",
                    self.clashes,
                    "bit-times in which both ends held a wire",
                ),
            ],
            lines: vec![line],
            traps: self.traps,
            events: self.events,
            notes: self.notes,
            held: vec![],
        }
    }
}
