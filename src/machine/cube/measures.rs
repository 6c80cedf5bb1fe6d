//! What a run of the cube took, in phases and superframes.

use super::{CubeRun, MessageFate};
use crate::machine::Histogram;
use crate::routing::tdma::Schedule;
use crate::topology::Hypercube;

impl CubeRun {
    /// Of every message that was delivered, the phases until the end of the one in
    /// which it arrived.
    pub fn arrivals(&self) -> Histogram {
        self.delivered().collect()
    }

    /// Superframes that had begun when the last message was delivered.
    pub fn superframes(&self, cube: Hypercube) -> u64 {
        let phases = self.delivered().max().unwrap_or(0);
        Schedule::new(cube).superframes(phases)
    }

    fn delivered(&self) -> impl Iterator<Item = u64> + '_ {
        self.fates.iter().filter_map(|fate| match fate {
            MessageFate::Delivered { t } => Some(u64::from(*t) + 1),
            _ => None,
        })
    }

    /// Hops, over all places for one in these superframes.
    pub fn wire_utilisation(&self, cube: Hypercube) -> f64 {
        let phases = self.superframes(cube) * u64::from(Schedule::new(cube).phases());
        match phases * u64::from(cube.nodes() / 2) {
            0 => 0.0,
            places => self.counters.hops as f64 / places as f64,
        }
    }
}
