//! What a run of the cube took, in phases and superframes.

use super::{CubeRun, Disturbance, MessageFate};
use crate::machine::Histogram;
use crate::routing::tdma::PhaseSchedule;
use crate::routing::Schedule;
use crate::topology::Hypercube;
use crate::traffic::MessageList;

impl CubeRun {
    /// Of every message that was delivered, the phases until the end of the one in
    /// which it arrived.
    pub fn arrivals(&self) -> Histogram {
        self.delivered().collect()
    }

    /// Superframes that had begun when the last message was delivered.
    pub fn superframes(&self, cube: Hypercube) -> u64 {
        let phases = self.delivered().max().unwrap_or(0);
        PhaseSchedule::new(cube).superframes(phases)
    }

    /// Messages that were lost or given up though no node on their way is dead.
    pub fn needless_losses(
        &self,
        cube: Hypercube,
        messages: &MessageList,
        disturbance: &Disturbance,
    ) -> u64 {
        let is_dead = |node: u32| disturbance.dead.iter().any(|d| d.node == node);
        let needless = |(place, fate): &(usize, &MessageFate)| {
            use MessageFate::{Lost, Undelivered, Unknown};
            let message = messages.get(*place);
            matches!(fate, Lost { .. } | Undelivered | Unknown)
                && !PhaseSchedule::new(cube).passes(message.source, message.destination, is_dead)
        };
        self.fates.iter().enumerate().filter(needless).count() as u64
    }

    fn delivered(&self) -> impl Iterator<Item = u64> + '_ {
        self.fates.iter().filter_map(|fate| match fate {
            MessageFate::Delivered { t } => Some(u64::from(*t) + 1),
            _ => None,
        })
    }

    /// Hops, over all places for one in these superframes.
    pub fn wire_utilisation(&self, cube: Hypercube) -> f64 {
        let phases = self.superframes(cube) * u64::from(PhaseSchedule::new(cube).period());
        match phases * u64::from(cube.nodes() / 2) {
            0 => 0.0,
            places => self.counters.hops as f64 / places as f64,
        }
    }
}
