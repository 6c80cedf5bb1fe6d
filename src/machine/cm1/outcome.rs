//! The result of a run of the CM-1, as `run --json` prints it.

use super::{Cm1Fate, Cm1Run};
use crate::machine::{Histogram, Latency};
use crate::rtl::cm1::{MessageFormat, PetitPlan};
use serde::Serialize;

/// The fields of every network (docs/machine.md, "Command line"), and those of the CM-1.
#[derive(Clone, Debug, Serialize)]
pub struct Cm1Outcome {
    pub network: &'static str,
    pub dims: u32,
    /// Chips.
    pub nodes: u64,
    /// Rows of a chip's heart.
    pub rows: u64,
    /// Processors on a chip.
    pub processors: u64,
    pub vp_bits: u32,
    pub data_bits: u32,
    pub eject: &'static str,
    pub pattern: String,
    pub seed: u64,
    pub engine: &'static str,
    /// The CM-1 has no answers on its wires.
    pub link: Option<&'static str>,
    pub messages: u64,
    pub to_self: u64,
    pub delivered: u64,
    /// Arrived damaged, beyond recognition.
    pub lost: u64,
    pub duplicated: u64,
    pub undelivered: u64,
    /// What the machine took for right and is not.
    pub undetected: u64,
    /// In the machine when the run was ended.
    pub unfinished: u64,
    pub hops: u64,
    pub productive_hops: u64,
    pub desperation_hops: u64,
    /// The CM-1 has none.
    pub superframes: Option<u64>,
    /// Petit cycles up to the last ejection.
    pub petit_cycles: u64,
    /// Bit-times of a petit cycle.
    pub petit_period: u64,
    /// Messages ORed onto another one.
    pub collisions: u64,
    pub clock_cycles: u64,
    /// Until the last bit of the last message has left the heart.
    pub bit_times: u64,
    /// From there to the processor.
    pub ejector_bit_times: u64,
    pub latency: Latency,
    /// Hops, over one for each wire, direction and petit cycle.
    pub wire_utilisation: f64,
    /// The same without desperation hops.
    pub wire_utilisation_productive: f64,
    /// The CM-1 has none.
    pub retries: u64,
    /// Offers of processors that were not taken, and made again.
    pub refused: u64,
    pub late: u64,
    pub slips: u64,
    /// Times that the router was drained, and the rest sent in halves.
    pub timeouts: u64,
    /// Messages that arrived with wrong parity.
    pub parity_errors: u64,
    pub wall_seconds: f64,
    /// Chips times clock cycles per second of wall time.
    pub node_cycles_per_second: f64,
}

/// What a run does not know of itself.
#[derive(Clone, Debug)]
pub struct RunLabels {
    pub eject: &'static str,
    pub pattern: String,
    pub seed: u64,
    pub engine: &'static str,
    pub rows: usize,
    pub to_self: u64,
    pub wall_seconds: f64,
}

impl Cm1Run {
    /// So many hops, over one for each wire, direction and petit cycle.
    pub fn share_of_wires(&self, format: MessageFormat, hops: u64) -> f64 {
        let places = self.petit_cycles * (u64::from(format.dims) << format.dims);
        match places {
            0 => 0.0,
            _ => hops as f64 / places as f64,
        }
    }
}

impl Cm1Outcome {
    pub fn new(run: &Cm1Run, plan: PetitPlan, labels: RunLabels) -> Self {
        let format = plan.format;
        let nodes = 1u64 << format.dims;
        let petits: Histogram = run
            .fates
            .iter()
            .filter_map(|fate| match fate {
                Cm1Fate::Delivered { petit } => Some(petit + 1),
                _ => None,
            })
            .collect();
        let count = |wanted| run.fates.iter().filter(|fate| **fate == wanted).count() as u64;
        let used = |hops| run.share_of_wires(format, hops);
        let counters = run.counters;
        Cm1Outcome {
            network: "cm1",
            dims: format.dims,
            nodes,
            rows: labels.rows as u64,
            processors: 1 << format.proc_bits,
            vp_bits: format.vp_bits,
            data_bits: format.data_bits,
            eject: labels.eject,
            pattern: labels.pattern,
            seed: labels.seed,
            engine: labels.engine,
            link: None,
            messages: run.fates.len() as u64,
            to_self: labels.to_self,
            delivered: petits.len(),
            lost: count(Cm1Fate::Damaged),
            duplicated: counters.duplicated,
            undelivered: 0,
            undetected: counters.undetected,
            unfinished: count(Cm1Fate::UnderWay),
            hops: counters.hops,
            productive_hops: counters.productive_hops,
            desperation_hops: counters.desperation_hops,
            superframes: None,
            petit_cycles: run.petit_cycles,
            petit_period: plan.period.into(),
            collisions: counters.collisions,
            clock_cycles: run.clock_cycles,
            bit_times: run.heart_bit_times,
            ejector_bit_times: (plan.over() - plan.exit() - format.length() + 1).into(),
            latency: Latency::of(&petits, "petit cycles"),
            wire_utilisation: used(counters.hops),
            wire_utilisation_productive: used(counters.productive_hops),
            retries: 0,
            refused: counters.refused,
            late: 0,
            slips: 0,
            timeouts: counters.timeouts,
            parity_errors: counters.parity_errors,
            wall_seconds: labels.wall_seconds,
            node_cycles_per_second: (nodes * run.clock_cycles) as f64
                / labels.wall_seconds.max(1e-9),
        }
    }
}
