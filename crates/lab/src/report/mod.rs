//! Reports: traffic on a link, pictures of a schedule period, and tables of circuit costs.

pub mod comparison;
mod cores;
mod cost;
mod engines;
mod load_sweep;
pub mod measurement;
mod observers;
mod phase_sweep;
mod picture;

pub use cores::{CoreMarkRate, CoreMeasurement, CoreTable, CoresError};
pub use cost::{
    Cost, CostError, CostTable, Ecp5Table, NodeSharing, BLOCK_RAMS, DEVICE, LOGIC_CELLS,
};
pub use engines::{AgreedRun, AgreedRunError, EngineBench, EngineMeasurement, EngineRun};
pub use load_sweep::{LoadSweep, LoadTraffic, MessageRow, Saturation, SweepPoint, SweptMachine};
pub use observers::{LogicAnalyzer, OutputProbe};
pub use phase_sweep::{Axis, PhasePoint, PhaseSweep};
pub use picture::{
    MessageHop, MessageRoute, MessageTimeline, NetworkPicture, RunPicture, SchedulePicture,
    ScheduledMachine,
};

/// Definition of saturation under tables of loads (docs/measuring.md).
const SATURATED_NOTE: &str =
    "A machine is saturated when the number of waiting messages grew in the \
    measured periods, by over a tenth of the messages created in them and by more than noise.";

/// Name of a machine or network in titles and charts: its label with a capital letter.
fn display_name(label: &str) -> String {
    let mut letters = label.chars();
    let first = letters.next().map(|letter| letter.to_uppercase());
    first.into_iter().flatten().chain(letters).collect()
}

/// Splits a text after each full stop that ends a sentence.
fn sentences(text: &str) -> Vec<String> {
    let sentences = text.split_inclusive(". ");
    sentences.map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect()
}
