//! Results of a run of the TDMA cube.

use super::driver::CubeDriver;
use super::faults::CubeFaults;
use super::ledger::CubeLedger;
use crate::text::format_count;
use crate::{format_percent, ratio, Delivery, JsonEntry, LocatedTrap, RunStats, Trap};
use interconnect::routing::tdma::{PhaseSchedule, Routing};
use interconnect::routing::Schedule;

/// Superframes, or rounds of a programmed order, without a movement after which no further movement
/// is possible. A link may wait for 64 timeouts, with at least one in a superframe. Before that it
/// may wait for the 64 phases after which a node that does not decide becomes silent. Both may
/// happen once more behind a message that was dropped.
pub const DEADLOCK_AFTER: u64 = 192;

/// Returns the phases in which a node may send by each link, in the first `phases` phases of a run. A
/// link is open to each of its ends in one phase of a pair.
pub(super) fn send_phases(schedule: &PhaseSchedule, phases: u64) -> Vec<u64> {
    let period = u64::from(schedule.period());
    let open_in = |phases: u64, link| {
        let open = (0..phases as u32).filter(|phase| schedule.link(*phase) == link);
        open.count() as u64
    };
    let links = 0..schedule.shape().links();
    let of_link = |link| phases / period * open_in(period, link) + open_in(phases % period, link);
    links.map(|link| of_link(link) / 2).collect()
}

impl CubeLedger {
    /// Returns the phases that had begun at the last hop. A delivered message arrived by a hop.
    fn phases_used(&self) -> u64 {
        self.last_hop.map_or(0, |t| u64::from(t) + 1)
    }

    /// Returns the pairs of phases that had begun at the last hop.
    fn pairs(&self) -> u64 {
        self.phases_used().div_ceil(2)
    }

    /// Returns the superframes, or rounds of a programmed order, that had begun at the last hop.
    fn superframes(&self, schedule: &PhaseSchedule) -> u64 {
        schedule.superframes(self.phases_used())
    }

    /// Returns the number of messages that were lost or dropped although no node on their route is
    /// dead.
    ///
    /// With adaptive routing the route is not known in advance. A message may be sent to any dead
    /// node, also in desperation, before the link is known to be down. Its fate is then unknown. A
    /// message is dropped when all nodes nearer to its destination are dead: the destination
    /// itself, or several nodes.
    fn needless_losses(
        &self,
        schedule: &PhaseSchedule,
        routing: Routing,
        disturbance: &CubeFaults,
    ) -> u64 {
        let dead = &disturbance.dead;
        let is_dead = |node: u32| dead.iter().any(|d| d.node == node);
        let needless = |(place, delivery): &(usize, &Delivery)| {
            use Delivery::{Lost, Undelivered, Unknown};
            let message = self.messages.get(*place);
            let [source, destination] = [message.source, message.destination];
            let excused = match routing {
                Routing::ECube => schedule.route_includes(source, destination, is_dead),
                Routing::Adaptive => match delivery {
                    Unknown => !dead.is_empty(),
                    _ => is_dead(source) || is_dead(destination) || dead.len() > 1,
                },
            };
            matches!(delivery, Lost { .. } | Undelivered | Unknown) && !excused
        };
        self.stats.deliveries.iter().enumerate().filter(needless).count() as u64
    }

    /// Returns the superframes of a programmed order that had begun at the last hop. `None` if the
    /// order has no superframes.
    fn superframes_begun(&self, schedule: &PhaseSchedule) -> Option<u64> {
        let links = u64::from(schedule.shape().links());
        let in_superframes = schedule.consists_of_superframes();
        in_superframes.then(|| self.pairs().div_ceil(links))
    }

    /// Returns the hops as a share of all possible hops in the superframes that had begun at the
    /// last hop. Returns `None` without a hop.
    fn wire_utilisation(&self, schedule: &PhaseSchedule) -> Option<f64> {
        let nodes = u64::from(schedule.shape().nodes());
        ratio(self.channels.total(), self.phases_measured(schedule) * (nodes / 2))
    }

