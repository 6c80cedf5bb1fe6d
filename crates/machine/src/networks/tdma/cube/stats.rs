//! Statistics of a run of the cube, in phases and superframes, and in the terms common to all
//! networks.

use super::{CubeFaults, CubeRun};
use crate::format_count::format_count;
use crate::networks::tdma::PhaseTiming;
use crate::{format_percent, ratio, Delivery, JsonEntry, RunStats};
use interconnect::routing::tdma::{PhaseSchedule, Routing};
use interconnect::routing::Schedule;
use interconnect::traffic::MessageList;

impl CubeRun {
    /// Returns the phases that had begun at the last hop. A delivered message arrived by a hop.
    fn phases_used(&self) -> u64 {
        self.last_hop.map_or(0, |t| u64::from(t) + 1)
    }

    /// Returns the pairs of phases that had begun at the last hop.
    pub fn pairs(&self) -> u64 {
        self.phases_used().div_ceil(2)
    }

    /// Returns the superframes, or rounds of a programmed order, that had begun at the last hop.
    pub fn superframes(&self, schedule: &PhaseSchedule) -> u64 {
        schedule.superframes(self.phases_used())
    }

    /// Returns the number of messages that were lost or dropped although no node on their route is
    /// dead.
    ///
    /// With adaptive routing the route is not known in advance. A message may be sent to any dead
    /// node, also in desperation, before the link is known to be down. Its fate is then unknown. A
    /// message is dropped when all nodes nearer to its destination are dead: the destination
    /// itself, or several nodes.
    pub fn needless_losses(
        &self,
        schedule: &PhaseSchedule,
        routing: Routing,
        messages: &MessageList,
        disturbance: &CubeFaults,
    ) -> u64 {
        let dead = &disturbance.dead;
        let is_dead = |node: u32| dead.iter().any(|d| d.node == node);
        let needless = |(place, fate): &(usize, &Delivery)| {
            use Delivery::{Lost, Undelivered, Unknown};
            let message = messages.get(*place);
            let [source, destination] = [message.source, message.destination];
            let excused = match routing {
                Routing::ECube => schedule.route_includes(source, destination, is_dead),
                Routing::Adaptive => match fate {
                    Unknown => !dead.is_empty(),
                    _ => is_dead(source) || is_dead(destination) || dead.len() > 1,
                },
            };
            matches!(fate, Lost { .. } | Undelivered | Unknown) && !excused
        };
        self.deliveries.iter().enumerate().filter(needless).count() as u64
    }

    /// Returns the superframes of a programmed order that had begun at the last hop. `None` if the
    /// order has no superframes.
    fn superframes_begun(&self, schedule: &PhaseSchedule) -> Option<u64> {
        let links = u64::from(schedule.shape().links());
        let in_superframes = schedule.consists_of_superframes();
        in_superframes.then(|| self.pairs().div_ceil(links))
    }

    /// Returns the hops as a share of all possible hops in the superframes that had begun at the
    /// last hop. An order without superframes is measured by its pairs of phases. Returns `None`
    /// without a hop.
    pub fn wire_utilisation(&self, schedule: &PhaseSchedule) -> Option<f64> {
        let all = self.superframes(schedule) * u64::from(schedule.period());
        let phases = match (schedule.order(), self.superframes_begun(schedule)) {
            (None, _) => all,
            // An order may end before the end of its last superframe.
            (_, Some(begun)) => all.min(begun * 2 * u64::from(schedule.shape().links())),
            (_, None) => 2 * self.pairs(),
        };
        ratio(
            self.counters.hops,
            phases * u64::from(schedule.shape().nodes() / 2),
        )
    }

    /// Converts the run into the statistics common to all networks. With `disturbance`, a message
    /// that is lost although no node on its route is dead counts as unexcused. `None` means that
    /// the machine may lose messages.
    pub fn run_stats(
        self,
        schedule: &PhaseSchedule,
        routing: Routing,
        timing: PhaseTiming,
        messages: &MessageList,
        disturbance: Option<&CubeFaults>,
    ) -> RunStats {
        let superframes = self.superframes(schedule);
        let (length, figures) = match schedule.order() {
            None => (
                format_count(superframes, "superframe"),
                vec![JsonEntry::new("superframes", superframes)],
            ),
            // An order is as long as its messages need, so pairs are more informative than rounds.
            Some(order) => {
                let (pairs, begun) = (self.pairs(), self.superframes_begun(schedule));
                let begun_text = begun.map(|begun| format_count(begun, "superframe") + ", ");
                (
                    format!(
                        "{}{} in an order of {}, {} with a NAK",
                        begun_text.unwrap_or_default(),
                        format_count(pairs, "phase pair"),
                        order.len(),
                        format_count(self.counters.naks, "frame")
                    ),
                    vec![
                        JsonEntry::new("superframes", begun),
                        JsonEntry::new("phase_pairs", pairs),
                    ],
                )
            }
        };
        let bit_times = self.phases * u64::from(timing.bit_times());
        let wire_utilisation = self.wire_utilisation(schedule);
        let needless = |disturbance| self.needless_losses(schedule, routing, messages, disturbance);
        let unexcused = disturbance.map_or(0, needless);
        let counters = self.counters;
        let hops = counters.hops;
        let line = format!(
            "{length}, {}, {} clock cycles, {bit_times} bit-times; \
             wires used {}",
            format_count(hops, "hop"),
            self.clock_cycles,
            format_percent(wire_utilisation)
        );
        RunStats {
            deliveries: self.deliveries,
            hops,
            duplicated: counters.duplicated,
            undetected: counters.undetected,
            mixed: 0,
            unexcused,
            periods: superframes,
            bit_times,
            wire_utilisation,
            entries: [
                figures,
                vec![
                    JsonEntry::count("refused", counters.naks, "frames with a NAK (full buffer)"),
                    JsonEntry::count("silences", counters.timeouts, "frames with a timeout"),
                    JsonEntry::count("retries", counters.retries, "frames sent again"),
                    JsonEntry::count(
                        "late",
                        counters.late,
                        "phases in which a node missed its deadline",
                    ),
                    JsonEntry::count("slips", self.slips, "slips of a node"),
                    JsonEntry::count(
                        "clashes",
                        self.clashes,
                        "bit-times in which both ends drove a wire",
                    ),
                ],
            ]
            .concat(),
            summary_lines: vec![line],
            traps: self.traps,
            events: self.events,
            notes: self.notes,
            held_messages: vec![],
            programs: None,
        }
    }
}