    /// Returns the phases of the superframes that had begun at the last hop. An order without
    /// superframes is measured by its pairs of phases.
    fn phases_measured(&self, schedule: &PhaseSchedule) -> u64 {
        let all = self.superframes(schedule) * u64::from(schedule.period());
        match (schedule.order(), self.superframes_begun(schedule)) {
            (None, _) => all,
            // An order may end before the end of its last superframe.
            (_, Some(begun)) => all.min(begun * 2 * u64::from(schedule.shape().links())),
            (_, None) => 2 * self.pairs(),
        }
    }

    /// Returns the length of the run as text, and as figures.
    fn length(&self, schedule: &PhaseSchedule) -> (String, Vec<JsonEntry>) {
        let superframes = self.superframes(schedule);
        let Some(order) = schedule.order() else {
            return (
                format_count(superframes, "superframe"),
                vec![JsonEntry::new("superframes", superframes)],
            );
        };
        // An order is as long as its messages need, so pairs are more informative than rounds.
        let (pairs, begun) = (self.pairs(), self.superframes_begun(schedule));
        let begun_text = begun.map(|begun| format_count(begun, "superframe") + ", ");
        (
            format!(
                "{}{} in an order of {}, {} with a NAK",
                begun_text.unwrap_or_default(),
                format_count(pairs, "phase pair"),
                order.len(),
                format_count(self.frames.naks, "frame")
            ),
            vec![JsonEntry::new("superframes", begun), JsonEntry::new("phase_pairs", pairs)],
        )
    }
}

impl CubeDriver<'_> {
    /// Returns the results of the run, which is over.
    pub(super) fn stats(&mut self, slips: u64, traps: Vec<Trap>) -> RunStats {
        let (schedule, timing) = (self.circuit.schedule(), self.circuit.timing());
        let (ledger, clashes) = (&mut self.ledger, self.clashes);
        // A compiled schedule loses messages only if the machine has faults.
        let keeps = match self.circuit.programs() {
            Some(_) => self.injector.faults.is_none(),
            None => timing.acked,
        };
        let unexcused = match keeps {
            true => ledger.needless_losses(schedule, self.circuit.routing(), &self.injector.faults),
            false => 0,
        };
        let (length, figures) = ledger.length(schedule);
        let bit_times = self.phases_begun.saturating_sub(1) * u64::from(timing.bit_times());
        let wire_utilisation = ledger.wire_utilisation(schedule);
        let channels = ledger.channels.clone();
        let channels = channels.with_slots(send_phases(schedule, ledger.phases_measured(schedule)));
        let (frames, hops) = (ledger.frames, channels.total());
        let line = format!(
            "{length}, {}, {} clock cycles, {bit_times} bit-times; wires used {}",
            format_count(hops, "hop"),
            self.clock_cycles,
            format_percent(wire_utilisation)
        );
        let counts = [
            ("refused", frames.naks, "frames with a NAK (full buffer)"),
            ("silences", frames.timeouts, "frames with a timeout"),
            ("retries", frames.retries, "frames sent again"),
            (
                "late",
                frames.missed_deadlines,
                "phases in which a node missed its deadline (--service gives programs more time)",
            ),
            ("slips", slips, "slips of a node"),
            ("clashes", clashes, "bit-times in which both ends drove a wire"),
        ];
        let counts = counts.map(|(key, count, words)| JsonEntry::count(key, count, words));
        RunStats {
            hops,
            unexcused,
            periods: ledger.superframes(schedule),
            bit_times,
            wire_utilisation,
            channel_use: Some(channels),
            entries: [figures, counts.to_vec()].concat(),
            summary_lines: vec![line],
            traps: traps.into_iter().map(LocatedTrap::from).collect(),
            ..std::mem::take(&mut ledger.stats)
        }
    }
}
